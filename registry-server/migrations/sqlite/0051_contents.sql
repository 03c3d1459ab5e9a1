-- The row of a content that a commit and the garbage collection both lock, so that neither overlooks the other.
-- condemned_ms is when the collection decided to remove the content, 0 while nobody did; removed is 1 once it is known to be gone.
CREATE TABLE contents (
    sha256       TEXT NOT NULL PRIMARY KEY,
    condemned_ms BIGINT NOT NULL,
    removed      BIGINT NOT NULL
);
CREATE INDEX contents_by_condemnation ON contents (condemned_ms) WHERE condemned_ms > 0;
