-- One row where this registry is a mirror of another one: whose, and how far it has come. log_key and checkpoint are the upstream's,
-- as it wrote and signed them; null where it keeps no log. size is the number of records of that checkpoint, upstream_size what the
-- upstream had when it was asked last. fault says why its log is not followed any more; missing counts versions that are not here, and
-- unfinished names the repositories whose default branch could not be taken.
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
