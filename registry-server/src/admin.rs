//! Operators' functions, not over HTTP: add accounts and members; make, list and revoke tokens.

mod quota;

use std::fmt;

use data_encoding::HEXLOWER;
use time::OffsetDateTime;

use crate::access::hash;
use crate::clock;
use crate::database::accounts::{Account, AccountKind};
use crate::database::keys::{AccountKey, TokenKey};
use crate::database::tokens::TokenRow;
use crate::error::RegistryError;
use crate::names::{AccountName, TokenScope};
use crate::random;
use crate::registry::Registry;
use crate::roles::{MemberRole, TokenRole};

pub use quota::OwnerStorage;

/// Most patterns that one token is limited to; every search with the token carries them all.
const SCOPE_PATTERNS_MAX: usize = 50;

/// The secret of a token. It masks itself in `{:?}`; [`TokenSecret::expose`] gives it away.
pub struct TokenSecret(String);

impl TokenSecret {
    /// The secret: `hf_` and 64 hexadecimal digits.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenSecret(hf_…)")
    }
}

/// A token just made. The registry keeps a hash only, so the secret cannot be shown again.
#[derive(Debug)]
#[non_exhaustive]
pub struct NewToken {
    /// The secret that clients send.
    pub secret: TokenSecret,
    /// All but the secret.
    pub summary: TokenSummary,
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenSummary {
    /// The id by which it is revoked.
    pub id: String,
    /// The name its owner gave it.
    pub name: String,
    /// The rights it gives.
    pub role: TokenRole,
    /// The repositories in which it gives them.
    pub scope: TokenScope,
    /// The time it was made.
    pub created: OffsetDateTime,
    /// From when on it is refused.
    pub expires: Option<OffsetDateTime>,
    /// The time it was revoked.
    pub revoked: Option<OffsetDateTime>,
}

/// A user.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UserSummary {
    /// The name in repository ids.
    pub name: String,
    /// The address shown as the author of commits.
    pub email: Option<String>,
    /// The time the user was added.
    pub created: OffsetDateTime,
}

impl Registry {
    /// Adds a user. `email` goes into commits; without one they carry an address that cannot
    /// receive mail.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Name`] for a name outside the grammar, [`RegistryError::NameTaken`] when a
    /// user or an organisation has it.
    pub async fn add_user(&self, name: &str, email: Option<&str>) -> Result<(), RegistryError> {
        self.add_account(name, AccountKind::User, email).await
    }

    /// Adds an organisation without members.
    ///
    /// # Errors
    ///
    /// The errors of [`Registry::add_user`].
    pub async fn add_organisation(&self, name: &str) -> Result<(), RegistryError> {
        self.add_account(name, AccountKind::Organisation, None)
            .await
    }

    /// Makes a user a member of an organisation, or changes the role of one who is.
    ///
    /// # Errors
    ///
    /// [`RegistryError::NoSuchAccount`] when either does not exist.
    pub async fn add_member(
        &self,
        organisation: &str,
        user: &str,
        role: MemberRole,
    ) -> Result<(), RegistryError> {
        let organisation = self.find(organisation, AccountKind::Organisation).await?;
        let user = self.find(user, AccountKind::User).await?;
        let mut writing = self.database().write().await?;
        writing
            .upsert_member(&organisation.id, &user.id, role)
            .await?;
        writing.commit().await
    }

    /// Makes a token for everything a user has rights in. Without `expires` it is good until it is
    /// revoked.
    ///
    /// # Errors
    ///
    /// The errors of [`Registry::create_limited_token`].
    pub async fn create_token(
        &self,
        user: &str,
        name: &str,
        role: TokenRole,
        expires: Option<OffsetDateTime>,
    ) -> Result<NewToken, RegistryError> {
        self.create_limited_token(user, name, role, TokenScope::All, expires)
            .await
    }

    /// Makes a token for some of the repositories a user has rights in. The repositories need not
    /// exist yet.
    ///
    /// # Errors
    ///
    /// [`RegistryError::NoSuchAccount`] when there is no such user,
    /// [`RegistryError::ExpiryNotInFuture`] when it would be expired from the start,
    /// [`RegistryError::ScopeOutOfBounds`] when it would reach nothing or has more than 50
    /// patterns, [`RegistryError::Randomness`] when the system has none.
    pub async fn create_limited_token(
        &self,
        user: &str,
        name: &str,
        role: TokenRole,
        scope: TokenScope,
        expires: Option<OffsetDateTime>,
    ) -> Result<NewToken, RegistryError> {
        let created_ms = clock::now_ms();
        check_terms(&scope, expires, created_ms)?;
        let user = self.find(user, AccountKind::User).await?;
        // The JavaScript client takes no token without this prefix.
        let secret = format!("hf_{}", HEXLOWER.encode(&random::bytes::<32>()?));
        let row = TokenRow {
            id: TokenKey::random()?,
            name: name.to_owned(),
            role,
            created_ms,
            expires_ms: expires.map(clock::to_ms),
            revoked_ms: None,
            repositories: scope.stored(),
            publisher: None,
            publishes_to: None,
            job: None,
        };
        let mut writing = self.database().write().await?;
        writing.insert_token(&user.id, &row, &hash(&secret)).await?;
        writing.commit().await?;
        Ok(NewToken {
            secret: TokenSecret(secret),
            summary: summary(row),
        })
    }

    /// The tokens of a user, oldest first, revoked ones included.
    ///
    /// # Errors
    ///
    /// [`RegistryError::NoSuchAccount`] when there is no such user.
    pub async fn list_tokens(&self, user: &str) -> Result<Vec<TokenSummary>, RegistryError> {
        let user = self.find(user, AccountKind::User).await?;
        Ok(self
            .database()
            .tokens_of(&user.id)
            .await?
            .into_iter()
            .map(summary)
            .collect())
    }

    /// Revokes a token by its id; the next request that uses it is refused.
    ///
    /// # Errors
    ///
    /// [`RegistryError::NoSuchToken`] when there is none of this id.
    pub async fn revoke_token(&self, id: &str) -> Result<(), RegistryError> {
        let mut writing = self.database().write().await?;
        if !writing
            .revoke_token(&TokenKey::from(id), clock::now_ms())
            .await?
        {
            return Err(RegistryError::NoSuchToken { id: id.to_owned() });
        }
        writing.commit().await
    }

    /// All users by name.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Query`] when the database fails.
    pub async fn list_users(&self) -> Result<Vec<UserSummary>, RegistryError> {
        let users = self.database().users().await?.into_iter();
        Ok(users
            .map(|user| UserSummary {
                name: user.name,
                email: user.email,
                created: clock::from_ms(user.created_ms),
            })
            .collect())
    }

    async fn add_account(
        &self,
        name: &str,
        kind: AccountKind,
        email: Option<&str>,
    ) -> Result<(), RegistryError> {
        let name: AccountName = name.parse()?;
        let account = Account {
            id: AccountKey::random()?,
            kind,
            name: name.to_string(),
            full_name: name.to_string(),
            email: email.map(str::to_owned),
            created_ms: clock::now_ms(),
        };
        let mut writing = self.database().write().await?;
        if !writing.insert_account(&account).await? {
            return Err(RegistryError::NameTaken { name: account.name });
        }
        writing.commit().await
    }

    async fn find_owner(&self, name: &str) -> Result<Account, RegistryError> {
        let found = self.database().account(name).await?;
        found.ok_or_else(|| RegistryError::NoSuchAccount {
            kind: "user or organisation",
            name: name.to_owned(),
        })
    }

    async fn find(&self, name: &str, kind: AccountKind) -> Result<Account, RegistryError> {
        let found = self
            .database()
            .account(name)
            .await?
            .filter(|account| account.kind == kind);
        found.ok_or_else(|| RegistryError::NoSuchAccount {
            kind: kind.word(),
            name: name.to_owned(),
        })
    }
}

fn summary(row: TokenRow) -> TokenSummary {
    TokenSummary {
        role: row.role,
        scope: TokenScope::from_stored(row.repositories.as_deref()),
        id: row.id.to_string(),
        name: row.name,
        created: clock::from_ms(row.created_ms),
        expires: row.expires_ms.map(clock::from_ms),
        revoked: row.revoked_ms.map(clock::from_ms),
    }
}

fn check_terms(
    scope: &TokenScope,
    expires: Option<OffsetDateTime>,
    now_ms: i64,
) -> Result<(), RegistryError> {
    if let Some(expires) = expires.filter(|expires| clock::to_ms(*expires) <= now_ms) {
        return Err(RegistryError::ExpiryNotInFuture { expires });
    }
    match scope {
        TokenScope::Only(patterns) if !(1..=SCOPE_PATTERNS_MAX).contains(&patterns.len()) => {
            Err(RegistryError::ScopeOutOfBounds {
                count: patterns.len(),
                max: SCOPE_PATTERNS_MAX,
            })
        }
        _ => Ok(()),
    }
}
