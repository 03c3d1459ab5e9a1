//! Tests of reading advisories in the OSV format, whole ones and damaged ones.

use serde_json::json;

use super::*;

fn document() -> Value {
    json!({
        "schema_version": "1.7.5",
        "id": "x_ACME-2026-1",
        "modified": "2026-11-27T12:00:00Z",
        "summary": "It follows links.",
        "affected": [
            { "package": { "ecosystem": "npm", "name": "left-pad" }, "versions": ["any"] },
            {
                "package": { "ecosystem": "tool-hub", "name": "ada/notes" },
                "ranges": [{
                    "type": "SEMVER",
                    "events": [{ "introduced": "0" }, { "fixed": "1.2.0" }],
                }],
            },
        ],
    })
}

/// The document with `value` at `pointer`, whose parent is there.
fn with(pointer: &str, value: Value) -> Value {
    let mut document = document();
    let (parent, member) = pointer.rsplit_once('/').unwrap();
    let parent = document.pointer_mut(parent).unwrap();
    match member.parse::<usize>() {
        Ok(index) => parent[index] = value,
        Err(_) => parent[member] = value,
    }
    document
}

fn read_value(value: &Value) -> Result<Option<Advisory>, Fault> {
    read("a.json", value.to_string().as_bytes())
}

#[test]
fn one_of_a_tool_is_read() {
    let advisory = read_value(&document()).unwrap().unwrap();
    assert_eq!(advisory.severity, AdvisorySeverity::Unrated);
    let endpoint = "https://hub.example".parse().unwrap();
    let repo = "ada/notes".parse().unwrap();
    let version = "1.1.0".parse().unwrap();
    assert!(advisory.affects(&endpoint, &repo, &version));
    let fixed = advisory.fixed_after(&endpoint, &repo, &version);
    assert_eq!(fixed, Some(&"1.2.0".parse().unwrap()));
    let kept = serde_json::to_string(&advisory).unwrap();
    assert_eq!(serde_json::from_str::<Advisory>(&kept).unwrap(), advisory);
}

#[test]
fn others_and_withdrawn_ones_do_not_count() {
    assert_eq!(read_value(&with("/affected", json!(null))), Ok(None));
    let other = json!([{ "package": { "ecosystem": "tool-hubs", "name": "?" } }]);
    assert_eq!(read_value(&with("/affected", other)), Ok(None));
    let withdrawn = with("/withdrawn", json!("2026-11-27T13:00:00Z"));
    assert_eq!(read_value(&withdrawn), Ok(None));
}

#[test]
fn the_worst_severity_counts() {
    let critical = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H";
    let low = "CVSS:4.0/AV:P/AC:H/AT:P/PR:H/UI:A/VC:L/VI:N/VA:N/SC:N/SI:N/SA:N";
    let score = |kind: &str, score: &str| json!([{ "type": kind, "score": score }]);
    for (pointer, value, expect) in [
        (
            "/severity",
            score("CVSS_V3", critical),
            AdvisorySeverity::Critical,
        ),
        (
            "/affected/1/severity",
            score("CVSS_V3", critical),
            AdvisorySeverity::Critical,
        ),
        // Of another package.
        (
            "/affected/0/severity",
            score("CVSS_V3", critical),
            AdvisorySeverity::Unrated,
        ),
        ("/severity", score("CVSS_V4", low), AdvisorySeverity::Low),
        (
            "/severity",
            score("Ubuntu", "high"),
            AdvisorySeverity::Unrated,
        ),
        (
            "/database_specific",
            json!({ "severity": "MODERATE" }),
            AdvisorySeverity::Medium,
        ),
        ("/id", json!("MAL-2026-7"), AdvisorySeverity::Malicious),
        (
            "/aliases",
            json!(["CVE-2026-1", "MAL-2026-7"]),
            AdvisorySeverity::Malicious,
        ),
    ] {
        let advisory = read_value(&with(pointer, value.clone())).unwrap().unwrap();
        assert_eq!(advisory.severity, expect, "{pointer} {value}");
    }
}

#[test]
fn every_damaged_text_ends_in_an_answer() {
    let text = document().to_string().into_bytes();
    for at in 0..text.len() {
        for byte in [b'"', b'{', b'}', b'[', b',', b'0', b'\\', 0, 0xff] {
            let mut damaged = text.clone();
            damaged[at] = byte;
            if let Err(fault) = read("a.json", &damaged) {
                let said = fault.to_string();
                assert!(said.starts_with("a.json"), "{said}");
                assert!(!said.contains(['\n', '\0']), "{said:?}");
            }
        }
        assert!(read("a.json", &text[..at]).is_err(), "{at}");
    }
    // Depth is bounded by the reader of JSON.
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let specific = with("/database_specific", json!(null)).to_string();
    let deep = specific.replace(
        "\"database_specific\":null",
        &format!("\"database_specific\":{deep}"),
    );
    let fault = read("a.json", deep.as_bytes()).unwrap_err();
    assert!(fault.reason.contains("recursion limit"), "{fault}");
}

#[test]
fn mistakes_are_told_with_their_place() {
    let events = "/affected/1/ranges/0/events";
    for (pointer, value, place, reason) in [
        ("/id", json!(7), "/id", "expected a string"),
        ("/id", json!("a b"), "/id", "not the id of an advisory"),
        (
            "/modified",
            json!("yesterday"),
            "/modified",
            "is not a time",
        ),
        ("/withdrawn", json!("no"), "/withdrawn", "is not a time"),
        (
            "/schema_version",
            json!("2.0.0"),
            "/schema_version",
            "reads OSV schema 1",
        ),
        (
            "/affected/1/package/name",
            json!("notes"),
            "/affected/1/package/name",
            "expected `owner/name`",
        ),
        (
            "/affected/1/package/ecosystem",
            json!("tool-hub:x"),
            "/affected/1/package/ecosystem",
            "URL of a registry",
        ),
        (
            "/affected/1/ranges",
            json!([]),
            "/affected/1",
            "it names no versions",
        ),
        (
            "/affected/1/ranges/0/type",
            json!("GIT"),
            "/affected/1",
            "it names no versions",
        ),
        (
            "/affected/1/ranges/0/type",
            json!("SEMANTIC"),
            "/affected/1/ranges/0/type",
            "use SEMVER",
        ),
        (
            "/affected/1/versions",
            json!(["v1"]),
            "/affected/1/versions/0",
            "is not a version",
        ),
        (events, json!([]), events, "an event `introduced`"),
        (
            &format!("{events}/1"),
            json!({}),
            &format!("{events}/1"),
            "an event is one of",
        ),
        (
            &format!("{events}/1"),
            json!({ "fixed": "1" }),
            &format!("{events}/1/fixed"),
            "is not a version",
        ),
        (
            &format!("{events}/1"),
            json!({ "fixed": 1 }),
            &format!("{events}/1/fixed"),
            "expected a string",
        ),
        (
            "/severity",
            json!([{ "type": "CVSS_V3", "score": "10" }]),
            "/severity/0/score",
            "10",
        ),
    ] {
        let fault = read_value(&with(pointer, value)).unwrap_err();
        assert_eq!(fault.pointer, place, "{fault}");
        assert!(fault.reason.contains(reason), "{fault}");
    }
    let fault = read("a.json", b"{} {}").unwrap_err();
    assert_eq!(
        (fault.pointer.as_str(), fault.file.as_str()),
        ("", "a.json")
    );
}
