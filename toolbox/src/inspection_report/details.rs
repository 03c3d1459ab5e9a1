//! Formats an inspection's details for the full report: digests, producers, arguments and imports.

use std::collections::BTreeMap;

use tool_hub_agent::characters::escape_line;
use tool_hub_host::{
    CallableFunction, HostConfig, ImportEffect, IncludedPackage, InspectedImport, Inspection,
};
use tool_hub_manifest::{LimitRequest, Members, Source};

/// A line on the place a tool is from.
pub(super) fn place(source: &Source) -> String {
    match source {
        Source::Server { address } => escape_line(&address.to_string()),
        place => place.to_string(),
    }
}

/// A name and a value of the report's first lines.
pub(super) fn row(name: &str, value: &str) -> String {
    format!("  {name:<10} {value}")
}

/// Its digests and its size, and what it says of how it was made.
pub(super) fn identity(source: &Source, inspection: &Inspection) -> Vec<String> {
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String| rows.push(row(name, &value));
    if let Source::Registry { commit, .. } = source {
        row("commit", commit.to_string());
    }
    row("manifest", inspection.manifest_digest.to_string());
    row("component", inspection.component_digest.to_string());
    row("size", format!("{} bytes", inspection.component_bytes));
    if let Some(interpreter) = &inspection.interpreter {
        let what = format!(
            "interpreter {}, {} bytes",
            interpreter.digest, interpreter.bytes
        );
        row("run by", what);
    }
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
    rows
}

/// The limits that the author asks for, lowered to those that the host gives.
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

/// The meaning of a function's arguments and of the members within them, where its description does
/// not say it.
pub(super) fn argument_lines(function: &CallableFunction) -> Vec<String> {
    let description = &function.spec.description;
    let mut lines = Vec::new();
    for input in &function.inputs {
        if !input.description.is_empty() && !description.contains(&format!("`{}`", input.name)) {
            lines.push(text_line(
                &escape_line(&input.name).to_string(),
                &input.description,
            ));
        }
        lines.extend(member_lines(
            &format!("{}.", escape_line(&input.name)),
            &input.members,
        ));
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

/// The imports, those with the same effect in one group. First come those that do something, then
/// those without effect, which a language's runtime brings along.
pub(super) fn import_lines(imports: &[InspectedImport]) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let (inert, live): (Vec<_>, Vec<_>) = imports
        .iter()
        .partition(|import| import.effect == ImportEffect::Inert);
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

/// The number of packages from each registry, and `more`, the way to their names; nothing where the
/// author tells none.
pub(super) fn packages_row(packages: &[IncludedPackage], more: Option<&str>) -> Option<String> {
    let mut counts = BTreeMap::new();
    for package in packages {
        let is_elsewhere = package.origin.is_some();
        *counts
            .entry((is_elsewhere, package.registry))
            .or_insert(0_usize) += 1;
    }
    let counts: Vec<String> = counts
        .into_iter()
        .map(|((is_elsewhere, registry), count)| {
            let packages = if count == 1 { "package" } else { "packages" };
            match is_elsewhere {
                false => format!("{count} {packages} of {}", registry.title()),
                true => format!("{count} {packages} of other places"),
            }
        })
        .collect();
    let more = more.map_or_else(String::new, |more| format!(" ({more})"));
    let says = format!("{}, as its author says{more}", counts.join(", "));
    (!counts.is_empty()).then(|| row("contains", &says))
}

/// A paragraph with a line for each package.
pub(super) fn package_lines(packages: &[IncludedPackage]) -> Vec<String> {
    if packages.is_empty() {
        return Vec::new();
    }
    let heading = [String::new(), "Packages, as its author says".to_owned()];
    let lines = packages.iter().map(|package| {
        let IncludedPackage {
            registry,
            name,
            version,
            license,
            origin,
            hash: _,
        } = package;
        let license = license.as_deref().unwrap_or("no license said");
        // The author's texts come last: nothing of them passes for what is said here.
        let from = origin.as_ref().map(|it| format!(", from {}", it.as_str()));
        let from = from.unwrap_or_default();
        let says = escape_line(&format!("{name} {version}, {license}{from}"));
        format!("  {}: {says}", registry.title())
    });
    heading.into_iter().chain(lines).collect()
}

#[cfg(test)]
mod tests {
    use tool_hub_host::PackageRegistry;

    use super::*;

    #[test]
    fn packages_are_counted_and_named_with_their_texts_escaped() {
        let package = |registry, name: &str, license: Option<&str>| IncludedPackage {
            registry,
            name: name.to_owned(),
            version: "1.0".to_owned(),
            license: license.map(str::to_owned),
            origin: None,
            hash: None,
        };
        let all = [
            package(PackageRegistry::Npm, "sums", None),
            package(PackageRegistry::Pypi, "idna", Some("BSD-3-Clause")),
            package(PackageRegistry::Pypi, "x\nrefused: y", Some("\u{1b}[2J")),
        ];
        let counted = packages_row(&all, Some("see --verbose"));
        let expect =
            "  contains   1 package of npm, 2 packages of PyPI, as its author says (see --verbose)";
        assert_eq!(counted.as_deref(), Some(expect));
        let expect = [
            "",
            "Packages, as its author says",
            "  npm: sums 1.0, no license said",
            "  PyPI: idna 1.0, BSD-3-Clause",
            "  PyPI: x\\nrefused: y 1.0, \\u{1b}[2J",
        ];
        assert_eq!(package_lines(&all), expect);
        assert_eq!(packages_row(&[], None), None);
        assert!(package_lines(&[]).is_empty());
    }

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
}
