//! Compares the capabilities and limits in a tool's approved and new terms, and lists changes.
//! Each change has its severity.

use std::collections::{BTreeMap, BTreeSet};

use tool_hub_manifest::{
    Capabilities, CredentialRequest, DirectoryRequest, LimitRequest, Network, StorageRequest,
    VariableRequest,
};

use crate::approval::terms::compare::{Beyond, Changes, Less, paired};

impl Changes {
    pub(super) fn capabilities(&mut self, old: &Capabilities, new: &Capabilities) {
        let Capabilities {
            network,
            credentials,
            directories,
            variables,
            storage,
        } = old;
        self.network(network, &new.network);
        for pair in paired(credentials, &new.credentials, |request| &request.name) {
            self.credential(pair);
        }
        for pair in paired(directories, &new.directories, |request| &request.name) {
            self.directory(pair);
        }
        for pair in paired(variables, &new.variables, |request| &request.name) {
            self.variable(pair);
        }
        let why = |request: &StorageRequest| {
            let StorageRequest { why } = request;
            with_why("of its own", why)
        };
        let (old, new) = (storage.as_ref().map(why), new.storage.as_ref().map(why));
        self.option("storage", old.as_deref(), new.as_deref(), Less);
    }

    fn network(&mut self, old: &Network, new: &Network) {
        let origins = |network: &Network| -> BTreeMap<String, String> {
            let shown = network.iter().map(|(origin, methods)| {
                let what = format!("network {origin}");
                (what, methods.to_string())
            });
            shown.collect()
        };
        let beyond = origins(&new.beyond(old));
        let (old, new) = (origins(old), origins(new));
        let mut names: BTreeSet<&String> = old.keys().collect();
        names.extend(new.keys());
        for what in names {
            let (before, after) = (old.get(what), new.get(what));
            if before != after {
                let kind = if beyond.contains_key(what) {
                    Beyond
                } else {
                    Less
                };
                self.add(what, before.cloned(), after.cloned(), kind);
            }
        }
    }

    fn credential(&mut self, pair: (Option<&CredentialRequest>, Option<&CredentialRequest>)) {
        let parts = |request: &CredentialRequest| {
            let CredentialRequest {
                name,
                origin,
                place,
                oauth,
                why,
            } = request;
            let mut sent = format!("for {origin}, {place}");
            if let Some(client) = oauth {
                sent.push_str(&format!(", {client}"));
            }
            (format!("credential {name}"), sent, why.clone())
        };
        match (pair.0.map(parts), pair.1.map(parts)) {
            (Some((what, old, old_why)), Some((_, new, new_why))) => {
                // Wherever else it goes, somebody else may read it.
                self.text(&what, &old, &new);
                self.text(&format!("{what}: why"), &old_why, &new_why);
            }
            (Some((what, sent, why)), None) => {
                self.add(what, Some(with_why(&sent, &why)), None, Less);
            }
            (None, Some((what, sent, why))) => {
                self.add(what, None, Some(with_why(&sent, &why)), Beyond);
            }
            (None, None) => {}
        }
    }

    fn directory(&mut self, pair: (Option<&DirectoryRequest>, Option<&DirectoryRequest>)) {
        let parts = |request: &DirectoryRequest| {
            let DirectoryRequest { name, access, why } = request;
            (format!("directory {name}"), *access, why.clone())
        };
        match (pair.0.map(parts), pair.1.map(parts)) {
            (Some((what, old, old_why)), Some((_, new, new_why))) => {
                if old != new {
                    let kind = if new > old { Beyond } else { Less };
                    self.add(&what, Some(old.to_string()), Some(new.to_string()), kind);
                }
                self.text(&format!("{what}: why"), &old_why, &new_why);
            }
            (Some((what, access, why)), None) => {
                self.add(what, Some(with_why(&access.to_string(), &why)), None, Less);
            }
            (None, Some((what, access, why))) => {
                let after = with_why(&access.to_string(), &why);
                self.add(what, None, Some(after), Beyond);
            }
            (None, None) => {}
        }
    }

    fn variable(&mut self, pair: (Option<&VariableRequest>, Option<&VariableRequest>)) {
        let parts = |request: &VariableRequest| {
            let VariableRequest { name, secret, why } = request;
            (format!("variable {name}"), *secret, why.clone())
        };
        let shown = |secret| if secret { "secret" } else { "not secret" };
        match (pair.0.map(parts), pair.1.map(parts)) {
            (Some((what, old, old_why)), Some((_, new, new_why))) => {
                if old != new {
                    // A value that is no longer secret can be seen in answers.
                    let kind = if new { Less } else { Beyond };
                    let (old, new) = (shown(old).to_owned(), shown(new).to_owned());
                    self.add(&what, Some(old), Some(new), kind);
                }
                self.text(&format!("{what}: why"), &old_why, &new_why);
            }
            (Some((what, secret, why)), None) => {
                self.add(what, Some(with_why(shown(secret), &why)), None, Less);
            }
            (None, Some((what, secret, why))) => {
                self.add(what, None, Some(with_why(shown(secret), &why)), Beyond);
            }
            (None, None) => {}
        }
    }

    pub(super) fn limits(&mut self, old: &LimitRequest, new: &LimitRequest) {
        let LimitRequest {
            memory_mib,
            call_seconds,
        } = *old;
        let mut limit = |what, unit, old: Option<u32>, new: Option<u32>| {
            if old == new {
                return;
            }
            // A tool without a limit of its own gets the host's maximum.
            let is_lower = new.unwrap_or(u32::MAX) <= old.unwrap_or(u32::MAX);
            let shown = |limit: Option<u32>| match limit {
                Some(limit) => format!("{limit} {unit}"),
                None => "the host's maximum".to_owned(),
            };
            let kind = if is_lower { Less } else { Beyond };
            self.add(what, Some(shown(old)), Some(shown(new)), kind);
        };
        limit("limit of memory", "MiB", memory_mib, new.memory_mib);
        limit("limit of time", "s", call_seconds, new.call_seconds);
    }
}

fn with_why(what: &str, why: &str) -> String {
    match why {
        "" => what.to_owned(),
        why => format!("{what} ({why})"),
    }
}
