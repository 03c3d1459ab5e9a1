//! Search in the order of a column.
//!
//! Whether to go through the matches or through the order is decided by how many there are.

use super::super::fulltext::{IdPart, Last, Place, quote};
use super::super::visibility::Value;
use super::super::{Database, Engine};
use super::filter::{Values, conditions, facets};
use super::matches::Matches;
use super::{Hit, Order, Search};
use crate::error::RegistryError;

impl Order {
    /// The column to order by.
    fn column(self) -> &'static str {
        match self {
            // Without words all fit alike.
            Self::Relevance => "CAST(0 AS BIGINT)",
            Self::Modified => "r.modified_ms",
            Self::Created => "r.created_ms",
            Self::Downloads => "r.downloads",
            Self::Likes => "r.likes",
        }
    }
}

impl Database {
    /// The hits of one page. A position is the value of the column and the id of a repository.
    pub(super) async fn sorted(&self, search: &Search) -> Result<Vec<Hit>, RegistryError> {
        let mut values = Values::default();
        let tables = match self.engine {
            Engine::Sqlite => self.sqlite_tables(search, &mut values).await?,
            Engine::Postgres => self.postgres_tables(search, &mut values).await?,
        };
        let (sql, values) = statement(&tables, search, values);
        self.hits(sql, values).await
    }

    async fn sqlite_tables(
        &self,
        search: &Search,
        values: &mut Values,
    ) -> Result<Tables, RegistryError> {
        if search.terms.is_none() && search.tags.is_empty() && search.author.is_none() {
            return Ok(Tables::all());
        }
        let facets = facets(search.author.as_deref(), &search.tags);
        let mut counted = Values::default();
        let counting = documents(search, &facets, &mut counted);
        let matches = self.matches(&counting, counted.0).await?;
        let documents = documents(search, &facets, values);
        Ok(match (matches, &search.terms) {
            (Matches::Few, _) => Tables {
                from: format!(
                    "({documents}) m CROSS JOIN search_documents d ON d.id = m.id \
                     CROSS JOIN repositories r ON r.id = d.repository CROSS JOIN accounts o ON o.id = r.owner"
                ),
                condition: String::new(),
                matches,
            },
            (Matches::Many, Some(_)) => Tables {
                from: "repositories r CROSS JOIN accounts o ON o.id = r.owner CROSS JOIN search_documents d ON d.repository = r.id"
                    .to_owned(),
                condition: format!(" AND +d.id IN ({documents})"),
                matches,
            },
            // The conditions have the tags.
            (Matches::Many, None) => Tables::all(),
        })
    }

    async fn postgres_tables(
        &self,
        search: &Search,
        values: &mut Values,
    ) -> Result<Tables, RegistryError> {
        let Some(terms) = &search.terms else {
            return Ok(Tables::all());
        };
        let query = values.text(terms.for_postgres(Last::Begun));
        let mut any = format!("d.in_all @@ to_tsquery('simple', {query})");
        if let Some(part) = terms.id_part() {
            let part = values.text(part.text());
            any += &format!(
                " OR (d.name_parts @> search_parts({part}) AND strpos(lower(d.name), {part}) > 0)"
            );
        }
        Ok(Tables {
            from: "search_documents d JOIN repositories r ON r.id = d.repository JOIN accounts o ON o.id = r.owner"
                .to_owned(),
            condition: format!(" AND ({any})"),
            matches: self.words(terms, Place::All, Last::Begun).await?,
        })
    }
}

/// Where to look, and what has to be true there.
struct Tables {
    from: String,
    condition: String,
    matches: Matches,
}

impl Tables {
    fn all() -> Self {
        Self {
            from: "repositories r JOIN accounts o ON o.id = r.owner".to_owned(),
            condition: String::new(),
            matches: Matches::Many,
        }
    }
}

/// The ids of all documents that match, as far as SQLite's index can tell.
fn documents(search: &Search, facets: &str, values: &mut Values) -> String {
    let Some(terms) = &search.terms else {
        let facets = values.text(facets);
        return format!("SELECT rowid AS id FROM search_index WHERE search_index MATCH {facets}");
    };
    let mut query = terms.for_sqlite(Place::All, Last::Begun);
    if !facets.is_empty() {
        query = format!("({query}) AND ({facets})");
    }
    let query = values.text(query);
    let mut sql = format!("SELECT rowid AS id FROM search_index WHERE search_index MATCH {query}");
    match terms.id_part() {
        Some(IdPart::Indexed(part)) => {
            let part = values.text(quote(part));
            sql +=
                &format!(" UNION SELECT rowid FROM search_names WHERE search_names MATCH {part}");
        }
        Some(IdPart::Short(part)) => {
            let part = values.text(part);
            sql += &format!(
                " UNION SELECT id FROM search_documents WHERE instr(lower(name), {part}) > 0"
            );
        }
        None => {}
    }
    sql
}

fn statement(tables: &Tables, search: &Search, mut values: Values) -> (String, Vec<Value>) {
    let Tables {
        from,
        condition,
        matches,
    } = tables;
    let column = match matches {
        // There is no index in the order of an expression, so the matches are looked for first.
        Matches::Few => format!("({} + 0)", search.order.column()),
        Matches::Many => search.order.column().to_owned(),
    };
    let conditions = conditions(search, &mut values);
    let after = match &search.after {
        None => String::new(),
        Some(after) => {
            let key = values.bind(Value::Number(after.key));
            let id = values.text(&after.id);
            format!(" AND ({column} < {key} OR ({column} = {key} AND r.id < {id}))")
        }
    };
    let limit = values.count(search.limit);
    let sql = format!(
        "SELECT r.id AS repository, {column} AS key, r.id FROM {from} WHERE {conditions}{condition}{after} \
         ORDER BY {column} DESC, r.id DESC LIMIT {limit}"
    );
    (sql, values.0)
}
