//! Reads an advisory in the OSV format, schema 1, as far as it is about tools.
//!
//! Ours is no ecosystem that the schema lists. It is called `tool-hub`, with the URL of a registry
//! after a colon where only that one is meant, as `Maven:https://…` is; a package's name is
//! `owner/name`.

use cvss::Cvss;
use semver::Version;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_path_to_error::{Path, Segment};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tool_hub_manifest::{AdvisoryId, RepoId};
use url::Url;

use super::advisory::{Advisory, AdvisorySeverity, AffectedTool, SUMMARY_CHARS_MAX};
use super::error::Fault;
use super::range::{Event, Range};

/// The name of the ecosystem of tools.
const ECOSYSTEM: &str = "tool-hub";
/// The ids of advisories against malware begin so, in whatever case.
const MALWARE: &str = "MAL-";

/// The most faults of one advisory that are told.
const FAULTS_MAX: usize = 20;

/// The fields that count here. Others are allowed, and not read. Those that a mistake may be in
/// without making the rest worthless are read one by one.
#[derive(Deserialize)]
struct Document {
    schema_version: Option<String>,
    id: String,
    #[serde(default)]
    modified: Value,
    #[serde(default)]
    withdrawn: Value,
    #[serde(default)]
    aliases: Value,
    #[serde(default)]
    summary: Value,
    #[serde(default)]
    severity: Value,
    affected: Option<Vec<Value>>,
    #[serde(default)]
    database_specific: Value,
}

#[derive(Deserialize)]
struct Score {
    r#type: String,
    score: String,
}

/// The part of an entry that says whether it is about a tool.
#[derive(Deserialize)]
struct Named {
    package: Option<Package>,
}

#[derive(Deserialize)]
struct Package {
    ecosystem: String,
    name: String,
}

/// The versions of an entry.
#[derive(Deserialize)]
struct Versions {
    #[serde(default)]
    ranges: Value,
    #[serde(default)]
    versions: Value,
}

#[derive(Deserialize)]
struct RangeDocument {
    r#type: String,
    #[serde(default)]
    events: Vec<EventDocument>,
}

#[derive(Deserialize)]
struct EventDocument {
    introduced: Option<String>,
    fixed: Option<String>,
    last_affected: Option<String>,
    limit: Option<String>,
}

/// A mistake and the place of it, as a JSON pointer.
struct Mistake(String, String);

/// The mistakes so far, the first of them.
#[derive(Default)]
struct Mistakes(Vec<Mistake>);

/// All that can be read of an advisory, and the mistakes in the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadAdvisory {
    /// The advisory; none where nothing in it that can be read is about a tool, or it was
    /// withdrawn.
    pub(crate) advisory: Option<Advisory>,
    /// The first mistakes.
    pub(crate) faults: Vec<Fault>,
}

/// Reads the advisory in `json`, which is in `file`. A mistake takes the effect from nothing but
/// its own part: otherwise one slip about one tool would hide what is said of all others.
pub(crate) fn read(file: &str, json: &[u8]) -> ReadAdvisory {
    let mut mistakes = Mistakes::default();
    let mut reader = serde_json::Deserializer::from_slice(json);
    let document = member(String::new(), &mut reader).and_then(|document| {
        let ended = reader.end();
        ended.map_err(|error| Mistake(String::new(), error.to_string()))?;
        Ok(document)
    });
    let advisory = document.and_then(|document| advisory(document, &mut mistakes));
    let advisory = mistakes.unless(advisory).flatten();
    let faults = mistakes.0.into_iter();
    ReadAdvisory {
        advisory,
        faults: faults
            .map(|Mistake(pointer, reason)| Fault::new(file, pointer, reason))
            .collect(),
    }
}

impl Mistakes {
    /// The value, or none and a mistake more.
    fn unless<T>(&mut self, read: Result<T, Mistake>) -> Option<T> {
        let mistake = match read {
            Ok(value) => return Some(value),
            Err(mistake) => mistake,
        };
        if self.0.len() < FAULTS_MAX {
            self.0.push(mistake);
        }
        None
    }
}

/// Reads a value at `place`.
fn member<'a, T: Deserialize<'a>>(
    place: String,
    value: impl Deserializer<'a, Error = serde_json::Error>,
) -> Result<T, Mistake> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let below = pointer(error.path());
        Mistake(place + &below, error.into_inner().to_string())
    })
}

/// The members of the array at `place`, each with its place; none where there is no array.
fn members(place: &str, value: Value, mistakes: &mut Mistakes) -> Vec<(String, Value)> {
    let read = member::<Option<Vec<Value>>>(place.to_owned(), value);
    let members = mistakes.unless(read).flatten().unwrap_or_default();
    let placed = members.into_iter().enumerate();
    placed
        .map(|(index, value)| (format!("{place}/{index}"), value))
        .collect()
}

fn advisory(document: Document, mistakes: &mut Mistakes) -> Result<Option<Advisory>, Mistake> {
    let mut ours = Vec::new();
    for (index, entry) in document.affected.into_iter().flatten().enumerate() {
        let place = format!("/affected/{index}");
        let named = mistakes.unless(member::<Named>(place.clone(), &entry));
        let package = named.and_then(|it| it.package).filter(Package::is_a_tool);
        ours.extend(package.map(|package| (place, package, entry)));
    }
    if ours.is_empty() {
        return Ok(None);
    }
    if let Some(version) = &document.schema_version
        && !version.starts_with("1.")
    {
        let reason = format!("schema {version} is not known; this version reads OSV schema 1");
        return Err(Mistake("/schema_version".to_owned(), reason));
    }
    let id = advisory_id("/id", &document.id)?;
    let modified = mistakes.unless(time("/modified", document.modified));
    // One whose withdrawal cannot be read counts: nobody knows that it was withdrawn.
    if !document.withdrawn.is_null() {
        let withdrawn = time("/withdrawn", document.withdrawn);
        if mistakes.unless(withdrawn).is_some() {
            return Ok(None);
        }
    }
    let aliases = aliases(document.aliases, mistakes);
    let is_malware = |id: &AdvisoryId| {
        let start = id.as_str().get(..MALWARE.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(MALWARE))
    };
    let is_malicious = is_malware(&id) || aliases.iter().any(is_malware);
    let mut severity = match is_malicious {
        true => AdvisorySeverity::Malicious,
        false => {
            worst("/severity", document.severity, mistakes).max(named(&document.database_specific))
        }
    };
    for (place, _, entry) in &ours {
        let scores = entry.get("severity").cloned().unwrap_or_default();
        severity = severity.max(worst(&format!("{place}/severity"), scores, mistakes));
    }
    let affected = affected_tools(ours, is_malicious, mistakes);
    if affected.is_empty() {
        return Ok(None);
    }
    let summary = member::<Option<String>>("/summary".to_owned(), document.summary);
    let summary = mistakes.unless(summary).flatten().unwrap_or_default();
    Ok(Some(Advisory {
        id,
        aliases,
        severity,
        modified: modified.unwrap_or_default(),
        summary: summary.chars().take(SUMMARY_CHARS_MAX).collect(),
        affected,
    }))
}

/// The other ids. Those of other shapes are of no use here: nobody can name them.
fn aliases(aliases: Value, mistakes: &mut Mistakes) -> Vec<AdvisoryId> {
    let mut read = Vec::new();
    for (place, alias) in members("/aliases", aliases, mistakes) {
        let alias = mistakes.unless(member::<String>(place, alias));
        read.extend(alias.and_then(|alias| alias.parse().ok()));
    }
    read
}

impl Package {
    /// True if its ecosystem is ours, in whatever case.
    fn is_a_tool(&self) -> bool {
        let Some((name, rest)) = self.ecosystem.split_at_checked(ECOSYSTEM.len()) else {
            return false;
        };
        name.eq_ignore_ascii_case(ECOSYSTEM) && (rest.is_empty() || rest.starts_with(':'))
    }
}

/// The tools of the entries, as far as these can be read.
fn affected_tools(
    entries: Vec<(String, Package, Value)>,
    is_malicious: bool,
    mistakes: &mut Mistakes,
) -> Vec<AffectedTool> {
    let mut tools = Vec::new();
    let mut without_versions = Vec::new();
    for (place, package, entry) in entries {
        let Some(mut tool) = mistakes.unless(named_tool(&place, &package)) else {
            continue;
        };
        match read_versions(&place, entry, &mut tool, mistakes) {
            // Of one that attacks its users no version is let through by a slip of the pen.
            VersionsRead::InPart if is_malicious => tools.push(of_every_version(tool)),
            VersionsRead::InPart if tool.ranges.is_empty() && tool.versions.is_empty() => {}
            VersionsRead::InPart | VersionsRead::All => tools.push(tool),
            VersionsRead::NoneNamed => without_versions.push((place, tool)),
        }
    }
    for (place, tool) in without_versions {
        // Often a second entry has the commits of what a first one has the versions of.
        let is_same = |other: &AffectedTool| {
            other.registry == tool.registry
                && other.repo.as_str().eq_ignore_ascii_case(tool.repo.as_str())
        };
        if tools.iter().any(is_same) {
            continue;
        }
        let reason = "it names no versions: give `ranges` of type SEMVER, or `versions`";
        mistakes.unless::<()>(Err(Mistake(place, reason.to_owned())));
        if is_malicious {
            tools.push(of_every_version(tool));
        }
    }
    tools
}

fn of_every_version(tool: AffectedTool) -> AffectedTool {
    AffectedTool {
        ranges: vec![Range::new(vec![Event::Introduced(None)])],
        ..tool
    }
}

/// The tool that a package is, without versions.
fn named_tool(place: &str, package: &Package) -> Result<AffectedTool, Mistake> {
    let registry = match package.ecosystem.split_once(':') {
        Some((_, url)) => Some(url.parse::<Url>().map_err(|error| {
            let reason =
                format!("what follows `{ECOSYSTEM}:` is not the URL of a registry: {error}");
            Mistake(format!("{place}/package/ecosystem"), reason)
        })?),
        None => None,
    };
    let repo = package.name.parse::<RepoId>();
    let repo = repo.map_err(|error| Mistake(format!("{place}/package/name"), error.to_string()))?;
    Ok(AffectedTool {
        registry,
        repo,
        ranges: Vec::new(),
        versions: Vec::new(),
    })
}

/// The outcome of reading the versions of an entry.
enum VersionsRead {
    /// All that it names.
    All,
    /// Some, or none, of those that it names.
    InPart,
    /// It names none, but perhaps commits.
    NoneNamed,
}

/// Reads the versions of an entry into `tool`.
fn read_versions(
    place: &str,
    entry: Value,
    tool: &mut AffectedTool,
    mistakes: &mut Mistakes,
) -> VersionsRead {
    let Some(read) = mistakes.unless(member::<Versions>(place.to_owned(), entry)) else {
        return VersionsRead::InPart;
    };
    let is_list = |value: &Value| value.is_null() || value.is_array();
    let mut is_whole = is_list(&read.ranges) && is_list(&read.versions);
    for (place, range) in members(&format!("{place}/ranges"), read.ranges, mistakes) {
        match mistakes.unless(range_at(&place, range)) {
            Some(range) => tool.ranges.extend(range),
            None => is_whole = false,
        }
    }
    for (place, text) in members(&format!("{place}/versions"), read.versions, mistakes) {
        let text = member::<String>(place.clone(), text);
        match mistakes.unless(text.and_then(|text| version(&place, &text))) {
            Some(version) => tool.versions.push(version),
            None => is_whole = false,
        }
    }
    match is_whole {
        false => VersionsRead::InPart,
        true if tool.ranges.is_empty() && tool.versions.is_empty() => VersionsRead::NoneNamed,
        true => VersionsRead::All,
    }
}

/// The range at `place`; none where it is one of commits.
fn range_at(place: &str, range: Value) -> Result<Option<Range>, Mistake> {
    let range = member::<RangeDocument>(place.to_owned(), range)?;
    match range.r#type.as_str() {
        // Every version of a tool is a semantic one, so that both mean the same.
        "SEMVER" | "ECOSYSTEM" => Ok(Some(range_of(place, range.events)?)),
        // Which versions the commits are in, only their repository knows.
        "GIT" => Ok(None),
        other => {
            let reason = format!("`{other}` is not a type of ranges: use SEMVER");
            Err(Mistake(format!("{place}/type"), reason))
        }
    }
}

fn range_of(place: &str, documents: Vec<EventDocument>) -> Result<Range, Mistake> {
    let place = format!("{place}/events");
    let mut events = Vec::new();
    for (index, document) in documents.into_iter().enumerate() {
        events.push(event(&format!("{place}/{index}"), &document)?);
    }
    let introduces = |event: &Event| matches!(event, Event::Introduced(_));
    if !events.iter().any(introduces) {
        let reason = "a range needs an event `introduced`; write \"0\" for every version";
        return Err(Mistake(place, reason.to_owned()));
    }
    Ok(Range::new(events))
}

fn event(place: &str, document: &EventDocument) -> Result<Event, Mistake> {
    let at = |member: &str, text: &str| version(&format!("{place}/{member}"), text);
    let EventDocument {
        introduced,
        fixed,
        last_affected,
        limit,
    } = document;
    match (introduced, fixed, last_affected, limit) {
        (Some(text), None, None, None) if text == "0" => Ok(Event::Introduced(None)),
        (Some(text), None, None, None) => Ok(Event::Introduced(Some(at("introduced", text)?))),
        (None, Some(text), None, None) => Ok(Event::Fixed(at("fixed", text)?)),
        (None, None, Some(text), None) => Ok(Event::LastAffected(at("last_affected", text)?)),
        (None, None, None, Some(text)) if text == "*" => Ok(Event::Limit(None)),
        (None, None, None, Some(text)) => Ok(Event::Limit(Some(at("limit", text)?))),
        _ => {
            let reason = "an event is one of `introduced`, `fixed`, `last_affected` and `limit`";
            Err(Mistake(place.to_owned(), reason.to_owned()))
        }
    }
}

fn version(pointer: &str, text: &str) -> Result<Version, Mistake> {
    text.parse().map_err(|error| {
        let reason = format!("`{text}` is not a version such as 1.2.0: {error}");
        Mistake(pointer.to_owned(), reason)
    })
}

fn advisory_id(pointer: &str, text: &str) -> Result<AdvisoryId, Mistake> {
    let id = text.parse::<AdvisoryId>();
    id.map_err(|error| Mistake(pointer.to_owned(), error.to_string()))
}

/// The time at `place`, as it is written.
fn time(place: &str, value: Value) -> Result<String, Mistake> {
    let text = member::<String>(place.to_owned(), value)?;
    match OffsetDateTime::parse(&text, &Rfc3339) {
        Ok(_) => Ok(text),
        Err(error) => {
            let reason = format!("`{text}` is not a time such as 2026-11-27T12:00:00Z: {error}");
            Err(Mistake(place.to_owned(), reason))
        }
    }
}

/// The worst of some scores. Those that are not in CVSS say nothing here.
fn worst(place: &str, scores: Value, mistakes: &mut Mistakes) -> AdvisorySeverity {
    let mut worst = AdvisorySeverity::Unrated;
    for (place, score) in members(place, scores, mistakes) {
        let severity = mistakes.unless(severity_at(&place, score));
        worst = worst.max(severity.unwrap_or(AdvisorySeverity::Unrated));
    }
    worst
}

fn severity_at(place: &str, score: Value) -> Result<AdvisorySeverity, Mistake> {
    let score = member::<Score>(place.to_owned(), score)?;
    if !score.r#type.starts_with("CVSS_V") {
        return Ok(AdvisorySeverity::Unrated);
    }
    let vector = score.score.parse::<Cvss>();
    let vector = vector.map_err(|error| Mistake(format!("{place}/score"), error.to_string()))?;
    Ok(match vector.severity() {
        cvss::Severity::None => AdvisorySeverity::Unrated,
        cvss::Severity::Low => AdvisorySeverity::Low,
        cvss::Severity::Medium => AdvisorySeverity::Medium,
        cvss::Severity::High => AdvisorySeverity::High,
        cvss::Severity::Critical => AdvisorySeverity::Critical,
    })
}

/// The severity that GitHub's database and those that follow it name in a word.
fn named(specific: &Value) -> AdvisorySeverity {
    let word = specific.get("severity").and_then(Value::as_str);
    match word.map(str::to_ascii_lowercase).as_deref() {
        Some("low") => AdvisorySeverity::Low,
        Some("moderate" | "medium") => AdvisorySeverity::Medium,
        Some("high") => AdvisorySeverity::High,
        Some("critical") => AdvisorySeverity::Critical,
        _ => AdvisorySeverity::Unrated,
    }
}

fn pointer(path: &Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        let (Segment::Map { key } | Segment::Enum { variant: key }) = segment else {
            if let Segment::Seq { index } = segment {
                pointer.push_str(&format!("/{index}"));
            }
            continue;
        };
        pointer.push('/');
        pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
    }
    pointer
}

#[cfg(test)]
mod tests;
