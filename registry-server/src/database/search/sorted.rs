//! Search in the order of a column, all repositories or those that match words.

use super::super::bound_sql::Values;
use super::super::connection::Database;
use super::super::engine::Engine;
use super::super::fulltext::Terms;
use super::super::keys::RepositoryKey;
use super::filter::conditions;
use super::query::{Hit, Order, Position, Search};
use super::words::{postgres_query, sqlite_documents};
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

/// Repositories that are read in order for each hit of a page before all matches are sorted: enough
/// for words that one repository in sixteen has.
const WINDOW_PER_HIT: usize = 16;
/// Most of these repositories; each takes some 20 µs.
const WINDOW_MAX: usize = 800;

impl Database {
    /// The hits of one page, which goes on after the row with this key and id.
    pub(super) async fn sorted(
        &self,
        search: &Search,
        after: Option<(i64, &RepositoryKey)>,
    ) -> Result<Vec<Hit>, RegistryError> {
        if let Some(terms) = &search.terms
            && self.engine == Engine::Postgres
        {
            let hits = self.sorted_window(search, terms, after).await?;
            if hits.len() == search.limit {
                return Ok(hits);
            }
        }
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
        let after = following(&key, after, &mut values);
        let limit = values.count(search.limit);
        let sql = format!(
            "SELECT r.repository, {key} AS key FROM {from} WHERE {matching}{conditions}{after} \
             ORDER BY {key} DESC, r.repository DESC LIMIT {limit}"
        );
        Ok(hits(self.found(sql, values).await?))
    }

    /// The hits among those repositories that come next in the order. When they fill a page, it is
    /// the page; otherwise more may follow.
    ///
    /// PostgreSQL joins everything that matches before it sorts it: for common words among 100,000
    /// tools that takes 100 to 200 ms, and this a few. Conditions are checked after the window is
    /// cut, so that rare tags do not make it read everything.
    async fn sorted_window(
        &self,
        search: &Search,
        terms: &Terms,
        after: Option<(i64, &RepositoryKey)>,
    ) -> Result<Vec<Hit>, RegistryError> {
        let mut values = Values::default();
        let column = search.order.column();
        let window = WINDOW_MAX.min(search.limit.saturating_mul(WINDOW_PER_HIT));
        let window = values.count(window);
        let kind = values.text(search.kind.word());
        let after = following(column, after, &mut values);
        let mut matching = format!("d.document @@ {}", postgres_query(terms, &mut values));
        if let Some(part) = terms.name_part() {
            let part = values.text(part);
            matching += &format!(" OR {}", self.engine.contains("r.full_name", &part));
        }
        let conditions = conditions(self.engine, search, &mut values);
        let limit = values.count(search.limit);
        let sql = format!(
            "SELECT r.repository, r.key FROM (SELECT r.*, {column} AS key FROM search_entries r \
             WHERE r.kind = {kind}{after} ORDER BY {column} DESC, r.repository DESC LIMIT {window}) r \
             JOIN search_documents d ON d.id = r.document WHERE ({matching}) AND {conditions} \
             ORDER BY r.key DESC, r.repository DESC LIMIT {limit}"
        );
        Ok(hits(self.found(sql, values).await?))
    }
}

/// The condition ` AND …` that a row comes after this one.
fn following(key: &str, after: Option<(i64, &RepositoryKey)>, values: &mut Values) -> String {
    let Some((number, id)) = after else {
        return String::new();
    };
    let (number, id) = (values.number(number), values.text(id.to_string()));
    format!(" AND ({key}, r.repository) < ({number}, {id})")
}

fn hits(rows: Vec<(RepositoryKey, i64)>) -> Vec<Hit> {
    let hits = rows.into_iter().map(|(repository, key)| Hit {
        position: Position::Sorted {
            key,
            id: repository.clone(),
        },
        repository,
    });
    hits.collect()
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
