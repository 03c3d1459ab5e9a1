//! The two database engines, SQLite and PostgreSQL: their SQL for transactions, locks, substrings.

/// The database in use, and so the dialect of its statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    /// Begins a write transaction.
    pub(super) fn begin(self) -> &'static str {
        match self {
            // A deferred transaction that reads first and writes later fails with "busy" as soon as
            // another process wrote in between.
            Self::Sqlite => "BEGIN IMMEDIATE",
            // Each statement sees what was committed before it, so that whoever waited for a lock
            // sees what was done meanwhile.
            Self::Postgres => "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
        }
    }

    /// Begins a reading transaction that sees the database as it was at its first query,
    /// whatever is written meanwhile.
    pub(super) fn begin_snapshot(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN DEFERRED",
            Self::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }

    /// The end of a `SELECT` of rows that nobody may change until the transaction has ended.
    /// SQLite's writer is alone anyway.
    pub(super) fn share_rows(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => "FOR SHARE",
        }
    }

    /// The end of a `SELECT` of rows that nobody else may lock until the transaction has ended.
    pub(super) fn lock_rows(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => "FOR UPDATE",
        }
    }

    /// Finds a repository and keeps all other writers to it out.
    pub(super) fn lock_repository(self) -> &'static str {
        match self {
            Self::Sqlite => "SELECT id FROM repositories WHERE id = $1",
            Self::Postgres => "SELECT id FROM repositories WHERE id = $1 FOR UPDATE",
        }
    }

    /// The condition that one text is a part of another.
    pub(super) fn contains(self, text: &str, part: &str) -> String {
        match self {
            Self::Sqlite => format!("instr({text}, {part}) > 0"),
            Self::Postgres => format!("strpos({text}, {part}) > 0"),
        }
    }
}
