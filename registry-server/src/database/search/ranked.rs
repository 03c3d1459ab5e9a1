//! Search by relevance: tiers of places where the words stand, and within a tier the latest published first.
//!
//! Each tier is a list that the database can read from its beginning and leave when a page is full; the tiers follow each other, and
//! what stood in one is left out of the later ones. So a page costs about the same however many repositories fit, and all pages
//! together hold each of them once.

use std::ops::Range;

use super::super::fulltext::{IdPart, Last, Place, Terms, quote};
use super::super::visibility::Value;
use super::super::{Database, Engine};
use super::filter::{Values, conditions, facets};
use super::matches::{Matches, beginning_runs, has_part};
use super::{Hit, Search};
use crate::error::RegistryError;

/// Where the words stand, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tier {
    /// The search is the name.
    Exact,
    /// All words are in this place or those before it.
    Words(Place),
    /// The same, with the beginning of a word for the last one.
    Beginnings(Place),
    /// The search is in the middle of an id: clients of the Hub expect parts of names to be found.
    Inside,
}

const TIERS: [Tier; 8] = [
    Tier::Exact,
    Tier::Words(Place::Name),
    Tier::Words(Place::Description),
    Tier::Words(Place::Functions),
    Tier::Words(Place::All),
    Tier::Beginnings(Place::Name),
    Tier::Beginnings(Place::All),
    Tier::Inside,
];

/// A statement that finds nothing: a position after all tiers is none of ours.
const NOTHING: &str = "SELECT '' AS repository, CAST(0 AS BIGINT) AS key, '' AS id WHERE 1 = 0";

impl Database {
    /// The hits of one page. A position is the number of a tier and the id of a document.
    pub(super) async fn ranked(
        &self,
        search: &Search,
        terms: &Terms,
    ) -> Result<Vec<Hit>, RegistryError> {
        match self.engine {
            Engine::Sqlite => {
                let facets = facets(search.author.as_deref(), &[]);
                let parts = self.short_parts(terms).await?;
                let index = Sqlite {
                    terms,
                    facets,
                    parts,
                };
                let (sql, values) = statement(&index, search, terms, 0..TIERS.len());
                self.hits(sql, values).await
            }
            Engine::Postgres => self.ranked_by_postgres(search, terms).await,
        }
    }

    /// PostgreSQL is told for each tier how to look, because it does not know how common rare words and beginnings of words are. When few
    /// documents match at all, that is true of every tier.
    async fn ranked_by_postgres(
        &self,
        search: &Search,
        terms: &Terms,
    ) -> Result<Vec<Hit>, RegistryError> {
        let matches = self.words(terms, Place::All, Last::Begun).await?;
        let mut index = Postgres {
            terms,
            matches,
            parts: Matches::Many,
        };
        if matches == Matches::Few {
            index.parts = self.short_parts(terms).await?;
            let (sql, values) = statement(&index, search, terms, 0..TIERS.len());
            return self.hits(sql, values).await;
        }
        let first = search.after.as_ref().map_or(0, |after| after.key);
        let first = usize::try_from(first).unwrap_or(TIERS.len());
        let mut hits = Vec::new();
        for (at, tier) in TIERS.into_iter().enumerate().skip(first) {
            index.matches = match tier {
                Tier::Words(place) => self.words(terms, place, Last::Whole).await?,
                Tier::Beginnings(Place::Name) => {
                    self.words(terms, Place::Name, Last::Begun).await?
                }
                _ => Matches::Many,
            };
            if tier == Tier::Inside {
                index.parts = self.short_parts(terms).await?;
            }
            let (sql, values) = statement(&index, search, terms, at..at + 1);
            hits.extend(self.hits(sql, values).await?);
            if hits.len() >= search.limit {
                hits.truncate(search.limit);
                break;
            }
        }
        Ok(hits)
    }
}

/// How an engine finds what a tier holds.
trait Index {
    /// `None` when there is nothing to be found in a tier.
    fn list(&self, tier: Tier, values: &mut Values) -> Option<List>;
}

/// What a tier is read from.
struct List {
    /// The tables, `search_documents d`, `repositories r` and `accounts o` among them.
    tables: String,
    /// What the text must fulfil: nothing, or `AND …`.
    condition: String,
    /// The expression for the document's id in whose order the engine reads.
    id: &'static str,
}

/// These tiers from that of the position on, one after another. Both engines stop reading when the page is full.
fn statement(
    index: &impl Index,
    search: &Search,
    terms: &Terms,
    tiers: Range<usize>,
) -> (String, Vec<Value>) {
    let mut values = Values::default();
    let conditions = conditions(search, &mut values);
    let exact = values.text(terms.exact());
    let limit = values.count(search.limit);
    let begun = search.after.as_ref().and_then(|after| {
        let document: i64 = after.id.parse().ok()?;
        Some((usize::try_from(after.key).ok()?, document))
    });
    let first = begun.map_or(tiers.start, |(tier, _)| tier.max(tiers.start));
    let mut parts: Vec<String> = Vec::new();
    for (at, tier) in TIERS.into_iter().enumerate().take(tiers.end).skip(first) {
        let Some(List {
            tables,
            condition,
            id,
        }) = index.list(tier, &mut values)
        else {
            continue;
        };
        let title = if tier == Tier::Exact { "=" } else { "<>" };
        let after = match begun {
            Some((tier, document)) if tier == at => {
                format!(" AND {id} < {}", values.bind(Value::Number(document)))
            }
            _ => String::new(),
        };
        parts.push(format!(
            "SELECT * FROM (SELECT d.repository, CAST({at} AS BIGINT) AS key, CAST({id} AS TEXT) AS id FROM {tables} \
             WHERE d.title {title} {exact}{condition}{after} AND {conditions} ORDER BY {id} DESC LIMIT {limit}) AS tier_{at}"
        ));
    }
    let sql = match parts.is_empty() {
        true => NOTHING.to_owned(),
        false => format!("{} LIMIT {limit}", parts.join(" UNION ALL ")),
    };
    (sql, values.0)
}

struct Sqlite<'a> {
    terms: &'a Terms,
    /// What all that is found must have; empty when that is nothing.
    facets: String,
    /// How many documents have the search in their names.
    parts: Matches,
}

impl Index for Sqlite<'_> {
    fn list(&self, tier: Tier, values: &mut Values) -> Option<List> {
        let words = |place| self.terms.for_sqlite(place, Last::Whole);
        let begun = |place| self.terms.for_sqlite(place, Last::Begun);
        // CROSS JOIN keeps SQLite from beginning with another table than that whose order is wanted.
        let owner = "CROSS JOIN repositories r ON r.id = d.repository CROSS JOIN accounts o ON o.id = r.owner";
        let (wanted, earlier) = match tier {
            Tier::Exact => {
                return Some(List {
                    tables: format!("search_documents d {owner}"),
                    condition: String::new(),
                    id: "d.id",
                });
            }
            Tier::Words(place) => (words(place), before(place).map(words)),
            Tier::Beginnings(Place::Name) => (begun(Place::Name), Some(words(Place::All))),
            Tier::Beginnings(place) => {
                let earlier = format!("({}) OR ({})", words(Place::All), begun(Place::Name));
                (begun(place), Some(earlier))
            }
            Tier::Inside => {
                let earlier = values.text(begun(Place::All));
                let not_earlier = format!(
                    "NOT EXISTS (SELECT 1 FROM search_index WHERE search_index MATCH {earlier} AND rowid = d.id)"
                );
                return Some(match (self.terms.id_part()?, self.parts) {
                    (IdPart::Indexed(part), _) => List {
                        tables: format!(
                            "search_names CROSS JOIN search_documents d ON d.id = search_names.rowid {owner}"
                        ),
                        condition: format!(
                            " AND search_names MATCH {} AND {not_earlier}",
                            values.text(quote(part))
                        ),
                        id: "search_names.rowid",
                    },
                    (IdPart::Short(part), Matches::Few) => List {
                        tables: format!(
                            "(SELECT DISTINCT id FROM ({})) m CROSS JOIN search_documents d ON d.id = m.id {owner}",
                            beginning_runs(part, values)
                        ),
                        condition: format!(" AND {not_earlier}"),
                        id: "d.id",
                    },
                    (IdPart::Short(part), Matches::Many) => List {
                        tables: format!("search_documents d {owner}"),
                        condition: format!(
                            " AND instr(lower(d.name), {}) > 0 AND {not_earlier}",
                            values.text(part)
                        ),
                        id: "d.id",
                    },
                });
            }
        };
        let mut query = match earlier {
            None => wanted,
            Some(earlier) => format!("({wanted}) NOT ({earlier})"),
        };
        if !self.facets.is_empty() {
            query = format!("({query}) AND ({})", self.facets);
        }
        Some(List {
            tables: format!(
                "search_index CROSS JOIN search_documents d ON d.id = search_index.rowid {owner}"
            ),
            condition: format!(" AND search_index MATCH {}", values.text(query)),
            id: "search_index.rowid",
        })
    }
}

struct Postgres<'a> {
    terms: &'a Terms,
    /// How many documents have the words where the tier wants them.
    matches: Matches,
    /// How many documents have the search in their names.
    parts: Matches,
}

impl Index for Postgres<'_> {
    fn list(&self, tier: Tier, values: &mut Values) -> Option<List> {
        let words = |place, values: &mut Values| {
            in_place(place, self.terms.for_postgres(Last::Whole), values)
        };
        let begun = |place, values: &mut Values| {
            in_place(place, self.terms.for_postgres(Last::Begun), values)
        };
        let condition = match tier {
            Tier::Exact => String::new(),
            Tier::Words(place) => {
                let wanted = words(place, values);
                match before(place) {
                    None => format!(" AND {wanted}"),
                    Some(earlier) => format!(" AND {wanted} AND NOT {}", words(earlier, values)),
                }
            }
            Tier::Beginnings(Place::Name) => {
                let wanted = begun(Place::Name, values);
                format!(" AND {wanted} AND NOT {}", words(Place::All, values))
            }
            Tier::Beginnings(place) => {
                let wanted = begun(place, values);
                let earlier = [words(Place::All, values), begun(Place::Name, values)];
                format!(" AND {wanted} AND NOT ({})", earlier.join(" OR "))
            }
            Tier::Inside => {
                let part = has_part(self.terms.id_part()?, values);
                format!(" AND {part} AND NOT {}", begun(Place::All, values))
            }
        };
        Some(List {
            tables: "search_documents d JOIN repositories r ON r.id = d.repository JOIN accounts o ON o.id = r.owner"
                .to_owned(),
            condition,
            id: match (tier, self.matches, self.parts) {
                (Tier::Words(_) | Tier::Beginnings(_), Matches::Few, _)
                | (Tier::Inside, _, Matches::Few) => SORTED_ID,
                _ => "d.id",
            },
        })
    }
}

/// The document's id as an expression in whose order PostgreSQL has no index, so that it looks for matches first and sorts them.
const SORTED_ID: &str = "(d.id + 0)";

/// The place whose matches belong to an earlier tier.
fn before(place: Place) -> Option<Place> {
    match place {
        Place::Name => None,
        Place::Description => Some(Place::Name),
        Place::Functions => Some(Place::Description),
        Place::All => Some(Place::Functions),
    }
}

fn in_place(place: Place, query: String, values: &mut Values) -> String {
    let query = values.text(query);
    format!("d.{} @@ to_tsquery('simple', {query})", place.column())
}
