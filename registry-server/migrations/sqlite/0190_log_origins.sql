-- The id of the repository that a record of the log was made for; no repository's where it was deleted
-- before there was a log. A name does not say it: several kinds may have had it, and a deleted
-- repository and its successor. A hidden record is opened for the readers of its origin alone.
-- Records from before this have NULL. They go on being told under their name, those that are hidden
-- while no data set, space or kernel has published the same version under it, because such a record
-- may be theirs; the readers of a private repository, who are those of its owner, see them all.
-- So do the records of a mirror, which are never opened.
ALTER TABLE log_records ADD COLUMN origin TEXT;
