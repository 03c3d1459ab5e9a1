//! Decodes enums and SHA-256 digests from the text columns of the database.

/// Reads columns as an enum with a method `word`. An unknown word is an error and never taken for
/// another variant.
macro_rules! stored_as_word {
    ($name:ty: $($variant:ident),+) => {
        impl sqlx::Type<sqlx::Any> for $name {
            fn type_info() -> <sqlx::Any as sqlx::Database>::TypeInfo {
                <String as sqlx::Type<sqlx::Any>>::type_info()
            }
        }

        impl<'r> sqlx::Decode<'r, sqlx::Any> for $name {
            fn decode(
                value: <sqlx::Any as sqlx::Database>::ValueRef<'r>,
            ) -> Result<Self, sqlx::error::BoxDynError> {
                let stored = <String as sqlx::Decode<sqlx::Any>>::decode(value)?;
                let known = [$(Self::$variant),+];
                let found = known.into_iter().find(|one| one.word() == stored);
                found.ok_or_else(|| format!("unknown {}: {stored:?}", stringify!($name)).into())
            }
        }
    };
}

use super::accounts::AccountKind;
use super::discussions::DiscussionKind;
use crate::content::Sha256Digest;
use crate::names::RepositoryKind;
use crate::roles::{MemberRole, TokenRole};

stored_as_word!(AccountKind: User, Organisation);
stored_as_word!(DiscussionKind: Talk, PullRequest);
stored_as_word!(MemberRole: Read, Write, Admin);
stored_as_word!(RepositoryKind: Model, Dataset, Space, Kernel);
stored_as_word!(TokenRole: Read, Write);

impl sqlx::Type<sqlx::Any> for Sha256Digest {
    fn type_info() -> <sqlx::Any as sqlx::Database>::TypeInfo {
        <String as sqlx::Type<sqlx::Any>>::type_info()
    }
}

impl<'r> sqlx::Decode<'r, sqlx::Any> for Sha256Digest {
    fn decode(
        value: <sqlx::Any as sqlx::Database>::ValueRef<'r>,
    ) -> Result<Self, sqlx::error::BoxDynError> {
        let stored = <String as sqlx::Decode<sqlx::Any>>::decode(value)?;
        Self::from_hex(&stored).ok_or_else(|| format!("sha256 {stored:?}").into())
    }
}
