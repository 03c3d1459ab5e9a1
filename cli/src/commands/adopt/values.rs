//! Keeps the values that clients gave their servers, and forgets them again.

use tool_hub_manifest::{Origin, VariableName};

use super::rights::ProposedRights;
use crate::adopt::{AdoptedServer, AdoptionRecord};
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;

/// The names of values that were not kept before.
#[derive(Debug, Default)]
pub(super) struct NewValues {
    variables: Vec<VariableName>,
    credentials: Vec<(VariableName, Origin)>,
}

/// Keeps the values of `rights`: a process has to be given them before it lists its tools.
///
/// # Errors
/// When another value is kept under one of the names, and when they cannot be written.
pub(super) fn keep(rights: &ProposedRights, session: &Session) -> anyhow::Result<NewValues> {
    let settings = &session.config.settings;
    let (mut variables, mut credentials) = (settings.kept_variables()?, settings.credentials()?);
    let mut new = NewValues::default();
    for (name, value) in &rights.variables {
        match variables.value(name) {
            Some(kept) if kept == value => {}
            Some(_) => return Err(another(name)),
            None => new.variables.push(name.clone()),
        }
    }
    for (name, origin, value) in &rights.credentials {
        match credentials.value(name, origin) {
            Some(kept) if kept == value => {}
            Some(_) => return Err(another(name)),
            None => new.credentials.push((name.clone(), origin.clone())),
        }
    }
    for (name, value) in &rights.variables {
        variables.keep(name, value)?;
        if settings.has_variable(name) {
            session.printer.hint(&format!(
                "the variable {name} is set and goes before the value that was just kept"
            ));
        }
    }
    for (name, origin, value) in &rights.credentials {
        credentials.keep_value(name, origin, value)?;
    }
    Ok(new)
}

fn another(name: &VariableName) -> anyhow::Error {
    let what = format!("{name} is kept with another value, and a name has one");
    Problem::user(what)
        .hint("leave this server as it is, or take back the other one first: tool adopt --undo")
        .into()
}

impl NewValues {
    /// Forgets those that `rights` does not have.
    ///
    /// # Errors
    /// When that cannot be written.
    pub(super) fn forget_others(
        &self,
        rights: &ProposedRights,
        config: &Config,
    ) -> anyhow::Result<()> {
        for name in &self.variables {
            if !rights.variables.iter().any(|(other, _)| other == name) {
                config.settings.kept_variables()?.forget(name)?;
            }
        }
        for (name, origin) in &self.credentials {
            let mut wanted = rights.credentials.iter();
            if !wanted.any(|(other, at, _)| other == name && at == origin) {
                config.settings.credentials()?.forget_value(name, origin)?;
            }
        }
        Ok(())
    }
}

/// Forgets the values that were kept for `server` and that nothing in `left` needs.
///
/// # Errors
/// When that cannot be written.
pub(super) fn forget(
    server: &AdoptedServer,
    left: &AdoptionRecord,
    config: &Config,
) -> anyhow::Result<()> {
    let others: Vec<&AdoptedServer> = left.files.iter().flat_map(|file| &file.servers).collect();
    for name in &server.variables {
        if !others.iter().any(|other| other.variables.contains(name)) {
            config.settings.kept_variables()?.forget(name)?;
        }
    }
    for kept in &server.credentials {
        if !others.iter().any(|other| other.credentials.contains(kept)) {
            let mut credentials = config.settings.credentials()?;
            credentials.forget_value(&kept.name, &kept.origin)?;
        }
    }
    Ok(())
}
