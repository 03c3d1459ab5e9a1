-- Contents that an owner with a quota has sent and that nobody refers to, or not any more, until they are collected.
CREATE TABLE arrivals (
    owner      TEXT   NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    sha256     TEXT   NOT NULL,
    size_bytes BIGINT NOT NULL,
    arrived_ms BIGINT NOT NULL,
    PRIMARY KEY (owner, sha256)
);
CREATE INDEX arrivals_by_content ON arrivals (sha256);
CREATE INDEX arrivals_by_time ON arrivals (arrived_ms);
