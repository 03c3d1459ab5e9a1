//! The place of the metadata database: SQLite in the registry's directory, or a PostgreSQL URL.

use std::fmt;
use std::str::FromStr;

use url::Url;

use super::address_error::AddressError;

/// The place where a registry keeps its metadata.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatabaseAddress {
    /// SQLite, in the registry's directory.
    #[default]
    Directory,
    /// A PostgreSQL database, which several servers may share.
    Postgres(PostgresUrl),
}

/// `postgres://user:password@host:port/database`, with the parameters of PostgreSQL's own clients
/// after `?`, such as `sslmode=verify-full`. A socket's directory is written as the host with its
/// slashes as `%2F`.
///
/// What the URL leaves open is taken from the `PG…` variables and the password file, as
/// PostgreSQL's clients do. It shows itself without password and parameters.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(Url);

impl PostgresUrl {
    /// The whole URL, password and all.
    pub(crate) fn expose(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for PostgresUrl {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let url = Url::parse(text)?;
        if !matches!(url.scheme(), "postgres" | "postgresql") {
            return Err(AddressError::Scheme {
                expected: "postgres",
                actual: url.scheme().to_owned(),
            });
        }
        Ok(Self(url))
    }
}

impl FromStr for DatabaseAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        text.parse().map(Self::Postgres)
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.0.host_str().unwrap_or_default();
        write!(f, "postgres://{host}")?;
        if let Some(port) = self.0.port() {
            write!(f, ":{port}")?;
        }
        f.write_str(self.0.path())
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_hides_its_password() {
        let text = "postgres://hub:s3cret@db.example.org:5433/hub?password=other&sslmode=require";
        let url: PostgresUrl = text.parse().unwrap();
        assert_eq!(url.expose(), text);
        assert_eq!(url.to_string(), "postgres://db.example.org:5433/hub");
        assert_eq!(format!("{url:?}"), url.to_string());
    }

    #[test]
    fn other_databases_are_refused() {
        assert_eq!(
            "mysql://host/hub".parse::<DatabaseAddress>(),
            Err(AddressError::Scheme {
                expected: "postgres",
                actual: "mysql".to_owned()
            })
        );
        let error = "user:pass word".parse::<DatabaseAddress>().unwrap_err();
        assert!(!error.to_string().contains("pass"), "{error}");
    }
}
