//! Full text search: what somebody searches for, as the full text queries of SQLite (FTS5) and PostgreSQL (`tsquery`), and the document
//! of each repository that they look through.

use data_encoding::HEXLOWER;

use super::{Engine, Writing};
use crate::error::RegistryError;

/// Longest part of an id that is looked for, in bytes; no id is longer.
const ID_PART_BYTES_MAX: usize = 256;
/// Shortest part of an id that SQLite's index of names finds, in characters: it holds runs of three.
const INDEXED_CHARS_MIN: usize = 3;

/// What somebody searches for: words, each cut into runs of letters and digits, because that is what an index holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Terms {
    /// The whole search in lower case, to recognise an exact name and parts of one.
    exact: String,
    /// The parts of a word stand next to each other in what it finds.
    words: Vec<Vec<String>>,
}

/// A part of an id, in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdPart<'a> {
    Indexed(&'a str),
    /// One or two characters.
    Short(&'a str),
}

impl<'a> IdPart<'a> {
    pub(super) fn text(self) -> &'a str {
        match self {
            Self::Indexed(text) | Self::Short(text) => text,
        }
    }
}

/// Where all words must be; each place contains those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Name,
    Description,
    Functions,
    All,
}

impl Place {
    /// PostgreSQL's column with the words of this place and those before it.
    pub(super) fn column(self) -> &'static str {
        match self {
            Self::Name => "in_name",
            Self::Description => "in_description",
            Self::Functions => "in_functions",
            Self::All => "in_all",
        }
    }
}

/// How the last word ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    Whole,
    /// It may be the beginning of a longer one.
    Begun,
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

    /// The whole search in lower case.
    pub(super) fn exact(&self) -> &str {
        &self.exact
    }

    /// The search as a part of an id; `None` when it is too long for one.
    pub(super) fn id_part(&self) -> Option<IdPart<'_>> {
        let text = self.exact.as_str();
        (text.len() <= ID_PART_BYTES_MAX).then(|| match text.chars().count() {
            INDEXED_CHARS_MIN.. => IdPart::Indexed(text),
            _ => IdPart::Short(text),
        })
    }

    /// `{name description} : ("text stats" AND "wor" *)`
    pub(super) fn for_sqlite(&self, place: Place, last: Last) -> String {
        let columns = match place {
            Place::Name => "name",
            Place::Description => "name description",
            Place::Functions => "name description functions",
            Place::All => "name description functions body",
        };
        let words: Vec<String> = self
            .words
            .iter()
            .map(|parts| quote(&parts.join(" ")))
            .collect();
        let star = match last {
            Last::Whole => "",
            Last::Begun => " *",
        };
        format!("{{{columns}}} : ({}{star})", words.join(" AND "))
    }

    /// `(text <-> stats) & (wor:*)`
    pub(super) fn for_postgres(&self, last: Last) -> String {
        let words: Vec<String> = self
            .words
            .iter()
            .map(|parts| format!("({})", parts.join(" <-> ")))
            .collect();
        let mut query = words.join(" & ");
        if last == Last::Begun {
            query.insert_str(query.len() - 1, ":*");
        }
        query
    }
}

/// A phrase in FTS5's query language.
pub(super) fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Runs of letters and digits; nothing in them has a meaning in a query of either engine.
fn parts(word: &str) -> Vec<String> {
    word.split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// What SQLite's index knows of a repository beside its texts, as words that no text contains.
#[derive(Debug, Clone, Copy)]
pub(super) enum Facet<'a> {
    Owner(&'a str),
    Tag(&'a str),
}

impl Facet<'_> {
    /// The word; the migration and [`Engine::facets`] make the same ones.
    pub(super) fn word(self) -> String {
        match self {
            Self::Owner(name) => {
                format!("n{}", HEXLOWER.encode(name.to_ascii_lowercase().as_bytes()))
            }
            Self::Tag(tag) => format!("t{}", HEXLOWER.encode(tag.as_bytes())),
        }
    }
}

impl Engine {
    /// The column for [`Facet`]s and the expression for it; PostgreSQL filters by joining.
    fn facets(self) -> (&'static str, &'static str) {
        match self {
            Self::Sqlite => (
                ", facets",
                ", 'n' || hex(o.name_folded) || \
                 COALESCE((SELECT group_concat(' t' || hex(g.tag), '') FROM repository_tags g WHERE g.repository = r.id), '')",
            ),
            Self::Postgres => ("", ""),
        }
    }
}

impl Writing {
    /// Writes the document of a repository anew from what is stored about it. To be called whenever a part of it changed: names, texts or
    /// tags.
    pub(super) async fn index_document(&mut self, repository: &str) -> Result<(), RegistryError> {
        let (column, expression) = self.engine.facets();
        let also = match column {
            "" => "",
            _ => ", facets = excluded.facets",
        };
        let sql = format!(
            "INSERT INTO search_documents (repository, title, name, description, functions, body{column}) \
             SELECT r.id, r.name_folded, o.name || '/' || r.name || ' ' || COALESCE(t.name, '') || '  ', \
             COALESCE(t.description, '') || ' ' || r.description, COALESCE(t.functions, ''), r.search_text{expression} \
             FROM repositories r JOIN accounts o ON o.id = r.owner LEFT JOIN tools t ON t.repository = r.id WHERE r.id = $1 \
             ON CONFLICT (repository) DO UPDATE SET title = excluded.title, name = excluded.name, \
             description = excluded.description, functions = excluded.functions, body = excluded.body{also}",
        );
        self.run(sqlx::query(sqlx::AssertSqlSafe(sql)).bind(repository))
            .await?;
        Ok(())
    }

    /// As [`Writing::index_document`], and puts the document before all others of its tier.
    pub(super) async fn index_new_document(
        &mut self,
        repository: &str,
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
        assert_eq!(terms.for_sqlite(Place::Description, Last::Begun), sqlite);
        assert_eq!(terms.for_postgres(Last::Begun), postgres);
    }

    #[test]
    fn queries_hold_letters_and_digits_only() {
        check(
            "text-stats Wor",
            "{name description} : (\"text stats\" AND \"wor\" *)",
            "(text <-> stats) & (wor:*)",
        );
        check(
            "a\" OR b:* & !(c)",
            "{name description} : (\"a\" AND \"or\" AND \"b\" AND \"c\" *)",
            "(a) & (or) & (b) & (c:*)",
        );
        check("x\0y", "{name description} : (\"x y\" *)", "(x <-> y:*)");
    }

    #[test]
    fn whole_words_have_no_star() {
        let terms = Terms::parse(["text-stats wor"].into_iter()).unwrap();
        assert_eq!(
            terms.for_sqlite(Place::All, Last::Whole),
            "{name description functions body} : (\"text stats\" AND \"wor\")"
        );
        assert_eq!(terms.for_postgres(Last::Whole), "(text <-> stats) & (wor)");
    }

    #[test]
    fn signs_alone_are_no_search() {
        for text in ["", "  ", "%", "\"", "' -- ;", "\0"] {
            assert_eq!(Terms::parse([text].into_iter()), None, "{text:?}");
        }
    }

    #[test]
    fn a_part_of_an_id_has_a_length() {
        let terms = |text: &str| Terms::parse([text].into_iter()).unwrap();
        assert_eq!(terms("Xt-St").id_part(), Some(IdPart::Indexed("xt-st")));
        assert_eq!(terms("äöü").id_part(), Some(IdPart::Indexed("äöü")));
        assert_eq!(terms("äö").id_part(), Some(IdPart::Short("äö")));
        let longest = "a".repeat(256);
        assert_eq!(
            terms(&longest).id_part(),
            Some(IdPart::Indexed(longest.as_str()))
        );
        assert_eq!(terms(&"a".repeat(257)).id_part(), None);
    }

    #[test]
    fn phrases_cannot_end_early() {
        assert_eq!(quote("a\"b"), "\"a\"\"b\"");
    }

    #[test]
    fn facets_are_letters_and_digits() {
        assert_eq!(Facet::Owner("Al-ce").word(), "n616c2d6365");
        assert_eq!(Facet::Tag("license:mit").word(), "t6c6963656e73653a6d6974");
    }
}
