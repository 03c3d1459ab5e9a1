//! Search in the order of a column.
//!
//! Whether to go through the matches or through the order is decided by how many there are.

use super::super::fulltext::{IdPart, Last, Place, Terms, quote};
use super::super::visibility::Value;
use super::super::{Database, Engine};
use super::filter::{Values, conditions, facets, ordered};
use super::matches::{Matches, beginning_runs, has_part};
use super::{Hit, Order, Search};
use crate::error::RegistryError;

/// How many of an order are looked at before what fits is counted.
const FIRST: usize = 256;

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
        match self.engine {
            Engine::Sqlite => self.sorted_by_sqlite(search).await,
            Engine::Postgres => {
                let mut values = Values::default();
                let tables = self.postgres_tables(search, &mut values).await?;
                self.found(&tables, search, values).await
            }
        }
    }

    async fn sorted_by_sqlite(&self, search: &Search) -> Result<Vec<Hit>, RegistryError> {
        let words = search.terms.is_some();
        if !words && search.tags.is_empty() && search.author.is_none() {
            let tables = Tables::all();
            return self.found(&tables, search, Values::default()).await;
        }
        // Owners and tags are often what most have, so they are not counted before.
        if !words && let Some(hits) = self.first(search).await? {
            return Ok(hits);
        }
        let facets = facets(search.author.as_deref(), &search.tags);
        let matches = self.sqlite_matches(search, &facets).await?;
        if words
            && matches == Matches::Many
            && let Some(hits) = self.first(search).await?
        {
            return Ok(hits);
        }
        let mut values = Values::default();
        let tables = sqlite_tables(search, matches, &facets, &mut values);
        self.found(&tables, search, values).await
    }

    /// A page, when the first of the order already fill it; `None` when they do not.
    async fn first(&self, search: &Search) -> Result<Option<Vec<Hit>>, RegistryError> {
        if search.limit > FIRST {
            return Ok(None);
        }
        let mut values = Values::default();
        let tables = Tables::first(search, &mut values);
        let hits = self.found(&tables, search, values).await?;
        Ok((hits.len() >= search.limit).then_some(hits))
    }

    async fn found(
        &self,
        tables: &Tables,
        search: &Search,
        values: Values,
    ) -> Result<Vec<Hit>, RegistryError> {
        let (sql, values) = statement(tables, search, values);
        self.hits(sql, values).await
    }

    async fn sqlite_matches(
        &self,
        search: &Search,
        facets: &str,
    ) -> Result<Matches, RegistryError> {
        // The beginnings of a common word take SQLite a list of all that have one; the word itself does not.
        let lasts: &[Last] = match search.terms {
            Some(_) => &[Last::Whole, Last::Begun],
            None => &[Last::Begun],
        };
        for &last in lasts {
            let mut values = Values::default();
            // Not each once: that would take all of them before the first is counted.
            let counting = documents(search, last, facets, &mut values).join(" UNION ALL ");
            if self.matches(&counting, values.0).await? == Matches::Many {
                return Ok(Matches::Many);
            }
        }
        Ok(Matches::Few)
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
            any += &format!(" OR ({})", has_part(part, values));
        }
        Ok(Tables {
            with: String::new(),
            from: "search_documents d JOIN repositories r ON r.id = d.repository JOIN accounts o ON o.id = r.owner"
                .to_owned(),
            condition: format!(" AND ({any})"),
            matches: self.words(terms, Place::All, Last::Begun).await?,
        })
    }
}

fn sqlite_tables(search: &Search, matches: Matches, facets: &str, values: &mut Values) -> Tables {
    match (matches, &search.terms) {
        (Matches::Few, _) => Tables {
            with: String::new(),
            from: format!(
                "({}) m CROSS JOIN search_documents d ON d.id = m.id \
                 CROSS JOIN repositories r ON r.id = d.repository CROSS JOIN accounts o ON o.id = r.owner",
                documents(search, Last::Begun, facets, values).join(" UNION ")
            ),
            condition: String::new(),
            matches,
        },
        (Matches::Many, Some(terms)) => Tables {
            with: String::new(),
            from: "repositories r CROSS JOIN accounts o ON o.id = r.owner CROSS JOIN search_documents d ON d.repository = r.id"
                .to_owned(),
            condition: matching(terms, "", values),
            matches,
        },
        // The conditions have the tags.
        (Matches::Many, None) => Tables::all(),
    }
}

/// Where to look, and what has to be true there.
struct Tables {
    /// What `from` names: nothing, or `WITH …`.
    with: String,
    from: String,
    condition: String,
    matches: Matches,
}

impl Tables {
    fn all() -> Self {
        Self {
            with: String::new(),
            from: "repositories r JOIN accounts o ON o.id = r.owner".to_owned(),
            condition: String::new(),
            matches: Matches::Many,
        }
    }

    /// The first of the order, whether they fit or not, with their documents where there are words.
    fn first(search: &Search, values: &mut Values) -> Self {
        let column = search.order.column();
        let ordered = ordered(search, values);
        let after = after(search, column, values);
        let limit = values.count(FIRST);
        let mut columns =
            "r.id, r.kind, r.owner, r.name_folded, r.private, r.modified_ms, r.created_ms, r.downloads, r.likes"
                .to_owned();
        let mut from = "repositories r".to_owned();
        let mut documents = "";
        let mut condition = String::new();
        if let Some(terms) = &search.terms {
            columns += ", d.id AS document";
            from += " CROSS JOIN search_documents d ON d.repository = r.id";
            documents = " CROSS JOIN search_documents d ON d.id = r.document";
            // The index is read to its end, but only these are kept.
            condition = matching(terms, " AND +rowid IN (SELECT document FROM first)", values);
        }
        Self {
            with: format!(
                "WITH first AS MATERIALIZED (SELECT {columns} FROM {from} WHERE {ordered}{after} \
                 ORDER BY {column} DESC, r.id DESC LIMIT {limit}) "
            ),
            from: format!("first r CROSS JOIN accounts o ON o.id = r.owner{documents}"),
            condition,
            matches: Matches::Many,
        }
    }
}

/// Statements for the ids of the documents that match, as far as SQLite's indexes can tell; several may give the same one.
fn documents(search: &Search, last: Last, facets: &str, values: &mut Values) -> Vec<String> {
    let Some(terms) = &search.terms else {
        return vec![in_index(facets.to_owned(), values)];
    };
    let mut query = terms.for_sqlite(Place::All, last);
    if !facets.is_empty() {
        query = format!("({query}) AND ({facets})");
    }
    let mut statements = vec![in_index(query, values)];
    statements.extend(match terms.id_part() {
        Some(IdPart::Indexed(part)) => Some(in_names(part, values)),
        Some(IdPart::Short(part)) => Some(beginning_runs(part, values)),
        None => None,
    });
    statements
}

/// The condition `AND …` that `search_documents d` matches, one of those `within`. A list for each index, in its own order, costs
/// SQLite half of what one list of both does; and the second is made only if a document is not in the first.
fn matching(terms: &Terms, within: &str, values: &mut Values) -> String {
    let words = in_index(terms.for_sqlite(Place::All, Last::Begun), values);
    let in_name = match terms.id_part() {
        Some(IdPart::Indexed(part)) => {
            format!(" OR +d.id IN ({}{within})", in_names(part, values))
        }
        Some(IdPart::Short(part)) => {
            format!(" OR instr(lower(d.name), {}) > 0", values.text(part))
        }
        None => String::new(),
    };
    format!(" AND (+d.id IN ({words}{within}){in_name})")
}

fn in_index(query: String, values: &mut Values) -> String {
    let query = values.text(query);
    format!("SELECT rowid AS id FROM search_index WHERE search_index MATCH {query}")
}

fn in_names(part: &str, values: &mut Values) -> String {
    let part = values.text(quote(part));
    format!("SELECT rowid AS id FROM search_names WHERE search_names MATCH {part}")
}

fn statement(tables: &Tables, search: &Search, mut values: Values) -> (String, Vec<Value>) {
    let Tables {
        with,
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
    let after = after(search, &column, &mut values);
    let limit = values.count(search.limit);
    let sql = format!(
        "{with}SELECT r.id AS repository, {column} AS key, r.id FROM {from} WHERE {conditions}{condition}{after} \
         ORDER BY {column} DESC, r.id DESC LIMIT {limit}"
    );
    (sql, values.0)
}

/// The condition that a page begins where the one before ended: nothing, or `AND …`.
fn after(search: &Search, column: &str, values: &mut Values) -> String {
    match &search.after {
        None => String::new(),
        Some(after) => {
            let key = values.bind(Value::Number(after.key));
            let id = values.text(&after.id);
            format!(" AND ({column}, r.id) < ({key}, {id})")
        }
    }
}
