-- Most bytes an owner may keep; NULL means what the registry allows everyone.
ALTER TABLE accounts ADD COLUMN quota_bytes BIGINT;
