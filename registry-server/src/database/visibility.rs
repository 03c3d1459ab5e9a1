//! Builds the SQL condition for repositories that the caller may see, for search, lists and counts.

use super::bound_sql::Value;
use super::keys::AccountKey;
use crate::names::TokenScope;

/// A condition on the owner, name and privacy of `repositories r`, or of `search_entries r`. Only
/// fixed text and what `bind` gives back go into it.
pub(super) fn readable(
    account: Option<&AccountKey>,
    scope: &TokenScope,
    mut bind: impl FnMut(Value) -> String,
) -> String {
    let Some(account) = account else {
        return "r.private = 0".to_owned();
    };
    let account = bind(Value::Text(account.to_string()));
    let within = within(scope, bind);
    format!(
        "(r.private = 0 OR ({within} AND (r.owner = {account} OR \
         r.owner IN (SELECT organisation FROM members WHERE member = {account}))))"
    )
}

fn within(scope: &TokenScope, mut bind: impl FnMut(Value) -> String) -> String {
    let TokenScope::Only(patterns) = scope else {
        return "1 = 1".to_owned();
    };
    let mut any = String::from("(1 = 0");
    for pattern in patterns {
        let owner = bind(Value::Text(pattern.owner_folded()));
        any += &format!(" OR (r.owner = (SELECT id FROM accounts WHERE name_folded = {owner})");
        if let Some(name) = pattern.name_folded() {
            any += &format!(" AND r.name_folded = {}", bind(Value::Text(name)));
        }
        any.push(')');
    }
    any.push(')');
    any
}
