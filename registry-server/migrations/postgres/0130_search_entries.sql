-- What a search filters and sorts by, in rows that are small beside the texts: a search that matches half of all tools reads
-- one of them for each match. Parts of names are looked for in full_name; tags holds each tag between two line breaks.
DROP INDEX search_documents_by_title;
ALTER TABLE search_documents
    DROP COLUMN title,
    DROP COLUMN in_description,
    DROP COLUMN in_functions,
    DROP COLUMN in_all,
    DROP COLUMN name_parts,
    DROP COLUMN short_name_parts;
DROP FUNCTION search_parts;
DROP FUNCTION search_short_parts;

-- The place of a word is its weight in the rank. A sign that no search asks for stands between the fields, so that the parts of a
-- word are not found across two of them. Long values are stored apart, so that going through matches does not read them.
ALTER TABLE search_documents SET (toast_tuple_target = 128);
ALTER TABLE search_documents ADD COLUMN document TSVECTOR NOT NULL GENERATED ALWAYS AS (
    setweight(search_words(name), 'A') || TSVECTOR '''|'':1' || setweight(search_words(description), 'B') || TSVECTOR '''|'':1'
    || setweight(search_words(functions), 'C') || TSVECTOR '''|'':1' || setweight(search_words(body), 'D')) STORED;
CREATE INDEX search_documents_by_word ON search_documents USING gin (document);

CREATE TABLE search_entries (
    document    BIGINT           NOT NULL PRIMARY KEY REFERENCES search_documents (id) ON DELETE CASCADE,
    repository  TEXT COLLATE "C" NOT NULL UNIQUE,
    full_name   TEXT             NOT NULL,
    name_folded TEXT COLLATE "C" NOT NULL,
    kind        TEXT COLLATE "C" NOT NULL,
    owner       TEXT COLLATE "C" NOT NULL,
    private     BIGINT           NOT NULL,
    tags        TEXT             NOT NULL,
    downloads   BIGINT           NOT NULL,
    likes       BIGINT           NOT NULL,
    created_ms  BIGINT           NOT NULL,
    modified_ms BIGINT           NOT NULL
);
CREATE VIEW search_entries_to_be (
    document, repository, full_name, name_folded, kind, owner, private, tags, downloads, likes, created_ms, modified_ms
) AS
SELECT d.id, r.id, lower(d.name), r.name_folded, r.kind, r.owner, r.private,
    COALESCE((SELECT string_agg(E'\n' || g.tag || E'\n', '') FROM repository_tags g WHERE g.repository = r.id), ''),
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

CREATE FUNCTION write_search_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM search_entries WHERE document = NEW.id;
    INSERT INTO search_entries SELECT * FROM search_entries_to_be WHERE document = NEW.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER search_documents_written AFTER INSERT OR UPDATE ON search_documents
    FOR EACH ROW EXECUTE FUNCTION write_search_entry();

CREATE FUNCTION update_search_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE search_entries SET owner = NEW.owner, name_folded = NEW.name_folded, private = NEW.private,
        downloads = NEW.downloads, likes = NEW.likes, modified_ms = NEW.modified_ms
    WHERE repository = NEW.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER search_entries_follow AFTER UPDATE OF owner, name_folded, private, downloads, likes, modified_ms ON repositories
    FOR EACH ROW EXECUTE FUNCTION update_search_entry();
