//! Plans what each server can become, the safest first: a component, a caged process, or itself.
//! Nothing is looked up here.

use std::path::Path;

use clap::ValueEnum;
use serde::Serialize;
use tool_hub_manifest::{AddressError, ServerUrl};
use url::Url;

use super::configured_server::{ConfiguredServer, LocalCommand, ServerKind};
use super::launcher::{Launcher, launcher, loadable};
use super::replacements::Replacements;
use super::shown_command::{may_hold_a_secret, url_may_hold_a_secret};

/// The things that a server can become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AdoptedForm {
    /// A tool in the sandbox: one of the shelf, or one that is made of the server's own functions
    Component,
    /// The same process, in a cage with granted rights only
    Caged,
    /// The same server at its address, of which only approved functions are called
    Remote,
    /// A server as before, which the client goes on starting
    Stay,
}

impl AdoptedForm {
    /// The word for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Component => "component",
            Self::Caged => "caged",
            Self::Remote => "remote",
            Self::Stay => "stay",
        }
    }

    /// The same with its article.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Component => "a component",
            Self::Caged => "a caged process",
            Self::Remote => "a remote server",
            Self::Stay => "what it is",
        }
    }
}

/// One way to take a server over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    /// A tool of the shelf takes its place.
    Shelf { tool: String, differs: Vec<String> },
    /// `tool new --from` makes a tool of it, if that can be done.
    Conversion { from: String },
    /// Its process is loaded.
    Cage,
    /// Its address is loaded.
    Remote,
}

impl Route {
    /// The thing that it leads to.
    pub(crate) fn form(&self) -> AdoptedForm {
        match self {
            Self::Shelf { .. } | Self::Conversion { .. } => AdoptedForm::Component,
            Self::Cage => AdoptedForm::Caged,
            Self::Remote => AdoptedForm::Remote,
        }
    }

    /// The reason for it, in words.
    pub(crate) fn why(&self) -> String {
        match self {
            Self::Shelf { tool, differs } => {
                let mut why = format!("the shelf's `{tool}` stands for it");
                for difference in differs {
                    why.push_str("; ");
                    why.push_str(difference.trim_end_matches('.'));
                }
                why
            }
            Self::Conversion { from } => {
                format!("`tool new --from {from}` can be tried, which keeps its functions")
            }
            Self::Cage => {
                "its process is started in a cage, with the rights that you grant".to_owned()
            }
            Self::Remote => {
                "it stays where it is, and only functions that you approved are called".to_owned()
            }
        }
    }
}

/// The parts of this machine that servers can be taken over with.
#[derive(Debug)]
pub(crate) struct AdoptionSupport {
    pub(crate) replacements: Replacements,
    /// True if somebody said where the shelf is.
    pub(crate) has_shelf: bool,
    /// The reason why no process can be caged, if none can.
    pub(crate) no_cage: Option<String>,
}

/// The ways to take a server over, the best first, or the reasons why there is none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) routes: Vec<Route>,
    /// Why it stays, or what else a person should know.
    pub(crate) notes: Vec<String>,
}

impl Plan {
    /// The best that it can become.
    pub(crate) fn proposed(&self) -> AdoptedForm {
        self.routes.first().map_or(AdoptedForm::Stay, Route::form)
    }

    /// All that it can become, each once, the best first.
    pub(crate) fn choices(&self) -> Vec<AdoptedForm> {
        let mut choices: Vec<AdoptedForm> = self.routes.iter().map(Route::form).collect();
        choices.dedup();
        choices.push(AdoptedForm::Stay);
        choices
    }

    fn stays(reason: impl Into<String>) -> Self {
        Self {
            routes: Vec::new(),
            notes: vec![reason.into()],
        }
    }
}

/// Plans for `server`.
pub(crate) fn plan(server: &ConfiguredServer, support: &AdoptionSupport) -> Plan {
    match &server.kind {
        ServerKind::Ours => Plan::stays("it is `tool serve` already"),
        ServerKind::Other(reason) => Plan::stays(reason),
        ServerKind::Remote(remote) => of_address(&remote.url),
        ServerKind::Local(command) => of_command(command, support),
    }
}

fn of_address(url: &Url) -> Plan {
    if url_may_hold_a_secret(url) {
        return Plan::stays("its address may hold a secret, and the toolbox names addresses");
    }
    match ServerUrl::new(url.as_str()) {
        Ok(_) => Plan {
            routes: vec![Route::Remote],
            notes: Vec::new(),
        },
        // The reason alone: the whole error has the address.
        Err(AddressError::NotAUrl { reason, .. }) => Plan::stays(reason),
        Err(error) => Plan::stays(error.to_string()),
    }
}

fn of_command(command: &LocalCommand, support: &AdoptionSupport) -> Plan {
    let (launched, _) = launcher(command);
    let mut plan = Plan {
        routes: Vec::new(),
        notes: Vec::new(),
    };
    if let Launcher::Container(program) = &launched {
        return Plan::stays(format!(
            "{program} runs it in a container, which its own options confine"
        ));
    }
    if let Launcher::Bridge(url) = &launched {
        let mut plan = of_address(url);
        plan.notes
            .push("mcp-remote only passes on what that address answers".to_owned());
        return plan;
    }
    if let Some(replacement) = support.replacements.of(&launched) {
        match support.has_shelf {
            true => plan.routes.push(Route::Shelf {
                tool: replacement.tool.clone(),
                differs: replacement.differs.clone(),
            }),
            false => plan.notes.push(format!(
                "the shelf's `{}` stands for it: say where the shelf is with --shelf",
                replacement.tool
            )),
        }
    }
    if let Some(from) = convertible(&launched, command) {
        plan.routes.push(Route::Conversion { from });
    }
    match &support.no_cage {
        None if may_hold_a_secret(command) => plan.notes.push(
            "no cage: an argument may be a secret, and the toolbox names the arguments of a process"
                .to_owned(),
        ),
        None if loadable(command).is_none() => plan.notes.push(format!(
            "no cage: `{}` fetches or builds what it starts",
            command.program
        )),
        None if command.directory.is_some() => plan.notes.push(
            "no cage: a process in one is started in a directory of its own, and this one names another"
                .to_owned(),
        ),
        None => plan.routes.push(Route::Cage),
        Some(reason) => plan.notes.push(format!("no cage: {reason}")),
    }
    plan
}

/// The value of `tool new --from` for what a command starts.
fn convertible(launched: &Launcher, command: &LocalCommand) -> Option<String> {
    Some(match launched {
        Launcher::Pypi(package) => format!("pypi:{package}"),
        Launcher::Npm(package) => format!("npm:{package}"),
        Launcher::File(path) => {
            let path = Path::new(path);
            let directory = command.directory.as_deref().map(Path::new);
            let path = directory.map_or_else(|| path.to_owned(), |it| it.join(path));
            // A client has a working directory of its own.
            path.is_absolute().then(|| path.display().to_string())?
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn support(shelf: bool, no_cage: Option<&str>) -> AdoptionSupport {
        let table = "[[replacement]]\npackages = [\"pypi:mcp-server-time\"]\ntool = \"time\"\ndiffers = [\"It knows no local time zone.\"]\n";
        AdoptionSupport {
            replacements: table.parse().unwrap(),
            has_shelf: shelf,
            no_cage: no_cage.map(str::to_owned),
        }
    }

    #[track_caller]
    fn check(entry: Value, support: &AdoptionSupport, expect: &str) {
        let plan = plan(&ConfiguredServer::of("x", &entry), support);
        let routes = plan.routes.iter().map(|route| match route {
            Route::Shelf { tool, .. } => format!("shelf {tool}"),
            Route::Conversion { from } => format!("from {from}"),
            Route::Cage => "cage".to_owned(),
            Route::Remote => "remote".to_owned(),
        });
        let mut all: Vec<String> = routes.collect();
        all.extend(plan.notes);
        assert_eq!(all.join(", "), expect, "{entry}");
    }

    #[test]
    fn each_kind_of_server_has_its_roads() {
        let all = support(true, None);
        let entry = |command: &str, args: &[&str]| json!({ "command": command, "args": args });
        let time = entry("uvx", &["mcp-server-time"]);
        check(
            time.clone(),
            &all,
            "shelf time, from pypi:mcp-server-time, cage",
        );
        check(
            time,
            &support(false, Some("old kernel")),
            "from pypi:mcp-server-time, the shelf's `time` stands for it: say where the shelf is with --shelf, no cage: old kernel",
        );
        check(entry("npx", &["-y", "a@1"]), &all, "from npm:a@1, cage");
        check(entry("python", &["/a/b.py"]), &all, "from /a/b.py, cage");
        check(entry("python", &["b.py"]), &all, "cage");
        check(
            json!({ "command": "python", "args": ["b.py"], "cwd": "/a" }),
            &all,
            "from /a/b.py, no cage: a process in one is started in a directory of its own, and this one names another",
        );
        check(
            entry("/opt/server", &["--token", "hunter"]),
            &all,
            "no cage: an argument may be a secret, and the toolbox names the arguments of a process",
        );
        check(entry("/opt/server", &[]), &all, "cage");
        check(
            entry("uv", &["run", "x"]),
            &all,
            "no cage: `uv` fetches or builds what it starts",
        );
        check(
            json!({ "url": "https://a.example/?key=hunter" }),
            &all,
            "its address may hold a secret, and the toolbox names addresses",
        );
        check(
            entry("docker", &["run", "x"]),
            &all,
            "docker runs it in a container, which its own options confine",
        );
        check(json!({ "url": "https://a.example/" }), &all, "remote");
        check(
            json!({ "url": "http://a.example/" }),
            &all,
            "http is for this machine only; use https",
        );
        check(
            entry("npx", &["mcp-remote", "https://a.example/"]),
            &all,
            "remote, mcp-remote only passes on what that address answers",
        );
        check(
            entry("tool", &["serve"]),
            &all,
            "it is `tool serve` already",
        );
        check(
            json!({ "command": "x", "disabled": true }),
            &all,
            "it is switched off",
        );
    }

    #[test]
    fn a_component_is_proposed_before_a_process() {
        let all = support(true, None);
        let entry = json!({ "command": "uvx", "args": ["mcp-server-time"] });
        let plan = plan(&ConfiguredServer::of("x", &entry), &all);
        assert_eq!(plan.proposed(), AdoptedForm::Component);
        let choices = [
            AdoptedForm::Component,
            AdoptedForm::Caged,
            AdoptedForm::Stay,
        ];
        assert_eq!(plan.choices(), choices);
        assert!(plan.routes[0].why().contains("It knows no local time zone"));
    }
}
