//! The list of tables and columns that a backup holds.
//! That is all but the search index, unfinished uploads and the state of garbage collection.

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Integer,
    Bytes,
}

use Kind::{Bytes, Integer, Text};

/// A table of the database.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// The number of first columns that identify a row; rows are exported in the order of these.
    key_columns: usize,
    pub(crate) columns: &'static [(&'static str, Kind)],
}

impl Table {
    /// The table of this name, if backups hold it.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        TABLES.iter().find(|table| table.name == name)
    }

    /// The column of this name.
    pub(crate) fn column(&self, name: &str) -> Option<(&'static str, Kind)> {
        self.columns.iter().copied().find(|(it, _)| *it == name)
    }

    /// All rows, in order.
    pub(super) fn select(&self) -> String {
        let columns: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        let order = columns[..self.key_columns].join(", ");
        format!(
            "SELECT {} FROM {} ORDER BY {order}",
            columns.join(", "),
            self.name
        )
    }
}

/// In an order in which each table refers only to those before it.
pub(crate) const TABLES: &[Table] = &[
    Table {
        name: "accounts",
        key_columns: 1,
        columns: &[
            ("id", Text),
            ("kind", Text),
            ("name", Text),
            ("name_folded", Text),
            ("full_name", Text),
            ("email", Text),
            ("created_ms", Integer),
            ("quota_bytes", Integer),
        ],
    },
    Table {
        name: "members",
        key_columns: 2,
        columns: &[("organisation", Text), ("member", Text), ("role", Text)],
    },
    Table {
        name: "repositories",
        key_columns: 1,
        columns: &[
            ("id", Text),
            ("kind", Text),
            ("owner", Text),
            ("name", Text),
            ("name_folded", Text),
            ("private", Integer),
            ("description", Text),
            ("card", Text),
            ("search_text", Text),
            ("downloads", Integer),
            ("likes", Integer),
            ("created_ms", Integer),
            ("modified_ms", Integer),
            ("publishers_only", Integer),
        ],
    },
    Table {
        name: "tokens",
        key_columns: 1,
        columns: &[
            ("id", Text),
            ("account", Text),
            ("name", Text),
            ("role", Text),
            ("sha256", Text),
            ("created_ms", Integer),
            ("expires_ms", Integer),
            ("revoked_ms", Integer),
            ("repositories", Text),
            ("publisher", Text),
            ("job", Text),
            ("publishes_to", Text),
        ],
    },
    Table {
        name: "trusted_publishers",
        key_columns: 1,
        columns: &[
            ("id", Text),
            ("repository", Text),
            ("issuer", Text),
            ("project", Text),
            ("workflow", Text),
            ("environment", Text),
            ("owner_id", Text),
            ("added_by", Text),
            ("created_ms", Integer),
        ],
    },
    Table {
        name: "publisher_events",
        key_columns: 2,
        columns: &[
            ("repository", Text),
            ("number", Integer),
            ("account", Text),
            ("event", Text),
            ("at_ms", Integer),
        ],
    },
    Table {
        name: "used_identity_tokens",
        key_columns: 2,
        columns: &[("issuer", Text), ("jti", Text), ("expires_ms", Integer)],
    },
    Table {
        name: "repository_tags",
        key_columns: 2,
        columns: &[("repository", Text), ("tag", Text)],
    },
    Table {
        name: "aliases",
        key_columns: 3,
        columns: &[
            ("kind", Text),
            ("owner_folded", Text),
            ("name_folded", Text),
            ("repository", Text),
        ],
    },
    Table {
        name: "refs",
        key_columns: 2,
        columns: &[
            ("repository", Text),
            ("name", Text),
            ("commit_oid", Text),
            ("message", Text),
            ("created_ms", Integer),
        ],
    },
    Table {
        name: "discussions",
        key_columns: 2,
        columns: &[
            ("repository", Text),
            ("number", Integer),
            ("kind", Text),
            ("status", Text),
            ("title", Text),
            ("description", Text),
            ("author", Text),
            ("base", Text),
            ("created_ms", Integer),
        ],
    },
    Table {
        name: "commits",
        key_columns: 2,
        columns: &[
            ("repository", Text),
            ("oid", Text),
            ("tree", Text),
            ("parent", Text),
            ("generation", Integer),
            ("title", Text),
            ("message", Text),
            ("author", Text),
            ("written_ms", Integer),
            ("data", Bytes),
        ],
    },
    Table {
        name: "trees",
        key_columns: 2,
        columns: &[("repository", Text), ("oid", Text), ("data", Bytes)],
    },
    Table {
        name: "blobs",
        key_columns: 2,
        columns: &[
            ("repository", Text),
            ("oid", Text),
            ("sha256", Text),
            ("size_bytes", Integer),
            ("form", Text),
            ("uploaded_ms", Integer),
        ],
    },
    Table {
        name: "changes",
        key_columns: 4,
        columns: &[
            ("repository", Text),
            ("path", Text),
            ("generation", Integer),
            ("commit_oid", Text),
        ],
    },
    Table {
        name: "manifests",
        key_columns: 2,
        columns: &[("repository", Text), ("sha256", Text), ("facts", Text)],
    },
    Table {
        name: "tools",
        key_columns: 1,
        columns: &[
            ("repository", Text),
            ("name", Text),
            ("version", Text),
            ("description", Text),
            ("functions", Text),
            ("manifest", Text),
        ],
    },
    Table {
        name: "published_versions",
        key_columns: 4,
        columns: &[
            ("kind", Text),
            ("owner_folded", Text),
            ("name_folded", Text),
            ("version", Text),
            ("tree", Text),
            ("manifest_sha256", Text),
            ("component_sha256", Text),
            ("commit_oid", Text),
            ("published_ms", Integer),
        ],
    },
    Table {
        name: "log_records",
        key_columns: 1,
        columns: &[
            ("position", Integer),
            ("repository", Text),
            ("version", Text),
            ("record", Text),
            ("opening", Text),
            ("signer", Text),
            ("origin", Text),
        ],
    },
    Table {
        name: "log_hashes",
        key_columns: 1,
        columns: &[("number", Integer), ("hash", Text)],
    },
    Table {
        name: "log_key",
        key_columns: 1,
        columns: &[("name", Text), ("seed", Text)],
    },
    Table {
        name: "witnesses",
        key_columns: 1,
        columns: &[
            ("name", Text),
            ("key", Text),
            ("url", Text),
            ("size", Integer),
            ("cosignature", Text),
            ("cosigned_ms", Integer),
            ("asked_ms", Integer),
            ("fault", Text),
        ],
    },
    Table {
        name: "mirror",
        key_columns: 1,
        columns: &[
            ("upstream", Text),
            ("only_repos", Text),
            ("log_key", Text),
            ("checkpoint", Text),
            ("size", Integer),
            ("upstream_size", Integer),
            ("checked_ms", Integer),
            ("fault", Text),
            ("missing", Integer),
            ("unfinished", Text),
        ],
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::connection::Database;
    use super::super::sql::select;
    use super::*;

    /// True for tables that a backup leaves out: the state of garbage collection and of unfinished
    /// uploads, cosignatures that newer ones have taken the place of, the search index, which is
    /// derived, and the database's own records.
    fn is_left_out(table: &str) -> bool {
        table == "contents"
            || table == "arrivals"
            || table == "former_cosignatures"
            || table.starts_with("lfs_")
            || table.starts_with("search_")
            || table.starts_with("_sqlx")
            || table.starts_with("sqlite_")
    }

    #[tokio::test]
    async fn no_column_is_forgotten() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("registry.sqlite");
        let database = Database::open_sqlite(&path).await.unwrap();
        let columns: Vec<(String, String)> = select(
            "t.name, c.name",
            "FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'",
        )
        .fetch_all(&database.pool)
        .await
        .unwrap();
        let there: BTreeSet<(&str, &str)> = columns
            .iter()
            .filter(|(table, _)| !is_left_out(table))
            .map(|(table, column)| (table.as_str(), column.as_str()))
            .collect();
        let listed = TABLES
            .iter()
            .flat_map(|table| {
                table
                    .columns
                    .iter()
                    .map(|(column, _)| (table.name, *column))
            })
            .collect();
        assert!(there.len() > 50);
        assert_eq!(
            there, listed,
            "add a new column to TABLES, or say above why a backup does without the table"
        );
    }
}
