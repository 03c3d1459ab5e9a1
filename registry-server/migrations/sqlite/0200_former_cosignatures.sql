-- The cosignatures that newer ones have taken the place of, for about a minute: while the log grows
-- without a rest, the newest state has never been cosigned by all witnesses. replaced_ms is the time
-- of the newer one.
CREATE TABLE former_cosignatures (
    witness     TEXT   NOT NULL,
    size        BIGINT NOT NULL,
    cosignature TEXT   NOT NULL,
    cosigned_ms BIGINT NOT NULL,
    replaced_ms BIGINT NOT NULL,
    PRIMARY KEY (witness, size)
);
