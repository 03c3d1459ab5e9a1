//! Primary keys of accounts, repositories, tokens and publishers, each kind a type of its own.

use std::fmt;

use crate::error::RegistryError;
use crate::random;

/// A key is 24 random hexadecimal digits. Clients see those of accounts and repositories as `_id`.
macro_rules! key {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(String);

        impl $name {
            /// The key of a new row.
            pub(crate) fn random() -> Result<Self, RegistryError> {
                Ok(Self(random::id()?))
            }
        }

        /// The key that somebody wrote; there may be no such row.
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl sqlx::Type<sqlx::Any> for $name {
            fn type_info() -> <sqlx::Any as sqlx::Database>::TypeInfo {
                <String as sqlx::Type<sqlx::Any>>::type_info()
            }
        }

        impl<'q> sqlx::Encode<'q, sqlx::Any> for $name {
            fn encode_by_ref(
                &self,
                buffer: &mut <sqlx::Any as sqlx::Database>::ArgumentBuffer,
            ) -> Result<sqlx::encode::IsNull, sqlx::error::BoxDynError> {
                <String as sqlx::Encode<'q, sqlx::Any>>::encode_by_ref(&self.0, buffer)
            }
        }

        impl<'r> sqlx::Decode<'r, sqlx::Any> for $name {
            fn decode(
                value: <sqlx::Any as sqlx::Database>::ValueRef<'r>,
            ) -> Result<Self, sqlx::error::BoxDynError> {
                Ok(Self(<String as sqlx::Decode<sqlx::Any>>::decode(value)?))
            }
        }
    };
}

key!(
    /// The key of a user or an organisation.
    AccountKey
);
key!(
    /// The key of a repository, which stays when the repository is moved.
    RepositoryKey
);
key!(
    /// The key of an access token, by which it is revoked.
    TokenKey
);

key!(
    /// The key of a trusted publisher of a repository.
    PublisherKey
);

impl AccountKey {
    /// The key of no account: everybody is a stranger to it.
    pub(crate) const NONE: Self = Self(String::new());
}

impl RepositoryKey {
    /// The key of no repository. It sorts before all others.
    pub(crate) const NONE: Self = Self(String::new());
}
