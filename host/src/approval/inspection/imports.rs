//! Classifies a component's imports by the access that they give, and explains or refuses them.

use std::fmt;

use semver::Version;
use serde::Serialize;
use tool_hub_manifest::{Capabilities, ToolName};

use crate::component::exports::Import;
use crate::component::links::Link;
use crate::error::refusal::Refusal;

/// The access that an import gives if everything is granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ImportAccess {
    /// Nothing: plumbing that other imports need, or ending the call.
    Nothing,
    /// Reach other machines.
    Network,
    /// Have secrets put into its requests.
    Credentials,
    /// Read or change files.
    Files,
    /// Read variables and settings.
    Variables,
    /// Keep things from call to call.
    Storage,
    /// Tell the time and wait.
    Clock,
    /// Draw random numbers.
    Random,
    /// Write to captured streams and a log that nobody reads as input.
    StandardStreams,
    /// Show progress to the person and ask questions.
    Person,
    /// Calling functions of other tools that the agent's side offers.
    Toolbox,
    /// Calling functions of a tool that this one depends on.
    Dependency,
    /// Unknown to this host.
    Unsupported,
}

impl fmt::Display for ImportAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "nothing",
            Self::Network => "network",
            Self::Credentials => "credentials",
            Self::Files => "files",
            Self::Variables => "variables",
            Self::Storage => "storage",
            Self::Clock => "clock",
            Self::Random => "random numbers",
            Self::StandardStreams => "standard streams",
            Self::Person => "asks the person",
            Self::Toolbox => "calls other tools",
            Self::Dependency => "calls a dependency",
            Self::Unsupported => "unsupported",
        })
    }
}

/// The effect of an import in this tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ImportEffect {
    /// It works, and it is harmless.
    Harmless,
    /// It works as far as the user grants what the manifest asks for.
    Grantable,
    /// It does nothing: the manifest asks for nothing of the kind, so every use meets an
    /// empty environment or a refusal. Language runtimes import much that a tool never uses.
    Inert,
    /// It is never linked.
    Refused,
}

/// One interface that a component imports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InspectedImport {
    /// The interface's name.
    pub interface: String,
    /// The access that it gives if everything is granted.
    #[serde(rename = "power")]
    pub access: ImportAccess,
    /// Its effect in this tool.
    pub effect: ImportEffect,
    /// The same in plain words.
    pub says: String,
    /// The functions the component takes from it.
    pub functions: Vec<String>,
}

impl InspectedImport {
    /// An import that is linked to `dependency`.
    pub(crate) fn linked(name: &str, functions: Vec<String>, dependency: &ToolName) -> Self {
        Self {
            says: format!("calls its dependency `{dependency}`, which has rights of its own"),
            interface: name.to_owned(),
            access: ImportAccess::Dependency,
            effect: ImportEffect::Harmless,
            functions,
        }
    }

    /// Classifies one import of a tool that asks for `asked`.
    pub(crate) fn new(name: &str, functions: Vec<String>, asked: &Capabilities) -> Self {
        let access = access_of(name);
        let grantable = match access {
            ImportAccess::Network => {
                Some(!asked.network.is_empty() && !name.starts_with("wasi:sockets/"))
            }
            ImportAccess::Files => Some(!asked.directories.is_empty()),
            ImportAccess::Variables => Some(!asked.variables.is_empty()),
            ImportAccess::Storage => Some(asked.storage.is_some()),
            _ => None,
        };
        let effect = match (access, grantable) {
            (ImportAccess::Unsupported, _) => ImportEffect::Refused,
            (_, None) => ImportEffect::Harmless,
            (_, Some(true)) => ImportEffect::Grantable,
            (_, Some(false)) => ImportEffect::Inert,
        };
        Self {
            says: explain(name, access, effect),
            interface: name.to_owned(),
            access,
            effect,
            functions,
        }
    }
}

/// True if `import` of an interpreter is withheld from its program: the program's component would
/// have to import it too, so that a person reads of it.
pub(crate) fn is_withheld(import: &Import, of_program: &[Import]) -> bool {
    let is_declared = of_program.iter().any(|other| other.name == import.name);
    let access = access_of(&import.name);
    matches!(access, ImportAccess::Person | ImportAccess::Toolbox) && !is_declared
}

/// The imports of a program and of the interpreter that runs it, without those that are withheld.
pub(crate) fn with_interpreter(
    of_program: Vec<Import>,
    of_interpreter: Vec<Import>,
) -> Vec<Import> {
    let is_new = |import: &Import| of_program.iter().all(|other| other.name != import.name);
    let others = of_interpreter.into_iter();
    let others = others.filter(|import| is_new(import) && !is_withheld(import, &of_program));
    let others: Vec<Import> = others.collect();
    of_program.into_iter().chain(others).collect()
}

/// The refusals of those of `imports` that neither the host nor one of `links` offers.
pub(crate) fn refusals(imports: &[Import], links: &[Link]) -> Vec<Refusal> {
    let is_linked = |name: &str| links.iter().any(|link| link.import == name);
    let names = imports.iter().map(|import| import.name.as_str());
    let names = names.filter(|name| !is_linked(name));
    names.filter_map(refusal).collect()
}

/// The refusal of the import `name`, if it is never linked.
fn refusal(name: &str) -> Option<Refusal> {
    if access_of(name) != ImportAccess::Unsupported {
        return None;
    }
    let import = name.to_owned();
    Some(match Interface::parse(name) {
        Some(interface) if interface.is_draft() => Refusal::WasiDraft { import },
        _ => Refusal::UnknownImport { import },
    })
}

/// The access that the interface `name` gives. An interface that this host does not link is
/// unsupported.
fn access_of(name: &str) -> ImportAccess {
    let Some(interface) = Interface::parse(name) else {
        return ImportAccess::Unsupported;
    };
    if !interface.is_linked_version() {
        return ImportAccess::Unsupported;
    }
    if interface.is_wasi_3() {
        return access_of_wasi_3(&interface);
    }
    let Interface { package, name, .. } = interface;
    match (package, name) {
        ("wasi:io", "error" | "poll" | "streams") | ("wasi:cli", "exit") => ImportAccess::Nothing,
        ("wasi:cli", "environment") | ("wasi:config", "store") => ImportAccess::Variables,
        (
            "wasi:cli",
            "stdin" | "stdout" | "stderr" | "terminal-input" | "terminal-output" | "terminal-stdin"
            | "terminal-stdout" | "terminal-stderr",
        )
        | ("wasi:logging", "logging") => ImportAccess::StandardStreams,
        ("wasi:keyvalue", "store" | "atomics" | "batch") => ImportAccess::Storage,
        ("wasi:clocks", "monotonic-clock" | "wall-clock") => ImportAccess::Clock,
        ("wasi:random", "random" | "insecure" | "insecure-seed") => ImportAccess::Random,
        ("wasi:filesystem", "types" | "preopens") => ImportAccess::Files,
        (
            "wasi:sockets",
            "network" | "instance-network" | "ip-name-lookup" | "tcp" | "tcp-create-socket" | "udp"
            | "udp-create-socket",
        )
        | ("wasi:http", "types" | "outgoing-handler") => ImportAccess::Network,
        ("tool-hub:tool", "interaction") => ImportAccess::Person,
        ("tool-hub:tool", "toolbox") => ImportAccess::Toolbox,
        ("tool-hub:tool", "types") => ImportAccess::Nothing,
        _ => ImportAccess::Unsupported,
    }
}

/// The access that an interface of WASI 0.3 gives: what the one of WASI 0.2 gave that it replaces.
fn access_of_wasi_3(interface: &Interface<'_>) -> ImportAccess {
    match (interface.package, interface.name) {
        ("wasi:cli", "exit" | "types") | ("wasi:clocks", "types") => ImportAccess::Nothing,
        ("wasi:cli", "environment") => ImportAccess::Variables,
        (
            "wasi:cli",
            "stdin" | "stdout" | "stderr" | "terminal-input" | "terminal-output" | "terminal-stdin"
            | "terminal-stdout" | "terminal-stderr",
        ) => ImportAccess::StandardStreams,
        ("wasi:clocks", "monotonic-clock" | "system-clock") => ImportAccess::Clock,
        ("wasi:random", "random" | "insecure" | "insecure-seed") => ImportAccess::Random,
        ("wasi:filesystem", "types" | "preopens") => ImportAccess::Files,
        ("wasi:sockets", "types" | "ip-name-lookup") | ("wasi:http", "types" | "client") => {
            ImportAccess::Network
        }
        _ => ImportAccess::Unsupported,
    }
}

/// The name of an interface, taken apart.
struct Interface<'a> {
    package: &'a str,
    name: &'a str,
    version: Version,
}

impl<'a> Interface<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (path, version) = text.split_once('@')?;
        let (package, name) = path.split_once('/')?;
        Some(Self {
            package,
            name,
            version: version.parse().ok()?,
        })
    }

    /// True for a draft of WASI 0.3, which has the version with a suffix.
    fn is_draft(&self) -> bool {
        let version = &self.version;
        let is_wasi_3 = self.package.starts_with("wasi:") && version.minor == 3;
        is_wasi_3 && version.major == 0 && !version.pre.is_empty()
    }

    fn is_wasi_3(&self) -> bool {
        self.package.starts_with("wasi:") && self.version.minor == 3
    }

    fn is_linked_version(&self) -> bool {
        let version = &self.version;
        match self.package {
            "wasi:config" => version.to_string() == "0.2.0-rc.1",
            "wasi:keyvalue" => version.to_string() == "0.2.0-draft",
            "wasi:logging" => version.to_string() == "0.1.0-draft",
            "tool-hub:tool" => (version.major, version.minor) == (0, 1) && version.pre.is_empty(),
            _ => version.major == 0 && matches!(version.minor, 2 | 3) && version.pre.is_empty(),
        }
    }
}

fn explain(name: &str, access: ImportAccess, effect: ImportEffect) -> String {
    match (access, effect) {
        (ImportAccess::Nothing, _) => "gives no power".into(),
        (ImportAccess::Clock, _) => "tells the time and waits".into(),
        (ImportAccess::Random, _) => "draws random numbers".into(),
        (ImportAccess::StandardStreams, _) => {
            "writes text that the host keeps; reads nothing".into()
        }
        (ImportAccess::Person, _) => "shows progress and asks the person questions".into(),
        (ImportAccess::Toolbox, _) => {
            "calls other functions, where whoever calls it offers any".into()
        }
        (ImportAccess::Dependency, _) => "calls a tool that it depends on".into(),
        (ImportAccess::Unsupported, _) => "is not offered by this host".into(),
        (ImportAccess::Network, ImportEffect::Grantable) => {
            "makes HTTP requests to the origins that are granted".into()
        }
        (ImportAccess::Network, _) if name.starts_with("wasi:sockets/") => {
            "raw network sockets, which are always refused".into()
        }
        // No import is of this kind: the host puts credentials into requests.
        (ImportAccess::Credentials, _) | (ImportAccess::Network, _) => {
            "HTTP requests, all refused: the manifest asks for none".into()
        }
        (ImportAccess::Files, ImportEffect::Grantable) => {
            "uses the directories that are granted".into()
        }
        (ImportAccess::Files, _) => {
            "files, of which it finds none: the manifest asks for none".into()
        }
        (ImportAccess::Variables, ImportEffect::Grantable) => {
            "reads the variables that are granted".into()
        }
        (ImportAccess::Storage, ImportEffect::Grantable) => {
            "keeps keys and values from call to call, where that is granted".into()
        }
        (ImportAccess::Storage, _) => {
            "storage, which is refused: the manifest asks for none".into()
        }
        (ImportAccess::Variables, _) => {
            "variables, of which it finds none: the manifest asks for none".into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, access: ImportAccess, effect: ImportEffect) {
        let import = InspectedImport::new(name, Vec::new(), &Capabilities::default());
        assert_eq!((import.access, import.effect), (access, effect), "{name}");
    }

    #[test]
    fn imports_by_what_they_could_do() {
        check(
            "wasi:io/streams@0.2.6",
            ImportAccess::Nothing,
            ImportEffect::Harmless,
        );
        check(
            "wasi:clocks/wall-clock@0.2.0",
            ImportAccess::Clock,
            ImportEffect::Harmless,
        );
        check(
            "wasi:cli/environment@0.2.3",
            ImportAccess::Variables,
            ImportEffect::Inert,
        );
        check(
            "wasi:config/store@0.2.0-rc.1",
            ImportAccess::Variables,
            ImportEffect::Inert,
        );
        check(
            "wasi:filesystem/types@0.2.6",
            ImportAccess::Files,
            ImportEffect::Inert,
        );
        check(
            "wasi:http/outgoing-handler@0.2.4",
            ImportAccess::Network,
            ImportEffect::Inert,
        );
        check(
            "wasi:sockets/tcp@0.2.0",
            ImportAccess::Network,
            ImportEffect::Inert,
        );
        check(
            "tool-hub:tool/interaction@0.1.0",
            ImportAccess::Person,
            ImportEffect::Harmless,
        );
        check(
            "tool-hub:tool/toolbox@0.1.0",
            ImportAccess::Toolbox,
            ImportEffect::Harmless,
        );
        check(
            "wasi:keyvalue/store@0.2.0-draft",
            ImportAccess::Storage,
            ImportEffect::Inert,
        );
        check(
            "wasi:logging/logging@0.1.0-draft",
            ImportAccess::StandardStreams,
            ImportEffect::Harmless,
        );
        for unknown in [
            "run",
            "wasi:keyvalue/watcher@0.2.0-draft",
            "wasi:keyvalue/store@0.2.0-draft2",
            "wasi:cli/run",
            "wasi:cli/environment@0.4.0",
            "wasi:cli/environment@0.2.0-rc-2023-11-10",
            "wasi:cli/environment@0.3.0-rc-2026-01-06",
            "wasi:io/streams@0.3.0",
            "wasi:clocks/wall-clock@0.3.0",
            "wasi:clocks/system-clock@0.2.0",
            "wasi:http/outgoing-handler@0.3.0",
            "wasi:http/handler@0.3.0",
            "wasi:sockets/tcp@0.3.0",
            "wasi:nn/inference@0.2.0",
            "wasi:logging/logging@0.1.0",
            "tool-hub:tool/interaction@0.2.0",
            "evil:host/shell@1.0.0",
        ] {
            check(unknown, ImportAccess::Unsupported, ImportEffect::Refused);
        }
    }

    #[test]
    fn wasi_3_gives_what_wasi_2_gave() {
        for (name, access, effect) in [
            (
                "wasi:cli/types@0.3.0",
                ImportAccess::Nothing,
                ImportEffect::Harmless,
            ),
            (
                "wasi:clocks/system-clock@0.3.0",
                ImportAccess::Clock,
                ImportEffect::Harmless,
            ),
            (
                "wasi:cli/stdout@0.3.1",
                ImportAccess::StandardStreams,
                ImportEffect::Harmless,
            ),
            (
                "wasi:cli/environment@0.3.0",
                ImportAccess::Variables,
                ImportEffect::Inert,
            ),
            (
                "wasi:filesystem/types@0.3.0",
                ImportAccess::Files,
                ImportEffect::Inert,
            ),
            (
                "wasi:http/client@0.3.0",
                ImportAccess::Network,
                ImportEffect::Inert,
            ),
            (
                "wasi:sockets/types@0.3.0",
                ImportAccess::Network,
                ImportEffect::Inert,
            ),
        ] {
            check(name, access, effect);
        }
    }

    #[test]
    fn components_of_a_draft_are_named_as_such() {
        let import = "wasi:clocks/monotonic-clock@0.3.0-rc-2026-01-06".to_owned();
        assert_eq!(refusal(&import), Some(Refusal::WasiDraft { import }));
    }
}
