//! `tool registry scrub`: hashes all stored content again, and reports damage.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_registry_server::{Registry, ScrubFault};
use tool_hub_toolbox::byte_size::ByteSize;

use crate::terminal::hints::DAMAGED_LOG;
use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// Arguments of `tool registry scrub`.
#[derive(Debug, Args)]
pub(crate) struct Scrub {}

impl Scrub {
    pub(super) async fn execute(
        &self,
        registry: Registry,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let found = registry.scrub().await?;
        registry.close().await;
        let faults: Vec<String> = found.faults.iter().map(ToString::to_string).collect();
        if printer.wants_json() {
            printer.json(&json!({
                "objects": found.objects,
                "bytes": found.bytes,
                "git_objects": found.git_objects,
                "log_records": found.log_records,
                "faults": faults,
                "fault_count": found.fault_count,
            }))?;
        } else {
            for fault in &faults {
                printer.data(fault)?;
            }
            printer.data(&format!(
                "hashed: {} objects with {}, {} trees and commits, {} of the log; faults: {}",
                found.objects,
                ByteSize(found.bytes),
                found.git_objects,
                counted(
                    usize::try_from(found.log_records).unwrap_or(usize::MAX),
                    "record"
                ),
                found.fault_count,
            ))?;
        }
        if found.is_sound() {
            return Ok(ExitCode::SUCCESS);
        }
        let is_of_log = |fault: &ScrubFault| matches!(fault, ScrubFault::Log(_));
        let mut problem = Problem::refused("the registry is not as it was stored");
        if !found.faults.iter().all(is_of_log) {
            problem = problem.hint(
                "bring the damaged content back from a backup: it lies there under the same digest",
            );
        }
        if found.faults.iter().any(is_of_log) {
            problem = problem.hint(DAMAGED_LOG);
        }
        let problem = problem.hint("find out why before you trust the disk again");
        Err(problem.into())
    }
}
