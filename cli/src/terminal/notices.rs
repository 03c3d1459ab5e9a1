//! Prints the toolbox's notices as notes, warnings and hints.

use tool_hub_toolbox::notices::{Notice, Notices};

use crate::terminal::hints::Hint as _;
use crate::terminal::printer::Printer;

/// The note that is shown when a manifest was derived.
const DERIVED: &str = "the component has no manifest; this one is derived from its types and asks \
                       for what --allow-network, --allow-dir and --allow-var name";

impl Notices for Printer {
    fn notice(&self, notice: &Notice<'_>) {
        match notice {
            Notice::ManifestDerived => self.note(DERIVED),
            _ if notice.is_warning() => self.warning(&notice.to_string()),
            _ => self.note(&notice.to_string()),
        }
        match notice {
            Notice::TokenInClear { .. } => self.hint(
                "name the registry by an https URL; where it has none, put TLS in front of it",
            ),
            Notice::PackageChanged { key } => self.hint(&format!(
                "look at the new one and take it with: tool update {key}"
            )),
            Notice::VersionYanked {
                key, pinned: None, ..
            } => {
                self.hint(&format!("look for another version with: tool update {key}"));
            }
            Notice::VersionYanked {
                key,
                pinned: Some(repo),
                ..
            } => self.hint(&format!(
                "it is pinned to this version; take another one with: tool load {repo} --as {key}"
            )),
            Notice::Advised { source, .. } => match source.bundle() {
                Some(path) => self.hint(&format!(
                    "see all with: tool audit --source {0}; to be told at each call, too: \
                     advisories = [\"{0}\"] in config.toml",
                    path.display()
                )),
                None => self.hint(
                    "see all with: tool audit; or pass over one with: tool audit --ignore ID --reason TEXT",
                ),
            },
            Notice::AdvisoriesUnread { .. } => {
                self.hint("see `advisories` in config.toml, and try again with: tool audit");
            }
            Notice::AdvisoriesFaulty { .. } => {
                self.hint("tell whoever publishes them; what else this source says counts");
            }
            Notice::LeftOut { error } => {
                for hint in error.hints() {
                    self.hint(&hint);
                }
            }
            _ => {}
        }
    }
}
