-- Patterns owner/name and owner/*, folded and parted by spaces, of the repositories a token is limited to; NULL means all.
ALTER TABLE tokens ADD COLUMN repositories TEXT;
