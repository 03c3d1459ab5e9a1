//! Finds the user or organisation that a request's path names.

use http::StatusCode;
use http::request::Parts;

use crate::database::accounts::{Account, AccountKind};
use crate::http::Refusal;
use crate::names::decode;
use crate::registry::Registry;

/// The account that `/api/users/{name}/…` or `/api/organizations/{name}/…` names.
pub(super) async fn account_in_path(
    registry: &Registry,
    parts: &Parts,
    kind: AccountKind,
) -> Result<Account, Refusal> {
    let name = parts.uri.path().split('/').nth(3).and_then(decode);
    let name = name.unwrap_or_default();
    let found = registry.database().account(&name).await?;
    found.filter(|account| account.kind == kind).ok_or_else(|| {
        let name: String = name.chars().take(100).collect();
        Refusal::new(
            StatusCode::NOT_FOUND,
            format!("there is no {} called {name:?}", kind.word()),
        )
    })
}
