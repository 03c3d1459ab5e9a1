-- Search reads the matches of a place in the order of document ids and stops when a page is full. A column for each place, each with all
-- words of those before it, so that the planner knows how common a word is there and chooses between the order and the index of words.
ALTER TABLE search_documents DROP COLUMN document;
ALTER TABLE search_documents ADD COLUMN id BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE;
CREATE INDEX search_documents_by_title ON search_documents (title, id);

CREATE FUNCTION search_words(text TEXT) RETURNS TSVECTOR LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURNS NULL ON NULL INPUT
    RETURN to_tsvector('pg_catalog.simple', regexp_replace(text, '[^[:alnum:]]+', ' ', 'g'));

-- All runs of three characters.
CREATE FUNCTION search_parts(text TEXT) RETURNS TEXT[] LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURNS NULL ON NULL INPUT
    RETURN ARRAY(SELECT DISTINCT substr(lower(text), at, 3) FROM generate_series(1, length(text) - 2) AS at);

-- A sign that no search asks for stands between the fields, so that the parts of a word are not found across two of them.
ALTER TABLE search_documents
    ADD COLUMN in_name TSVECTOR NOT NULL GENERATED ALWAYS AS (search_words(name)) STORED,
    ADD COLUMN in_description TSVECTOR NOT NULL GENERATED ALWAYS AS (
        search_words(name) || TSVECTOR '''|'':1' || search_words(description)) STORED,
    ADD COLUMN in_functions TSVECTOR NOT NULL GENERATED ALWAYS AS (
        search_words(name) || TSVECTOR '''|'':1' || search_words(description) || TSVECTOR '''|'':1' || search_words(functions)) STORED,
    ADD COLUMN in_all TSVECTOR NOT NULL GENERATED ALWAYS AS (
        search_words(name) || TSVECTOR '''|'':1' || search_words(description) || TSVECTOR '''|'':1' || search_words(functions)
        || TSVECTOR '''|'':1' || search_words(body)) STORED,
    ADD COLUMN name_parts TEXT[] NOT NULL GENERATED ALWAYS AS (search_parts(name)) STORED;
CREATE INDEX search_documents_by_name_word ON search_documents USING gin (in_name);
CREATE INDEX search_documents_by_described_word ON search_documents USING gin (in_description);
CREATE INDEX search_documents_by_function_word ON search_documents USING gin (in_functions);
CREATE INDEX search_documents_by_word ON search_documents USING gin (in_all);
CREATE INDEX search_documents_by_name_part ON search_documents USING gin (name_parts);
