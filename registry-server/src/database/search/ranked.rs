//! Search by relevance, with `bm25()` of SQLite's FTS5 or PostgreSQL's `ts_rank`.
//!
//! What matches is parted into grades by where the words are. Of each grade the newest [`WINDOW`]
//! matches are ranked, then the next as many, and so on: to rank half of 100,000 tools takes from a
//! tenth to half a second, and a window a few milliseconds. All pages together hold each match
//! once.

use super::super::bound_sql::Values;
use super::super::connection::Database;
use super::super::engine::Engine;
use super::super::fulltext::Terms;
use super::super::keys::RepositoryKey;
use super::filter::conditions;
use super::query::{Hit, Position, RankedPosition, Search};
use super::words::{postgres_query, sqlite_documents};
use crate::error::RegistryError;

/// Matches that are ranked together.
const WINDOW: usize = 1_000;

/// The places where the words may be, the best first. The last word may be the beginning of a
/// longer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grade {
    /// The search is the name.
    Exact,
    Name,
    Anywhere,
    /// The search is in the middle of a name: clients of the Hub expect parts of names to be found.
    Part,
}

const GRADES: [Grade; 4] = [Grade::Exact, Grade::Name, Grade::Anywhere, Grade::Part];

impl RankedPosition {
    const START: Self = Self {
        grade: 0,
        below: i64::MAX,
        shown: 0,
    };
}

impl Database {
    /// The hits of one page.
    pub(super) async fn ranked(
        &self,
        search: &Search,
        terms: &Terms,
        after: Option<RankedPosition>,
    ) -> Result<Vec<Hit>, RegistryError> {
        let mut at = after.unwrap_or(RankedPosition::START);
        let mut hits = Vec::new();
        while let Some(&grade) = GRADES.get(at.grade) {
            let window = self.window(search, terms, grade, at.below).await?;
            let documents = || window.iter().map(|(_, document)| *document);
            let newest = documents().max().unwrap_or_default();
            at.below = at.below.min(newest.saturating_add(1));
            for (repository, _) in window.iter().skip(at.shown) {
                at.shown += 1;
                hits.push(Hit {
                    repository: repository.clone(),
                    position: Position::Ranked(at),
                });
                if hits.len() == search.limit {
                    return Ok(hits);
                }
            }
            at = match documents().min() {
                Some(oldest) if window.len() == WINDOW => RankedPosition {
                    below: oldest,
                    shown: 0,
                    ..at
                },
                _ => RankedPosition {
                    grade: at.grade + 1,
                    ..RankedPosition::START
                },
            };
        }
        Ok(hits)
    }

    /// The newest of a grade below a document, the best first: repositories with their documents.
    async fn window(
        &self,
        search: &Search,
        terms: &Terms,
        grade: Grade,
        below: i64,
    ) -> Result<Vec<(RepositoryKey, i64)>, RegistryError> {
        let mut values = Values::default();
        let Some(Matches {
            from,
            id,
            matching,
            score,
        }) = self.engine.matches(terms, grade, &mut values)
        else {
            return Ok(Vec::new());
        };
        let exact = values.text(terms.exact());
        let is_exact = if grade == Grade::Exact { "=" } else { "<>" };
        let below = values.number(below);
        let conditions = conditions(self.engine, search, &mut values);
        let sql = format!(
            "SELECT repository, document FROM (\
             SELECT r.repository, r.document, {score} AS score FROM {from} WHERE {matching}r.name_folded {is_exact} {exact} \
             AND {id} < {below} AND {conditions} ORDER BY {id} DESC LIMIT {WINDOW}\
             ) AS found ORDER BY score, document DESC"
        );
        self.found(sql, values).await
    }
}

/// The query for the matches of a grade.
struct Matches {
    /// The tables, `search_entries r` among them.
    from: &'static str,
    /// The document, as the name by which the database can read the newest first without sorting.
    id: &'static str,
    /// The condition on the text: nothing, or `… AND `.
    matching: String,
    /// The best has the smallest.
    score: String,
}

impl Engine {
    /// `None` when nothing can be found in a grade.
    fn matches(self, terms: &Terms, grade: Grade, values: &mut Values) -> Option<Matches> {
        match (self, grade) {
            (_, Grade::Exact) => Some(Matches {
                from: "search_entries r",
                id: "r.document",
                matching: String::new(),
                score: "0".to_owned(),
            }),
            (_, Grade::Part) => self.name_parts(terms, values),
            (Self::Sqlite, _) => Some(sqlite_words(terms, grade, values)),
            (Self::Postgres, _) => Some(postgres_words(terms, grade, values)),
        }
    }

    fn name_parts(self, terms: &Terms, values: &mut Values) -> Option<Matches> {
        let part = values.text(terms.name_part()?);
        let part = self.contains("r.full_name", &part);
        let earlier = match self {
            Self::Sqlite => format!("r.document IN ({})", sqlite_documents(terms, values)),
            // Asked for each name that has the part, and not for each document.
            Self::Postgres => format!(
                "(SELECT d.document @@ {} FROM search_documents d WHERE d.id = r.document)",
                postgres_query(terms, values)
            ),
        };
        Some(Matches {
            from: "search_entries r",
            id: "r.document",
            matching: format!("{part} AND NOT {earlier} AND "),
            score: "0".to_owned(),
        })
    }
}

fn sqlite_words(terms: &Terms, grade: Grade, values: &mut Values) -> Matches {
    let words = terms.for_sqlite();
    let query = match grade {
        Grade::Name => format!("{{name}} : ({words})"),
        _ => format!("({words}) NOT ({{name}} : ({words}))"),
    };
    Matches {
        // CROSS JOIN keeps SQLite from beginning with the other table: the index gives the newest
        // first by itself.
        from: "search_index CROSS JOIN search_entries r ON r.document = search_index.rowid",
        id: "search_index.rowid",
        matching: format!("search_index MATCH {} AND ", values.text(query)),
        score: "bm25(search_index, 1000, 100, 10, 1)".to_owned(),
    }
}

fn postgres_words(terms: &Terms, grade: Grade, values: &mut Values) -> Matches {
    let query = postgres_query(terms, values);
    let matching = match grade {
        Grade::Name => format!("d.in_name @@ {query} AND "),
        _ => format!("d.document @@ {query} AND NOT d.in_name @@ {query} AND "),
    };
    Matches {
        from: "search_documents d JOIN search_entries r ON r.document = d.id",
        id: "r.document",
        matching,
        // 1 divides by the logarithm of the length, so that a word counts for more in a short text.
        score: format!("-ts_rank('{{0.001, 0.01, 0.1, 1}}', d.document, {query}, 1)"),
    }
}
