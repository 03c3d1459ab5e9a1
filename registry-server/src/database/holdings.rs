//! Lists those of an owner's repositories that a viewer may read, with the storage that each takes.

use super::bound_sql::{Value, bound};
use super::connection::Database;
use super::keys::{AccountKey, RepositoryKey};
use super::repositories::{REPOSITORIES, Repository};
use super::rows::from_row;
use super::visibility::readable;
use crate::error::RegistryError;
use crate::names::TokenScope;

/// A repository and the bytes of all versions of its files.
#[derive(Debug)]
pub(crate) struct Holding {
    pub(crate) repository: Repository,
    pub(crate) stored_bytes: i64,
}

from_row!(Holding { stored_bytes; repository });

/// The owner whose repositories are listed, and the viewer of the list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Holdings<'a> {
    pub(crate) owner: &'a AccountKey,
    pub(crate) viewer: &'a AccountKey,
    /// The repositories in which the viewer's rights count.
    pub(crate) scope: &'a TokenScope,
}

impl Holdings<'_> {
    /// The condition on `repositories r` and `accounts o`, and the values it binds.
    fn condition(&self) -> (String, Vec<Value>) {
        let mut values = vec![Value::Text(self.owner.to_string())];
        let readable = readable(Some(self.viewer), self.scope, |value| {
            values.push(value);
            format!("${}", values.len())
        });
        (format!("r.owner = $1 AND {readable}"), values)
    }
}

impl Database {
    /// One page of what the viewer may read, in the order of ids and after `after`.
    pub(crate) async fn holdings(
        &self,
        holdings: Holdings<'_>,
        after: &RepositoryKey,
        limit: usize,
    ) -> Result<Vec<Holding>, RegistryError> {
        let (condition, mut values) = holdings.condition();
        let bounds = values.len();
        values.push(Value::Text(after.to_string()));
        values.push(Value::Number(i64::try_from(limit).unwrap_or(i64::MAX)));
        let sql = format!(
            "SELECT (SELECT CAST(COALESCE(SUM(b.size_bytes), 0) AS BIGINT) FROM blobs b WHERE b.repository = r.id) AS stored_bytes, \
             {REPOSITORIES} WHERE {condition} AND r.id > ${} ORDER BY r.id LIMIT ${}",
            bounds + 1,
            bounds + 2
        );
        Ok(bound(sql, values).fetch_all(&self.pool).await?)
    }

    /// The bytes of all repositories that the viewer may read.
    pub(crate) async fn held_bytes(&self, holdings: Holdings<'_>) -> Result<i64, RegistryError> {
        let (condition, values) = holdings.condition();
        let sql = format!(
            "SELECT CAST(COALESCE(SUM(b.size_bytes), 0) AS BIGINT) FROM blobs b JOIN repositories r ON r.id = b.repository \
             JOIN accounts o ON o.id = r.owner WHERE {condition}"
        );
        let (bytes,): (i64,) = bound(sql, values).fetch_one(&self.pool).await?;
        Ok(bytes)
    }
}
