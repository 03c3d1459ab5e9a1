-- The witnesses that are asked to cosign the log's checkpoints, each with its public key.
-- size is the number of records of the largest checkpoint that a witness is known to have cosigned,
-- and cosignature its signature of that one, null if it is not here. asked_ms is the time of a
-- question that is under way or failed, 0 if there is none; fault is why the last one failed.
CREATE TABLE witnesses (
    name        TEXT   NOT NULL PRIMARY KEY,
    key         TEXT   NOT NULL,
    url         TEXT   NOT NULL,
    size        BIGINT NOT NULL,
    cosignature TEXT,
    cosigned_ms BIGINT NOT NULL,
    asked_ms    BIGINT NOT NULL,
    fault       TEXT
);
