-- Search reads the matches of a place in the order of document ids and stops when a page is full, so the index is ordered by what a page
-- is ordered by. facets hold what a search may be narrowed to, as words that no text contains: n and the owner's name,
-- t and a tag, both in hexadecimal.
DROP TRIGGER search_documents_inserted;
DROP TRIGGER search_documents_deleted;
DROP TRIGGER search_documents_updated;
DROP TABLE search_index;

ALTER TABLE search_documents ADD COLUMN facets TEXT NOT NULL DEFAULT '';
UPDATE search_documents SET facets = (
    SELECT 'n' || hex(o.name_folded)
        || COALESCE((SELECT group_concat(' t' || hex(g.tag), '') FROM repository_tags g WHERE g.repository = r.id), '')
    FROM repositories r JOIN accounts o ON o.id = r.owner WHERE r.id = search_documents.repository);
CREATE INDEX search_documents_by_title ON search_documents (title, id);

CREATE VIRTUAL TABLE search_index USING fts5 (
    name, description, functions, body, facets,
    content = 'search_documents', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);

-- For parts of names.
CREATE VIRTUAL TABLE search_names USING fts5 (
    name, content = 'search_documents', content_rowid = 'id', tokenize = 'trigram'
);

CREATE TRIGGER search_documents_inserted AFTER INSERT ON search_documents BEGIN
    INSERT INTO search_index (rowid, name, description, functions, body, facets)
    VALUES (new.id, new.name, new.description, new.functions, new.body, new.facets);
    INSERT INTO search_names (rowid, name) VALUES (new.id, new.name);
END;

CREATE TRIGGER search_documents_deleted AFTER DELETE ON search_documents BEGIN
    INSERT INTO search_index (search_index, rowid, name, description, functions, body, facets)
    VALUES ('delete', old.id, old.name, old.description, old.functions, old.body, old.facets);
    INSERT INTO search_names (search_names, rowid, name) VALUES ('delete', old.id, old.name);
END;

CREATE TRIGGER search_documents_updated AFTER UPDATE ON search_documents BEGIN
    INSERT INTO search_index (search_index, rowid, name, description, functions, body, facets)
    VALUES ('delete', old.id, old.name, old.description, old.functions, old.body, old.facets);
    INSERT INTO search_names (search_names, rowid, name) VALUES ('delete', old.id, old.name);
    INSERT INTO search_index (rowid, name, description, functions, body, facets)
    VALUES (new.id, new.name, new.description, new.functions, new.body, new.facets);
    INSERT INTO search_names (rowid, name) VALUES (new.id, new.name);
END;

INSERT INTO search_index (search_index) VALUES ('rebuild');
INSERT INTO search_names (search_names) VALUES ('rebuild');
