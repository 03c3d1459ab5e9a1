//! Tests of attestations in bundles, and of policies that require them and name their roots.

use std::fs;

use serde_json::json;

use super::attested::{self, Attested, ISSUER, WORKFLOW, attest, statement, trust};
use crate::air_gap::{alone, bundle, load_from, opened::Opened};
use crate::signatures::published::{TOOL, listed, version};
use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::{Home, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("attestations::a_bundle_carries_them", a_bundle_carries_them),
        test(
            "attestations::a_policy_requires_them",
            a_policy_requires_them,
        ),
        test("attestations::roots_of_a_policy", roots_of_a_policy),
    ]
}

fn a_bundle_carries_them() {
    let Attested {
        registry,
        ada: _ada,
        user,
        root,
    } = Attested::new();
    load(&user, TOOL, &[]);
    let path = bundle(&user);
    let index = Opened::read(&path).index;
    assert!(index.contains("\"attestations.jsonl\" = "), "{index}");
    drop(registry);
    let home = alone();
    home.write(
        "trust.json",
        fs::read(user.work().join("trust.json")).expect("a root"),
    );
    trust(&home);
    let shown = home.run(["inspect", &path.to_string_lossy()]).ok();
    assert!(
        shown.contains(&format!("attested   built by {WORKFLOW}, as")),
        "{shown}"
    );
    load_from(&home, &path, TOOL);
    assert_eq!(
        listed(&home)["attested_by"],
        json!([format!("{WORKFLOW} by {ISSUER} under {root}")])
    );
    // It is carried and shown also if nobody vouches for it.
    let other = alone();
    let shown = other.run(["inspect", &path.to_string_lossy()]).ok();
    assert!(
        shown.contains("it has an attestation that was not verified"),
        "{shown}"
    );
}

fn write_policy(home: &Home, text: &str) {
    fs::create_dir_all(home.tool_home()).expect("a directory");
    fs::write(home.tool_home().join("policy.toml"), text).expect("a policy");
}

fn a_policy_requires_them() {
    let Attested {
        registry,
        ada,
        user,
        root,
    } = Attested::new();
    load(&user, TOOL, &[]);
    let publishers = format!("https://forge.example/acme/* by {ISSUER} under {root}");
    let strict = format!("[attestations]\nrequired = true\npublishers = ['{publishers}']\n");
    write_policy(&user, &strict);
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");
    let explained = user.tool("policy explain adder").ok();
    for rule in ["attestations.required", "attestations.publishers"] {
        assert!(explained.contains(rule), "{explained}");
    }
    let rules = user.tool("policy explain").ok();
    assert!(rules.contains(&publishers), "{rules}");

    // Another project of the same build service, and a version that only the registry speaks for.
    let eve = WORKFLOW.replace("acme/adder", "acme-evil/adder");
    attested::publish(&ada, "1.0.1", &eve);
    let refused = user.tool("update");
    says(
        &refused,
        3,
        "is refused by the rule `attestations.publishers` of ",
    );
    says(
        &refused,
        3,
        &format!("expected an attestation by {publishers}, found {eve} by"),
    );
    version(&ada, "1.0.2");
    ada.run(["push", TOOL, "-C", "adder"]).ok();
    let refused = user.tool("update");
    says(
        &refused,
        3,
        "is refused by the rule `attestations.required` of ",
    );
    says(
        &refused,
        3,
        "expected a package with an attestation, found no attestation",
    );
    let other = registry.visitor();
    write_policy(&other, &strict);
    says(
        &other.run(["load", "ada/adder@1.0.0"]),
        3,
        "found no attestation",
    );
    // A tool that was loaded before the rule stops, too.
    let early = registry.visitor();
    load(&early, "ada/adder@1.0.2", &[]);
    write_policy(&early, &strict);
    says(
        &early.tool("call adder.add a=1 b=2"),
        3,
        "`attestations.required`",
    );
}

/// A policy trusts roots for all users of a machine, and may let no others count.
fn roots_of_a_policy() {
    let Attested {
        registry,
        ada,
        user: own,
        root,
    } = Attested::new();
    let text = fs::read_to_string(ada.work().join("trust.json")).expect("a root");
    let user = registry.visitor();
    write_policy(&user, "roots.trusted = ['acme.json']");
    says(&user.run(["inspect", TOOL]), 3, "acme.json");
    says(
        &user.run(["load", TOOL]),
        3,
        "a policy cannot be read, so nothing may be used",
    );
    fs::write(user.tool_home().join("acme.json"), &text).expect("a root");
    let shown = user.run(["inspect", TOOL]).ok();
    assert!(
        shown.contains(&format!(
            "built by {WORKFLOW}, as {ISSUER} says, under {root}"
        )),
        "{shown}"
    );
    load(&user, TOOL, &[]);
    assert!(
        user.tool("key list").ok().contains("policy"),
        "a root of the policy"
    );
    // Or with its text.
    let inline = format!("[roots]\ntrusted = ['''{text}''']\n");
    write_policy(&user, &inline);
    says(
        &user.run(["load", TOOL]),
        0,
        "you approved exactly this before",
    );

    // No others count: neither a user's own of another authority, nor what was loaded under it.
    let strict = format!("{inline}only = true\n");
    write_policy(&user, &strict);
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");
    load(&own, TOOL, &[]);
    let eve = Home::new();
    version(&eve, "1.0.0");
    attest(&eve, &statement(&eve, attested::PROVENANCE), WORKFLOW, "");
    let other = fs::read_to_string(eve.work().join("trust.json")).expect("a root");
    write_policy(
        &own,
        &format!("[roots]\ntrusted = ['''{other}''']\nonly = true\n"),
    );
    let refused = own.tool("call adder.add a=1 b=2");
    says(&refused, 3, "`roots.only`");
    says(&refused, 3, &format!("found {root}"));
    let shown = own.run(["inspect", TOOL]).ok();
    assert!(
        shown.contains("it has an attestation that was not verified"),
        "{shown}"
    );
    for wrong in [
        "trusted = ['-----BEGIN']",
        "trusted = ['{}']",
        "trusted = ['../none']",
    ] {
        write_policy(&own, &format!("[roots]\n{wrong}\n"));
        says(
            &own.tool("call adder.add a=1 b=2"),
            3,
            "a policy cannot be read",
        );
    }
    drop::<RegistryProcess>(registry);
}
