//! Tables and inspections as people read them.

use std::fmt::Write as _;

use tool_hub_host::{CallableFunction, Effect, HostConfig, InspectedImport, Inspection};
use tool_hub_manifest::{FunctionName, LimitRequest, Members, Overrides, Source};
use unicode_width::UnicodeWidthStr as _;

use crate::escape::escape_line;
use crate::grant_flags;
use crate::package::{Fetched, FetchedFrom};

/// How the tool is named on a command line.
pub(crate) fn subject(fetched: &Fetched) -> String {
    match &fetched.origin {
        FetchedFrom::Registry { reference, .. } => reference.to_string(),
        FetchedFrom::File { path } => path.display().to_string(),
        FetchedFrom::Approved(source) => place(source),
    }
}

/// Where a tool is from.
fn place(source: &Source) -> String {
    match source {
        Source::Registry { endpoint, repo, .. } => format!("{endpoint}{repo}"),
        Source::File { path } => path.display().to_string(),
    }
}

/// The inspection, in the order in which a person decides: who it is, what it can do, what
/// it asks for, what is odd about it. Every text of the tool's is on one line and escaped.
pub(crate) fn inspection(source: &Source, inspection: &Inspection) -> String {
    let mut text = String::new();
    let mut say = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    say(format!("{} {}", inspection.name, inspection.version));
    if !inspection.description.is_empty() {
        say(format!("  {}", escape_line(&inspection.description)));
    }
    say(String::new());
    identity(source, inspection).into_iter().for_each(&mut say);
    say(String::new());
    say("Functions".to_owned());
    for function in &inspection.functions {
        function_lines(function).into_iter().for_each(&mut say);
    }
    for export in &inspection.not_callable {
        say(format!(
            "  {} cannot be called by agents: {}",
            escape_line(&export.export),
            escape_line(&export.reason)
        ));
    }
    override_lines(&inspection.overrides)
        .into_iter()
        .for_each(&mut say);
    offered_lines(inspection).into_iter().for_each(&mut say);
    say(String::new());
    say("Asks for".to_owned());
    capability_lines(inspection).into_iter().for_each(&mut say);
    say(String::new());
    say("Imports".to_owned());
    import_lines(&inspection.imports)
        .into_iter()
        .for_each(&mut say);
    for warning in &inspection.warnings {
        say(format!("warning: {}", escape_line(warning)));
    }
    for refusal in &inspection.refusals {
        say(format!("refused: {}", escape_line(&refusal.to_string())));
    }
    text
}

fn identity(source: &Source, inspection: &Inspection) -> Vec<String> {
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String| rows.push(format!("  {name:<10} {value}"));
    row("from", place(source));
    if let Source::Registry { commit, .. } = source {
        row("commit", commit.to_string());
    }
    row("manifest", inspection.manifest_digest.to_string());
    row("component", inspection.component_digest.to_string());
    row("size", format!("{} bytes", inspection.component_bytes));
    if let Some(license) = &inspection.license {
        row("license", escape_line(license));
    }
    if let Some(language) = &inspection.language {
        row("written in", escape_line(language));
    }
    let producers: Vec<String> = inspection
        .producers
        .iter()
        .map(|producer| {
            format!("{} {}", producer.name, producer.version)
                .trim()
                .to_owned()
        })
        .collect();
    if !producers.is_empty() {
        row("made by", escape_line(&producers.join(", ")));
    }
    for (name, says) in limits(inspection.limits) {
        row(name, says);
    }
    row("digest", inspection.approval_digest.to_string());
    rows
}

/// The limits that the author names, as they will hold: nobody raises what the host gives.
fn limits(asked: LimitRequest) -> Vec<(&'static str, String)> {
    let given = HostConfig::new().limits.lowered_to(&asked);
    let (memory_mib, seconds) = (given.memory_bytes >> 20, given.call_ms / 1_000);
    let mut rows = Vec::new();
    if let Some(mib) = asked.memory_mib {
        let more = more_asked(mib, memory_mib, "MiB");
        rows.push(("memory", format!("{memory_mib} MiB at most{more}")));
    }
    if let Some(asked) = asked.call_seconds {
        let more = more_asked(asked, seconds, "s");
        let computing = given.cpu_ms / 1_000;
        rows.push((
            "time",
            format!("{seconds} s a call at most, {computing} s of them computing{more}"),
        ));
    }
    rows
}

fn more_asked(asked: u32, given: u64, unit: &str) -> String {
    if u64::from(asked) > given {
        format!("; its author asks for {asked} {unit}, which is not given")
    } else {
        String::new()
    }
}

fn function_lines(function: &CallableFunction) -> Vec<String> {
    let inputs: Vec<String> = function
        .inputs
        .iter()
        .map(|input| {
            let optional = if input.optional { "?" } else { "" };
            format!("{}{optional}: {}", input.name, input.value_type)
        })
        .collect();
    let output = match &function.output {
        Some(output) => format!(" -> {}", output.value_type),
        None => String::new(),
    };
    let description = &function.spec.description;
    let mut lines = vec![format!(
        "  {}({}){output}",
        function.name,
        inputs.join(", ")
    )];
    // Indented, so that no line of a description can pass for a line of the report.
    let texts = description.lines().filter(|line| !line.trim().is_empty());
    lines.extend(texts.map(|line| format!("      {}", escape_line(line))));
    for input in &function.inputs {
        if !input.description.is_empty() && !description.contains(&format!("`{}`", input.name)) {
            lines.push(text_line(input.name.as_str(), &input.description));
        }
        lines.extend(member_lines(&format!("{}.", input.name), &input.members));
    }
    if let Some(output) = &function.output {
        lines.extend(member_lines("-> ", &output.members));
    }
    lines
}

/// A line for each description of a member within a value, with the member's place.
fn member_lines(value: &str, members: &Members) -> Vec<String> {
    let members = members.iter();
    let line = |(place, text): (&String, &String)| {
        text_line(&format!("{value}{}", escape_line(place)), text)
    };
    members.map(line).collect()
}

fn text_line(name: &str, text: &str) -> String {
    format!("      {name}: {}", escape_line(text))
}

/// The overrides, as lines of a report.
fn override_lines(overrides: &Overrides) -> Vec<String> {
    if overrides.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![
        String::new(),
        "Texts for agents from toolbox.toml".to_owned(),
    ];
    let whole = overrides.description.iter();
    let whole = whole.map(|text| format!("  of its only function: {}", escape_line(text)));
    let single = overrides.functions.iter();
    let single = single.map(|(name, text)| format!("  {name}: {}", escape_line(text)));
    lines.extend(whole.chain(single));
    lines
}

/// Names the functions that `toolbox.toml` overrides; `None` if there are none.
pub(crate) fn overridden(overrides: &Overrides) -> Option<String> {
    let whole = overrides.description.iter().map(|_| "the whole tool");
    let names: Vec<&str> = whole
        .chain(overrides.functions.keys().map(FunctionName::as_str))
        .collect();
    let what = names.join(", ");
    (!names.is_empty()).then(|| format!("toolbox.toml overrides the description of {what}"))
}

/// What there is beside functions. The texts are known only when the tool runs.
fn offered_lines(inspection: &Inspection) -> Vec<String> {
    let mut lines = Vec::new();
    if inspection.prompts {
        lines.push("  prompts: openings of a conversation, for people to pick".to_owned());
    }
    if inspection.resources {
        lines.push("  resources: documents for people and agents to read".to_owned());
    }
    if !lines.is_empty() {
        lines.splice(..0, [String::new(), "Also offers".to_owned()]);
    }
    lines
}

fn capability_lines(inspection: &Inspection) -> Vec<String> {
    let mut lines: Vec<String> = inspection
        .capabilities
        .iter()
        .map(|capability| {
            let mut line = format!("  {}: {}", capability.power, escape_line(&capability.what));
            if !capability.why.is_empty() {
                let _ = write!(line, " ({})", escape_line(&capability.why));
            }
            if !capability.used {
                line.push_str("; nothing in the component could use it");
            }
            let _ = write!(
                line,
                "\n      grant it with {}",
                escape_line(&grant_flags::flag(&capability.grant))
            );
            line
        })
        .collect();
    if lines.is_empty() {
        lines.push("  nothing: pure computation".to_owned());
    }
    for power in &inspection.undeclared {
        lines.push(format!(
            "  {power}: imported but not asked for, so every use is refused"
        ));
    }
    lines
}

/// The imports, those that come to the same thing in one line: what has power first, then
/// what a language's runtime brings along without effect.
fn import_lines(imports: &[InspectedImport]) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let (inert, live): (Vec<_>, Vec<_>) = imports
        .iter()
        .partition(|import| import.effect == Effect::Inert);
    for import in live {
        match groups.iter_mut().find(|(says, _)| *says == import.says) {
            Some((_, interfaces)) => interfaces.push(&import.interface),
            None => groups.push((&import.says, vec![&import.interface])),
        }
    }
    if !inert.is_empty() {
        let interfaces = inert
            .iter()
            .map(|import| import.interface.as_str())
            .collect();
        groups.push((
            "without effect, since nothing of the kind is asked for",
            interfaces,
        ));
    }
    if groups.is_empty() {
        return vec!["  nothing at all".to_owned()];
    }
    groups
        .into_iter()
        .flat_map(|(says, interfaces)| {
            let interfaces = escape_line(&interfaces.join(", "));
            [
                format!("  {}", escape_line(says)),
                format!("      {interfaces}"),
            ]
        })
        .collect()
}

/// A table with a heading and columns as wide as their widest cell, the last as it comes.
pub(crate) fn table<const N: usize>(heading: [&str; N], rows: Vec<[String; N]>) -> String {
    let mut lines: Vec<[String; N]> = vec![heading.map(str::to_owned)];
    lines.extend(
        rows.into_iter()
            .map(|row| row.map(|cell| escape_line(&cell))),
    );
    let mut widths = [0; N];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.width());
        }
    }
    let mut text = String::new();
    for line in &lines {
        let mut shown = String::new();
        for (width, cell) in widths.iter().zip(line) {
            shown.push_str(cell);
            shown.push_str(&" ".repeat(width - cell.width() + 2));
        }
        text.push_str(shown.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_shown_as_they_hold() {
        let asked = |memory_mib, call_seconds| LimitRequest {
            memory_mib: Some(memory_mib),
            call_seconds: Some(call_seconds),
        };
        let low = limits(asked(64, 5));
        assert_eq!(low[0], ("memory", "64 MiB at most".to_owned()));
        assert_eq!(
            low[1],
            (
                "time",
                "5 s a call at most, 5 s of them computing".to_owned()
            )
        );
        let high = limits(asked(999_999, 100_000));
        let memory = "256 MiB at most; its author asks for 999999 MiB, which is not given";
        assert_eq!(high[0].1, memory);
        let time = "30 s a call at most, 10 s of them computing; its author asks for 100000 s, which is not given";
        assert_eq!(high[1].1, time);
        assert!(limits(LimitRequest::default()).is_empty());
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = vec![
            ["a".to_owned(), "x".to_owned()],
            ["漢字".to_owned(), "\u{1b}".to_owned()],
        ];
        assert_eq!(table(["N", "M"], rows), "N     M\na     x\n漢字  \\u{1b}\n");
    }
}
