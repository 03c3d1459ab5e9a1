-- Where one commit only has a number of ancestors, it belongs to every history that is at least as long; so most questions for an old
-- commit need no walk from the newest one.
CREATE INDEX commits_by_generation ON commits (repository, generation, oid);
