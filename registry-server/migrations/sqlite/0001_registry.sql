-- Times are milliseconds since 1970 UTC. Truth values are 0 and 1. Object ids are lower-case hexadecimal.

CREATE TABLE accounts (
    id          TEXT   NOT NULL PRIMARY KEY,
    kind        TEXT   NOT NULL CHECK (kind IN ('user', 'organisation')),
    name        TEXT   NOT NULL,
    name_folded TEXT   NOT NULL UNIQUE,
    full_name   TEXT   NOT NULL,
    email       TEXT,
    created_ms  BIGINT NOT NULL
);

CREATE TABLE members (
    organisation TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    member       TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role         TEXT NOT NULL CHECK (role IN ('read', 'write', 'admin')),
    PRIMARY KEY (organisation, member)
);
CREATE INDEX members_by_member ON members (member);

-- The secret itself is never stored, only its SHA-256.
CREATE TABLE tokens (
    id         TEXT   NOT NULL PRIMARY KEY,
    account    TEXT   NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name       TEXT   NOT NULL,
    role       TEXT   NOT NULL CHECK (role IN ('read', 'write')),
    sha256     TEXT   NOT NULL UNIQUE,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT,
    revoked_ms BIGINT
);
CREATE INDEX tokens_by_account ON tokens (account);

CREATE TABLE repositories (
    id          TEXT   NOT NULL PRIMARY KEY,
    kind        TEXT   NOT NULL CHECK (kind IN ('model', 'dataset', 'space', 'kernel')),
    owner       TEXT   NOT NULL REFERENCES accounts (id),
    name        TEXT   NOT NULL,
    name_folded TEXT   NOT NULL,
    private     BIGINT NOT NULL,
    description TEXT   NOT NULL DEFAULT '',
    card        TEXT,
    search_text TEXT   NOT NULL DEFAULT '',
    downloads   BIGINT NOT NULL DEFAULT 0,
    likes       BIGINT NOT NULL DEFAULT 0,
    created_ms  BIGINT NOT NULL,
    modified_ms BIGINT NOT NULL,
    UNIQUE (kind, owner, name_folded)
);
CREATE INDEX repositories_by_modified ON repositories (kind, modified_ms, id);
CREATE INDEX repositories_by_created ON repositories (kind, created_ms, id);
CREATE INDEX repositories_by_downloads ON repositories (kind, downloads, id);
CREATE INDEX repositories_by_likes ON repositories (kind, likes, id);

CREATE TABLE repository_tags (
    repository TEXT NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    tag        TEXT NOT NULL,
    PRIMARY KEY (tag, repository)
);
CREATE INDEX repository_tags_by_repository ON repository_tags (repository);

-- Ids a repository had before it was moved; they go on working.
CREATE TABLE aliases (
    kind         TEXT NOT NULL,
    owner_folded TEXT NOT NULL,
    name_folded  TEXT NOT NULL,
    repository   TEXT NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    PRIMARY KEY (kind, owner_folded, name_folded)
);
CREATE INDEX aliases_by_repository ON aliases (repository);

-- Full reference names: refs/heads/main, refs/tags/v1.
CREATE TABLE refs (
    repository TEXT   NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    name       TEXT   NOT NULL,
    commit_oid TEXT   NOT NULL,
    message    TEXT,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (repository, name)
);

-- data is the git commit object without its header; generation is one more than the parent's.
CREATE TABLE commits (
    repository TEXT   NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    oid        TEXT   NOT NULL,
    tree       TEXT   NOT NULL,
    parent     TEXT,
    generation BIGINT NOT NULL,
    title      TEXT   NOT NULL,
    message    TEXT   NOT NULL,
    author     TEXT   NOT NULL,
    written_ms BIGINT NOT NULL,
    data       BLOB   NOT NULL,
    PRIMARY KEY (repository, oid)
);

-- data is the git tree object without its header.
CREATE TABLE trees (
    repository TEXT NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    oid        TEXT NOT NULL,
    data       BLOB NOT NULL,
    PRIMARY KEY (repository, oid)
);

-- Which content a git blob stands for. Kept per repository, so that knowing an id of another repository gives nothing.
CREATE TABLE blobs (
    repository TEXT   NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    oid        TEXT   NOT NULL,
    sha256     TEXT   NOT NULL,
    size_bytes BIGINT NOT NULL,
    PRIMARY KEY (repository, oid)
);
CREATE INDEX blobs_by_content ON blobs (sha256);

-- Which files and directories a commit touched, to answer "last changed by" without walking trees.
CREATE TABLE changes (
    repository TEXT   NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    path       TEXT   NOT NULL,
    generation BIGINT NOT NULL,
    commit_oid TEXT   NOT NULL,
    PRIMARY KEY (repository, path, generation, commit_oid)
);
