//! Refusals that name the tool, the capability and the command that would grant it. The
//! wording of those commands stands here and nowhere else.

use std::sync::Arc;

use tool_hub_manifest::{Capabilities, DirectoryRequest, Grants, Origin, VariableRequest};

/// The flag that grants an origin.
pub(crate) fn network_flag(origin: &str) -> String {
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

/// Something a tool may not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Denial {
    /// The name by which the user knows the tool.
    tool: Arc<str>,
    what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    /// An origin that was not granted although the manifest asks for it.
    Network(Origin),
    /// An origin that the manifest does not ask for, so that nobody can grant it.
    Unasked(String),
    /// An origin whose name leads to an address that is not to be reached by name.
    Address(String),
    Directory(DirectoryRequest),
    Variable(VariableRequest),
}

impl Denial {
    /// The tool tried to reach `origin`.
    pub(crate) fn network(tool: &Arc<str>, origin: &str, asked: &Capabilities) -> Self {
        let what = match origin.parse::<Origin>() {
            Ok(origin) if asked.network.contains(&origin) => What::Network(origin),
            _ => What::Unasked(
                origin
                    .chars()
                    .take(200)
                    .flat_map(char::escape_default)
                    .collect(),
            ),
        };
        Self {
            tool: tool.clone(),
            what,
        }
    }

    /// The tool tried to reach `origin`, whose name leads to a private address.
    pub(crate) fn address(tool: &Arc<str>, origin: &str) -> Self {
        Self {
            tool: tool.clone(),
            what: What::Address(origin.to_owned()),
        }
    }

    /// What the capability is called: `network https://example.com`.
    pub(crate) fn capability(&self) -> String {
        match &self.what {
            What::Network(origin) => format!("network {origin}"),
            What::Unasked(origin) | What::Address(origin) => format!("network {origin}"),
            What::Directory(request) => format!("directory {}", request.name),
            What::Variable(request) => format!("variable {}", request.name),
        }
    }

    /// What happened.
    pub(crate) fn message(&self) -> String {
        let (tool, capability) = (&self.tool, self.capability());
        match &self.what {
            What::Address(_) => format!(
                "tool `{tool}` was refused {capability}: its name leads to a private address"
            ),
            _ => format!("tool `{tool}` was refused {capability}: it is not granted"),
        }
    }

    /// What to do about it.
    pub(crate) fn fix(&self) -> String {
        match &self.what {
            What::Unasked(_) => format!(
                "the manifest of `{}` does not ask for it, so it cannot be granted; use what the tool may reach",
                self.tool
            ),
            What::Address(_) => {
                "only an origin that names the address itself reaches a private address".to_owned()
            }
            _ => format!("a person can grant it: {}", self.command()),
        }
    }

    /// The command that grants it.
    fn command(&self) -> String {
        format!("tool load {} {}", self.tool, self.flag())
    }

    fn flag(&self) -> String {
        match &self.what {
            What::Network(origin) => network_flag(&origin.to_string()),
            What::Unasked(origin) | What::Address(origin) => network_flag(origin),
            What::Directory(request) => directory_flag(request),
            What::Variable(request) => variable_flag(request),
        }
    }
}

/// The directories and variables that `asked` asks for and `grants` do not hold. A tool finds
/// them absent, so no refusal is on record; a refused request always is.
pub(crate) fn absent(tool: &Arc<str>, asked: &Capabilities, grants: &Grants) -> Vec<Denial> {
    let denial = |what| Denial {
        tool: tool.clone(),
        what,
    };
    let directories = asked
        .directories
        .iter()
        .filter(|request| !grants.directories.contains_key(&request.name));
    let variables = asked
        .variables
        .iter()
        .filter(|request| !grants.variables.contains(&request.name));
    directories
        .map(|request| denial(What::Directory(request.clone())))
        .chain(variables.map(|request| denial(What::Variable(request.clone()))))
        .collect()
}

/// For failures that may come from what is absent; nothing where all is granted.
pub(crate) fn reminder(absent: &[Denial]) -> Option<String> {
    let tool = &absent.first()?.tool;
    let names: Vec<String> = absent.iter().map(Denial::capability).collect();
    let flags: Vec<String> = absent.iter().map(Denial::flag).collect();
    Some(format!(
        "the tool asks for what is not granted ({}); a person can grant it: tool load {tool} {}",
        names.join(", "),
        flags.join(" ")
    ))
}
