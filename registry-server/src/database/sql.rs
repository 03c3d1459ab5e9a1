//! Helpers for the texts of SQL statements: typed selections and lists of placeholders.
//!
//! A statement is a constant where it can be. It is put together by `format!` where it has as many
//! placeholders as there are values, or shares a part with others: the `QueryBuilder` of sqlx
//! writes the placeholders of `Any` as `?`, which PostgreSQL does not read. What clients send is
//! bound.

use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::QueryAs;
use sqlx::{Any, AssertSqlSafe, FromRow};

/// Rows asked for by one `IN (…)`; below SQLite's and PostgreSQL's limits on parameters.
pub(super) const BATCH_MAX: usize = 500;

/// A `SELECT` of rows of `T`: `columns` names the columns and their table, `rest` is the text after
/// them.
pub(super) fn select<'q, T>(
    columns: &'static str,
    rest: &'static str,
) -> QueryAs<'q, Any, T, AnyArguments>
where
    T: for<'r> FromRow<'r, AnyRow>,
{
    sqlx::query_as(AssertSqlSafe(format!("SELECT {columns} {rest}")))
}

/// `$first, $first+1, …` for an `IN (…)` of `count` values.
pub(super) fn placeholders(first: usize, count: usize) -> String {
    let mut text = String::with_capacity(count * 5);
    for index in first..first + count {
        if !text.is_empty() {
            text.push(',');
        }
        text.push('$');
        text.push_str(&index.to_string());
    }
    text
}
