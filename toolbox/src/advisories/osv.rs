//! Reads an advisory in the OSV format, schema 1, as far as it is about tools.
//!
//! Ours is no ecosystem that the schema lists. It is called `tool-hub`, with the URL of a registry
//! after a colon where only that one is meant, as `Maven:https://…` is; a package's name is
//! `owner/name`.

use cvss::Cvss;
use semver::Version;
use serde::Deserialize;
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
/// The ids of advisories against malware begin so.
const MALWARE: &str = "MAL-";

/// The fields that count here. Others are allowed, and not read.
#[derive(Deserialize)]
struct Document {
    schema_version: Option<String>,
    id: String,
    modified: String,
    withdrawn: Option<String>,
    aliases: Option<Vec<String>>,
    summary: Option<String>,
    severity: Option<Vec<Score>>,
    affected: Option<Vec<Affected>>,
    database_specific: Option<Value>,
}

#[derive(Deserialize)]
struct Score {
    r#type: String,
    score: String,
}

#[derive(Deserialize)]
struct Affected {
    package: Option<Package>,
    severity: Option<Vec<Score>>,
    ranges: Option<Vec<RangeDocument>>,
    versions: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Package {
    ecosystem: String,
    name: String,
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

/// Reads the advisory in `json`, which is in `file`. Returns none where it is about no tool, or
/// was withdrawn.
///
/// # Errors
/// The first mistake in it.
pub(crate) fn read(file: &str, json: &[u8]) -> Result<Option<Advisory>, Fault> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    let document: Document = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| Fault::new(file, pointer(error.path()), error.inner()))?;
    reader
        .end()
        .map_err(|error| Fault::new(file, String::new(), error))?;
    advisory(document).map_err(|Mistake(pointer, reason)| Fault::new(file, pointer, reason))
}

fn advisory(document: Document) -> Result<Option<Advisory>, Mistake> {
    let affected = document.affected.unwrap_or_default();
    let is_ours = |one: &Affected| one.package.as_ref().is_some_and(Package::is_a_tool);
    if !affected.iter().any(is_ours) {
        return Ok(None);
    }
    if let Some(version) = &document.schema_version
        && !version.starts_with("1.")
    {
        let reason = format!("schema {version} is not known; this version reads OSV schema 1");
        return Err(Mistake("/schema_version".to_owned(), reason));
    }
    let id = advisory_id("/id", &document.id)?;
    time("/modified", &document.modified)?;
    if let Some(withdrawn) = &document.withdrawn {
        time("/withdrawn", withdrawn)?;
        return Ok(None);
    }
    // Ids of other shapes are of no use here: nobody can name them.
    let aliases = document.aliases.unwrap_or_default().into_iter();
    let aliases: Vec<AdvisoryId> = aliases.filter_map(|alias| alias.parse().ok()).collect();
    let scores = document.severity.unwrap_or_default();
    let mut severity = worst("/severity", &scores)?.max(named(document.database_specific));
    let mut tools = Vec::new();
    for (index, one) in affected
        .into_iter()
        .enumerate()
        .filter(|(_, one)| is_ours(one))
    {
        let place = format!("/affected/{index}");
        let scores = one.severity.as_deref().unwrap_or_default();
        severity = severity.max(worst(&format!("{place}/severity"), scores)?);
        tools.push(affected_tool(&place, one)?);
    }
    let is_malware = |id: &AdvisoryId| id.as_str().starts_with(MALWARE);
    if is_malware(&id) || aliases.iter().any(is_malware) {
        severity = AdvisorySeverity::Malicious;
    }
    let summary = document.summary.unwrap_or_default();
    Ok(Some(Advisory {
        id,
        aliases,
        severity,
        modified: document.modified,
        summary: summary.chars().take(SUMMARY_CHARS_MAX).collect(),
        affected: tools,
    }))
}

impl Package {
    fn is_a_tool(&self) -> bool {
        let rest = self.ecosystem.strip_prefix(ECOSYSTEM);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    }
}

fn affected_tool(place: &str, affected: Affected) -> Result<AffectedTool, Mistake> {
    let at = |below: &str| format!("{place}/{below}");
    let package = affected
        .package
        .ok_or_else(|| Mistake(at("package"), "a package is missing".to_owned()))?;
    let registry = match package.ecosystem.split_once(':') {
        Some((_, url)) => Some(url.parse::<Url>().map_err(|error| {
            let reason =
                format!("what follows `{ECOSYSTEM}:` is not the URL of a registry: {error}");
            Mistake(at("package/ecosystem"), reason)
        })?),
        None => None,
    };
    let repo = package.name.parse::<RepoId>();
    let repo = repo.map_err(|error| Mistake(at("package/name"), error.to_string()))?;
    let mut ranges = Vec::new();
    for (index, range) in affected.ranges.unwrap_or_default().into_iter().enumerate() {
        let place = at(&format!("ranges/{index}"));
        match range.r#type.as_str() {
            // Every version of a tool is a semantic one, so that both mean the same.
            "SEMVER" | "ECOSYSTEM" => ranges.push(range_of(&place, range.events)?),
            // Which versions the commits are in, only their repository knows.
            "GIT" => {}
            other => {
                let reason = format!("`{other}` is not a type of ranges: use SEMVER");
                return Err(Mistake(format!("{place}/type"), reason));
            }
        }
    }
    let mut versions = Vec::new();
    for (index, text) in affected.versions.unwrap_or_default().iter().enumerate() {
        versions.push(version(&at(&format!("versions/{index}")), text)?);
    }
    if ranges.is_empty() && versions.is_empty() {
        let reason = "it names no versions: give `ranges` of type SEMVER, or `versions`";
        return Err(Mistake(place.to_owned(), reason.to_owned()));
    }
    Ok(AffectedTool {
        registry,
        repo,
        ranges,
        versions,
    })
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

fn time(pointer: &str, text: &str) -> Result<OffsetDateTime, Mistake> {
    OffsetDateTime::parse(text, &Rfc3339).map_err(|error| {
        let reason = format!("`{text}` is not a time such as 2026-11-27T12:00:00Z: {error}");
        Mistake(pointer.to_owned(), reason)
    })
}

/// The worst of some scores. Those that are not in CVSS say nothing here.
fn worst(place: &str, scores: &[Score]) -> Result<AdvisorySeverity, Mistake> {
    let mut worst = AdvisorySeverity::Unrated;
    for (index, score) in scores.iter().enumerate() {
        if !score.r#type.starts_with("CVSS_V") {
            continue;
        }
        let vector: Cvss = score
            .score
            .parse()
            .map_err(|error| Mistake(format!("{place}/{index}/score"), format!("{error}")))?;
        worst = worst.max(match vector.severity() {
            cvss::Severity::None => AdvisorySeverity::Unrated,
            cvss::Severity::Low => AdvisorySeverity::Low,
            cvss::Severity::Medium => AdvisorySeverity::Medium,
            cvss::Severity::High => AdvisorySeverity::High,
            cvss::Severity::Critical => AdvisorySeverity::Critical,
        });
    }
    Ok(worst)
}

/// The severity that GitHub's database and those that follow it name in a word.
fn named(specific: Option<Value>) -> AdvisorySeverity {
    let word = specific
        .as_ref()
        .and_then(|it| it.get("severity")?.as_str());
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
