//! Search in the order of a column, all repositories or those that match words.

use super::super::Database;
use super::super::fulltext::Terms;
use super::filter::{Values, conditions};
use super::{Hit, Order, Position, Search};
use crate::error::RegistryError;

impl Order {
    fn column(self) -> &'static str {
        match self {
            // Without words all are equally relevant.
            Self::Relevance => "CAST(0 AS BIGINT)",
            Self::Modified => "r.modified_ms",
            Self::Created => "r.created_ms",
            Self::Downloads => "r.downloads",
            Self::Likes => "r.likes",
        }
    }
}

impl Database {
    /// The hits of one page, which goes on after the row with this key and id.
    pub(super) async fn sorted(
        &self,
        search: &Search,
        after: Option<(i64, &str)>,
    ) -> Result<Vec<Hit>, RegistryError> {
        let mut values = Values::default();
        let mut key = search.order.column().to_owned();
        let mut from = "search_entries r".to_owned();
        let mut matching = "";
        if let Some(terms) = &search.terms {
            from = format!("({}) m CROSS JOIN {from}", self.matches(terms, &mut values));
            matching = "r.document = m.document AND ";
        }
        if search.terms.is_some() || search.author.is_some() {
            // An expression that no index is ordered by: few are left by words or an owner, and sorting them takes less time than
            // going through everything in order until a page is full.
            key = format!("({key} + 0)");
        }
        let conditions = conditions(self.engine, search, &mut values);
        let after = match after {
            None => String::new(),
            Some((number, id)) => {
                let (number, id) = (values.number(number), values.text(id));
                format!(" AND ({key}, r.repository) < ({number}, {id})")
            }
        };
        let limit = values.count(search.limit);
        let sql = format!(
            "SELECT r.repository, {key} AS key FROM {from} WHERE {matching}{conditions}{after} \
             ORDER BY {key} DESC, r.repository DESC LIMIT {limit}"
        );
        let rows: Vec<(String, i64)> = self.found(sql, values).await?;
        let hits = rows.into_iter().map(|(repository, key)| Hit {
            position: Position::Sorted {
                key,
                id: repository.clone(),
            },
            repository,
        });
        Ok(hits.collect())
    }

    /// A statement for the documents that have the words anywhere, or the whole search in their names.
    fn matches(&self, terms: &Terms, values: &mut Values) -> String {
        let words = self.engine.documents_with(terms, values);
        match terms.name_part() {
            None => words,
            Some(part) => {
                let in_name = self.engine.contains("full_name", &values.text(part));
                format!("{words} UNION SELECT document FROM search_entries WHERE {in_name}")
            }
        }
    }
}
