//! `tool check`: holds a built package against its claims, and reads its descriptions as an
//! agent would.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use tool_hub_host::{CallableFunction, Inspection};
use tool_hub_manifest::ValueType;

use crate::commands::load::refuse_the_refused;
use crate::config::Config;
use crate::diagnosis::Problem;
use crate::package;
use crate::printer::Printer;

/// The longest description that every consumer of tools takes whole.
const DESCRIPTION_LENGTH_MAX: usize = 1024;
/// A description shorter than this cannot say what a function does and returns.
const DESCRIPTION_LENGTH_MIN: usize = 12;

/// Arguments of `tool check`.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The project, package or component
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,

    /// Fail on warnings too
    #[arg(long)]
    strict: bool,
}

/// Something that could be said better.
#[derive(Debug, Serialize)]
struct Remark {
    /// `tool`, or the name of a function.
    place: String,
    message: String,
}

impl Check {
    pub(crate) fn execute(&self, config: &Config, printer: &Printer) -> anyhow::Result<ExitCode> {
        let verified = package::read(&config.working.join(&self.path))?;
        let inspection = tool_hub_host::inspect(&verified)?;
        refuse_the_refused(&inspection)?;
        let remarks = remarks(&inspection);
        if printer.wants_json() {
            printer.json(&serde_json::json!({ "name": inspection.name, "remarks": remarks }))?;
        } else {
            for remark in &remarks {
                printer.warning(&format!("{}: {}", remark.place, remark.message));
            }
            printer.note(&format!(
                "{} {}: {} functions agree with their component, {} remarks",
                inspection.name,
                inspection.version,
                inspection.functions.len(),
                remarks.len()
            ));
        }
        if self.strict && !remarks.is_empty() {
            return Err(Problem::user("there are remarks, and --strict allows none").into());
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn remarks(inspection: &Inspection) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let mut remark = |message: &str| {
        remarks.push(Remark {
            place: "tool".to_owned(),
            message: message.to_owned(),
        });
    };
    if inspection.description.is_empty() {
        remark("it has no description; say in one sentence when an agent should choose it");
    }
    if inspection.license.is_none() {
        remark("it names no license; add `license = \"Apache-2.0\"` or another SPDX expression");
    }
    for warning in &inspection.warnings {
        remark(warning);
    }
    for capability in inspection
        .capabilities
        .iter()
        .filter(|capability| !capability.used)
    {
        remark(&format!(
            "it asks for {} but nothing in the component could use it",
            capability.what
        ));
    }
    for power in &inspection.undeclared {
        remark(&format!(
            "the component imports {power}, for which the manifest does not ask; every use is refused"
        ));
    }
    for function in &inspection.functions {
        for message in function_remarks(function) {
            remarks.push(Remark {
                place: function.name.to_string(),
                message,
            });
        }
    }
    remarks
}

fn function_remarks(function: &CallableFunction) -> Vec<String> {
    let mut remarks = Vec::new();
    let description = &function.spec.description;
    let length = description.chars().count();
    if length == 0 {
        remarks.push("it has no description; an agent cannot know when to call it".to_owned());
    } else if length < DESCRIPTION_LENGTH_MIN {
        remarks.push("its description is too short to say what it does and returns".to_owned());
    } else if length > DESCRIPTION_LENGTH_MAX {
        remarks.push(format!(
            "its description has {length} characters; some consumers cut after {DESCRIPTION_LENGTH_MAX}"
        ));
    }
    for input in &function.inputs {
        let is_explained =
            !input.description.is_empty() || description.contains(&format!("`{}`", input.name));
        if !is_explained {
            remarks.push(format!(
                "neither its description nor the argument's own explains `{}`",
                input.name
            ));
        }
    }
    let says_what_returns = function.output.as_ref().is_none_or(|output| {
        !output.description.is_empty()
            || output.value_type == ValueType::Boolean
            || ["return", "Return", "gives", "Gives"]
                .iter()
                .any(|word| description.contains(word))
    });
    if length > 0 && !says_what_returns {
        remarks.push("nothing says what it returns".to_owned());
    }
    remarks
}
