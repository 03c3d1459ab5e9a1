-- What the registry reads out of the manifests of tools, and the index that search runs on.

-- facts is JSON; a manifest is read once and named by its content, so a row never goes stale.
CREATE TABLE manifests (
    repository TEXT NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    sha256     TEXT NOT NULL,
    facts      TEXT NOT NULL,
    PRIMARY KEY (repository, sha256)
);

-- The repositories whose default branch carries a valid manifest. functions are names and descriptions, for search.
CREATE TABLE tools (
    repository  TEXT NOT NULL PRIMARY KEY REFERENCES repositories (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    version     TEXT NOT NULL,
    description TEXT NOT NULL,
    functions   TEXT NOT NULL
);

-- One document for each repository. The id must be an explicit one: VACUUM renumbers implicit ones, and the index keeps them.
CREATE TABLE search_documents (
    id          INTEGER PRIMARY KEY,
    repository  TEXT NOT NULL UNIQUE REFERENCES repositories (id) ON DELETE CASCADE,
    title       TEXT NOT NULL,
    name        TEXT NOT NULL,
    description TEXT NOT NULL,
    functions   TEXT NOT NULL,
    body        TEXT NOT NULL
);

CREATE VIRTUAL TABLE search_index USING fts5 (
    name, description, functions, body,
    content = 'search_documents', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);

CREATE TRIGGER search_documents_inserted AFTER INSERT ON search_documents BEGIN
    INSERT INTO search_index (rowid, name, description, functions, body)
    VALUES (new.id, new.name, new.description, new.functions, new.body);
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
END;

INSERT INTO search_documents (repository, title, name, description, functions, body)
SELECT r.id, r.name_folded, o.name || '/' || r.name, r.description, '', r.search_text
FROM repositories r JOIN accounts o ON o.id = r.owner;
