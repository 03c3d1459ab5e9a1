//! Writes the command-line flags that grant a right, for hints and for the JSON of an inspection.

use serde_json::Value;
use tool_hub_host::{Inspection, RequiredGrant};

/// The flag that gives `grant`; for the value of a credential the flag of the credential.
pub(crate) fn flag(grant: &RequiredGrant) -> String {
    match grant {
        RequiredGrant::Network(origin) => format!("--allow-network {origin}"),
        RequiredGrant::Credential(name)
        | RequiredGrant::CredentialValue(name)
        | RequiredGrant::SignIn(name) => format!("--allow-credential {name}"),
        RequiredGrant::Directory(name) => format!("--allow-dir {name}=PATH"),
        RequiredGrant::Variable(name) => format!("--allow-var {name}"),
        RequiredGrant::Storage => "--allow-storage".to_owned(),
        RequiredGrant::GuardedName(_) => "--allow-dir NAME=PATH --insist PATH".to_owned(),
    }
}

/// `command` with the flags that give `grants`; the command that keeps the value of a credential
/// where that is all that is missing.
pub(crate) fn command<'a>(
    command: &str,
    grants: impl IntoIterator<Item = &'a RequiredGrant>,
) -> String {
    let grants: Vec<&RequiredGrant> = grants.into_iter().collect();
    if let Some(command) = value_command(&grants) {
        return command;
    }
    let words = grants.into_iter().map(flag);
    let words: Vec<String> = std::iter::once(command.to_owned()).chain(words).collect();
    words.join(" ")
}

/// `command` with the flag that gives `grants` to the tool that the one of `command` calls at
/// `path`.
pub(crate) fn command_for_dependency(
    command: &str,
    path: &str,
    grants: &[RequiredGrant],
) -> String {
    let value = value_command(&grants.iter().collect::<Vec<_>>());
    value.unwrap_or_else(|| {
        let flags: Vec<String> = grants.iter().map(flag).collect();
        format!("{command} --dependency '{path} {}'", flags.join(" "))
    })
}

fn value_command(grants: &[&RequiredGrant]) -> Option<String> {
    match grants {
        [RequiredGrant::CredentialValue(name)] => Some(format!("tool credential set {name}")),
        [RequiredGrant::SignIn(name)] => Some(format!("tool credential login {name}")),
        _ => None,
    }
}

/// `inspection` as JSON, each capability with the flag that grants it.
pub(crate) fn inspection_json(inspection: &Inspection) -> serde_json::Result<Value> {
    let mut json = serde_json::to_value(inspection)?;
    if let Some(capabilities) = json["capabilities"].as_array_mut() {
        for (json, capability) in capabilities.iter_mut().zip(&inspection.capabilities) {
            json["flag"] = flag(&capability.grant).into();
        }
    }
    Ok(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grant_has_its_flag() {
        let grants = [
            RequiredGrant::Network("https://a.example".parse().unwrap()),
            RequiredGrant::Directory("notes".parse().unwrap()),
            RequiredGrant::Variable("API_KEY".parse().unwrap()),
            RequiredGrant::Storage,
        ];
        assert_eq!(
            command("tool grant demo", &grants),
            "tool grant demo --allow-network https://a.example --allow-dir notes=PATH \
             --allow-var API_KEY --allow-storage"
        );
        let name = RequiredGrant::GuardedName(".git".to_owned());
        assert_eq!(flag(&name), "--allow-dir NAME=PATH --insist PATH");
    }
}
