-- Cosignatures that a newer one of the same witness replaced, kept for about a minute. While the
-- log grows faster than witnesses sign, not all of them have cosigned its newest state, and an
-- earlier one is served. replaced_ms is the time of the newer cosignature.
CREATE TABLE former_cosignatures (
    witness     TEXT   NOT NULL,
    size        BIGINT NOT NULL,
    cosignature TEXT   NOT NULL,
    cosigned_ms BIGINT NOT NULL,
    replaced_ms BIGINT NOT NULL,
    PRIMARY KEY (witness, size)
);
