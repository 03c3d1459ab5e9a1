//! Builds the SQL condition under which somebody may see a repository, wherever several are listed
//! or counted.

use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::QueryAs;
use sqlx::{Any, AssertSqlSafe, FromRow};

use super::keys::AccountKey;
use crate::names::TokenScope;

/// A value bound to a statement that is put together from parts.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Text(String),
    Number(i64),
}

/// A statement that was put together from fixed text and the numbers of `values`.
pub(super) fn bound<'q, T>(sql: String, values: Vec<Value>) -> QueryAs<'q, Any, T, AnyArguments>
where
    T: for<'r> FromRow<'r, AnyRow>,
{
    let query = sqlx::query_as(AssertSqlSafe(sql));
    values.into_iter().fold(query, |query, value| match value {
        Value::Text(text) => query.bind(text),
        Value::Number(number) => query.bind(number),
    })
}

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
