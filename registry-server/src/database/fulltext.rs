//! Builds full-text queries from search words, and updates repositories' indexed documents.
//! The queries are for SQLite's FTS5 and for PostgreSQL.

use super::keys::RepositoryKey;
use super::write_transaction::WriteTransaction;
use crate::error::RegistryError;

/// Longest part of a name that is looked for, in bytes; no name is longer.
const NAME_PART_BYTES_MAX: usize = 256;

/// The words of a search, each cut into runs of letters and digits, because that is what an index
/// holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Terms {
    /// The whole search in lower case, to recognise an exact name and parts of one.
    exact: String,
    /// The parts of a word stand next to each other in what it finds.
    words: Vec<Vec<String>>,
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

    /// The number of words.
    pub(crate) fn count(&self) -> usize {
        self.words.len()
    }

    /// The whole search in lower case.
    pub(super) fn exact(&self) -> &str {
        &self.exact
    }

    /// The search as a part of a name; `None` when it is too long for one.
    pub(super) fn name_part(&self) -> Option<&str> {
        (self.exact.len() <= NAME_PART_BYTES_MAX).then_some(self.exact.as_str())
    }

    /// `"text stats" AND ("wor" OR "wor" *)`: the last word may be the beginning of a longer one,
    /// and counts twice when it is whole.
    pub(super) fn for_sqlite(&self) -> String {
        self.query(
            " AND ",
            |parts| quote(&parts.join(" ")),
            |last| format!("({last} OR {last} *)"),
        )
    }

    /// `(text <-> stats) & (wor | wor:*)`, as for SQLite.
    pub(super) fn for_postgres(&self) -> String {
        self.query(
            " & ",
            |parts| parts.join(" <-> "),
            |last| format!("({last} | {last}:*)"),
        )
    }

    fn query(
        &self,
        and: &str,
        phrase: impl Fn(&[String]) -> String,
        begun: impl Fn(&str) -> String,
    ) -> String {
        let mut words: Vec<String> = self.words.iter().map(|parts| phrase(parts)).collect();
        if let Some(last) = words.last_mut() {
            *last = begun(last);
        }
        words.join(and)
    }
}

/// A phrase in FTS5's query language.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Runs of letters and digits; nothing in them has a meaning in a query of either engine.
fn parts(word: &str) -> Vec<String> {
    word.split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

impl WriteTransaction {
    /// Writes the document of a repository anew from what is stored about it. To be called whenever
    /// a part of it changed: names, texts or tags. The triggers of the migrations keep the index of
    /// words and `search_entries` in step.
    pub(super) async fn index_document(
        &mut self,
        repository: &RepositoryKey,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO search_documents (repository, name, description, functions, body) \
             SELECT r.id, o.name || '/' || r.name || ' ' || COALESCE(t.name, ''), \
             COALESCE(t.description, '') || ' ' || r.description, COALESCE(t.functions, ''), r.search_text \
             FROM repositories r JOIN accounts o ON o.id = r.owner LEFT JOIN tools t ON t.repository = r.id WHERE r.id = $1 \
             ON CONFLICT (repository) DO UPDATE SET name = excluded.name, description = excluded.description, \
             functions = excluded.functions, body = excluded.body",
        );
        self.run(statement.bind(repository)).await?;
        Ok(())
    }

    /// Does the same as [`WriteTransaction::index_document`], and makes the document the newest.
    pub(super) async fn index_new_document(
        &mut self,
        repository: &RepositoryKey,
    ) -> Result<(), RegistryError> {
        let statement =
            sqlx::query("DELETE FROM search_documents WHERE repository = $1").bind(repository);
        self.run(statement).await?;
        self.index_document(repository).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, sqlite: &str, postgres: &str) {
        let terms = Terms::parse([text].into_iter()).unwrap();
        assert_eq!(terms.for_sqlite(), sqlite);
        assert_eq!(terms.for_postgres(), postgres);
    }

    #[test]
    fn queries_hold_letters_and_digits_only() {
        check(
            "text-stats Wor",
            "\"text stats\" AND (\"wor\" OR \"wor\" *)",
            "text <-> stats & (wor | wor:*)",
        );
        check(
            "a\" OR b:* & !(c)",
            "\"a\" AND \"or\" AND \"b\" AND (\"c\" OR \"c\" *)",
            "a & or & b & (c | c:*)",
        );
        check("x\0y", "(\"x y\" OR \"x y\" *)", "(x <-> y | x <-> y:*)");
    }

    #[test]
    fn signs_alone_are_no_search() {
        for text in ["", "  ", "%", "\"", "' -- ;", "\0"] {
            assert_eq!(Terms::parse([text].into_iter()), None, "{text:?}");
        }
    }

    #[test]
    fn a_part_of_a_name_has_a_length() {
        let terms = |text: &str| Terms::parse([text].into_iter()).unwrap();
        assert_eq!(terms("Xt-St").name_part(), Some("xt-st"));
        assert_eq!(terms("äö").name_part(), Some("äö"));
        let longest = "a".repeat(256);
        assert_eq!(terms(&longest).name_part(), Some(longest.as_str()));
        assert_eq!(terms(&"a".repeat(257)).name_part(), None);
    }

    #[test]
    fn phrases_cannot_end_early() {
        assert_eq!(quote("a\"b"), "\"a\"\"b\"");
    }
}
