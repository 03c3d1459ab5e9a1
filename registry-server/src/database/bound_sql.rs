//! Collects the values for placeholders of an SQL text that is built at run time, and runs it.

use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::QueryAs;
use sqlx::{Any, AssertSqlSafe, FromRow};

use super::connection::Database;
use super::engine::Engine;
use crate::error::RegistryError;

/// A value bound to a statement that is put together from parts.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Text(String),
    Number(i64),
}

/// A statement that was put together from fixed text and the numbers of `values`.
pub(super) fn bound<'q, T>(sql: String, values: Vec<Value>) -> QueryAs<'q, Any, T, AnyArguments>
where
    T: for<'r> FromRow<'r, AnyRow>,
{
    let query = sqlx::query_as(AssertSqlSafe(sql));
    values.into_iter().fold(query, |query, value| match value {
        Value::Text(text) => query.bind(text),
        Value::Number(number) => query.bind(number),
    })
}

/// The values of a statement, in the order of their placeholders.
#[derive(Default)]
pub(super) struct Values(pub(super) Vec<Value>);

impl Values {
    /// Gives back the placeholder.
    pub(super) fn bind(&mut self, value: Value) -> String {
        self.0.push(value);
        format!("${}", self.0.len())
    }

    pub(super) fn text(&mut self, text: impl Into<String>) -> String {
        self.bind(Value::Text(text.into()))
    }

    pub(super) fn number(&mut self, number: i64) -> String {
        self.bind(Value::Number(number))
    }

    pub(super) fn count(&mut self, count: usize) -> String {
        self.number(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl Database {
    /// Runs a statement whose values are bound.
    pub(super) async fn found<T>(
        &self,
        sql: String,
        values: Values,
    ) -> Result<Vec<T>, RegistryError>
    where
        T: for<'r> FromRow<'r, AnyRow> + Send + Unpin,
    {
        // A plan that PostgreSQL keeps is made for words of which nothing is known.
        let query = bound(sql, values.0).persistent(self.engine != Engine::Postgres);
        Ok(query.fetch_all(&self.pool).await?)
    }
}
