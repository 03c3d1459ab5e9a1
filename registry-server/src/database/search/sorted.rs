//! Search in the order of a column, all repositories or those that match words.

use super::super::connection::Database;
use super::super::engine::Engine;
use super::super::fulltext::Terms;
use super::super::keys::RepositoryKey;
use super::filter::{Values, conditions};
use super::query::{Hit, Order, Position, Search};
use super::ranked::{postgres_query, sqlite_documents};

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
        after: Option<(i64, &RepositoryKey)>,
    ) -> Result<Vec<Hit>, RegistryError> {
        let mut values = Values::default();
        let mut key = search.order.column().to_owned();
        let (from, matching) = match &search.terms {
            Some(terms) => self.engine.found_anywhere(terms, &mut values),
            None => ("search_entries r".to_owned(), String::new()),
        };
        if search.terms.is_some() || search.author.is_some() {
            // An expression that no index is ordered by: few are left by words or an owner, and
            // sorting them takes less time than going through everything in order until a page is
            // full.
            key = format!("({key} + 0)");
        }
        let conditions = conditions(self.engine, search, &mut values);
        let after = match after {
            None => String::new(),
            Some((number, id)) => {
                let (number, id) = (values.number(number), values.text(id.to_string()));
                format!(" AND ({key}, r.repository) < ({number}, {id})")
            }
        };
        let limit = values.count(search.limit);
        let sql = format!(
            "SELECT r.repository, {key} AS key FROM {from} WHERE {matching}{conditions}{after} \
             ORDER BY {key} DESC, r.repository DESC LIMIT {limit}"
        );
        let rows: Vec<(RepositoryKey, i64)> = self.found(sql, values).await?;
        let hits = rows.into_iter().map(|(repository, key)| Hit {
            position: Position::Sorted {
                key,
                id: repository.clone(),
            },
            repository,
        });
        Ok(hits.collect())
    }
}

impl Engine {
    /// The tables, `search_entries r` among them, and the condition `… AND ` that a document has
    /// the words anywhere, or the whole search in its name.
    fn found_anywhere(self, terms: &Terms, values: &mut Values) -> (String, String) {
        let in_name = terms.name_part().map(|part| values.text(part));
        match self {
            Self::Sqlite => {
                let mut documents = sqlite_documents(terms, values);
                if let Some(part) = in_name {
                    let in_name = self.contains("full_name", &part);
                    documents +=
                        &format!(" UNION SELECT document FROM search_entries WHERE {in_name}");
                }
                (
                    format!("({documents}) m CROSS JOIN search_entries r"),
                    "r.document = m.document AND ".to_owned(),
                )
            }
            Self::Postgres => {
                let query = postgres_query(terms, values);
                let in_name = in_name.map_or_else(String::new, |part| {
                    format!(" OR {}", self.contains("r.full_name", &part))
                });
                (
                    format!(
                        "search_entries r LEFT JOIN search_documents d \
                         ON d.id = r.document AND d.document @@ {query}"
                    ),
                    format!("(d.id IS NOT NULL{in_name}) AND "),
                )
            }
        }
    }
}
