-- What an owner has, in each order of a listing.
CREATE INDEX repositories_of_owner_by_modified ON repositories (owner, kind, modified_ms, id);
CREATE INDEX repositories_of_owner_by_created ON repositories (owner, kind, created_ms, id);
CREATE INDEX repositories_of_owner_by_downloads ON repositories (owner, kind, downloads, id);
CREATE INDEX repositories_of_owner_by_likes ON repositories (owner, kind, likes, id);

-- All runs of one and two characters of a name.
CREATE FUNCTION search_short_parts(text TEXT) RETURNS TEXT[] LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURNS NULL ON NULL INPUT
    RETURN ARRAY(SELECT DISTINCT substr(lower(text), at, length) FROM generate_series(1, length(text)) AS at, generate_series(1, 2) AS length);
ALTER TABLE search_documents
    ADD COLUMN short_name_parts TEXT[] NOT NULL GENERATED ALWAYS AS (search_short_parts(name)) STORED;
CREATE INDEX search_documents_by_short_name_part ON search_documents USING gin (short_name_parts);
