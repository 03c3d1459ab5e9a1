//! Obtains consent to a tool and its rights, from a person at a terminal or from a flag.
//!
//! The flag names the package's digest. This stops agents that can only call tools. An agent with a
//! shell can type answers and name digests itself; only a required signature stops that one, see
//! [`tool_hub_toolbox::approvals`].

mod terminal;

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::Args;
use terminal::real;
use tool_hub_manifest::{
    Access, Capabilities, Consent, Digest, DirectoryGrant, DirectoryName, Grants, Method, Methods,
    Origin, VariableName,
};
use tool_hub_toolbox::sensitive;
use tool_hub_toolbox::{Error, Settings};

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

    /// Allow requests to an origin that the tool asks for, with the methods that it asks for
    /// or, with ORIGIN=GET,HEAD, only with some of them (repeatable)
    #[arg(long = "allow-network", alias = "network", value_name = "ORIGIN", value_parser = origin_with_methods)]
    pub(crate) network: Vec<(Origin, Option<Methods>)>,

    /// Allow the use of a directory that the tool asks for, with the access that it asks for or,
    /// with NAME:read=PATH or NAME:read-write=PATH, with that access (repeatable)
    #[arg(long = "allow-dir", alias = "dir", value_name = "NAME=PATH", value_parser = named_directory)]
    pub(crate) directories: Vec<(DirectoryName, Option<Access>, PathBuf)>,

    /// Allow a directory despite this dangerous place, which the refusal named (repeatable)
    #[arg(long = "insist", value_name = "PATH")]
    pub(crate) insisted: Vec<PathBuf>,

    /// Allow a variable that the tool asks for to be read (repeatable)
    #[arg(long = "allow-var", alias = "var", value_name = "NAME")]
    pub(crate) variables: Vec<VariableName>,

    /// Allow a variable whose value is not secret to be read, without masking the value in what
    /// the tool outputs (repeatable)
    #[arg(long = "allow-plain-var", alias = "plain-var", value_name = "NAME")]
    pub(crate) plain_variables: Vec<VariableName>,

    /// Allow it to keep things from call to call, in a storage of its own
    #[arg(long = "allow-storage", alias = "storage")]
    pub(crate) storage: bool,
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
}

pub(crate) fn named_directory(
    text: &str,
) -> Result<(DirectoryName, Option<Access>, PathBuf), String> {
    let (name, path) = text.split_once('=').ok_or("write it as NAME=PATH")?;
    let (name, access) = match name.split_once(':') {
        None => (name, None),
        Some((name, "read")) => (name, Some(Access::Read)),
        Some((name, "read-write")) => (name, Some(Access::ReadWrite)),
        Some(_) => return Err("write it as NAME:read=PATH or NAME:read-write=PATH".to_owned()),
    };
    let name = name.parse().map_err(|error| format!("{error}"))?;
    if path.is_empty() {
        return Err("the path is missing: write it as NAME=PATH".to_owned());
    }
    Ok((name, access, PathBuf::from(path)))
}

pub(crate) fn origin_with_methods(text: &str) -> Result<(Origin, Option<Methods>), String> {
    let (origin, methods) = match text.split_once('=') {
        Some((origin, methods)) => (origin, Some(methods)),
        None => (text, None),
    };
    let origin = origin.parse().map_err(|error| format!("{error}"))?;
    let methods = methods.map(|list| list.split(',').map(str::parse).collect());
    let methods: Option<BTreeSet<Method>> =
        methods.transpose().map_err(|error| format!("{error}"))?;
    Ok((origin, methods.map(Methods::Only)))
}

impl ApprovalFlags {
    /// True if no flag was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.approve.is_none() && !self.grants_something()
    }

    /// True if a flag says what to grant.
    pub(crate) fn grants_something(&self) -> bool {
        let Self {
            approve: _,
            network,
            directories,
            insisted,
            variables,
            plain_variables,
            storage,
        } = self;
        let lists_are_empty = network.is_empty()
            && directories.is_empty()
            && insisted.is_empty()
            && variables.is_empty()
            && plain_variables.is_empty();
        !lists_are_empty || *storage
    }

    /// `grants`, and what the flags grant beyond them: an origin with the methods and a
    /// directory with the access that the tool asks for, where nothing else is said.
    ///
    /// # Errors
    /// If the flags grant more than the tool asks for, or a directory is too dangerous to grant.
    pub(crate) fn grants(
        &self,
        asked: &Capabilities,
        mut grants: Grants,
        config: &Config,
    ) -> anyhow::Result<Grants> {
        for (origin, methods) in &self.network {
            let all = || asked.network.methods(origin).cloned();
            let methods = methods.clone().or_else(all).unwrap_or(Methods::Any);
            let more = match grants.network.methods(origin) {
                Some(before) => before.merged(&methods),
                None => methods,
            };
            grants = grants.network(origin.clone(), more);
        }
        for (at, (name, access, path)) in self.directories.iter().enumerate() {
            if self.directories[..at]
                .iter()
                .any(|(earlier, ..)| earlier == name)
            {
                return Err(Problem::user(format!("--allow-dir names `{name}` twice"))
                    .hint("name each directory of the tool once")
                    .into());
            }
            let as_asked = || asked.directory(name).map(|request| request.access);
            let access = access.or_else(as_asked).unwrap_or(Access::Read);
            grants = grants.directory(name.clone(), real(path, config), access);
        }
        if let Some(both) = self
            .variables
            .iter()
            .find(|it| self.plain_variables.contains(it))
        {
            return Err(Problem::user(format!(
                "{both} was given with --allow-var, as a secret, and with --allow-plain-var"
            ))
            .hint("give it once")
            .into());
        }
        for name in &self.variables {
            grants = grants.variable(name.clone());
        }
        for name in &self.plain_variables {
            grants = grants.plain_variable(name.clone());
        }
        if self.storage {
            grants = grants.storage();
        }
        grants.check_within(asked)?;
        insist(&mut grants, &self.insisted, &config.settings)?;
        sensitive::check(&grants, &config.settings)?;
        Ok(grants)
    }

    /// Decides about `candidate`, which was granted `granted` before.
    ///
    /// # Errors
    /// Refused when there is neither a terminal nor the right flag, or when the person says
    /// no; refused too when a flag grants more than was asked.
    pub(crate) fn decide(
        &self,
        candidate: &Candidate<'_>,
        granted: Grants,
        config: &Config,
    ) -> anyhow::Result<(Grants, Consent)> {
        let Candidate { digest, asked, .. } = *candidate;
        let grants = self.grants(asked, granted, config)?;
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

/// Records in `grants` the dangers that the flags `--insist` accept.
fn insist(grants: &mut Grants, insisted: &[PathBuf], settings: &Settings) -> anyhow::Result<()> {
    sensitive::insist(grants, insisted, settings).map_err(|error| match error {
        Error::InsistedInVain { place } => Problem::user(format!(
            "--insist {} has no effect: no granted directory is refused because of it",
            place.display()
        ))
        .hint("omit --insist, or give the path that the refusal names")
        .into(),
        other => other.into(),
    })
}

fn ask_at_the_terminal(
    candidate: &Candidate<'_>,
    grants: Grants,
    config: &Config,
) -> anyhow::Result<(Grants, Consent)> {
    let name = candidate.name;
    let Some(mut terminal) = Terminal::open() else {
        return Err(Problem::refused(format!(
            "`{name}` is not approved, and nobody is there to ask"
        ))
        .hint("inspect the tool, then add --approve with the digest that the inspection prints")
        .into());
    };
    let grants = match candidate.offer {
        Offer::Everything => terminal.ask_for_grants(candidate.asked, grants, config)?,
        Offer::Named => grants,
    };
    // Every directory by its real path, which is what will be enforced.
    let directory = |name: &DirectoryName, grant: &DirectoryGrant| {
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
    };
    let may = escape_line(&rights(&grants, candidate.calls_functions, directory));
    writeln!(io::stderr(), "It may then {may}")?;
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
