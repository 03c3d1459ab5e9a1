-- One row where this registry is a mirror of another one, with how far it has come.
-- log_key and checkpoint are the upstream's as it wrote and signed them, null where it keeps no log.
-- size is the number of records of that checkpoint; upstream_size, of the one seen last.
-- fault is the reason why its log is not followed any more. missing counts the versions that are in
-- the log and not here; unfinished names the repositories whose default branch could not be taken.
CREATE TABLE mirror (
    upstream      TEXT   NOT NULL PRIMARY KEY,
    only_repos    TEXT   NOT NULL,
    log_key       TEXT,
    checkpoint    TEXT,
    size          BIGINT NOT NULL,
    upstream_size BIGINT NOT NULL,
    checked_ms    BIGINT NOT NULL,
    fault         TEXT,
    missing       BIGINT NOT NULL,
    unfinished    TEXT   NOT NULL
);
