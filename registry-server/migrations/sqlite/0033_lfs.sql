-- What the git blob is: the file itself, or an LFS pointer to it. sha256 and size_bytes are the file's either way.
ALTER TABLE blobs ADD COLUMN form TEXT NOT NULL DEFAULT 'plain' CHECK (form IN ('plain', 'pointer'));
-- Since when an uploaded file waits for a commit; NULL once a commit has named it.
ALTER TABLE blobs ADD COLUMN uploaded_ms BIGINT;
CREATE INDEX blobs_by_upload ON blobs (uploaded_ms) WHERE uploaded_ms IS NOT NULL;
CREATE INDEX blobs_by_content_of_repository ON blobs (repository, sha256);

-- Permissions to upload one object without a token; ticket is the SHA-256 of the secret in the address.
CREATE TABLE lfs_uploads (
    ticket     TEXT   NOT NULL PRIMARY KEY,
    repository TEXT   NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    token      TEXT   NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
    sha256     TEXT   NOT NULL,
    size_bytes BIGINT NOT NULL,
    part_bytes BIGINT,
    expires_ms BIGINT NOT NULL
);
CREATE INDEX lfs_uploads_by_expiry ON lfs_uploads (expires_ms);
CREATE INDEX lfs_uploads_by_repository ON lfs_uploads (repository);
CREATE INDEX lfs_uploads_by_token ON lfs_uploads (token);

-- Parts of an object that have arrived; number starts at 1.
CREATE TABLE lfs_parts (
    ticket     TEXT   NOT NULL REFERENCES lfs_uploads (ticket) ON DELETE CASCADE,
    number     BIGINT NOT NULL,
    sha256     TEXT   NOT NULL,
    size_bytes BIGINT NOT NULL,
    PRIMARY KEY (ticket, number)
);
