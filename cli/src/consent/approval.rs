//! Obtains consent to a tool and its rights, from a person at a terminal or from a flag.
//!
//! The flag names the package's digest. This stops agents that can only call tools. An agent with a
//! shell can type answers and name digests itself; only a required signature stops that one, see
//! [`tool_hub_toolbox::approvals`].

mod terminal;

use std::collections::BTreeMap;
use std::io::{self, Write as _};

use clap::Args;
use tool_hub_host::Inspection;
use tool_hub_manifest::{
    Capabilities, Consent, Digest, DirectoryGrant, DirectoryName, GrantTree, ToolName,
};

use crate::consent::rights_flags::RightsFlags;
use crate::settings::config::Config;
use crate::terminal::escape::escape_line;
use crate::terminal::phrases::rights;
use crate::terminal::problem::Problem;

pub(crate) use terminal::Terminal;

/// The flags with which a command line gives consent.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ApprovalFlags {
    /// Approve without asking, for exactly the digest that `tool inspect` printed
    #[arg(long, value_name = "DIGEST")]
    pub(crate) approve: Option<Digest>,

    #[command(flatten)]
    pub(crate) rights: RightsFlags,
}

/// The capabilities that a person at a terminal is asked about, one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offer {
    /// Everything that the tool asks for and no flag names.
    Everything,
    /// Nothing: the flags say what.
    Named,
}

/// A tool that somebody is to decide about.
pub(crate) struct Candidate<'a> {
    /// The name that it will have.
    pub(crate) name: &'a str,
    /// The digest of its package.
    pub(crate) digest: Digest,
    /// The capabilities that it asks for.
    pub(crate) asked: &'a Capabilities,
    /// True if it calls other functions of the toolbox.
    pub(crate) calls_functions: bool,
    /// The tool of another place that has the name, and loses it.
    pub(crate) replaces: Option<String>,
    pub(crate) offer: Offer,
    /// The verb of the question: the act that follows the approval.
    pub(crate) act: &'static str,
    /// The inspections of the tools that it depends on.
    pub(crate) dependencies: &'a BTreeMap<ToolName, Inspection>,
}

impl ApprovalFlags {
    /// True if no flag was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.approve.is_none() && !self.rights.grants_something()
    }

    /// Decides about `candidate`, which was granted `granted` before. The flags grant rights to the
    /// tool itself; what it depends on gets more at the terminal, or by `tool grant`.
    ///
    /// # Errors
    /// Refused when there is neither a terminal nor the right flag, or when the person says
    /// no; refused too when a flag grants more than was asked.
    pub(crate) fn decide(
        &self,
        candidate: &Candidate<'_>,
        granted: GrantTree,
        config: &Config,
    ) -> anyhow::Result<(GrantTree, Consent)> {
        let Candidate { digest, asked, .. } = *candidate;
        let grants = GrantTree {
            own: self.rights.grants(asked, granted.own, config)?,
            dependencies: granted.dependencies,
        };
        match self.approve {
            Some(approved) if approved == digest => Ok((grants, Consent::Flag)),
            Some(approved) => Err(Problem::refused(format!(
                "the approval names {approved}, but this is {digest}"
            ))
            .hint("inspect the tool again and approve the digest that the inspection prints")
            .into()),
            None => ask_at_the_terminal(candidate, grants, config),
        }
    }
}

fn ask_at_the_terminal(
    candidate: &Candidate<'_>,
    grants: GrantTree,
    config: &Config,
) -> anyhow::Result<(GrantTree, Consent)> {
    let name = candidate.name;
    let Some(mut terminal) = Terminal::open() else {
        return Err(Problem::refused(format!(
            "`{name}` is not approved, and nobody is there to ask"
        ))
        .hint("inspect the tool, then add --approve with the digest that the inspection prints")
        .into());
    };
    let grants = match candidate.offer {
        Offer::Everything => {
            let own = terminal.ask_for_grants(candidate.asked, grants.own.clone(), config)?;
            let dependencies = candidate.dependencies;
            let named = (name.to_owned(), dependencies);
            GrantTree {
                own,
                dependencies: ask_for_dependencies(&mut terminal, named, &grants, config)?,
            }
        }
        Offer::Named => grants,
    };
    let may = escape_line(&rights(&grants.own, candidate.calls_functions, directory));
    writeln!(io::stderr(), "It may then {may}")?;
    say_rights(name, &grants.dependencies)?;
    let replaces = match &candidate.replaces {
        Some(other) => format!(" in place of {}", escape_line(other)),
        None => String::new(),
    };
    let question = format!(
        "{} `{}`{replaces} with these rights? Type yes to approve: ",
        candidate.act,
        escape_line(name)
    );
    let mut answer = terminal.ask(&question)?;
    // Whoever answered [y/N] questions before may type `y` once more; it is asked once more, since
    // `y` is no approval.
    if matches!(answer.trim(), "y" | "Y") {
        answer = terminal.ask("Type the whole word yes to approve: ")?;
    }
    if answer.trim() == "yes" {
        return Ok((grants, Consent::Terminal));
    }
    Err(
        Problem::refused(format!("`{name}` was not approved; nothing was changed"))
            .hint("only the whole word yes approves")
            .into(),
    )
}

/// A granted directory by its real path, which is what will be enforced.
fn directory(name: &DirectoryName, grant: &DirectoryGrant) -> String {
    let DirectoryGrant {
        path,
        access,
        despite,
    } = grant;
    let despite: String = despite
        .iter()
        .map(|place| format!(" and what {} decides", place.display()))
        .collect();
    format!("{access} {} as {name}{despite}", path.display())
}

/// Asks, for each of the tools that the one called `path` depends on, what it may do.
fn ask_for_dependencies(
    terminal: &mut Terminal,
    (path, dependencies): (String, &BTreeMap<ToolName, Inspection>),
    granted: &GrantTree,
    config: &Config,
) -> anyhow::Result<BTreeMap<ToolName, GrantTree>> {
    let mut grants = BTreeMap::new();
    for (name, inspection) in dependencies {
        let path = format!("{path}.{name}");
        let granted = granted.of_dependency(name);
        let asked = &inspection.verified().manifest().capabilities;
        if !granted.own.missing(asked).is_empty() {
            writeln!(io::stderr(), "For `{}`:", escape_line(&path))?;
        }
        let own = terminal.ask_for_grants(asked, granted.own.clone(), config)?;
        let below = (path, &inspection.dependencies);
        let dependencies = ask_for_dependencies(terminal, below, &granted, config)?;
        grants.insert(name.clone(), GrantTree { own, dependencies });
    }
    Ok(grants)
}

/// Says what each of the tools that the one called `path` depends on may do.
fn say_rights(path: &str, dependencies: &BTreeMap<ToolName, GrantTree>) -> io::Result<()> {
    for (name, grants) in dependencies {
        let path = format!("{path}.{name}");
        let may = escape_line(&rights(&grants.own, false, directory));
        writeln!(io::stderr(), "`{}` may then {may}", escape_line(&path))?;
        say_rights(&path, &grants.dependencies)?;
    }
    Ok(())
}
