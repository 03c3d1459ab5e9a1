//! Attacks on the log's records of signers: one that is not so, and one that is left out.

use tool_hub_manifest::KeyFingerprint;
use tool_hub_transparency::LogRecord;

use super::forged_log::ForgedLog;
use super::{Attack, Scene, both, log_is, static_log_is};
use crate::signatures::published::TOOL;
use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::{Home, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "hostile_registry::wrong_signers_in_the_log",
            wrong_signers_in_the_log,
        ),
        test(
            "hostile_registry::signers_that_are_left_out",
            signers_that_are_left_out,
        ),
    ]
}

/// The log with the record of a signer after the record in this place; none of a version that is
/// not signed.
fn with_signer(log: &ForgedLog, place: usize, signer: Option<KeyFingerprint>) -> ForgedLog {
    let record = log.records[place].of_signer(signer.map(Into::into));
    let mut changed = log.clone();
    changed
        .records
        .insert(place + 1, record.expect("a version"));
    changed
}

fn wrong_signers_in_the_log() {
    let scene = Scene::new();
    let log = &scene.log;
    let (own, eves) = (&scene.published.signer, KeyFingerprint::of(b"eve"));
    let another = format!(
        "by its record 2 the version is signed by {eves}, and the package is signed by {own}"
    );
    let unsigned =
        format!("by its record 2 the version is not signed, and the package is signed by {own}");
    scene.meet(&[
        Attack::on_update(
            "a signer in the log who did not sign",
            log_is(with_signer(log, 1, Some(eves))),
            Box::leak(another.into_boxed_str()),
        ),
        Attack::on_update(
            "a signed version that is not, by the log",
            log_is(with_signer(log, 1, None)),
            Box::leak(unsigned.into_boxed_str()),
        ),
    ]);
    // What the log says of the version that is in use is looked at, too.
    let user = scene.user();
    scene
        .wire
        .lies(log_is(with_signer(log, 0, Some(eves)).first(2)));
    says(
        &user.tool("verify --log"),
        3,
        "adder cannot be trusted as it is",
    );

    // With the true signer it is an update like any other.
    let user = scene.user();
    let own = own.parse().expect("a fingerprint");
    scene.wire.lies(log_is(with_signer(log, 1, Some(own))));
    user.tool("update --accept-code").ok();
}

/// A registry whose new version is by another key, and whose log does not say so: whoever asks for
/// that version is told nothing, and whoever reads all of the log finds out.
fn signers_that_are_left_out() {
    let scene = Scene::new();
    let (own, before) = (&scene.published.signer, KeyFingerprint::of(b"before"));
    let follow = |log: ForgedLog| {
        scene
            .wire
            .lies(both(log_is(log.clone()), static_log_is(log)))
    };
    let user = Home::new().with("HF_ENDPOINT", scene.wire.url());
    let left_out = with_signer(&scene.log, 0, Some(before));
    follow(left_out.clone());
    load(&user, TOOL, &[]);
    user.tool("verify --log").ok();
    says(
        &user.tool("registry monitor"),
        3,
        "adder cannot be trusted as it is",
    );
    let told = user.tool("registry monitor --again --json").stdout();
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let fault = told["tools"][0]["fault"].as_str().expect("a fault");
    let expect = format!(
        "by its record 1 the version is signed by {before}, and the package is signed by {own}"
    );
    assert!(fault.contains(&expect), "{fault}");
    let event = &told["events"][1];
    assert_eq!(event["record"]["signer"]["key"], before.to_string());

    // An honest log says it, and one from before there were such records says nothing.
    let own = own.parse().expect("a fingerprint");
    let (honest, old) = (with_signer(&left_out, 2, Some(own)), scene.log.clone());
    for log in [honest, old] {
        let user = Home::new().with("HF_ENDPOINT", scene.wire.url());
        assert!(matches!(log.records[0], LogRecord::Version { .. }));
        follow(log);
        load(&user, TOOL, &[]);
        user.tool("registry monitor").ok();
    }
}
