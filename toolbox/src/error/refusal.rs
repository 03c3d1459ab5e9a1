//! Tells the errors that are refusals of a rule from those of what is missing or broken.

use super::Error;
use crate::keyless::error::KeylessError;
use crate::signing_keys::error::SigningKeyError;

impl Error {
    /// True if a rule refuses: one of this crate, or of those whose errors this one wraps.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::NotLoaded { source, .. } | Self::Dependency { source, .. } => source.is_refusal(),
            Self::NotATool { source, .. } | Self::Host(source) => source.is_refusal(),
            Self::NotVerified(source) | Self::NotThePackage { source, .. } => source.is_refusal(),
            Self::WrongSignature { source, .. } => source.is_refusal(),
            Self::Bundle { source, .. } => source.is_refusal(),
            Self::Client(source) => source.is_refusal(),
            Self::Store(source) => source.is_refusal(),
            Self::LogWriter(source) => source.is_refusal(),
            _ => matches!(
                self,
                Self::LeadsOut { .. }
                    | Self::DependencyCycle { .. }
                    | Self::TooManyDependencies { .. }
                    | Self::UntrustedLock { .. }
                    | Self::NotApproved { .. }
                    | Self::NotSigned { .. }
                    | Self::Malicious(_)
                    | Self::Advised(_)
                    | Self::Policy(_)
                    | Self::TextsChanged { .. }
                    | Self::NoSignature { .. }
                    | Self::Unrecorded { .. }
                    | Self::AlreadyRequired { .. }
                    | Self::RequiredBySystem { .. }
                    | Self::NotRoots { .. }
                    | Self::SigningKey(SigningKeyError::OpenToOthers { .. })
                    | Self::Keyless(KeylessError::NotProved(_))
                    | Self::NoSigner { .. }
                    | Self::Log { .. }
                    | Self::TooNew { .. }
                    | Self::OtherMaker(_)
                    | Self::NoVersion { .. }
                    | Self::ComponentTooLarge { .. }
                    | Self::DangerousDirectory { .. }
            ),
        }
    }
}
