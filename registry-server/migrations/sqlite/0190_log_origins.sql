-- The id of the repository that a record of the log was made for; empty for one that was deleted
-- before there was a log. A name does not say it: several kinds may have it, and a repository that
-- is made anew. A hidden record is opened for the readers of its origin, and for those of a private
-- repository that has its name and owner today, who are the same.
-- Records from before this have NULL, and so do those of a mirror, of which none is opened. They go
-- on being told under their name, but for hidden ones of a version that a data set, a space or a
-- kernel has published under it, too: these may be theirs, and are opened as those of another
-- origin.
ALTER TABLE log_records ADD COLUMN origin TEXT;
