//! `tool registry gc`: deletes stored content that no commit refers to.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tool_hub_registry_server::Registry;
use tool_hub_toolbox::byte_size::ByteSize;

use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;

/// Arguments of `tool registry gc`.
#[derive(Debug, Args)]
pub(crate) struct Gc {
    /// How long content stays that no commit refers to, because its commit may still be on its way
    #[arg(long, value_name = "HOURS", default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..))]
    grace_hours: u16,
}

impl Gc {
    pub(super) async fn execute(
        &self,
        registry: Registry,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let grace = Duration::from_secs(u64::from(self.grace_hours) * 3_600);
        let done = registry.collect_garbage(grace).await?;
        registry.close().await;
        if printer.wants_json() {
            printer.json(&json!({
                "objects": done.objects,
                "removed_objects": done.removed_objects,
                "removed_bytes": done.removed_bytes,
                "young_objects": done.young_objects,
            }))?;
            return Ok(ExitCode::SUCCESS);
        }
        let count = |objects| counted(usize::try_from(objects).unwrap_or(usize::MAX), "object");
        printer.data(&format!(
            "{} of {} removed, {} freed; {} too young to tell",
            done.removed_objects,
            count(done.objects),
            ByteSize(done.removed_bytes),
            done.young_objects,
        ))?;
        Ok(ExitCode::SUCCESS)
    }
}
