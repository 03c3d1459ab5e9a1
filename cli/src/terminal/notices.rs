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
            Notice::TokenInClear { registry } => {
                self.warning(&format!(
                    "the token for {registry} goes over the network unencrypted: whoever is on the way can use it"
                ));
                self.hint(
                    "name the registry by an https URL; where it has none, put TLS in front of it",
                );
            }
            Notice::VersionBranch {
                repo,
                branch,
                is_tag_too,
            } => {
                let also = if *is_tag_too { " and a tag" } else { "" };
                self.warning(&format!(
                    "{repo}: {branch} is a branch{also}, so other clients may get changing content for this version"
                ));
            }
            Notice::ManifestDerived => self.note(DERIVED),
            Notice::NamedLikeAPath { text } => self.note(&format!(
                "{text} means a tool of the registry; for the file or directory, write ./{text}"
            )),
            Notice::PackageChanged { key } => {
                self.warning(&format!(
                    "`{key}` runs as you approved it; the package on disk has changed since"
                ));
                self.hint(&format!(
                    "look at the new one and take it with: tool update {key}"
                ));
            }
            Notice::LeftOut { error } => {
                self.warning(&format!("left out: {error}"));
                for hint in error.hints() {
                    self.hint(&hint);
                }
            }
        }
    }
}
