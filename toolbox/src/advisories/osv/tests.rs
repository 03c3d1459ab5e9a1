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

fn read_value(value: &Value) -> ReadAdvisory {
    read("a.json", value.to_string().as_bytes())
}

/// Reads one without a mistake.
#[track_caller]
fn sound(value: &Value) -> Option<Advisory> {
    let read = read_value(value);
    assert_eq!(read.faults, []);
    read.advisory
}

/// The versions of those named that the advisory is about, in `ada/notes` of any registry.
fn affected<'a>(advisory: &Advisory, versions: &[&'a str]) -> Vec<&'a str> {
    let endpoint = "https://hub.example".parse().unwrap();
    let repo = "ada/notes".parse().unwrap();
    let is_affected =
        |version: &&&str| advisory.affects(&endpoint, &repo, &version.parse().unwrap());
    versions.iter().filter(is_affected).copied().collect()
}

#[test]
fn one_of_a_tool_is_read() {
    let advisory = sound(&document()).unwrap();
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
    assert_eq!(sound(&with("/affected", json!(null))), None);
    let other = json!([{ "package": { "ecosystem": "tool-hubs", "name": "?" } }]);
    assert_eq!(sound(&with("/affected", other)), None);
    let withdrawn = with("/withdrawn", json!("2026-11-27T13:00:00Z"));
    assert_eq!(sound(&withdrawn), None);
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
        ("/id", json!("mal-2026-7"), AdvisorySeverity::Malicious),
        (
            "/aliases",
            json!(["CVE-2026-1", "Mal-2026-7"]),
            AdvisorySeverity::Malicious,
        ),
    ] {
        let advisory = sound(&with(pointer, value.clone())).unwrap();
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
            for fault in read("a.json", &damaged).faults {
                let said = fault.to_string();
                assert!(said.starts_with("a.json"), "{said}");
                assert!(!said.contains(['\n', '\0']), "{said:?}");
            }
        }
        let cut = read("a.json", &text[..at]);
        assert!(cut.advisory.is_none() && cut.faults.len() == 1, "{at}");
    }
    // Depth is bounded by the reader of JSON.
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let specific = with("/database_specific", json!(null)).to_string();
    let deep = specific.replace(
        "\"database_specific\":null",
        &format!("\"database_specific\":{deep}"),
    );
    let read = read("a.json", deep.as_bytes());
    let fault = &read.faults[0];
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
        let read = read_value(&with(pointer, value.clone()));
        let [fault] = &read.faults[..] else {
            panic!("{pointer} {value}: {:?}", read.faults);
        };
        assert_eq!(fault.pointer, place, "{fault}");
        assert!(fault.reason.contains(reason), "{fault}");
        // What can be read besides is about 1.1.0, where it names a version at all.
        let about = read.advisory.map(|it| affected(&it, &["1.1.0", "1.3.0"]));
        let without_effect = [
            "/modified",
            "/withdrawn",
            "/affected/1/versions/0",
            "/severity/0/score",
        ];
        let expect = without_effect.contains(&place).then(|| vec!["1.1.0"]);
        assert_eq!(about, expect, "{pointer} {value}");
    }
    let faults = read("a.json", b"{} {}").faults;
    let fault = &faults[0];
    assert_eq!(
        (fault.pointer.as_str(), fault.file.as_str()),
        ("", "a.json")
    );
}

#[test]
fn one_bad_entry_takes_nothing_from_the_others() {
    let tool = |name: &str| json!({ "ecosystem": "tool-hub", "name": name });
    let ranges = |of: &str| json!([{ "type": of, "events": [{ "introduced": "0" }] }]);
    for (bad, faults) in [
        (
            json!({ "package": tool("notes"), "ranges": ranges("SEMVER") }),
            1,
        ),
        (
            json!({ "package": tool("ada/other"), "ranges": ranges("SEMANTIC") }),
            1,
        ),
        (
            json!({ "package": tool("ada/other"), "ranges": ranges("GIT") }),
            1,
        ),
        (json!({ "package": tool("ada/other"), "ranges": 7 }), 1),
        (
            json!({ "package": tool("ada/other"), "versions": [7, "v1"] }),
            2,
        ),
        (json!({ "package": { "ecosystem": "tool-hub" } }), 1),
        (json!(null), 1),
        // The commits of what another entry has the versions of.
        (
            json!({ "package": tool("Ada/notes"), "ranges": ranges("GIT") }),
            0,
        ),
    ] {
        let mut document = document();
        document["affected"][0] = bad.clone();
        let read = read_value(&document);
        assert_eq!(read.faults.len(), faults, "{bad} {:?}", read.faults);
        let advisory = read.advisory.unwrap();
        assert_eq!(affected(&advisory, &["1.1.0", "1.2.0"]), ["1.1.0"], "{bad}");
    }
    // What an entry says beside a mistake counts, too.
    let mut in_part = document();
    in_part["affected"][1]["versions"] = json!(["v1", "1.5.0"]);
    let read = read_value(&in_part);
    assert_eq!(read.faults.len(), 1);
    let advisory = read.advisory.unwrap();
    assert_eq!(
        affected(&advisory, &["1.1.0", "1.4.0", "1.5.0"]),
        ["1.1.0", "1.5.0"]
    );
    // Faults without end are not kept.
    let many = with("/affected/1/versions", json!(vec!["v"; 1000]));
    assert_eq!(read_value(&many).faults.len(), FAULTS_MAX);
}

#[test]
fn a_malicious_one_that_is_read_in_part_counts_for_every_version() {
    for (member, value) in [
        ("ranges", json!([{ "type": "SEMANTIC" }])),
        (
            "ranges",
            json!([{ "type": "SEMVER", "events": [{ "introduced": "v1" }] }]),
        ),
        ("ranges", json!([{ "type": "GIT" }])),
        ("ranges", json!("all")),
        ("versions", json!(["v1"])),
        ("versions", json!({})),
    ] {
        let mut document = with("/id", json!("mal-2026-7"));
        document["affected"][1][member] = value.clone();
        let read = read_value(&document);
        assert_eq!(read.faults.len(), 1, "{value} {:?}", read.faults);
        let advisory = read.advisory.unwrap();
        assert_eq!(
            affected(&advisory, &["0.0.1", "9.0.0"]),
            ["0.0.1", "9.0.0"],
            "{value}"
        );
    }
    let mut other_case = with("/id", json!("MAL-2026-7"));
    other_case["affected"][1]["package"]["ecosystem"] = json!("Tool-Hub:https://hub.example");
    let advisory = sound(&other_case).unwrap();
    assert_eq!(affected(&advisory, &["1.1.0", "1.2.0"]), ["1.1.0"]);
}
