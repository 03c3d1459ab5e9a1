-- What the registry reads out of the manifests of tools, and the index that search runs on.

-- facts is JSON; a manifest is read once and named by its content, so a row never goes stale.
CREATE TABLE manifests (
    repository TEXT COLLATE "C" NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    sha256     TEXT COLLATE "C" NOT NULL,
    facts      TEXT NOT NULL,
    PRIMARY KEY (repository, sha256)
);

-- The repositories whose default branch carries a valid manifest. functions are names and descriptions, for search.
CREATE TABLE tools (
    repository  TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES repositories (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    version     TEXT NOT NULL,
    description TEXT NOT NULL,
    functions   TEXT NOT NULL
);

-- One document for each repository. PostgreSQL would read owner/name as a path and text-stats as a hyphenated word, so everything
-- that is neither letter nor digit becomes a space before the text is cut into words. A sign that no search asks for stands between the fields,
-- so that the parts of a word are not found across two of them.
CREATE TABLE search_documents (
    repository  TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES repositories (id) ON DELETE CASCADE,
    title       TEXT NOT NULL,
    name        TEXT NOT NULL,
    description TEXT NOT NULL,
    functions   TEXT NOT NULL,
    body        TEXT NOT NULL,
    document    TSVECTOR NOT NULL GENERATED ALWAYS AS (
        setweight(to_tsvector('simple', regexp_replace(name, '[^[:alnum:]]+', ' ', 'g')), 'A') || TSVECTOR '''|'':1' ||
        setweight(to_tsvector('simple', regexp_replace(description, '[^[:alnum:]]+', ' ', 'g')), 'B') || TSVECTOR '''|'':1' ||
        setweight(to_tsvector('simple', regexp_replace(functions, '[^[:alnum:]]+', ' ', 'g')), 'C') || TSVECTOR '''|'':1' ||
        setweight(to_tsvector('simple', regexp_replace(body, '[^[:alnum:]]+', ' ', 'g')), 'D')
    ) STORED
);
CREATE INDEX search_documents_by_word ON search_documents USING gin (document);

INSERT INTO search_documents (repository, title, name, description, functions, body)
SELECT r.id, r.name_folded, o.name || '/' || r.name, r.description, '', r.search_text
FROM repositories r JOIN accounts o ON o.id = r.owner;
