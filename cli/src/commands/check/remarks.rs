//! Finds and prints remarks on a tool's texts: poor descriptions, no license, hidden characters.

use serde::Serialize;
use tool_hub_host::{CallableFunction, Inspection};
use tool_hub_manifest::ValueType;

use crate::scaffold::SCAFFOLD_DESCRIPTION;
use crate::terminal::escape::{escape_line, out_of_place};
use crate::terminal::printer::Printer;

/// The longest description that every consumer of tools takes whole.
const DESCRIPTION_LENGTH_MAX: usize = 1024;
/// A description shorter than this cannot say what a function does and returns.
const DESCRIPTION_LENGTH_MIN: usize = 12;

/// Something that could be said better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Remark {
    /// `tool`, or the name of a function.
    pub(super) place: String,
    pub(super) message: String,
}

impl Remark {
    pub(super) fn of_tool(message: impl Into<String>) -> Self {
        Self {
            place: "tool".to_owned(),
            message: message.into(),
        }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

/// Tells what could be said better, a warning each.
pub(crate) fn show(remarks: &[Remark], printer: &Printer) {
    for remark in remarks {
        printer.warning(&format!("{}: {}", remark.place, remark.message));
    }
}

/// Everything that could be said better about a tool and its functions.
pub(crate) fn of(inspection: &Inspection) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = tool_remarks(inspection)
        .into_iter()
        .chain(steering_characters(inspection))
        .map(Remark::of_tool)
        .collect();
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

/// A remark for each text of the tool's that holds characters which steer a terminal, hide, or
/// change the order in which text is read. People are shown them spelled out; models get them
/// as they are.
pub(crate) fn steering_characters(inspection: &Inspection) -> Vec<String> {
    let mut texts = vec![(
        "the description".to_owned(),
        inspection.description.as_str(),
    )];
    for function in &inspection.functions {
        let name = &function.name;
        texts.push((
            format!("the description of `{name}`"),
            &function.spec.description,
        ));
        for input in &function.inputs {
            let place = format!("the description of `{}` of `{name}`", input.name);
            texts.push((place, &input.description));
            for (member, text) in &input.members {
                let member = escape_line(member);
                let place = format!("the description of `{}.{member}` of `{name}`", input.name);
                texts.push((place, text));
            }
        }
        if let Some(output) = &function.output {
            let place = format!("the description of what `{name}` returns");
            texts.push((place, &output.description));
            for (member, text) in &output.members {
                let member = escape_line(member);
                let place = format!("the description of `{member}` in what `{name}` returns");
                texts.push((place, text));
            }
        }
    }
    for capability in &inspection.capabilities {
        let place = format!("the reason for asking for {}", capability.what);
        texts.push((place, &capability.why));
    }
    texts
        .into_iter()
        .filter_map(|(place, text)| {
            let found: Vec<String> = out_of_place(text)
                .into_iter()
                .map(|c| format!("U+{:04X}", u32::from(c)))
                .collect();
            let found = found.join(", ");
            (!found.is_empty()).then(|| {
                format!("{place} holds characters that nobody sees and that change how text is read: {found}")
            })
        })
        .collect()
}

fn tool_remarks(inspection: &Inspection) -> Vec<String> {
    let mut remarks = Vec::new();
    let mut remark = |message: &str| remarks.push(message.to_owned());
    if inspection.description.is_empty() {
        remark("it has no description; say in one sentence when an agent should choose it");
    } else if is_the_scaffold_s(inspection) {
        remark("its description is still the scaffold's; say in tool.toml what this tool is for");
    }
    if inspection.license.is_none() {
        remark("it names no license; add `license = \"Apache-2.0\"` or another SPDX expression");
    }
    // Functions without a description and rights without a use are among these.
    for warning in &inspection.warnings {
        remark(warning);
    }
    remarks
}

/// True if the tool says that it greets people, as the scaffold does, and does not.
fn is_the_scaffold_s(inspection: &Inspection) -> bool {
    let greets = |function: &CallableFunction| function.name.as_str() == "greet";
    inspection.description == SCAFFOLD_DESCRIPTION && !inspection.functions.iter().any(greets)
}

fn function_remarks(function: &CallableFunction) -> Vec<String> {
    let mut remarks = Vec::new();
    let description = &function.spec.description;
    let length = description.chars().count();
    if (1..DESCRIPTION_LENGTH_MIN).contains(&length) {
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
