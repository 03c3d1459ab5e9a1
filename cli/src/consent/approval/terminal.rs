//! Asks a person at the terminal questions, among them one for each right that a tool asks for.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;

use tool_hub_manifest::{Capabilities, DirectoryGrant, DirectoryRequest, Grants};
use tool_hub_toolbox::sensitive::SensitivePlaces;
use tool_hub_toolbox::sensitive::finding::{Finding, Refusal};

use crate::consent::rights_flags::real;
use crate::settings::config::Config;
use crate::terminal::escape::escape_line;
use crate::terminal::typed_ahead;

/// A person at a terminal.
pub(crate) struct Terminal {
    input: std::io::Stdin,
}

impl Terminal {
    /// The person, where there is one who reads what is asked and can answer.
    pub(crate) fn open() -> Option<Self> {
        let input = std::io::stdin();
        let both = input.is_terminal() && std::io::stderr().is_terminal();
        both.then_some(Self { input })
    }

    /// Asks for one typed line. Whatever was typed before the question was shown is thrown
    /// away: it cannot be an answer to it.
    pub(crate) fn ask(&mut self, question: &str) -> anyhow::Result<String> {
        typed_ahead::discard(&self.input)?;
        let mut stderr = std::io::stderr();
        write!(stderr, "{question}")?;
        stderr.flush()?;
        let mut answer = String::new();
        self.input.lock().read_line(&mut answer)?;
        Ok(answer)
    }

    /// Asks about everything that the tool wants and no flag has settled.
    pub(super) fn ask_for_grants(
        &mut self,
        asked: &Capabilities,
        mut grants: Grants,
        config: &Config,
    ) -> anyhow::Result<Grants> {
        let missing = grants.missing(asked);
        for ((origin, methods), shown) in missing.network.iter().zip(missing.network.lines()) {
            if self.agrees(&format!("Allow requests to {shown}?"))? {
                grants = grants.network(origin.clone(), methods.clone());
            }
        }
        for request in &missing.credentials {
            let question = format!("Send your {request}? The tool does not see its value.");
            if self.agrees(&question)? {
                grants = grants.credential(request.name.clone(), request.origin.clone());
            }
        }
        for request in &missing.directories {
            if let Some(grant) = self.ask_for_directory(request, config)? {
                grants.directories.insert(request.name.clone(), grant);
            }
        }
        for request in &missing.variables {
            let name = &request.name;
            if !self.agrees(&format!("Let it read the variable {name}?"))? {
                continue;
            }
            // The author's marking is only a proposal, because it is the author's tool that would
            // show the value.
            let plain = || {
                format!(
                    "Its author declares {name} as not secret. Show its value instead of masking it?"
                )
            };
            grants = match !request.secret && self.agrees(&plain())? {
                true => grants.plain_variable(name.clone()),
                false => grants.variable(name.clone()),
            };
        }
        if missing.storage.is_some() && self.agrees("Let it keep things from call to call?")? {
            grants = grants.storage();
        }
        Ok(grants)
    }

    /// Asks until the answer is a directory or nothing.
    fn ask_for_directory(
        &mut self,
        request: &DirectoryRequest,
        config: &Config,
    ) -> anyhow::Result<Option<DirectoryGrant>> {
        let sensitive = SensitivePlaces::of(&config.settings);
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
            let path = real(Path::new(answer), config);
            let shown = escape_line(&path.display().to_string());
            if !path.is_dir() {
                writeln!(io::stderr(), "{shown} is not a directory")?;
                continue;
            }
            if path != config.settings.place(Path::new(answer)) {
                writeln!(io::stderr(), "that is {shown}")?;
            }
            let findings = sensitive.findings(&path, request.access);
            if self.insists_on(&findings)? {
                return Ok(Some(DirectoryGrant {
                    path,
                    access: request.access,
                    despite: findings.into_iter().map(|finding| finding.place).collect(),
                }));
            }
        }
    }

    /// Asks separately about each reason why a directory is dangerous.
    fn insists_on(&mut self, findings: &[Finding]) -> anyhow::Result<bool> {
        for finding in findings {
            let says = escape_line(finding.says());
            if finding.refusal == Refusal::Always {
                writeln!(io::stderr(), "this directory cannot be granted: {says}")?;
                return Ok(false);
            }
            let question = format!(
                "This is dangerous: {says}.\nType insist to grant it anyway, or anything else to choose another directory: "
            );
            if self.ask(&question)?.trim() != "insist" {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn agrees(&mut self, question: &str) -> anyhow::Result<bool> {
        let answer = self.ask(&format!("{question} [y/N] "))?;
        Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
    }
}
