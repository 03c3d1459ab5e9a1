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

CREATE FUNCTION refuse_to_forget() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0];
END
$$;
CREATE TRIGGER published_versions_are_not_forgotten BEFORE DELETE ON published_versions
    FOR EACH ROW EXECUTE FUNCTION refuse_to_forget('what was published is not forgotten');
CREATE TRIGGER published_versions_do_not_change BEFORE UPDATE ON published_versions
    FOR EACH ROW EXECUTE FUNCTION refuse_to_forget('what was published does not change');
-- Whoever gets the name of another owner gets the trust in its repositories, so no name becomes free again.
CREATE TRIGGER accounts_are_not_forgotten BEFORE DELETE ON accounts
    FOR EACH ROW EXECUTE FUNCTION refuse_to_forget('the name of an owner is never given to somebody else; revoke the tokens instead');
CREATE TRIGGER accounts_keep_their_names BEFORE UPDATE OF name_folded ON accounts
    FOR EACH ROW EXECUTE FUNCTION refuse_to_forget('the name of an owner is never given to somebody else');
