//! How many documents match, before it is decided how to look for them.
//!
//! There are two ways to the first of many matches in an order: to go through the matches and sort them, good for few, or to go through
//! the order and look which ones match, good for many.

use super::super::fulltext::{Last, Place, Terms};
use super::super::visibility::{Value, bound};
use super::super::{Database, Engine};
use crate::error::RegistryError;

/// Most matches that are sorted.
const SORTED_MAX: i64 = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matches {
    Few,
    Many,
}

impl Database {
    /// Counts what a statement for documents gives, as far as it matters.
    pub(super) async fn matches(
        &self,
        documents: &str,
        values: Vec<Value>,
    ) -> Result<Matches, RegistryError> {
        let sql = format!(
            "SELECT COUNT(*) FROM (SELECT id FROM ({documents}) AS documents LIMIT {}) AS counted",
            SORTED_MAX + 1
        );
        let query = bound::<(i64,)>(sql, values).persistent(self.keeps_plans());
        let (count,) = query.fetch_one(&self.pool).await?;
        Ok(match count {
            ..=SORTED_MAX => Matches::Few,
            _ => Matches::Many,
        })
    }

    /// How many documents have the words in this place, in PostgreSQL.
    pub(super) async fn words(
        &self,
        terms: &Terms,
        place: Place,
        last: Last,
    ) -> Result<Matches, RegistryError> {
        let column = place.column();
        let documents =
            format!("SELECT id FROM search_documents WHERE {column} @@ to_tsquery('simple', $1)");
        let query = Value::Text(terms.for_postgres(last));
        self.matches(&documents, vec![query]).await
    }

    /// A plan that PostgreSQL keeps is made for words of which nothing is known.
    pub(super) fn keeps_plans(&self) -> bool {
        self.engine != Engine::Postgres
    }
}
