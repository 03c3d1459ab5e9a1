-- A workflow of a build service that may publish to a repository without a token of a person, by
-- the claims of its identity token. An environment of '' is any. owner_id is the issuer's number
-- for the owner of the project, kept when it is first seen where nobody named it.
CREATE TABLE trusted_publishers (
    id          TEXT   NOT NULL PRIMARY KEY,
    repository  TEXT   NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    issuer      TEXT   NOT NULL,
    project     TEXT   NOT NULL,
    workflow    TEXT   NOT NULL,
    environment TEXT   NOT NULL,
    owner_id    TEXT,
    added_by    TEXT   NOT NULL,
    created_ms  BIGINT NOT NULL
);
CREATE INDEX trusted_publishers_by_repository ON trusted_publishers (repository);

-- Who changed the publishers of a repository, and what was published by them.
CREATE TABLE publisher_events (
    repository TEXT   NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    number     BIGINT NOT NULL,
    account    TEXT   NOT NULL,
    event      TEXT   NOT NULL,
    at_ms      BIGINT NOT NULL,
    PRIMARY KEY (repository, number)
);

-- The identity tokens that were exchanged, until they expire: each counts once.
CREATE TABLE used_identity_tokens (
    issuer     TEXT   NOT NULL,
    jti        TEXT   NOT NULL,
    expires_ms BIGINT NOT NULL,
    PRIMARY KEY (issuer, jti)
);
CREATE INDEX used_identity_tokens_by_expiry ON used_identity_tokens (expires_ms);

-- A token of a publisher may publish to this repository and nothing else. job is the identity for
-- which it was made, in JSON.
ALTER TABLE tokens ADD COLUMN publisher TEXT;
ALTER TABLE tokens ADD COLUMN job TEXT;
ALTER TABLE tokens ADD COLUMN publishes_to TEXT REFERENCES repositories (id) ON DELETE CASCADE;
CREATE INDEX tokens_of_publishers ON tokens (publishes_to) WHERE publishes_to IS NOT NULL;

-- 1 where versions come from trusted publishers alone.
ALTER TABLE repositories ADD COLUMN publishers_only BIGINT NOT NULL DEFAULT 0;
