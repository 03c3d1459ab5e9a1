//! Full text search: the one place where the statements of SQLite (FTS5) and PostgreSQL (`tsvector`) differ.
//!
//! Both look through one document a repository, `search_documents`, which every writer fills with the same statement. A match is
//! ranked in tiers first (the exact name, all words in the name, all in name and description, elsewhere) and by the engine's own
//! measure within a tier. The measure is cut to an integer, so that a page can begin where the one before it ended. What stands in the
//! middle of a word of the id comes last: clients of the Hub expect parts of names to be found.

use super::{Engine, Writing};
use crate::error::RegistryError;

/// How far apart two tiers are; no engine's measure reaches it.
const TIER: i64 = 1_000_000_000_000;
/// Steps of one unit of an engine's measure.
const STEPS: i64 = 100_000_000;

/// Longest part of an id that is looked for, in bytes. No id is longer, and SQLite fails on patterns of 50 000.
const ID_PART_BYTES_MAX: usize = 256;

/// What somebody searches for: words, each cut into runs of letters and digits, because that is what an index holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Terms {
    /// The whole search in lower case, to recognise an exact name.
    exact: String,
    /// The parts of a word stand next to each other in what it finds. The last part of the last word may be a beginning.
    words: Vec<Vec<String>>,
}

/// Where all words must be for a tier.
#[derive(Debug, Clone, Copy)]
enum Place {
    Name,
    NameAndDescription,
    Anywhere,
}

impl Terms {
    /// Reads the texts of a search. `None` when nothing in them can be found in an index.
    pub(crate) fn parse<'a>(texts: impl Iterator<Item = &'a str>) -> Option<Self> {
        let exact = texts.collect::<Vec<_>>().join(" ").trim().to_lowercase();
        let words: Vec<Vec<String>> = exact
            .split_whitespace()
            .map(parts)
            .filter(|parts| !parts.is_empty())
            .collect();
        // PostgreSQL takes no zero bytes in a text.
        let exact = exact.replace('\0', " ");
        (!words.is_empty()).then_some(Self { exact, words })
    }

    /// How many words there are.
    pub(crate) fn count(&self) -> usize {
        self.words.len()
    }

    /// The rows `(repository, relevance)` of all matches, as a statement whose values go through `bind`.
    pub(super) fn matches(&self, engine: Engine, mut bind: impl FnMut(String) -> String) -> String {
        let exact = bind(self.exact.clone());
        let [name, described, anywhere] = [Place::Name, Place::NameAndDescription, Place::Anywhere]
            .map(|place| {
                bind(match engine {
                    Engine::Sqlite => self.for_sqlite(place),
                    Engine::Postgres => self.for_postgres(place),
                })
            });
        let inside = bind(self.inside());
        match engine {
            Engine::Sqlite => format!(
                "SELECT d.repository, CASE WHEN d.title = {exact} THEN 3 \
                 WHEN d.id IN (SELECT rowid FROM search_index WHERE search_index MATCH {name}) THEN 2 \
                 WHEN d.id IN (SELECT rowid FROM search_index WHERE search_index MATCH {described}) THEN 1 ELSE 0 END * {TIER} \
                 + CAST(-bm25(search_index, 10.0, 5.0, 3.0, 1.0) * {STEPS} AS BIGINT) AS relevance \
                 FROM search_index JOIN search_documents d ON d.id = search_index.rowid WHERE search_index MATCH {anywhere} \
                 UNION ALL SELECT d.repository, CAST(-1 AS BIGINT) FROM search_documents d WHERE LOWER(d.name) LIKE {inside} ESCAPE '!' \
                 AND d.id NOT IN (SELECT rowid FROM search_index WHERE search_index MATCH {anywhere})"
            ),
            Engine::Postgres => format!(
                "SELECT d.repository, CASE WHEN d.title = {exact} THEN 3 \
                 WHEN d.document @@ to_tsquery('simple', {name}) THEN 2 \
                 WHEN d.document @@ to_tsquery('simple', {described}) THEN 1 ELSE 0 END * {TIER} \
                 + CAST(ts_rank('{{0.1, 0.3, 0.5, 1.0}}', d.document, to_tsquery('simple', {anywhere}), 1) * {STEPS} AS BIGINT) AS relevance \
                 FROM search_documents d WHERE d.document @@ to_tsquery('simple', {anywhere}) \
                 UNION ALL SELECT d.repository, CAST(-1 AS BIGINT) FROM search_documents d WHERE LOWER(d.name) LIKE {inside} ESCAPE '!' \
                 AND NOT d.document @@ to_tsquery('simple', {anywhere})"
            ),
        }
    }

    /// The pattern of names that contain the search; one that no name fits when the search is too long for that.
    fn inside(&self) -> String {
        if self.exact.len() > ID_PART_BYTES_MAX {
            return String::new();
        }
        let mut pattern = String::from("%");
        for c in self.exact.chars() {
            if matches!(c, '%' | '_' | '!') {
                pattern.push('!');
            }
            pattern.push(c);
        }
        pattern.push('%');
        pattern
    }

    /// `{name description} : ("text stats" AND "wor" *)`
    fn for_sqlite(&self, place: Place) -> String {
        let columns = match place {
            Place::Name => "name",
            Place::NameAndDescription => "name description",
            Place::Anywhere => "name description functions body",
        };
        let words: Vec<String> = self
            .words
            .iter()
            .map(|parts| format!("\"{}\"", parts.join(" ")))
            .collect();
        format!("{{{columns}}} : ({} *)", words.join(" AND "))
    }

    /// `(text:AB <-> stats:AB) & wor:*AB`
    fn for_postgres(&self, place: Place) -> String {
        let weights = match place {
            Place::Name => "A",
            Place::NameAndDescription => "AB",
            Place::Anywhere => "ABCD",
        };
        let last = self.words.len() - 1;
        let words: Vec<String> = self
            .words
            .iter()
            .enumerate()
            .map(|(at, parts)| {
                let open = at == last;
                let parts: Vec<String> = parts
                    .iter()
                    .enumerate()
                    .map(|(part, text)| {
                        let star = if open && part + 1 == parts.len() {
                            "*"
                        } else {
                            ""
                        };
                        format!("{text}:{star}{weights}")
                    })
                    .collect();
                format!("({})", parts.join(" <-> "))
            })
            .collect();
        words.join(" & ")
    }
}

/// Runs of letters and digits; nothing in them has a meaning in a query of either engine.
fn parts(word: &str) -> Vec<String> {
    word.split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

impl Writing {
    /// Writes the document of a repository anew from what is stored about it. To be called whenever a part of it changed.
    pub(super) async fn index_document(&mut self, repository: &str) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO search_documents (repository, title, name, description, functions, body) \
             SELECT r.id, r.name_folded, o.name || '/' || r.name || ' ' || COALESCE(t.name, ''), \
             COALESCE(t.description, '') || ' ' || r.description, COALESCE(t.functions, ''), r.search_text \
             FROM repositories r JOIN accounts o ON o.id = r.owner LEFT JOIN tools t ON t.repository = r.id WHERE r.id = $1 \
             ON CONFLICT (repository) DO UPDATE SET title = excluded.title, name = excluded.name, \
             description = excluded.description, functions = excluded.functions, body = excluded.body",
        )
        .bind(repository);
        self.run(statement).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, sqlite: &str, postgres: &str) {
        let terms = Terms::parse([text].into_iter()).unwrap();
        assert_eq!(terms.for_sqlite(Place::NameAndDescription), sqlite);
        assert_eq!(terms.for_postgres(Place::NameAndDescription), postgres);
    }

    #[test]
    fn queries_hold_letters_and_digits_only() {
        check(
            "text-stats Wor",
            "{name description} : (\"text stats\" AND \"wor\" *)",
            "(text:AB <-> stats:AB) & (wor:*AB)",
        );
        check(
            "a\" OR b:* & !(c)",
            "{name description} : (\"a\" AND \"or\" AND \"b\" AND \"c\" *)",
            "(a:AB) & (or:AB) & (b:AB) & (c:*AB)",
        );
        check(
            "x\0y",
            "{name description} : (\"x y\" *)",
            "(x:AB <-> y:*AB)",
        );
    }

    #[test]
    fn signs_alone_are_no_search() {
        for text in ["", "  ", "%", "\"", "' -- ;", "\0"] {
            assert_eq!(Terms::parse([text].into_iter()), None, "{text:?}");
        }
    }

    #[test]
    fn a_part_of_an_id_is_looked_for_as_it_stands() {
        let inside = |text: &str| Terms::parse([text].into_iter()).unwrap().inside();
        assert_eq!(inside("Xt-St"), "%xt-st%");
        assert_eq!(inside("a_b%c!"), "%a!_b!%c!!%");
        assert_eq!(inside(&"a".repeat(257)), "");
    }

    #[test]
    fn both_engines_take_the_same_values() {
        let terms = Terms::parse(["one two"].into_iter()).unwrap();
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let mut values = Vec::new();
            let sql = terms.matches(engine, |value| {
                values.push(value);
                format!("${}", values.len())
            });
            assert_eq!(values.len(), 5);
            assert!((1..=5).all(|at| sql.contains(&format!("${at}"))), "{sql}");
        }
    }
}
