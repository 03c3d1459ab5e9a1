//! Reads git object ids from the database's text columns.

use gix_hash::ObjectId;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::error::RegistryError;

/// Reads an object id the database gave back.
pub(crate) fn object_id(hex: &str) -> Result<ObjectId, RegistryError> {
    ObjectId::from_hex(hex.as_bytes())
        .map_err(|_| RegistryError::Damaged(format!("object id {hex:?}")))
}

/// The object id in a column.
pub(super) fn object_id_in(row: &AnyRow, column: &str) -> Result<ObjectId, sqlx::Error> {
    optional_object_id_in(row, column)?
        .ok_or_else(|| sqlx::Error::ColumnNotFound(column.to_owned()))
}

/// The object id in a column that may be null.
pub(super) fn optional_object_id_in(
    row: &AnyRow,
    column: &str,
) -> Result<Option<ObjectId>, sqlx::Error> {
    let hex: Option<String> = row.try_get(column)?;
    let oid = hex.map(|hex| ObjectId::from_hex(hex.as_bytes()));
    oid.transpose().map_err(|error| sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source: Box::new(error),
    })
}
