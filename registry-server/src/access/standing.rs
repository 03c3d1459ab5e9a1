//! How an account stands to a name space: its own, an organisation's, or a stranger's.

use crate::database::Database;
use crate::error::RegistryError;

/// Rights in a name space, each including those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    Stranger,
    Reads,
    Writes,
    Manages,
}

/// How `account` stands to what `owner` owns.
pub(crate) async fn standing_in(
    database: &Database,
    account: &str,
    owner: &str,
) -> Result<Standing, RegistryError> {
    if account == owner {
        return Ok(Standing::Manages);
    }
    Ok(
        match database.member_role(owner, account).await?.as_deref() {
            Some("admin") => Standing::Manages,
            Some("write") => Standing::Writes,
            Some(_) => Standing::Reads,
            None => Standing::Stranger,
        },
    )
}
