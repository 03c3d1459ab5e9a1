//! The reasons why an identity token is refused.

/// A fault of an identity token, in words for the job that sent it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TokenFault {
    #[error("it is longer than {0} bytes")]
    TooLong(usize),
    #[error("it is not a token that is signed with RS256 or ES256")]
    NotAToken,
    #[error("it is signed with an algorithm that its issuer's key is not for")]
    WrongAlgorithm,
    #[error("it asks for an extension that is not known")]
    CriticalHeader,
    #[error("it does not say which key signed it")]
    NoKeyId,
    #[error("this registry does not trust the issuer `{0}`")]
    UnknownIssuer(String),
    #[error("its issuer has no such key")]
    UnknownKey,
    /// Not the fault of the token; it may succeed later.
    #[error("the keys of its issuer cannot be read")]
    KeysUnavailable,
    #[error("its signature is wrong")]
    WrongSignature,
    #[error("it is not for this registry: its audience has to be `{0}` and nothing else")]
    WrongAudience(String),
    #[error("it has expired")]
    Expired,
    #[error("it is not valid yet")]
    NotYetValid,
    #[error("it is valid for longer than a day")]
    LivesTooLong,
    #[error("its claim `{0}` is missing or has an unexpected form")]
    Claim(&'static str),
    #[error("its job was started by `{0}`, which may run with what a stranger sent")]
    UntrustedEvent(String),
}
