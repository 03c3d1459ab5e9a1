-- The signer that a record of the log names, as JSON, also where the record is hidden: null where a
-- version is not signed. NULL in all other records.
ALTER TABLE log_records ADD COLUMN signer TEXT;
CREATE INDEX log_signers ON log_records (repository, position) WHERE signer IS NOT NULL;
