//! How many documents match, before it is decided how to look for them.
//!
//! There are two ways to the first of many matches in an order: to go through the matches and sort them, good for few, or to go through
//! the order and look which ones match, good for many.

use super::super::fulltext::{IdPart, Last, Place, Terms};
use super::super::visibility::{Value, bound};
use super::super::{Database, Engine};
use super::filter::Values;
use crate::error::RegistryError;

/// Most matches that are sorted.
const SORTED_MAX: i64 = 1_000;

/// How many PostgreSQL has to expect for it to be believed without a count.
const KNOWN_TO_BE_MANY: f64 = 5.0 * SORTED_MAX as f64;

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
        let having = format!("d.{} @@ to_tsquery('simple', $1)", place.column());
        let query = Value::Text(terms.for_postgres(last));
        self.postgres_matches(&having, vec![query]).await
    }

    /// How many documents have the whole search in their names, where it is a short one; of a longer one both engines have an index that
    /// they read in order.
    pub(super) async fn short_parts(&self, terms: &Terms) -> Result<Matches, RegistryError> {
        let Some(part @ IdPart::Short(text)) = terms.id_part() else {
            return Ok(Matches::Many);
        };
        let mut values = Values::default();
        match self.engine {
            Engine::Sqlite => {
                let documents = beginning_runs(text, &mut values);
                self.matches(&documents, values.0).await
            }
            Engine::Postgres => {
                let having = has_part(part, &mut values);
                self.postgres_matches(&having, values.0).await
            }
        }
    }

    /// How many of PostgreSQL's documents fulfil a condition on `search_documents d`. An index lists all of them before the first is
    /// counted, which takes long when it is many, so they are not counted where it is known of a word that they are.
    async fn postgres_matches(
        &self,
        having: &str,
        values: Vec<Value>,
    ) -> Result<Matches, RegistryError> {
        let documents = format!("SELECT d.id FROM search_documents d WHERE {having}");
        let explain = format!("EXPLAIN {documents}");
        let plan = bound::<(String,)>(explain, values.clone()).persistent(false);
        let (plan,) = plan.fetch_one(&self.pool).await?;
        if estimated_rows(&plan).is_some_and(|rows| rows >= KNOWN_TO_BE_MANY) {
            return Ok(Matches::Many);
        }
        self.matches(&documents, values).await
    }

    /// A plan that PostgreSQL keeps is made for words of which nothing is known.
    pub(super) fn keeps_plans(&self) -> bool {
        self.engine != Engine::Postgres
    }
}

/// A statement for the ids of SQLite's documents whose names have this part of one or two characters: it is the beginning of some run of
/// three, as every name ends with two spaces. It gives a document for each place where it has the part.
pub(super) fn beginning_runs(part: &str, values: &mut Values) -> String {
    let first = values.text(part);
    let last = values.text(format!("{part}{}", char::MAX));
    format!("SELECT doc AS id FROM search_runs WHERE term >= {first} AND term < {last}")
}

/// The condition that the name of PostgreSQL's `search_documents d` has this part.
pub(super) fn has_part(part: IdPart<'_>, values: &mut Values) -> String {
    let text = values.text(part.text());
    match part {
        IdPart::Indexed(_) => {
            format!("d.name_parts @> search_parts({text}) AND strpos(lower(d.name), {text}) > 0")
        }
        IdPart::Short(_) => format!("d.short_name_parts @> ARRAY[{text}]"),
    }
}

/// What PostgreSQL expects of a plan, by its first line: `Seq Scan on a  (cost=0.00..1.00 rows=100 width=4)`.
fn estimated_rows(plan: &str) -> Option<f64> {
    let (_, rest) = plan.split_once(" rows=")?;
    rest.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::estimated_rows;

    #[test]
    fn the_rows_of_a_plan_are_read() {
        let plan = "Seq Scan on search_documents d  (cost=0.00..12.50 rows=2500 width=8)";
        assert_eq!(estimated_rows(plan), Some(2500.0));
        assert_eq!(estimated_rows("Result"), None);
    }
}
