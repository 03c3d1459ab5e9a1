-- What a search filters and sorts by, in rows that are small beside the texts: a search that matches half of all tools reads
-- one of them for each match. Parts of names are looked for in full_name; tags holds each tag between two line breaks.
DROP TRIGGER search_documents_inserted;
DROP TRIGGER search_documents_deleted;
DROP TRIGGER search_documents_updated;
DROP TABLE search_runs;
DROP TABLE search_names;
DROP TABLE search_index;
DROP INDEX search_documents_by_title;
ALTER TABLE search_documents DROP COLUMN title;
ALTER TABLE search_documents DROP COLUMN facets;

CREATE TABLE search_entries (
    document    INTEGER PRIMARY KEY REFERENCES search_documents (id) ON DELETE CASCADE,
    repository  TEXT    NOT NULL UNIQUE,
    full_name   TEXT    NOT NULL,
    name_folded TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    owner       TEXT    NOT NULL,
    private     BIGINT  NOT NULL,
    tags        TEXT    NOT NULL,
    downloads   BIGINT  NOT NULL,
    likes       BIGINT  NOT NULL,
    created_ms  BIGINT  NOT NULL,
    modified_ms BIGINT  NOT NULL
);
CREATE VIEW search_entries_to_be (
    document, repository, full_name, name_folded, kind, owner, private, tags, downloads, likes, created_ms, modified_ms
) AS
SELECT d.id, r.id, lower(d.name), r.name_folded, r.kind, r.owner, r.private,
    COALESCE((SELECT group_concat(char(10) || g.tag || char(10), '') FROM repository_tags g WHERE g.repository = r.id), ''),
    r.downloads, r.likes, r.created_ms, r.modified_ms
FROM search_documents d JOIN repositories r ON r.id = d.repository;
INSERT INTO search_entries SELECT * FROM search_entries_to_be;

CREATE INDEX search_entries_by_name ON search_entries (name_folded);
CREATE INDEX search_entries_by_owner ON search_entries (owner, kind);
CREATE INDEX search_entries_by_modified ON search_entries (kind, modified_ms, repository);
CREATE INDEX search_entries_by_created ON search_entries (kind, created_ms, repository);
CREATE INDEX search_entries_by_downloads ON search_entries (kind, downloads, repository);
CREATE INDEX search_entries_by_likes ON search_entries (kind, likes, repository);

-- Listings no longer read these; what else asks for an owner's repositories has an index of its own.
DROP INDEX repositories_by_modified;
DROP INDEX repositories_by_created;
DROP INDEX repositories_by_downloads;
DROP INDEX repositories_by_likes;
DROP INDEX repositories_of_owner_by_modified;
DROP INDEX repositories_of_owner_by_created;
DROP INDEX repositories_of_owner_by_downloads;
DROP INDEX repositories_of_owner_by_likes;
CREATE INDEX repositories_by_owner ON repositories (owner, kind, id);

CREATE VIRTUAL TABLE search_index USING fts5 (
    name, description, functions, body,
    content = 'search_documents', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
);
INSERT INTO search_index (search_index) VALUES ('rebuild');

CREATE TRIGGER search_documents_inserted AFTER INSERT ON search_documents BEGIN
    INSERT INTO search_index (rowid, name, description, functions, body)
    VALUES (new.id, new.name, new.description, new.functions, new.body);
    INSERT INTO search_entries SELECT * FROM search_entries_to_be WHERE document = new.id;
END;

CREATE TRIGGER search_documents_deleted AFTER DELETE ON search_documents BEGIN
    INSERT INTO search_index (search_index, rowid, name, description, functions, body)
    VALUES ('delete', old.id, old.name, old.description, old.functions, old.body);
END;

CREATE TRIGGER search_documents_updated AFTER UPDATE ON search_documents BEGIN
    INSERT INTO search_index (search_index, rowid, name, description, functions, body)
    VALUES ('delete', old.id, old.name, old.description, old.functions, old.body);
    INSERT INTO search_index (rowid, name, description, functions, body)
    VALUES (new.id, new.name, new.description, new.functions, new.body);
    DELETE FROM search_entries WHERE document = new.id;
    INSERT INTO search_entries SELECT * FROM search_entries_to_be WHERE document = new.id;
END;

CREATE TRIGGER search_entries_follow AFTER UPDATE OF owner, name_folded, private, downloads, likes, modified_ms ON repositories BEGIN
    UPDATE search_entries SET owner = new.owner, name_folded = new.name_folded, private = new.private,
        downloads = new.downloads, likes = new.likes, modified_ms = new.modified_ms
    WHERE repository = new.id;
END;
