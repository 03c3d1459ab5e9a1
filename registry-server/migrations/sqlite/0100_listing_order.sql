-- Listings read thousands of rows by their key, so the rows stand in the tree of the key and not in one of their own beside it.
CREATE TABLE keyed_blobs (
    repository  TEXT   NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    oid         TEXT   NOT NULL,
    sha256      TEXT   NOT NULL,
    size_bytes  BIGINT NOT NULL,
    form        TEXT   NOT NULL DEFAULT 'plain' CHECK (form IN ('plain', 'pointer')),
    uploaded_ms BIGINT,
    PRIMARY KEY (repository, oid)
) WITHOUT ROWID;
INSERT INTO keyed_blobs (repository, oid, sha256, size_bytes, form, uploaded_ms)
SELECT repository, oid, sha256, size_bytes, form, uploaded_ms FROM blobs ORDER BY repository, oid;
DROP TABLE blobs;
ALTER TABLE keyed_blobs RENAME TO blobs;
CREATE INDEX blobs_by_content ON blobs (sha256);
CREATE INDEX blobs_by_upload ON blobs (uploaded_ms) WHERE uploaded_ms IS NOT NULL;
CREATE INDEX blobs_by_content_of_repository ON blobs (repository, sha256);

-- What an owner has, in each order of a listing.
CREATE INDEX repositories_of_owner_by_modified ON repositories (owner, kind, modified_ms, id);
CREATE INDEX repositories_of_owner_by_created ON repositories (owner, kind, created_ms, id);
CREATE INDEX repositories_of_owner_by_downloads ON repositories (owner, kind, downloads, id);
CREATE INDEX repositories_of_owner_by_likes ON repositories (owner, kind, likes, id);

-- A word of one character begins words too, and parts of names may have one or two characters: they are the beginnings of runs of three,
-- which every character of a name has when two spaces follow it.
DROP TRIGGER search_documents_updated;
UPDATE search_documents SET name = name || '  ';
CREATE TRIGGER search_documents_updated AFTER UPDATE ON search_documents BEGIN
    INSERT INTO search_index (search_index, rowid, name, description, functions, body, facets)
    VALUES ('delete', old.id, old.name, old.description, old.functions, old.body, old.facets);
    INSERT INTO search_names (search_names, rowid, name) VALUES ('delete', old.id, old.name);
    INSERT INTO search_index (rowid, name, description, functions, body, facets)
    VALUES (new.id, new.name, new.description, new.functions, new.body, new.facets);
    INSERT INTO search_names (rowid, name) VALUES (new.id, new.name);
END;
DROP TABLE search_index;
CREATE VIRTUAL TABLE search_index USING fts5 (
    name, description, functions, body, facets,
    content = 'search_documents', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
);
CREATE VIRTUAL TABLE search_runs USING fts5vocab (search_names, instance);
INSERT INTO search_index (search_index) VALUES ('rebuild');
INSERT INTO search_names (search_names) VALUES ('rebuild');
