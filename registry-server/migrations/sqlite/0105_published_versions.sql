-- Every version of a tool that was published, under each id it could be had by. Rows outlive their tag and their repository, so that a
-- number is never given again with other bytes; therefore nothing here refers to a repository. tree is the git id of all its files.
CREATE TABLE published_versions (
    kind             TEXT   NOT NULL,
    owner_folded     TEXT   NOT NULL,
    name_folded      TEXT   NOT NULL,
    version          TEXT   NOT NULL,
    tree             TEXT   NOT NULL,
    manifest_sha256  TEXT   NOT NULL,
    component_sha256 TEXT,
    commit_oid       TEXT   NOT NULL,
    published_ms     BIGINT NOT NULL,
    PRIMARY KEY (kind, owner_folded, name_folded, version)
);

CREATE TRIGGER published_versions_are_not_forgotten BEFORE DELETE ON published_versions BEGIN
    SELECT RAISE(ABORT, 'what was published is not forgotten');
END;
CREATE TRIGGER published_versions_do_not_change BEFORE UPDATE ON published_versions BEGIN
    SELECT RAISE(ABORT, 'what was published does not change');
END;
-- Whoever gets the name of another owner gets the trust in its repositories, so no name becomes free again.
CREATE TRIGGER accounts_are_not_forgotten BEFORE DELETE ON accounts BEGIN
    SELECT RAISE(ABORT, 'the name of an owner is never given to somebody else; revoke the tokens instead');
END;
CREATE TRIGGER accounts_keep_their_names BEFORE UPDATE OF name_folded ON accounts BEGIN
    SELECT RAISE(ABORT, 'the name of an owner is never given to somebody else');
END;
