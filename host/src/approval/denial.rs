//! The `Denial` type: a capability refused to a tool, why, and the grant that would allow it.
//! `RequiredGrant` is that grant, and `ToolIdentity` the tool as its user knows it.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use tool_hub_manifest::{
    Capabilities, DirectoryName, DirectoryRequest, Grants, Origin, VariableName, VariableRequest,
};

use crate::credential::UnusableCredential;
use crate::credential_source::NoValue;
use crate::secret::MaskedText;

/// A grant that would allow what a tool asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequiredGrant {
    /// Requests to this origin, with the methods that the manifest asks for.
    Network(Origin),
    /// The credential, in requests to the origin that the manifest names.
    Credential(VariableName),
    /// A value for the credential, which is granted.
    CredentialValue(VariableName),
    /// A sign-in, which gives the credential, which is granted, a value.
    SignIn(VariableName),
    /// A directory under this name.
    Directory(DirectoryName),
    /// The variable.
    Variable(VariableName),
    /// Storage of its own.
    Storage,
    /// Write access to a directory despite this name in it, on which other programs act
    /// ([`DirectoryGrant::despite`](tool_hub_manifest::DirectoryGrant)).
    GuardedName(String),
}

/// Writes how a person gives grants to a tool, such as a command of the embedder.
pub(crate) type GrantAdvice = dyn Fn(&[RequiredGrant]) -> String + Send + Sync;

/// A tool as the user knows it.
pub(crate) struct ToolIdentity {
    pub(crate) name: String,
    advice: Option<Arc<GrantAdvice>>,
}

impl ToolIdentity {
    pub(crate) fn new(name: String) -> Self {
        Self { name, advice: None }
    }

    pub(crate) fn with_advice(self, advice: Option<Arc<GrantAdvice>>) -> Self {
        Self { advice, ..self }
    }

    /// `sentence`, with how to give `grants` behind it if the embedder says how.
    fn advise(&self, sentence: String, grants: &[RequiredGrant]) -> String {
        match &self.advice {
            Some(advice) => format!("{sentence}: {}", advice(grants)),
            None => sentence,
        }
    }
}

impl fmt::Debug for ToolIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Something that a tool may not do.
#[derive(Debug, Clone)]
pub(crate) struct Denial {
    tool: Arc<ToolIdentity>,
    /// The name of the capability: `network https://example.com`.
    capability: String,
    reason: Reason,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Reason {
    /// The manifest asks for it, and it is not granted.
    NotGranted(RequiredGrant),
    /// The manifest does not ask for it, so that nobody can grant it.
    NotAsked,
    /// The origin's name leads to an address that is not to be reached by name.
    Address,
    /// The tool is tested, and no answer is recorded.
    NotRecorded(Origin),
    /// Other programs of the user act on files of this name.
    GuardedName(String),
    /// The credential is granted, and cannot be sent.
    Credential(VariableName, UnusableCredential),
}

impl Denial {
    /// Refuses a request with `method` to `origin`; both are the guest's text.
    pub(crate) fn network(
        tool: &Arc<ToolIdentity>,
        method: &MaskedText,
        origin: &MaskedText,
        asked: &Capabilities,
        granted: &Grants,
    ) -> Self {
        let (method, origin) = (method.as_ref(), origin.as_ref());
        let parsed = origin.parse::<Origin>().ok();
        let shown = origin.chars().take(200).flat_map(char::escape_default);
        let mut capability = format!("network {}", shown.collect::<String>());
        let reason = match parsed {
            Some(origin) => {
                let asked = asked.network.methods(&origin);
                // Where the origin is known and the method is not, the method is the point.
                let known = granted.network.methods(&origin).or(asked);
                if known.is_some_and(|methods| !methods.allow(method)) {
                    capability = format!("{capability} with {method}");
                }
                match asked.is_some_and(|methods| methods.allow(method)) {
                    true => Reason::NotGranted(RequiredGrant::Network(origin)),
                    false => Reason::NotAsked,
                }
            }
            None => Reason::NotAsked,
        };
        Self::new(tool, capability, reason)
    }

    /// Refuses to reach `origin`, whose name leads to a private address.
    pub(crate) fn address(tool: &Arc<ToolIdentity>, origin: &Origin) -> Self {
        Self::new(tool, format!("network {origin}"), Reason::Address)
    }

    /// Refuses the request `what`, the guest's masked text, to which no answer is recorded.
    pub(crate) fn unrecorded(tool: &Arc<ToolIdentity>, what: &str, origin: &Origin) -> Self {
        let shown: String = what
            .chars()
            .take(300)
            .flat_map(char::escape_debug)
            .collect();
        let capability = format!("the request {shown}");
        Self::new(tool, capability, Reason::NotRecorded(origin.clone()))
    }

    /// Refuses access to `name` in a directory with write access.
    pub(crate) fn guarded(tool: &Arc<ToolIdentity>, name: &str) -> Self {
        let reason = Reason::GuardedName(name.to_owned());
        Self::new(tool, format!("`{name}` in its directory"), reason)
    }

    /// Refuses storage.
    pub(crate) fn storage(tool: &Arc<ToolIdentity>, asked: &Capabilities) -> Self {
        let reason = match asked.storage {
            Some(_) => Reason::NotGranted(RequiredGrant::Storage),
            None => Reason::NotAsked,
        };
        Self::new(tool, "storage".to_owned(), reason)
    }

    /// Refuses a request that would carry credential `name`, which cannot be sent for `reason`.
    pub(crate) fn credential(
        tool: &Arc<ToolIdentity>,
        name: &VariableName,
        unusable: UnusableCredential,
    ) -> Self {
        let reason = Reason::Credential(name.clone(), unusable);
        Self::new(tool, format!("credential {name}"), reason)
    }

    fn directory(tool: &Arc<ToolIdentity>, request: &DirectoryRequest) -> Self {
        let grant = RequiredGrant::Directory(request.name.clone());
        let capability = format!("directory {}", request.name);
        Self::new(tool, capability, Reason::NotGranted(grant))
    }

    fn variable(tool: &Arc<ToolIdentity>, request: &VariableRequest) -> Self {
        let grant = RequiredGrant::Variable(request.name.clone());
        let capability = format!("variable {}", request.name);
        Self::new(tool, capability, Reason::NotGranted(grant))
    }

    fn new(tool: &Arc<ToolIdentity>, capability: String, reason: Reason) -> Self {
        Self {
            tool: tool.clone(),
            capability,
            reason,
        }
    }

    /// The name by which the user knows the tool.
    pub(crate) fn tool(&self) -> &str {
        &self.tool.name
    }

    /// The name of the capability.
    pub(crate) fn capability(&self) -> &str {
        &self.capability
    }

    /// True if `other` refuses the same.
    pub(crate) fn is(&self, other: &Self) -> bool {
        (&self.capability, &self.reason) == (&other.capability, &other.reason)
    }

    /// Says what happened.
    pub(crate) fn message(&self) -> String {
        let Self {
            tool, capability, ..
        } = self;
        let why = match self.reason {
            Reason::Address => "its name leads to a private address, or to this machine",
            Reason::GuardedName(_) => "other programs act on files of this name",
            Reason::NotRecorded(_) => "no answer to it is recorded",
            Reason::Credential(_, UnusableCredential::NoValue) => "it is granted and has no value",
            Reason::Credential(_, UnusableCredential::Unsendable) => {
                "its value cannot be sent in a request"
            }
            Reason::Credential(_, UnusableCredential::NotRenewed(NoValue::SignedOut)) => {
                "nobody is signed in for it"
            }
            Reason::Credential(_, UnusableCredential::NotRenewed(NoValue::Unreachable)) => {
                "the service that renews its access token gave none"
            }
            Reason::NotGranted(_) | Reason::NotAsked => "it is not granted",
        };
        format!("tool `{}` was refused {capability}: {why}", tool.name)
    }

    /// Says what to do about it.
    pub(crate) fn fix(&self) -> String {
        match &self.reason {
            Reason::NotAsked => format!(
                "the manifest of `{}` does not ask for it, so it cannot be granted; use what the tool may reach",
                self.tool.name
            ),
            Reason::Address => {
                "to reach a private address or this machine, the granted origin has to contain the address itself"
                    .to_owned()
            }
            Reason::GuardedName(name) => {
                let sentence = "use another name; to allow this one anyway, a person grants the directory again";
                let grant = RequiredGrant::GuardedName(name.clone());
                self.tool.advise(sentence.to_owned(), &[grant])
            }
            Reason::NotRecorded(origin) => {
                let grant = RequiredGrant::Network(origin.clone());
                self.tool.advise("record it".to_owned(), &[grant])
            }
            Reason::Credential(name, UnusableCredential::NoValue) => {
                let sentence = "a person can give it a value".to_owned();
                self.tool.advise(sentence, &[RequiredGrant::CredentialValue(name.clone())])
            }
            Reason::Credential(name, UnusableCredential::Unsendable) => {
                let sentence =
                    "a person can correct it: one line of printable characters, for basic authentication `user:password`";
                let grant = RequiredGrant::CredentialValue(name.clone());
                self.tool.advise(sentence.to_owned(), &[grant])
            }
            Reason::Credential(name, UnusableCredential::NotRenewed(NoValue::SignedOut)) => {
                let sentence = "a person can sign in".to_owned();
                self.tool.advise(sentence, &[RequiredGrant::SignIn(name.clone())])
            }
            Reason::Credential(_, UnusableCredential::NotRenewed(NoValue::Unreachable)) => {
                "try again in a minute".to_owned()
            }
            Reason::NotGranted(grant) => {
                let sentence = "a person can grant it".to_owned();
                self.tool.advise(sentence, std::slice::from_ref(grant))
            }
        }
    }
}

/// The credentials, directories and variables that `asked` asks for and `grants` do not hold. A
/// tool finds them absent, so no refusal is on record; a refused request always is.
pub(crate) fn absent(
    tool: &Arc<ToolIdentity>,
    asked: &Capabilities,
    grants: &Grants,
) -> Vec<Denial> {
    let missing = grants.missing(asked);
    let credentials = missing.credentials.iter();
    let directories = missing.directories.iter();
    let variables = missing.variables.iter();
    let credentials = credentials.map(|request| {
        let grant = RequiredGrant::Credential(request.name.clone());
        let capability = format!("credential {}", request.name);
        Denial::new(tool, capability, Reason::NotGranted(grant))
    });
    let directories = directories.map(|request| Denial::directory(tool, request));
    credentials
        .chain(directories)
        .chain(variables.map(|request| Denial::variable(tool, request)))
        .collect()
}

/// For failures that may come from what is absent; nothing if all is granted.
pub(crate) fn reminder(absent: &[Denial]) -> Option<String> {
    let tool = &absent.first()?.tool;
    let names: Vec<&str> = absent.iter().map(Denial::capability).collect();
    let grants = absent.iter().filter_map(|denial| match &denial.reason {
        Reason::NotGranted(grant) => Some(grant.clone()),
        _ => None,
    });
    let sentence = format!(
        "the tool asks for what is not granted ({}); a person can grant it",
        names.join(", ")
    );
    Some(tool.advise(sentence, &grants.collect::<Vec<_>>()))
}
