//! The `CredentialSource` trait: a credential whose value changes while its tool is loaded.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;

/// Gives the present value of a credential that changes while its tool is loaded, such as an access
/// token that is renewed.
pub trait CredentialSource: Send + Sync {
    /// The value to send now. It is asked for before each request that carries it.
    fn value(&self) -> BoxFuture<'_, Result<String, NoValue>>;
}

/// The reason that a source has no value now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoValue {
    /// A person has to sign in.
    SignedOut,
    /// The service that renews it does not answer, or not as it should.
    Unreachable,
}

/// The value of a credential. `String`s and sources become one.
#[derive(Clone)]
pub struct CredentialValue(pub(crate) Kept);

#[derive(Clone)]
pub(crate) enum Kept {
    Fixed(String),
    Changing(Arc<dyn CredentialSource>),
}

impl CredentialValue {
    /// The value to send now.
    ///
    /// # Errors
    /// What renews it has none.
    pub async fn now(&self) -> Result<String, NoValue> {
        match &self.0 {
            Kept::Fixed(value) => Ok(value.clone()),
            Kept::Changing(source) => source.value().await,
        }
    }
}

impl From<String> for CredentialValue {
    fn from(value: String) -> Self {
        Self(Kept::Fixed(value))
    }
}

impl From<&str> for CredentialValue {
    fn from(value: &str) -> Self {
        value.to_owned().into()
    }
}

impl From<Arc<dyn CredentialSource>> for CredentialValue {
    fn from(source: Arc<dyn CredentialSource>) -> Self {
        Self(Kept::Changing(source))
    }
}

impl fmt::Debug for CredentialValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the value.
        f.debug_struct("CredentialValue").finish_non_exhaustive()
    }
}
