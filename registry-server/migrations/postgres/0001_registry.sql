-- The same tables as for SQLite. Text that is compared, ordered or looked up has the collation "C", which is SQLite's order of bytes;
-- the order of another collation would change with the operating system under a replica.

-- Times are milliseconds since 1970 UTC. Truth values are 0 and 1. Object ids are lower-case hexadecimal.

CREATE TABLE accounts (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind        TEXT COLLATE "C" NOT NULL CHECK (kind IN ('user', 'organisation')),
    name        TEXT COLLATE "C" NOT NULL,
    name_folded TEXT COLLATE "C" NOT NULL UNIQUE,
    full_name   TEXT             NOT NULL,
    email       TEXT,
    created_ms  BIGINT           NOT NULL
);

CREATE TABLE members (
    organisation TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    member       TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role         TEXT COLLATE "C" NOT NULL CHECK (role IN ('read', 'write', 'admin')),
    PRIMARY KEY (organisation, member)
);
CREATE INDEX members_by_member ON members (member);

-- The secret itself is never stored, only its SHA-256.
CREATE TABLE tokens (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account    TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name       TEXT COLLATE "C" NOT NULL,
    role       TEXT COLLATE "C" NOT NULL CHECK (role IN ('read', 'write')),
    sha256     TEXT COLLATE "C" NOT NULL UNIQUE,
    created_ms BIGINT           NOT NULL,
    expires_ms BIGINT,
    revoked_ms BIGINT
);
CREATE INDEX tokens_by_account ON tokens (account);

CREATE TABLE repositories (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind        TEXT COLLATE "C" NOT NULL CHECK (kind IN ('model', 'dataset', 'space', 'kernel')),
    owner       TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    name        TEXT COLLATE "C" NOT NULL,
    name_folded TEXT COLLATE "C" NOT NULL,
    private     BIGINT           NOT NULL,
    description TEXT             NOT NULL DEFAULT '',
    card        TEXT,
    search_text TEXT             NOT NULL DEFAULT '',
    downloads   BIGINT           NOT NULL DEFAULT 0,
    likes       BIGINT           NOT NULL DEFAULT 0,
    created_ms  BIGINT           NOT NULL,
    modified_ms BIGINT           NOT NULL,
    UNIQUE (kind, owner, name_folded)
);
CREATE INDEX repositories_by_modified ON repositories (kind, modified_ms, id);
CREATE INDEX repositories_by_created ON repositories (kind, created_ms, id);
CREATE INDEX repositories_by_downloads ON repositories (kind, downloads, id);
CREATE INDEX repositories_by_likes ON repositories (kind, likes, id);

CREATE TABLE repository_tags (
    repository TEXT COLLATE "C" NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    tag        TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tag, repository)
);
CREATE INDEX repository_tags_by_repository ON repository_tags (repository);

-- Ids a repository had before it was moved; they go on working.
CREATE TABLE aliases (
    kind         TEXT COLLATE "C" NOT NULL,
    owner_folded TEXT COLLATE "C" NOT NULL,
    name_folded  TEXT COLLATE "C" NOT NULL,
    repository   TEXT COLLATE "C" NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    PRIMARY KEY (kind, owner_folded, name_folded)
);
CREATE INDEX aliases_by_repository ON aliases (repository);

-- Full reference names: refs/heads/main, refs/tags/v1.
CREATE TABLE refs (
    repository TEXT COLLATE "C" NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    name       TEXT COLLATE "C" NOT NULL,
    commit_oid TEXT COLLATE "C" NOT NULL,
    message    TEXT,
    created_ms BIGINT           NOT NULL,
    PRIMARY KEY (repository, name)
);

-- data is the git commit object without its header; generation is one more than the parent's.
CREATE TABLE commits (
    repository TEXT COLLATE "C" NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    oid        TEXT COLLATE "C" NOT NULL,
    tree       TEXT COLLATE "C" NOT NULL,
    parent     TEXT COLLATE "C",
    generation BIGINT           NOT NULL,
    title      TEXT             NOT NULL,
    message    TEXT             NOT NULL,
    author     TEXT             NOT NULL,
    written_ms BIGINT           NOT NULL,
    data       BYTEA            NOT NULL,
    PRIMARY KEY (repository, oid)
);

-- data is the git tree object without its header.
CREATE TABLE trees (
    repository TEXT COLLATE "C" NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    oid        TEXT COLLATE "C" NOT NULL,
    data       BYTEA            NOT NULL,
    PRIMARY KEY (repository, oid)
);

-- Which content a git blob stands for. Kept per repository, so that knowing an id of another repository gives nothing.
CREATE TABLE blobs (
    repository TEXT COLLATE "C" NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    oid        TEXT COLLATE "C" NOT NULL,
    sha256     TEXT COLLATE "C" NOT NULL,
    size_bytes BIGINT           NOT NULL,
    PRIMARY KEY (repository, oid)
);
CREATE INDEX blobs_by_content ON blobs (sha256);

-- Which files and directories a commit touched, to answer "last changed by" without walking trees.
CREATE TABLE changes (
    repository TEXT COLLATE "C" NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    path       TEXT COLLATE "C" NOT NULL,
    generation BIGINT           NOT NULL,
    commit_oid TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (repository, path, generation, commit_oid)
);
