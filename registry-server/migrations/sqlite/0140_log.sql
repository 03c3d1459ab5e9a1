-- The transparency log: a record for each version that was published, yanked or given back, in an
-- order that nobody changes, and the hashes of the tree over them. A record of a private repository
-- is a digest; opening is the text that it is of.
CREATE TABLE log_records (
    position    BIGINT NOT NULL PRIMARY KEY,
    repository  TEXT   NOT NULL,
    version     TEXT   NOT NULL,
    record      TEXT   NOT NULL,
    opening     TEXT
);
CREATE INDEX log_records_by_version ON log_records (repository, version);
CREATE TABLE log_hashes (
    number BIGINT NOT NULL PRIMARY KEY,
    hash   TEXT   NOT NULL
);
-- One row: the name of the log, and the seed of the key that signs its checkpoints.
CREATE TABLE log_key (
    name TEXT NOT NULL PRIMARY KEY,
    seed TEXT NOT NULL
);

CREATE TRIGGER log_records_are_not_forgotten BEFORE DELETE ON log_records BEGIN
    SELECT RAISE(ABORT, 'what is in the log is not forgotten');
END;
CREATE TRIGGER log_records_do_not_change BEFORE UPDATE ON log_records BEGIN
    SELECT RAISE(ABORT, 'what is in the log does not change');
END;
CREATE TRIGGER log_hashes_are_not_forgotten BEFORE DELETE ON log_hashes BEGIN
    SELECT RAISE(ABORT, 'what is in the log is not forgotten');
END;
CREATE TRIGGER log_hashes_do_not_change BEFORE UPDATE ON log_hashes BEGIN
    SELECT RAISE(ABORT, 'what is in the log does not change');
END;
