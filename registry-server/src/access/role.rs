//! Finds an account's role in what another account owns: stranger, read, write or admin.

use crate::database::Database;
use crate::database::keys::AccountKey;
use crate::error::RegistryError;
use crate::roles::MemberRole;

/// Rights in what an account owns, each including those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// The rights of everybody.
    Stranger,
    Read,
    Write,
    Admin,
}

/// The role of `account` in what `owner` owns.
pub(crate) async fn role_in(
    database: &Database,
    account: &AccountKey,
    owner: &AccountKey,
) -> Result<Role, RegistryError> {
    if account == owner {
        return Ok(Role::Admin);
    }
    Ok(match database.member_role(owner, account).await? {
        Some(MemberRole::Admin) => Role::Admin,
        Some(MemberRole::Write) => Role::Write,
        Some(MemberRole::Read) => Role::Read,
        None => Role::Stranger,
    })
}
