//! `tool registry user quota` and `org quota`: shows and sets the space that an owner may use.

use std::process::ExitCode;
use std::str::FromStr;

use clap::Args;
use serde_json::json;
use tool_hub_registry_server::Registry;
use tool_hub_toolbox::byte_size::ByteSize;

use crate::terminal::printer::Printer;
use crate::terminal::table::table;

/// Arguments of `quota`.
#[derive(Debug, Args)]
pub(super) struct Quota {
    /// The user or organisation
    name: String,

    /// What the owner may keep from now on, such as 500MB or 20GiB, or `none` for no bound
    /// [default: show it]
    #[arg(value_name = "SIZE")]
    set: Option<Bound>,
}

/// A quota, or that there is none.
#[derive(Debug, Clone, Copy)]
struct Bound(Option<ByteSize>);

impl FromStr for Bound {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self(None));
        }
        match text.parse() {
            Ok(size) => Ok(Self(Some(size))),
            Err(problem) => Err(format!("{problem}, or `none`")),
        }
    }
}

impl Quota {
    pub(super) async fn execute(
        &self,
        registry: &Registry,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        if let Some(Bound(quota)) = self.set {
            let bytes = quota.map(|size| size.0);
            registry.set_quota(&self.name, bytes).await?;
        }
        let storage = registry.storage_of(&self.name).await?;
        let (used, quota) = (storage.used_bytes, storage.quota_bytes);
        if printer.wants_json() {
            printer.json(&json!({
                "owner": self.name,
                "used_bytes": used,
                "quota_bytes": quota,
            }))?;
        } else {
            let shown = |bytes| ByteSize(bytes).to_string();
            let quota = quota.map_or_else(|| "none".to_owned(), shown);
            let row = [self.name.clone(), shown(used), quota];
            printer.data(&table(["OWNER", "USED", "QUOTA"], vec![row]))?;
        }
        if quota.is_some_and(|quota| used > quota) {
            printer.warning(&format!("{} keeps more than the quota allows", self.name));
            printer.hint("what is there stays; nothing is added until repos are deleted or the quota is raised");
        }
        Ok(ExitCode::SUCCESS)
    }
}
