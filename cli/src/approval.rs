//! Consent: from a person at a terminal, or from a flag that names the digest. An agent can
//! give neither.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use tool_hub_manifest::{
    Access, Capabilities, Consent, Digest, DirectoryName, DirectoryRequest, Grants, Origin,
    VariableName,
};

use crate::config::Config;
use crate::diagnosis::Problem;
use crate::escape::escape_line;

/// The flags with which a command line gives consent.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ApprovalFlags {
    /// Approve without asking, for exactly the digest that `tool inspect` printed
    #[arg(long, value_name = "DIGEST")]
    pub(crate) approve: Option<Digest>,

    /// Allow requests to an origin that the tool asks for (repeatable)
    #[arg(long = "allow-network", value_name = "ORIGIN")]
    pub(crate) network: Vec<Origin>,

    /// Allow the use of a directory that the tool asks for (repeatable)
    #[arg(long = "allow-dir", value_name = "NAME=PATH", value_parser = named_directory)]
    pub(crate) directories: Vec<(DirectoryName, PathBuf)>,

    /// Allow a variable that the tool asks for to be read (repeatable)
    #[arg(long = "allow-var", value_name = "NAME")]
    pub(crate) variables: Vec<VariableName>,
}

/// A tool that somebody is to decide about.
pub(crate) struct Candidate<'a> {
    /// The name that it will have.
    pub(crate) name: &'a str,
    /// The digest of its package.
    pub(crate) digest: Digest,
    /// What it asks for.
    pub(crate) asked: &'a Capabilities,
    /// The tool of another place that has the name, and loses it.
    pub(crate) replaces: Option<String>,
}

fn named_directory(text: &str) -> Result<(DirectoryName, PathBuf), String> {
    let (name, path) = text.split_once('=').ok_or("write it as NAME=PATH")?;
    let name = name.parse().map_err(|error| format!("{error}"))?;
    if path.is_empty() {
        return Err("the path is missing: write it as NAME=PATH".to_owned());
    }
    Ok((name, PathBuf::from(path)))
}

impl ApprovalFlags {
    /// Whether no flag was given.
    pub(crate) fn is_empty(&self) -> bool {
        let Self {
            approve,
            network,
            directories,
            variables,
        } = self;
        approve.is_none() && network.is_empty() && directories.is_empty() && variables.is_empty()
    }

    /// What the flags grant beyond `grants`. A directory is granted with the access that the tool asks for.
    fn grants(&self, asked: &Capabilities, mut grants: Grants, config: &Config) -> Grants {
        for origin in &self.network {
            grants = grants.network(origin.clone());
        }
        for (name, path) in &self.directories {
            let access = asked
                .directory(name)
                .map_or(Access::Read, |request| request.access);
            grants = grants.directory(name.clone(), config.place(path), access);
        }
        for name in &self.variables {
            grants = grants.variable(name.clone());
        }
        grants
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
        let grants = self.grants(asked, granted, config);
        grants.check_within(asked)?;
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
    let grants = terminal.ask_for_grants(candidate.asked, grants, config)?;
    let replaces = match &candidate.replaces {
        Some(other) => format!(" in place of {}", escape_line(other)),
        None => String::new(),
    };
    let question = format!(
        "Load `{}`{replaces} with these rights? Type yes to approve: ",
        escape_line(name)
    );
    if terminal.ask(&question)?.trim() == "yes" {
        return Ok((grants, Consent::Terminal));
    }
    Err(
        Problem::refused(format!("`{name}` was not approved; nothing was changed"))
            .hint("only the whole word yes approves")
            .into(),
    )
}

/// A person at a terminal.
struct Terminal {
    input: std::io::Stdin,
}

impl Terminal {
    fn open() -> Option<Self> {
        let input = std::io::stdin();
        let both = input.is_terminal() && std::io::stderr().is_terminal();
        both.then_some(Self { input })
    }

    /// Asks for one typed line. Whatever was typed before the question was shown is thrown
    /// away: it cannot be an answer to it.
    fn ask(&mut self, question: &str) -> anyhow::Result<String> {
        #[cfg(unix)]
        rustix::termios::tcflush(&self.input, rustix::termios::QueueSelector::IFlush)?;
        let mut stderr = std::io::stderr();
        write!(stderr, "{question}")?;
        stderr.flush()?;
        let mut answer = String::new();
        self.input.lock().read_line(&mut answer)?;
        Ok(answer)
    }

    /// Asks about everything that the tool wants and no flag has settled.
    fn ask_for_grants(
        &mut self,
        asked: &Capabilities,
        mut grants: Grants,
        config: &Config,
    ) -> anyhow::Result<Grants> {
        for origin in &asked.network {
            if !grants.network.contains(origin)
                && self.agrees(&format!("Allow requests to {origin}?"))?
            {
                grants = grants.network(origin.clone());
            }
        }
        for request in &asked.directories {
            if grants.directories.contains_key(&request.name) {
                continue;
            }
            if let Some(path) = self.ask_for_directory(request, config)? {
                grants = grants.directory(request.name.clone(), path, request.access);
            }
        }
        for request in &asked.variables {
            if !grants.variables.contains(&request.name)
                && self.agrees(&format!("Let it read the variable {}?", request.name))?
            {
                grants = grants.variable(request.name.clone());
            }
        }
        Ok(grants)
    }

    /// Asks until the answer is a directory or nothing.
    fn ask_for_directory(
        &mut self,
        request: &DirectoryRequest,
        config: &Config,
    ) -> anyhow::Result<Option<PathBuf>> {
        let question = format!(
            "Which directory may it use as `{}` ({})? Empty for none: ",
            request.name, request.access
        );
        loop {
            let answer = self.ask(&question)?;
            let answer = answer.trim();
            if answer.is_empty() {
                return Ok(None);
            }
            let path = config.place(Path::new(answer));
            if path.is_dir() {
                return Ok(Some(path));
            }
            let shown = path.display().to_string();
            writeln!(io::stderr(), "{} is no directory", escape_line(&shown))?;
        }
    }

    fn agrees(&mut self, question: &str) -> anyhow::Result<bool> {
        let answer = self.ask(&format!("{question} [y/N] "))?;
        Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
    }
}

/// The values of the variables that were granted, as far as the environment has them.
pub(crate) fn variables(grants: &Grants, config: &Config) -> BTreeMap<VariableName, String> {
    grants
        .variables
        .iter()
        .filter_map(|name| Some((name.clone(), config.granted_variable(name)?)))
        .collect()
}
