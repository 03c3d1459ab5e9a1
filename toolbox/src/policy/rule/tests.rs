//! Tests of rules: each with what passes it and what it refuses.

use std::collections::BTreeSet;

use tool_hub_manifest::{Grants, KeyFingerprint, LimitRequest, LogEntry, PackageSigner, Version};

use super::*;

fn policy(text: &str) -> PolicyDocument {
    toml_edit::de::from_str(text).unwrap()
}

/// The rules that refuse, with what they found.
fn refusing(outcomes: Vec<RuleOutcome>) -> Vec<String> {
    let refusing = outcomes.into_iter().filter(|outcome| !outcome.passes);
    refusing
        .map(|outcome| format!("{}: {}", outcome.rule, outcome.found))
        .collect()
}

fn from_registry(endpoint: &str) -> Source {
    Source::Registry {
        endpoint: endpoint.parse().unwrap(),
        repo: "acme/notes".parse().unwrap(),
        commit: "a".repeat(40).parse().unwrap(),
    }
}

#[test]
fn places_are_judged() {
    let strict = policy(
        "sources = { registries = ['https://tools.example/'], repos = ['acme/*'], files = false, servers = 'remote' }",
    );
    let judged = |source: &Source| refusing(strict.judge_place(source));
    assert_eq!(judged(&from_registry("https://tools.example")), [""; 0]);
    let there = "https://tools.example.evil.example/";
    assert_eq!(
        judged(&from_registry(there)),
        [format!("sources.registries: {there}")]
    );
    let file = Source::File { path: "/a".into() };
    assert_eq!(judged(&file), ["sources.files: the file /a"]);
    let nobody = policy("sources.registries = []");
    assert_eq!(
        refusing(nobody.judge_place(&from_registry("https://a.example"))).len(),
        1
    );
    assert_eq!(policy("").judge_place(&file), []);
}

fn signer(text: &str) -> PackageSigner {
    text.parse().unwrap()
}

#[test]
fn signers_are_judged_by_the_whole_name() {
    let root = KeyFingerprint::of(b"a root");
    let key = PackageSigner::Key(KeyFingerprint::of(b"a key"));
    let identity = |root| signer(&format!("ada@a.example under {root}"));
    let ada = identity(root);
    let signed = policy(&format!("signers.allowed = ['{key}', '{ada}']"));
    let source = from_registry("https://tools.example");
    let version = Version::new(1, 0, 0);
    let judged = |signer: Option<&PackageSigner>| {
        let subject = OriginSubject {
            source: &source,
            version: &version,
            signer,
            attested_by: &BTreeSet::new(),
            yank: None,
            advisories: Vec::new(),
            logged: None,
        };
        refusing(signed.judge_origin(&subject, &[]))
    };
    assert_eq!(judged(Some(&key)), [""; 0]);
    assert_eq!(judged(Some(&ada)), [""; 0]);
    let other_root = KeyFingerprint::of(b"another root");
    for other in [
        PackageSigner::Key(KeyFingerprint::of(b"another key")),
        PackageSigner::Key(root),
        identity(other_root),
        signer(&format!(
            "ada@a.example by https://issuer.example under {root}"
        )),
        signer(&format!("Ada@a.example under {root}")),
    ] {
        assert_eq!(judged(Some(&other)), [format!("signers.allowed: {other}")]);
    }
    assert_eq!(judged(None), ["signers.allowed: no signature"]);
}

#[test]
fn attestations_are_judged_by_root_issuer_and_name() {
    let (root, other_root) = (
        KeyFingerprint::of(b"a root"),
        KeyFingerprint::of(b"another"),
    );
    let (source, version) = (from_registry("https://a.example"), Version::new(1, 0, 0));
    let built = |name: &str, issuer: &str, root| {
        signer(&format!(
            "https://forge.example/{name} by {issuer} under {root}"
        ))
    };
    let judged = |rules: &str, attested_by: &BTreeSet<PackageSigner>| {
        let subject = OriginSubject {
            source: &source,
            version: &version,
            signer: None,
            attested_by,
            yank: None,
            advisories: Vec::new(),
            logged: None,
        };
        refusing(policy(rules).judge_origin(&subject, &[]))
    };
    let issuer = "https://issuer.example";
    let (acme, none) = (built("acme/x/r.yml", issuer, root), BTreeSet::new());
    let required = "attestations.required = true";
    assert_eq!(
        judged(required, &none),
        ["attestations.required: no attestation"]
    );
    assert_eq!(judged(required, &BTreeSet::from([acme.clone()])), [""; 0]);
    let pattern = format!("https://forge.example/acme/* by {issuer} under {root}");
    let rules = format!("attestations.publishers = ['{pattern}']");
    assert_eq!(judged(&rules, &BTreeSet::from([acme.clone()])), [""; 0]);
    for other in [
        built("acme-evil/x/r.yml", issuer, root),
        built("acme/x/r.yml", "https://evil.example", root),
        built("acme/x/r.yml", issuer, other_root),
        signer(&format!("https://forge.example/acme/x/r.yml under {root}")),
    ] {
        let found = format!("attestations.publishers: {other}");
        assert_eq!(judged(&rules, &BTreeSet::from([other.clone()])), [found]);
        // Another one beside it takes nothing away.
        assert_eq!(
            judged(&rules, &BTreeSet::from([other, acme.clone()])),
            [""; 0]
        );
    }
    assert_eq!(
        judged(&rules, &none),
        ["attestations.publishers: no attestation"]
    );
    let only = "roots.only = true";
    assert_eq!(judged(only, &none), [""; 0]);
    assert_eq!(
        judged(only, &BTreeSet::from([acme.clone()])),
        [format!("roots.only: {root}")]
    );
}

#[test]
fn age_is_told_by_the_registry_s_log_alone() {
    let patient = policy("versions.min_age_days = 7");
    let (source, version) = (from_registry("https://a.example"), Version::new(1, 0, 0));
    let file = Source::File { path: "/a".into() };
    let judged = |source: &Source, days_ago: Option<i64>| {
        let entry = days_ago.map(|days| LogEntry {
            built_from: None,
            index: 0,
            at: (OffsetDateTime::now_utc() - Duration::days(days))
                .format(&Rfc3339)
                .unwrap(),
            taken_new: true,
        });
        let subject = OriginSubject {
            source,
            version: &version,
            signer: None,
            attested_by: &BTreeSet::new(),
            yank: None,
            advisories: Vec::new(),
            logged: entry.as_ref(),
        };
        refusing(patient.judge_origin(&subject, &[]))
    };
    assert_eq!(judged(&source, Some(7)), [""; 0]);
    assert_eq!(judged(&source, Some(6)), ["versions.min_age_days: 6 days"]);
    assert_eq!(
        judged(&source, None),
        ["versions.min_age_days: no time of the registry's log"]
    );
    assert_eq!(judged(&file, None), [""; 0]);
}

#[test]
fn rights_have_ceilings() {
    let ceiling = policy(
        "[capabilities]
        network = ['https://*.acme.example']
        directories = 'read'
        variables = ['LANG']
        credentials = []
        storage = false
        memory_mib = 64
        call_seconds = 5",
    );
    let grants: Grants = toml_edit::de::from_str(
        "network = ['https://a.acme.example', 'https://b.example']
        variables = ['LANG', 'TOKEN']
        storage = true
        credentials = { KEY = 'https://c.example' }
        directories = { notes = { path = '/n', access = 'read-write' } }",
    )
    .unwrap();
    let limits = LimitRequest {
        memory_mib: Some(65),
        call_seconds: Some(5),
    };
    let judged = |grants: &Grants, limits: &LimitRequest| {
        let limits = Some(limits);
        refusing(ceiling.judge_rights(&RightsSubject { grants, limits }))
    };
    assert_eq!(
        judged(&grants, &limits),
        [
            "capabilities.network: https://b.example, https://c.example",
            "capabilities.directories: read-write",
            "capabilities.variables: TOKEN",
            "capabilities.credentials: KEY",
            "capabilities.storage: storage",
            "capabilities.memory_mib: 65 MiB",
        ]
    );
    // A manifest that asks for no limit has the host's own.
    assert_eq!(
        judged(&Grants::none(), &LimitRequest::default()),
        [
            "capabilities.memory_mib: 256 MiB",
            "capabilities.call_seconds: 30 seconds"
        ]
    );
}

#[test]
fn a_mistake_is_no_rule() {
    for text in [
        "signer.required = true",
        "signers.requird = true",
        "min_release_age = '3 days'",
        "required_attestations = true",
        "sources.repos = ['*']",
        "signers.allowed = ['SHA256:short']",
        "sources.servers = 'some'",
        "attestations.publishers = ['https://forge.example/ac*']",
        "attestations.publishers = ['*']",
        "attestations.publishers = ['https://forge.example/* under nobody']",
        "roots.trusted = 'acme.pem'",
        "capabilities.memory_mib = -1",
    ] {
        assert!(
            toml_edit::de::from_str::<PolicyDocument>(text).is_err(),
            "{text}"
        );
    }
}
