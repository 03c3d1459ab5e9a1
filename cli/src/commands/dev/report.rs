//! Shows what a build came to: functions as models see them, their grade, what differs, errors.

use std::time::Duration;

use serde_json::{Value, json};
use tool_hub_agent::definition::Dialect;
use tool_hub_agent::definition::declare::{Language, declare};
use tool_hub_agent::definition::export::export;
use tool_hub_manifest::FunctionSpec;
use tool_hub_toolbox::byte_size::ByteSize;

use super::changes::FunctionChanges;
use super::dev_tool::{DevProject, DevTool};
use super::grade::Grade;
use crate::commands::{check, lint};
use crate::consent::grant_flags;
use crate::terminal::diagnosis;
use crate::terminal::exit::Exit;
use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;

/// Where data goes.
#[derive(Debug, Clone, Copy)]
pub(super) enum DataStream {
    Output,
    /// Standard output carries a protocol.
    Error,
}

/// What prints, and where data goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Screen {
    pub(super) printer: Printer,
    pub(super) data: DataStream,
}

impl Screen {
    fn data(&self, text: &str) -> anyhow::Result<()> {
        match self.data {
            DataStream::Output => self.printer.data(text),
            DataStream::Error => {
                self.printer.note(text.trim_end());
                Ok(())
            }
        }
    }

    /// Shows an error after which work goes on.
    ///
    /// # Errors
    /// With `error` itself when somebody said stop or nobody reads what is shown.
    pub(super) fn failed(&self, error: anyhow::Error) -> anyhow::Result<()> {
        let diagnosis = diagnosis::of(&error);
        if diagnosis.exit == Exit::Interrupted || diagnosis::is_closed_pipe(&error) {
            return Err(error);
        }
        if self.printer.wants_json() {
            self.json(&json!({ "error": format!("{error:#}") }))?;
        }
        self.told(&error);
        Ok(())
    }

    /// Tells a person of an error.
    pub(super) fn told(&self, error: &anyhow::Error) {
        self.printer.error(error, &diagnosis::of(error).hints);
    }

    fn json(&self, value: &Value) -> anyhow::Result<()> {
        match self.data {
            DataStream::Output => self.printer.json(value),
            DataStream::Error => Ok(()),
        }
    }
}

/// Shows `tool` to a person, or how it differs from the one `before`.
///
/// # Errors
/// When nobody reads it.
pub(super) fn built(
    tool: &DevTool,
    before: Option<&DevTool>,
    project: &DevProject<'_>,
    screen: &Screen,
) -> anyhow::Result<()> {
    let printer = &screen.printer;
    printer.note(&format!(
        "built {} {} in {} ({}), loaded in {}",
        tool.loaded.key,
        tool.version,
        seconds(tool.build_time),
        ByteSize(tool.component_bytes),
        seconds(tool.load_time),
    ));
    if printer.wants_json() {
        return Ok(());
    }
    let shown: Vec<FunctionSpec> = match before {
        None => tool.specs.clone(),
        Some(before) => {
            let changes = FunctionChanges::between(&before.specs, &tool.specs);
            changes.lines().iter().for_each(|line| printer.note(line));
            let specs = tool.specs.iter();
            specs
                .filter(|spec| changes.shows(&spec.name))
                .cloned()
                .collect()
        }
    };
    if !shown.is_empty() {
        screen.data(&declare(&shown, Language::TypeScript).text)?;
    }
    let judged = |tool: &DevTool| (tool.findings.clone(), tool.remarks.clone());
    if before.is_none_or(|before| judged(before) != judged(tool)) {
        show_grade(tool, screen)?;
    }
    if before.is_none() && !tool.ungranted.is_empty() {
        let what: Vec<&str> = tool.ungranted.iter().map(|asked| &*asked.what).collect();
        printer.warning(&format!(
            "`{}` asks for what no flag grants: {}",
            tool.loaded.key,
            what.join(", ")
        ));
        let grants = tool.ungranted.iter().map(|asked| &asked.grant);
        let command = grant_flags::command(&project.command(), grants);
        printer.hint(&format!("grant it with: {command}"));
    }
    Ok(())
}

fn show_grade(tool: &DevTool, screen: &Screen) -> anyhow::Result<()> {
    let found = tool.findings.len() + tool.remarks.len();
    let findings: String = tool.findings.iter().map(lint::lines).collect();
    if !findings.is_empty() {
        screen.data(&findings)?;
    }
    check::show(&tool.remarks, &screen.printer);
    screen.printer.note(&format!(
        "lint: grade {}, {} in {}",
        grade(tool),
        counted(found, "finding"),
        counted(tool.specs.len(), "function")
    ));
    Ok(())
}

/// Prints all of it for programs, where they want to know.
///
/// # Errors
/// When nobody reads it.
pub(super) fn json(
    tool: &DevTool,
    before: Option<&DevTool>,
    calls: Vec<Value>,
    type_error: Option<&anyhow::Error>,
    screen: &Screen,
) -> anyhow::Result<()> {
    if !screen.printer.wants_json() {
        return Ok(());
    }
    let ungranted = tool.ungranted.iter();
    let ungranted: Vec<String> = ungranted
        .map(|asked| grant_flags::flag(&asked.grant))
        .collect();
    let changes = before.map(|before| FunctionChanges::between(&before.specs, &tool.specs));
    screen.json(&json!({
        "name": tool.loaded.key,
        "version": tool.version,
        "bytes": tool.component_bytes,
        "build_ms": u64::try_from(tool.build_time.as_millis()).unwrap_or(u64::MAX),
        "load_ms": u64::try_from(tool.load_time.as_millis()).unwrap_or(u64::MAX),
        "functions": export(&tool.specs, Dialect::Mcp).tools,
        "changes": changes,
        "grade": grade(tool),
        "findings": tool.findings,
        "remarks": tool.remarks,
        "ungranted": ungranted,
        "calls": calls,
        "type_error": type_error.map(|error| format!("{error:#}")),
    }))
}

fn grade(tool: &DevTool) -> Grade {
    Grade::of(tool.findings.len() + tool.remarks.len(), tool.specs.len())
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
