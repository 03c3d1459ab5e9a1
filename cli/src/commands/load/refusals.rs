//! Fails if an inspection refuses the tool, or found no functions, prompts or resources in it.

use tool_hub_host::Inspection;

use crate::terminal::problem::Problem;

/// Fails for what can never be loaded.
pub(crate) fn check_refusals(inspection: &Inspection) -> anyhow::Result<()> {
    if inspection.refusals.is_empty() {
        // Compiling a tool without anything to call would take up to a minute for nothing.
        return match inspection.offers_something() {
            true => Ok(()),
            false => Err(nothing_to_call(inspection).into()),
        };
    }
    let reasons: Vec<String> = inspection
        .refusals
        .iter()
        .map(ToString::to_string)
        .collect();
    Err(Problem::refused(format!(
        "`{}` is refused: {}",
        inspection.name,
        reasons.join("; ")
    ))
    .hint("this tool can never be loaded as it is; tell its author")
    .into())
}

fn nothing_to_call(inspection: &Inspection) -> Problem {
    let not_callable = inspection.not_callable.iter().take(5);
    let reasons: Vec<String> = not_callable
        .map(|export| format!("`{}`: {}", export.export, export.reason))
        .collect();
    let problem = Problem::refused(format!(
        "`{}` has no functions that can be called, no prompts and no resources",
        inspection.name
    ));
    match &reasons[..] {
        [] => problem
            .hint("a tool has to export at least one function; see its WIT for what it exports"),
        reasons => problem.hint(format!("it exports {}", reasons.join("; "))),
    }
}
