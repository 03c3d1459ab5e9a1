//! Writes the SQL that finds documents by words, in SQLite's FTS5 or in PostgreSQL.

use super::super::bound_sql::Values;
use super::super::fulltext::Terms;

/// A statement for all documents of SQLite that have the words anywhere.
pub(super) fn sqlite_documents(terms: &Terms, values: &mut Values) -> String {
    let query = values.text(terms.for_sqlite());
    format!("SELECT rowid AS document FROM search_index WHERE search_index MATCH {query}")
}

/// The words as a query of PostgreSQL.
pub(super) fn postgres_query(terms: &Terms, values: &mut Values) -> String {
    format!(
        "to_tsquery('simple', {})",
        values.text(terms.for_postgres())
    )
}
