//! Builds the SQL conditions of a search: kind, owner, tags, and what the caller may see.

use sqlx::FromRow;
use sqlx::any::AnyRow;

use super::super::connection::Database;
use super::super::engine::Engine;
use super::super::visibility::{Value, bound, readable};
use super::query::Search;
use crate::error::RegistryError;

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

/// Only fixed text and placeholders go into the condition; what the client sent is bound.
pub(super) fn conditions(engine: Engine, search: &Search, values: &mut Values) -> String {
    let mut sql = format!("r.kind = {}", values.text(search.kind.word()));
    if let Some(author) = &search.author {
        let author = values.text(author.to_ascii_lowercase());
        sql += &format!(" AND r.owner = (SELECT id FROM accounts WHERE name_folded = {author})");
    }
    for tag in &search.tags {
        let tag = values.text(format!("\n{tag}\n"));
        sql += &format!(" AND {}", engine.contains("r.tags", &tag));
    }
    sql += " AND ";
    sql += &readable(search.account.as_ref(), &search.scope, |value| {
        values.bind(value)
    });
    sql
}

impl Engine {
    /// The condition that one text is a part of another.
    pub(super) fn contains(self, text: &str, part: &str) -> String {
        match self {
            Self::Sqlite => format!("instr({text}, {part}) > 0"),
            Self::Postgres => format!("strpos({text}, {part}) > 0"),
        }
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
