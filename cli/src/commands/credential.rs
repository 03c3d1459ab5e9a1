//! `tool credential`: keeps the values and sign-ins that the host puts into tools' requests.

mod login;

use std::collections::BTreeSet;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use time::OffsetDateTime;
use tool_hub_manifest::{Origin, VariableName};
use tool_hub_toolbox::credentials::CredentialsPlace;
use tool_hub_toolbox::open_toolbox::OpenToolbox;

use crate::session::Session;
use crate::terminal::hidden_input::{HiddenInput, INTERRUPTED};
use crate::terminal::problem::Problem;

/// Arguments of `tool credential`.
#[derive(Debug, Args)]
pub(crate) struct Credential {
    #[command(subcommand)]
    command: CredentialCommand,
}

#[derive(Debug, Subcommand)]
enum CredentialCommand {
    /// Keep a value, for requests to one origin
    Set(Set),
    /// Get a value by signing in at the service that a tool names
    Login(Named),
    /// List the names that have a value or a sign-in, and their origins
    List,
    /// Forget a value or a sign-in
    Remove(Named),
    /// Say where values, sign-ins and tokens are kept, or move them all
    Store {
        /// The place that they are moved to
        place: Option<Place>,
    },
}

/// A place of credentials.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Place {
    /// The keyring of the system
    Keyring,
    /// The file `credentials.toml`, which only its user can read
    File,
}

/// A credential, as tools ask for it.
#[derive(Debug, Args)]
struct Named {
    /// Its name, as the tool's manifest has it
    name: VariableName,

    /// The origin that receives it [default: the one that the tools of the toolbox name]
    #[arg(long, value_name = "ORIGIN")]
    origin: Option<Origin>,
}

#[derive(Debug, Args)]
struct Set {
    #[command(flatten)]
    named: Named,

    /// Read the value from standard input instead of asking for it
    #[arg(long)]
    stdin: bool,
}

impl Credential {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        match &self.command {
            CredentialCommand::Set(set) => set.execute(session).await,
            CredentialCommand::Login(named) => {
                let name = &named.name;
                let origin = named.origin(session)?;
                login::log_in(name, &origin, session).await?;
                tell_if_covered(name, session);
                Ok(ExitCode::SUCCESS)
            }
            CredentialCommand::List => list(session),
            CredentialCommand::Remove(named) => named.remove(session),
            CredentialCommand::Store { place } => store(*place, session),
        }
    }
}

impl Set {
    async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let name = &self.named.name;
        let origin = self.named.origin(session)?;
        let input = HiddenInput {
            prompt: &format!("Value of {name} for {origin}"),
            from_stdin: self.stdin,
            hint: &format!("pipe it in: tool credential set {name} --stdin < file"),
        };
        let kept = input.and_then(async |text| keep(name, &origin, &text, session));
        Ok(match kept.await? {
            Some(()) => ExitCode::SUCCESS,
            None => INTERRUPTED.into(),
        })
    }
}

fn keep(name: &VariableName, origin: &Origin, text: &str, session: &Session) -> anyhow::Result<()> {
    let value = text.trim_end_matches(['\r', '\n']);
    if value.is_empty() || !value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Err(Problem::user("this cannot be the value of a credential")
            .hint("a value is one line of printable characters; for basic authentication, user:password")
            .into());
    }
    let settings = &session.config.settings;
    settings.credentials()?.keep_value(name, origin, value)?;
    session.printer.note(&format!("kept {name} for {origin}"));
    tell_if_covered(name, session);
    Ok(())
}

/// Says if a variable goes before what was just kept.
fn tell_if_covered(name: &VariableName, session: &Session) {
    if session.config.settings.has_variable(name) {
        session.printer.hint(&format!(
            "the variable {name} is set and goes before the value that was just kept"
        ));
    }
}

fn store(place: Option<Place>, session: &Session) -> anyhow::Result<ExitCode> {
    let mut stored = session.config.settings.credentials()?;
    let place = place.map(|place| match place {
        Place::Keyring => CredentialsPlace::Keyring,
        Place::File => CredentialsPlace::File,
    });
    if let Some(place) = place {
        stored.move_to(place)?;
    }
    let file = stored.file().display();
    let said = match stored.place() {
        CredentialsPlace::Keyring => "in the keyring of the system".to_owned(),
        CredentialsPlace::File => format!("in {file}, which only its user can read"),
    };
    match place {
        Some(_) => session.printer.note(&format!("credentials are {said} now")),
        None => session.printer.data(&said)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(session: &Session) -> anyhow::Result<ExitCode> {
    let stored = session.config.settings.credentials()?;
    let printer = &session.printer;
    if printer.wants_json() {
        let values = stored
            .values()
            .map(|(name, origin)| json!({ "name": name, "origin": origin }));
        let sign_ins = stored.sign_ins().map(|(name, origin, sign_in)| {
            let ends = sign_in.expires_at().map(OffsetDateTime::unix_timestamp);
            json!({
                "name": name,
                "origin": origin,
                "sign_in": {
                    "service": sign_in.client().origin(),
                    "client_id": sign_in.client().client_id(),
                    "scopes": sign_in.client().scopes(),
                    "expires_at": ends,
                    "renewable": sign_in.is_renewable(),
                },
            })
        });
        printer.json(&values.chain(sign_ins).collect::<Vec<_>>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let values = stored
        .values()
        .map(|(name, origin)| format!("{name} for {origin}"));
    let sign_ins = stored
        .sign_ins()
        .map(|(name, origin, sign_in)| format!("{name} for {origin}, {}", sign_in.client()));
    let lines: Vec<String> = values.chain(sign_ins).collect();
    match lines.is_empty() {
        true => printer.note("no credential has a value"),
        false => printer.data(&lines.join("\n"))?,
    }
    Ok(ExitCode::SUCCESS)
}

impl Named {
    fn remove(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let mut stored = session.config.settings.credentials()?;
        let name = &self.name;
        let sign_ins = stored.sign_ins().map(|(name, origin, _)| (name, origin));
        let all = stored.values().chain(sign_ins);
        let known = all.filter(|(other, _)| *other == name);
        let mut known: Vec<Origin> = known.map(|(_, origin)| origin.clone()).collect();
        known.retain(|origin| self.origin.as_ref().is_none_or(|only| only == origin));
        let origin = match known.as_slice() {
            [origin] => origin,
            [] => {
                return Err(Problem::user(format!("no value is kept for {name}"))
                    .hint("see what is kept with: tool credential list")
                    .into());
            }
            several => return Err(self.ambiguous(several)),
        };
        stored.forget_value(name, origin)?;
        session.printer.note(&format!("forgot {name} for {origin}"));
        Ok(ExitCode::SUCCESS)
    }

    /// The given origin, or the only one that tools of the toolbox have the credential sent to.
    fn origin(&self, session: &Session) -> anyhow::Result<Origin> {
        if let Some(origin) = &self.origin {
            return Ok(origin.clone());
        }
        let name = &self.name;
        let toolbox = OpenToolbox::open(&session.config.settings)?;
        let statuses = toolbox.statuses().into_iter();
        let members = statuses.filter_map(|status| status.member.ok());
        let granted = members.filter_map(|member| member.locked.grants.credentials.get(name));
        let origins: BTreeSet<Origin> = granted.cloned().collect();
        let origins: Vec<Origin> = origins.into_iter().collect();
        match origins.as_slice() {
            [origin] => Ok(origin.clone()),
            [] => Err(
                Problem::user(format!("no tool of the toolbox was granted {name}"))
                    .hint(format!(
                        "say where it belongs: tool credential set {name} --origin https://…"
                    ))
                    .into(),
            ),
            several => Err(self.ambiguous(several)),
        }
    }

    fn ambiguous(&self, origins: &[Origin]) -> anyhow::Error {
        let name = &self.name;
        let origins: Vec<String> = origins.iter().map(ToString::to_string).collect();
        Problem::user(format!("{name} belongs to several origins"))
            .hint(format!("name one with --origin: {}", origins.join(", ")))
            .into()
    }
}
