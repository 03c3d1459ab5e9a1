//! Tests of reading documents and schemas.
