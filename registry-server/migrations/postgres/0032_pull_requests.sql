-- The commits of pull request N are at refs/pr/N.
CREATE TABLE pull_requests (
    repository TEXT COLLATE "C" NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    number     BIGINT           NOT NULL,
    title      TEXT             NOT NULL,
    author     TEXT             NOT NULL,
    created_ms BIGINT           NOT NULL,
    PRIMARY KEY (repository, number)
);
