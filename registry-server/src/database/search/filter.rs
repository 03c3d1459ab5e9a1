//! What a search leaves out, as conditions of a statement and as words of SQLite's index.

use super::super::fulltext::Facet;
use super::super::visibility::{Value, readable};
use super::Search;

/// The values of a statement, in the order of their placeholders.
#[derive(Default)]
pub(super) struct Values(pub(super) Vec<Value>);

impl Values {
    /// Gives back the placeholder.
    pub(super) fn bind(&mut self, value: Value) -> String {
        self.0.push(value);
        format!("${}", self.0.len())
    }

    pub(super) fn text(&mut self, text: impl Into<String>) -> String {
        self.bind(Value::Text(text.into()))
    }

    pub(super) fn count(&mut self, count: usize) -> String {
        self.bind(Value::Number(i64::try_from(count).unwrap_or(i64::MAX)))
    }
}

/// The condition on `repositories r` and its owner's `accounts o`: kind, visibility, author and tags. Only fixed text and placeholders
/// go into it; what the client sent is bound.
pub(super) fn conditions(search: &Search, values: &mut Values) -> String {
    let mut sql = ordered(search, values);
    sql += " AND ";
    sql += &readable(search.account.as_deref(), &search.reach, |value| {
        values.bind(value)
    });
    for tag in &search.tags {
        let tag = values.text(tag);
        sql += &format!(
            " AND EXISTS (SELECT 1 FROM repository_tags g WHERE g.tag = {tag} AND g.repository = r.id)"
        );
    }
    sql
}

/// The part of [`conditions`] on `repositories r` alone that there are indexes for in every order: kind and author.
pub(super) fn ordered(search: &Search, values: &mut Values) -> String {
    let mut sql = format!("r.kind = {}", values.text(search.kind.word()));
    if let Some(author) = &search.author {
        let author = values.text(author.to_ascii_lowercase());
        // Asked once, so that the rest is read in the order of an index of one owner.
        sql += &format!(" AND r.owner = (SELECT id FROM accounts WHERE name_folded = {author})");
    }
    sql
}

/// The same words for SQLite's index, `{facets} : (n61 AND t61)`, or nothing. The index skips what does not fit without looking at any
/// row, so that few results among many matches are found fast. It slows down what nearly all matches have, so tags, of which every tool
/// has one, are not in it when words are ranked.
pub(super) fn facets(author: Option<&str>, tags: &[String]) -> String {
    let owner = author.map(|name| Facet::Owner(name).word());
    let tags = tags.iter().map(|tag| Facet::Tag(tag).word());
    let all: Vec<String> = owner.into_iter().chain(tags).collect();
    match all.is_empty() {
        true => String::new(),
        false => format!("{{facets}} : ({})", all.join(" AND ")),
    }
}
