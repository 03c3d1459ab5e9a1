//! Counts an owner's repositories of each kind, as far as the caller may see them.

use std::collections::HashMap;

use super::bound_sql::{Value, bound};
use super::connection::Database;
use super::keys::AccountKey;
use super::visibility::readable;
use crate::error::RegistryError;
use crate::names::{RepositoryKind, TokenScope};

/// A number for each kind of repository.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts(HashMap<RepositoryKind, i64>);

impl Counts {
    pub(crate) fn of(&self, kind: RepositoryKind) -> i64 {
        self.0.get(&kind).copied().unwrap_or(0)
    }
}

impl Database {
    /// The repositories of `owner` that `viewer` may read; without a viewer the public ones.
    pub(crate) async fn counts(
        &self,
        owner: &AccountKey,
        viewer: Option<&AccountKey>,
        scope: &TokenScope,
    ) -> Result<Counts, RegistryError> {
        let mut values = vec![Value::Text(owner.to_string())];
        let readable = readable(viewer, scope, |value| {
            values.push(value);
            format!("${}", values.len())
        });
        let sql = format!(
            "SELECT r.kind, COUNT(*) FROM repositories r JOIN accounts o ON o.id = r.owner \
             WHERE r.owner = $1 AND {readable} GROUP BY r.kind"
        );
        let rows: Vec<(RepositoryKind, i64)> = bound(sql, values).fetch_all(&self.pool).await?;
        Ok(Counts(rows.into_iter().collect()))
    }
}
