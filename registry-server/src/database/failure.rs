//! Classifies failures of the database: disk full, busy or out of reach, a zero byte in a text.

/// A failure that is not a fault of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DatabaseFailure {
    /// No space is left for the database.
    Full,
    /// The database is out of reach, has no time, or broke off this transaction in favour of
    /// another; trying again helps.
    Busy,
    /// The client sent a zero byte, which PostgreSQL cannot store or look for in a text.
    ZeroByte,
}

impl DatabaseFailure {
    /// The meaning of a failure, if it is not simply a fault.
    pub(crate) fn of(error: &sqlx::Error) -> Option<Self> {
        match error {
            sqlx::Error::PoolTimedOut | sqlx::Error::Io(_) => Some(Self::Busy),
            sqlx::Error::Database(database) => of_code(&database.code()?),
            _ => None,
        }
    }
}

/// SQLite's numbers are a digit or more, PostgreSQL's codes are five signs, so they cannot be taken
/// for each other.
fn of_code(code: &str) -> Option<DatabaseFailure> {
    match code {
        // SQLITE_FULL; disk_full.
        "13" | "53100" => Some(DatabaseFailure::Full),
        // SQLITE_BUSY: another process kept the database to itself.
        "5" => Some(DatabaseFailure::Busy),
        // serialization_failure, deadlock_detected, lock_not_available.
        "40001" | "40P01" | "55P03" => Some(DatabaseFailure::Busy),
        // out_of_memory, too_many_connections; the shutdowns and the start of a server.
        "53200" | "53300" | "57P01" | "57P02" | "57P03" | "25P03" => Some(DatabaseFailure::Busy),
        // character_not_in_repertoire: all text here is UTF-8, so it can only be the zero byte.
        "22021" => Some(DatabaseFailure::ZeroByte),
        // read_only_sql_transaction: the server is not, or no longer, the primary.
        "25006" => Some(DatabaseFailure::Busy),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures() {
        assert_eq!(
            DatabaseFailure::of(&sqlx::Error::PoolTimedOut),
            Some(DatabaseFailure::Busy)
        );
        assert_eq!(DatabaseFailure::of(&sqlx::Error::RowNotFound), None);
        for (code, expect) in [
            ("13", Some(DatabaseFailure::Full)),
            ("53100", Some(DatabaseFailure::Full)),
            ("5", Some(DatabaseFailure::Busy)),
            ("40P01", Some(DatabaseFailure::Busy)),
            ("22021", Some(DatabaseFailure::ZeroByte)),
            ("23505", None),
            ("787", None),
        ] {
            assert_eq!(of_code(code), expect, "{code}");
        }
    }
}
