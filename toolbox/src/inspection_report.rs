//! Formats an inspection as text for people: about ten lines to decide on, or everything.

mod detail;
mod details;
mod function_signature;
mod server;

use tool_hub_agent::characters::escape_line;
use tool_hub_host::{CallableFunction, ImportAccess, InspectedCapability, Inspection, NotCallable};
use tool_hub_manifest::{Overrides, Source};

use crate::consent_record::calls_functions;
use crate::provenance::Provenance;

pub use detail::Detail;
pub use server::start_lines;

/// The lines of a report that tell a user what to do, in the words of the program that prints it.
#[derive(Debug, Clone, Copy)]
pub struct Advice<'a> {
    /// The way to what was left out, such as "see --verbose".
    pub more: &'a str,
    /// The way to grant what the tool asks for, if the program knows one.
    pub grant: Option<&'a str>,
}

/// The longest line of a description that is shown where not everything is.
const LINE_CHARS_MAX: usize = 160;
/// The most versions of a tool that are told of because they were malicious, the newest first.
const MALICIOUS_MAX: usize = 3;
/// The most functions that are described where not everything is shown.
const FUNCTIONS_DESCRIBED_MAX: usize = 5;

/// The inspection, in the order in which a person decides. Every text of the tool's is on a line
/// of its own and escaped.
pub fn inspection_report(
    from: &Provenance,
    inspection: &Inspection,
    detail: Detail,
    advice: Advice<'_>,
) -> String {
    let more = advice.more;
    let everything = detail == Detail::Everything;
    let mut lines = vec![title(from, inspection)];
    lines.extend(described(&inspection.description, "  ", detail, more));
    lines.extend(identity(from));
    lines.extend(details::packages_row(
        &inspection.packages,
        (!everything).then_some(more),
    ));
    if everything {
        lines.extend(details::identity(&from.source, inspection));
    }
    lines.push(details::row(
        "digest",
        &inspection.approval_digest.to_string(),
    ));
    if let Some(description) = &inspection.server {
        lines.extend(server::lines(description, detail));
    }
    lines.extend([String::new(), "Functions".to_owned()]);
    let functions = &inspection.functions;
    let are_described = everything || functions.len() <= FUNCTIONS_DESCRIBED_MAX;
    for function in functions {
        lines.extend(function_lines(function, are_described, detail, more));
    }
    if !are_described {
        lines.push(format!("  their descriptions: {more}"));
    }
    if everything {
        lines.extend(inspection.not_callable.iter().map(not_callable_line));
    }
    lines.extend(override_lines(&inspection.overrides));
    lines.extend(offered_lines(inspection));
    let rights = match inspection.server {
        Some(_) => "Is to have",
        None => "Asks for",
    };
    lines.extend([String::new(), rights.to_owned()]);
    lines.extend(right_lines(inspection));
    lines.extend(advice.grant.map(|how| format!("  {how}")));
    lines.extend(dependency_lines(from, inspection, detail, more));
    if everything && inspection.server.is_none() {
        lines.extend([String::new(), "Imports".to_owned()]);
        lines.extend(details::import_lines(&inspection.imports));
    }
    if everything {
        lines.extend(details::package_lines(&inspection.packages));
    }
    lines.extend(malicious_lines(from));
    let doubts = from.bundle.iter().flat_map(|bundle| &bundle.doubts);
    lines.extend(doubts.map(|doubt| format!("warning: {}", escape_line(&doubt.to_string()))));
    lines.extend(from.signature.unverifiable().map(|why| {
        let why = escape_line(&why.to_string());
        format!("warning: it has a signature that was not verified: {why}")
    }));
    lines.extend(from.attestations.unverified().iter().map(|why| {
        let why = escape_line(&why.to_string());
        format!("warning: it has an attestation that was not verified: {why}")
    }));
    let warnings = inspection.warnings.iter();
    lines.extend(warnings.map(|warning| format!("warning: {}", escape_line(warning))));
    let refusals = inspection.refusals.iter();
    lines.extend(refusals.map(|it| format!("refused: {}", escape_line(&it.to_string()))));
    lines.join("\n")
}

/// Warnings of versions that were malicious, of the tool and of all that it depends on.
fn malicious_lines(from: &Provenance) -> Vec<String> {
    let warnings = from.malicious.iter().rev().take(MALICIOUS_MAX);
    let warnings = warnings.map(|it| {
        let it = escape_line(it);
        format!("warning: {it}; whoever published that may have published this version too")
    });
    let below = from.dependencies.values().flat_map(malicious_lines);
    warnings.chain(below).collect()
}

/// The first line: name, version and signer. A server has no signer, because its list of tools is
/// not a package.
fn title(from: &Provenance, inspection: &Inspection) -> String {
    let (name, version) = (&inspection.name, &inspection.version);
    match inspection.server {
        Some(_) => format!("{name} {version}"),
        None => format!("{name} {version}, {}", from.signature.in_words()),
    }
}

fn identity(from: &Provenance) -> Vec<String> {
    let mut rows = vec![details::row("from", &details::place(&from.source))];
    rows.extend(from.bundle.as_ref().map(|bundle| {
        let path = bundle.path.display().to_string();
        details::row("bundle", &escape_line(&path))
    }));
    if let Source::Registry { repo, .. } = &from.source {
        let on = from.published.as_ref();
        let on = on.map_or_else(String::new, |day| format!(", {}", escape_line(day)));
        let is_proved = from.bundle.as_ref().is_none_or(|bundle| bundle.is_proved);
        let by = match from.logged {
            Some(_) if is_proved => " by the registry's log",
            Some(_) => " by the word of the bundle",
            None => "",
        };
        rows.push(details::row(
            "publisher",
            &format!("{}{on}{by}", repo.owner()),
        ));
        let built_from = from.logged.as_ref().and_then(|it| it.built_from.as_ref());
        rows.extend(built_from.map(|source| {
            let source = escape_line(source);
            details::row(
                "built from",
                &format!("{source}, as its build service says"),
            )
        }));
    }
    let attestations = from.attestations.verified().iter();
    rows.extend(attestations.map(|it| details::row("attested", &escape_line(&it.in_words()))));
    rows
}

fn function_lines(
    function: &CallableFunction,
    is_described: bool,
    detail: Detail,
    more: &str,
) -> Vec<String> {
    let signature = match detail {
        Detail::Decision => function_signature::short(function),
        Detail::Everything => function_signature::whole(function),
    };
    let mut lines = vec![format!("  {}", escape_line(&signature))];
    if is_described {
        lines.extend(described(
            &function.spec.description,
            "      ",
            detail,
            more,
        ));
    }
    if let Some(confirm) = &function.confirm {
        let calls = escape_line(&confirm.to_string());
        lines.push(format!("      asks you before {calls}"));
    }
    if detail == Detail::Everything {
        lines.extend(details::argument_lines(function));
    }
    lines
}

/// A description, indented so that no line of it can pass for a line of the report.
fn described(text: &str, indent: &str, detail: Detail, more: &str) -> Vec<String> {
    let mut texts = text.lines().filter(|line| !line.trim().is_empty());
    let line = |text: &str| format!("{indent}{}", escape_line(text));
    if detail == Detail::Everything {
        return texts.map(line).collect();
    }
    let Some(first) = texts.next() else {
        return Vec::new();
    };
    let left_out = texts.count();
    let shown = match first.char_indices().nth(LINE_CHARS_MAX) {
        Some((end, _)) => format!("{}… ({more})", line(&first[..end])),
        None if left_out == 1 => format!("{} (1 line more: {more})", line(first)),
        None if left_out > 1 => format!("{} ({left_out} lines more: {more})", line(first)),
        None => line(first),
    };
    vec![shown]
}

/// A line on an export that agents cannot call, such as one that starts a language's runtime.
fn not_callable_line(export: &NotCallable) -> String {
    format!(
        "  agents cannot call {}: {}",
        escape_line(&export.export),
        escape_line(&export.reason)
    )
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

/// Lines on prompts and resources. Their texts are known only when the tool runs.
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

/// Lines on the tool's rights if it is granted everything that it asks for, and on capabilities
/// that its bytes could use although it does not ask.
fn right_lines(inspection: &Inspection) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for capability in &inspection.capabilities {
        lines.push(right_line(capability));
    }
    if calls_functions(inspection) {
        lines.push("  calls other functions of the toolbox, and so does what those may".to_owned());
    }
    if imports(inspection, ImportAccess::Person) {
        lines.push("  shows its progress and asks you questions".to_owned());
    }
    for power in &inspection.undeclared {
        lines.push(format!(
            "  {power}: imported but not asked for, so every use is refused"
        ));
    }
    if lines.is_empty() {
        lines.push(match inspection.server {
            Some(_) => "  nothing of yours".to_owned(),
            None => "  nothing: it only computes".to_owned(),
        });
    }
    lines
}

fn imports(inspection: &Inspection, power: ImportAccess) -> bool {
    inspection
        .imports
        .iter()
        .any(|import| import.access == power)
}

fn right_line(capability: &InspectedCapability) -> String {
    let does = match capability.access {
        ImportAccess::Network => "sends requests to",
        ImportAccess::Credentials => "has a credential of yours sent, which it does not see:",
        ImportAccess::Files => "uses a directory of yours as",
        ImportAccess::Variables => "reads the variable",
        ImportAccess::Storage => "keeps things from call to call, in a storage",
        _ => "uses",
    };
    let why = match capability.why.is_empty() {
        true => String::new(),
        false => format!(": {}", escape_line(&capability.why)),
    };
    let used = match capability.used {
        true => "",
        false => "; nothing in the component could use it",
    };
    // The author's text comes last: nothing of it passes for what is said here.
    format!("  {does} {}{used}{why}", escape_line(&capability.what))
}

/// Lines on all that the tool of `inspection` depends on, by their paths; none where it depends on
/// nothing.
fn dependency_lines(
    from: &Provenance,
    inspection: &Inspection,
    detail: Detail,
    more: &str,
) -> Vec<String> {
    let mut lines = Vec::new();
    add_dependencies(&mut lines, "", (from, inspection), detail, more);
    if !lines.is_empty() {
        let heading = "Calls other tools, each in a sandbox of its own with rights of its own";
        lines.splice(..0, [String::new(), heading.to_owned()]);
    }
    lines
}

fn add_dependencies(
    lines: &mut Vec<String>,
    path: &str,
    (from, inspection): (&Provenance, &Inspection),
    detail: Detail,
    more: &str,
) {
    let pairs = inspection.dependencies.iter();
    let pairs = pairs.filter_map(|(name, it)| Some((name, from.dependencies.get(name)?, it)));
    for (name, from, inspection) in pairs {
        let path = match path.is_empty() {
            true => name.to_string(),
            false => format!("{path}.{name}"),
        };
        let place = escape_line(&from.source.short_name());
        let (version, signed) = (&inspection.version, from.signature.in_words());
        lines.push(format!("  {path}: {place} {version}, {signed}"));
        lines.extend(described(&inspection.description, "      ", detail, more));
        let rights = right_lines(inspection);
        lines.extend(
            rights
                .iter()
                .map(|right| format!("      may ask for: {}", right.trim_start())),
        );
        add_dependencies(lines, &path, (from, inspection), detail, more);
    }
}
