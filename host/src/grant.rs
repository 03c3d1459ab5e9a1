//! Refusals that name the tool, the capability and the command that would grant it. The
//! wording of those commands stands here and nowhere else.

use std::sync::Arc;

use tool_hub_manifest::{Capabilities, DirectoryRequest, Grants, Origin, VariableRequest};

use crate::secret::Masked;

/// A tool as the user knows it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ToolIdentity {
    pub(crate) name: String,
    /// The command that grants it more, but for the flags that say what.
    pub(crate) command: String,
}

/// The flag that grants an origin.
pub(crate) fn network_flag(origin: &Origin) -> String {
    format!("--allow-network {origin}")
}

/// The flag that grants a directory.
pub(crate) fn directory_flag(request: &DirectoryRequest) -> String {
    format!("--allow-dir {}=PATH", request.name)
}

/// The flag that grants a variable.
pub(crate) fn variable_flag(request: &VariableRequest) -> String {
    format!("--allow-var {}", request.name)
}

/// The flag that grants storage.
pub(crate) const STORAGE_FLAG: &str = "--allow-storage";

/// Something a tool may not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Denial {
    tool: Arc<ToolIdentity>,
    /// What the capability is called: `network https://example.com`.
    capability: String,
    why: Why,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Why {
    /// It was not granted although the manifest asks for it: this flag grants it.
    NotGranted(String),
    /// The manifest does not ask for it, so that nobody can grant it.
    NotAsked,
    /// The origin's name leads to an address that is not to be reached by name.
    Address,
    /// Other programs of the user give this name a meaning.
    Guarded,
}

impl Denial {
    /// Refused: a request with `method` to `origin`; both are the guest's text.
    pub(crate) fn network(
        tool: &Arc<ToolIdentity>,
        method: &Masked,
        origin: &Masked,
        asked: &Capabilities,
        granted: &Grants,
    ) -> Self {
        let (method, origin) = (method.as_ref(), origin.as_ref());
        let parsed = origin.parse::<Origin>().ok();
        let shown = origin.chars().take(200).flat_map(char::escape_default);
        let mut capability = format!("network {}", shown.collect::<String>());
        let why = match &parsed {
            Some(origin) => {
                let asked = asked.network.methods(origin);
                // Where the origin is known and the method is not, the method is the point.
                let known = granted.network.methods(origin).or(asked);
                if known.is_some_and(|methods| !methods.allow(method)) {
                    capability = format!("{capability} with {method}");
                }
                match asked.is_some_and(|methods| methods.allow(method)) {
                    true => Why::NotGranted(network_flag(origin)),
                    false => Why::NotAsked,
                }
            }
            None => Why::NotAsked,
        };
        Self {
            tool: tool.clone(),
            capability,
            why,
        }
    }

    /// The tool tried to reach `origin`, whose name leads to a private address.
    pub(crate) fn address(tool: &Arc<ToolIdentity>, origin: &Origin) -> Self {
        Self {
            tool: tool.clone(),
            capability: format!("network {origin}"),
            why: Why::Address,
        }
    }

    /// Refused: access to `name` in a directory with write access.
    pub(crate) fn guarded(tool: &Arc<ToolIdentity>, name: &str) -> Self {
        Self {
            tool: tool.clone(),
            capability: format!("`{name}` in its directory"),
            why: Why::Guarded,
        }
    }

    /// The tool tried to keep something.
    pub(crate) fn storage(tool: &Arc<ToolIdentity>, asked: &Capabilities) -> Self {
        Self {
            tool: tool.clone(),
            capability: "storage".to_owned(),
            why: match asked.storage {
                Some(_) => Why::NotGranted(STORAGE_FLAG.to_owned()),
                None => Why::NotAsked,
            },
        }
    }

    fn directory(tool: &Arc<ToolIdentity>, request: &DirectoryRequest) -> Self {
        Self {
            tool: tool.clone(),
            capability: format!("directory {}", request.name),
            why: Why::NotGranted(directory_flag(request)),
        }
    }

    fn variable(tool: &Arc<ToolIdentity>, request: &VariableRequest) -> Self {
        Self {
            tool: tool.clone(),
            capability: format!("variable {}", request.name),
            why: Why::NotGranted(variable_flag(request)),
        }
    }

    /// How the user knows the tool.
    pub(crate) fn tool(&self) -> &str {
        &self.tool.name
    }

    /// What the capability is called.
    pub(crate) fn capability(&self) -> &str {
        &self.capability
    }

    /// What happened.
    pub(crate) fn message(&self) -> String {
        let Self {
            tool, capability, ..
        } = self;
        let why = match self.why {
            Why::Address => "its name leads to a private address, or to this machine",
            Why::Guarded => "other programs act on files of this name",
            _ => "it is not granted",
        };
        format!("tool `{}` was refused {capability}: {why}", tool.name)
    }

    /// What to do about it.
    pub(crate) fn fix(&self) -> String {
        match &self.why {
            Why::NotAsked => format!(
                "the manifest of `{}` does not ask for it, so it cannot be granted; use what the tool may reach",
                self.tool.name
            ),
            Why::Address => {
                "to reach a private address or this machine, the granted origin has to contain the address itself"
                    .to_owned()
            }
            Why::Guarded => format!(
                "use another name; to allow this one anyway, a person grants the directory again: {} --allow-dir NAME=PATH --insist PATH",
                self.tool.command
            ),
            Why::NotGranted(flag) => {
                format!("a person can grant it: {} {flag}", self.tool.command)
            }
        }
    }

    fn flag(&self) -> Option<&str> {
        match &self.why {
            Why::NotGranted(flag) => Some(flag),
            Why::NotAsked | Why::Address | Why::Guarded => None,
        }
    }
}

/// The directories and variables that `asked` asks for and `grants` do not hold. A tool finds
/// them absent, so no refusal is on record; a refused request always is.
pub(crate) fn absent(
    tool: &Arc<ToolIdentity>,
    asked: &Capabilities,
    grants: &Grants,
) -> Vec<Denial> {
    let missing = grants.missing(asked);
    let directories = missing.directories.iter();
    let variables = missing.variables.iter();
    directories
        .map(|request| Denial::directory(tool, request))
        .chain(variables.map(|request| Denial::variable(tool, request)))
        .collect()
}

/// For failures that may come from what is absent; nothing where all is granted.
pub(crate) fn reminder(absent: &[Denial]) -> Option<String> {
    let command = &absent.first()?.tool.command;
    let names: Vec<&str> = absent.iter().map(Denial::capability).collect();
    let flags: Vec<&str> = absent.iter().filter_map(Denial::flag).collect();
    Some(format!(
        "the tool asks for what is not granted ({}); a person can grant it: {command} {}",
        names.join(", "),
        flags.join(" ")
    ))
}
