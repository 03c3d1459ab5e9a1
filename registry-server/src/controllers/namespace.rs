//! Finds the account or organisation that is to own a repository, if the caller may write there.
//! Other callers are refused.

use crate::access::{Caller, Role, role_in};
use crate::database::accounts::Account;
use crate::http::Refusal;
use crate::names::AccountName;
use crate::registry::Registry;

/// An organisation that is not there and one the caller has no right in get the same answer.
pub(super) async fn find_owner(
    registry: &Registry,
    caller: &Caller,
    owner: Option<AccountName>,
) -> Result<Account, Refusal> {
    let Some(owner) = owner else {
        return Ok(caller.account.clone());
    };
    let refuse = || {
        Refusal::forbidden(format!(
            "You don't have the rights to create a repo under the namespace {owner:?}",
            owner = owner.as_str()
        ))
    };
    let account = registry
        .database()
        .account(owner.as_str())
        .await?
        .ok_or_else(refuse)?;
    let role = role_in(registry.database(), &caller.account.id, &account.id).await?;
    if role >= Role::Write {
        Ok(account)
    } else {
        Err(refuse())
    }
}
