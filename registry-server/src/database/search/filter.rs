//! What a search leaves out, as conditions of a statement and as words of SQLite's index.

use super::super::Database;
use super::super::fulltext::Facet;
use super::super::visibility::{Value, readable};
use super::Search;
use crate::error::RegistryError;

/// Most organisations of an account that are looked for in the index. Conditions decide who sees what; this is for speed alone.
const ORGANISATIONS_MAX: usize = 50;

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
    let mut sql = format!("r.kind = {}", values.text(search.kind.word()));
    sql += " AND ";
    sql += &readable(search.account.as_deref(), &search.reach, |value| {
        values.bind(value)
    });
    if let Some(author) = &search.author {
        let author = values.text(author.to_ascii_lowercase());
        sql += &format!(" AND o.name_folded = {author}");
    }
    for tag in &search.tags {
        let tag = values.text(tag);
        sql += &format!(
            " AND EXISTS (SELECT 1 FROM repository_tags g WHERE g.tag = {tag} AND g.repository = r.id)"
        );
    }
    sql
}

impl Database {
    /// The same for SQLite's index, as far as it knows: `{facets} : (v0 AND t61)`. The index skips what does not fit without looking at
    /// any row, so that few results among many matches are found fast.
    pub(super) async fn facets(&self, search: &Search) -> Result<String, RegistryError> {
        let mut all: Vec<String> = Vec::new();
        all.extend(self.visible_facets(search).await?);
        if let Some(author) = &search.author {
            all.push(Facet::OwnerName(author).word());
        }
        all.extend(search.tags.iter().map(|tag| Facet::Tag(tag).word()));
        Ok(match all.is_empty() {
            true => String::new(),
            false => format!("{{facets}} : ({})", all.join(" AND ")),
        })
    }

    async fn visible_facets(&self, search: &Search) -> Result<Option<String>, RegistryError> {
        let Some(account) = &search.account else {
            return Ok(Some(Facet::Public.word()));
        };
        let organisations = self.organisations_of(account).await?;
        if organisations.len() > ORGANISATIONS_MAX {
            return Ok(None);
        }
        let mut any = vec![Facet::Public.word(), Facet::OwnerId(account).word()];
        any.extend(
            organisations
                .iter()
                .map(|organisation| Facet::OwnerId(&organisation.id).word()),
        );
        Ok(Some(format!("({})", any.join(" OR "))))
    }
}
