//! Builds the SQL conditions of a search: kind, owner, tags, and what the caller may see.

use super::super::bound_sql::Values;
use super::super::engine::Engine;
use super::super::visibility::readable;
use super::query::Search;

/// Only fixed text and placeholders go into the condition; what the client sent is bound.
pub(super) fn conditions(engine: Engine, search: &Search, values: &mut Values) -> String {
    let mut sql = format!("r.kind = {}", values.text(search.kind.word()));
    if let Some(author) = &search.author {
        let author = values.text(author.to_ascii_lowercase());
        sql += &format!(" AND r.owner = (SELECT id FROM accounts WHERE name_folded = {author})");
    }
    for tag in &search.tags {
        let tag = values.text(format!("\n{tag}\n"));
        sql += &format!(" AND {}", engine.contains("r.tags", &tag));
    }
    sql += " AND ";
    sql += &readable(search.account.as_ref(), &search.scope, |value| {
        values.bind(value)
    });
    sql
}
