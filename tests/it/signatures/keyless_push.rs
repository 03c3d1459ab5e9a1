//! Tests of `tool push --keyless`, against a Sigstore that OpenSSF's program signs with as well.

use std::fs;

use serde_json::{Value, json};

use super::model_signing::model_signing;
use super::published::{TOOL, get, listed, title, version};
use super::sigstore_server::{SigstoreServer, WORKFLOW};
use crate::public_clients::said;
use crate::support::loading::load;
use crate::support::proxy::Switching;
use crate::support::ran::says;
use crate::support::{Home, Need, Ran, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    let tests = [
        test("signatures::pushed_keyless", pushed_keyless),
        test(
            "signatures::keyless_by_a_trusted_publisher",
            by_a_trusted_publisher,
        ),
        test("signatures::keyless_identities", identities),
        test(
            "signatures::a_sigstore_that_fails_publishes_nothing",
            failing_services,
        ),
        test("signatures::a_sigstore_that_cannot_be_used", configurations),
    ];
    let needs = |test: Test| test.needs(&[Need::PythonPackages]);
    tests.into_iter().map(needs).collect()
}

const PUSH: [&str; 7] = [
    "push",
    TOOL,
    "-C",
    "adder",
    "--keyless",
    "--trust-config",
    "trust.json",
];

/// Pushes version `number`, signed as the token in the file `identity`.
#[track_caller]
fn push(author: &Home, number: &str) -> Ran {
    version(author, number);
    let line = [&PUSH[..], &["--identity-token", "identity"]].concat();
    // Where nothing listens: a proxy of the environment is not used.
    author.run_with(&line, &[("http_proxy", "http://127.0.0.1:1")])
}

/// Holds what anybody downloads of version `number` against OpenSSF's program.
#[track_caller]
fn model_signing_accepts(registry: &RegistryProcess, trust: &[u8], issuer: &str, number: &str) {
    let home = Home::new();
    home.write("trust.json", trust);
    for file in ["tool.toml", "tool.wasm", "README.md", "model.sig"] {
        let place = format!("{}/{TOOL}/resolve/v{number}/{file}", registry.url());
        home.write(&format!("adder/{file}"), get(&place));
    }
    let identity = format!("{WORKFLOW}@refs/heads/main");
    let line = ["verify", "sigstore", "--trust_config", "trust.json"];
    let who = ["--identity", &identity, "--identity_provider", issuer];
    let place = ["--signature", "adder/model.sig", "adder"];
    let line = [&line[..], &who, &place].concat();
    let verified = said(&mut model_signing(&home, &line));
    assert!(verified.contains("Verification succeeded"), "{verified}");
    home.write("adder/README.md", "Another.");
    let refused = model_signing(&home, &line).output().expect("it starts");
    assert!(!refused.status.success());
}

fn pushed_keyless() {
    for (how, timestamps) in [("1", 0), ("1 clock", 1), ("2 clock", 1)] {
        let registry = RegistryProcess::start();
        let ada = registry.member("ada");
        let sigstore = SigstoreServer::start(&ada, how);
        let issuer = sigstore.issuer.url();
        ada.write("identity", sigstore.token("sigstore") + "\n");
        let pushed = push(&ada, "1.0.0");
        let signed = format!("1.0.0 pushed, signed by {WORKFLOW}, as {issuer} says, under SHA256:");
        says(&pushed, 0, &signed);
        assert_eq!(sigstore.asked(), [1, 1, timestamps, 0]);
        // What is in the log for good is not made again, and nothing of it is left here.
        says(&push(&ada, "1.0.0"), 0, "is there already, unchanged");
        assert_eq!(sigstore.asked(), [1, 1, timestamps, 0]);
        assert!(!ada.work().join("adder/model.sig").exists());

        let trust = fs::read(ada.work().join("trust.json")).expect("a configuration");
        model_signing_accepts(&registry, &trust, issuer, "1.0.0");
        let user = registry.visitor();
        assert_eq!(title(&user, TOOL), "adder 1.0.0, not signed");
        user.write("trust.json", &trust);
        user.tool("key trust forge trust.json").ok();
        let root = user.tool("key list --json").json()["roots"][0]["fingerprints"][0].clone();
        let root = root.as_str().expect("a fingerprint");
        let words = format!("signed by {WORKFLOW}, as {issuer} says, under forge ({root})");
        assert_eq!(title(&user, TOOL), format!("adder 1.0.0, {words}"));
        load(&user, TOOL, &[]);
        let identity = json!(format!("{WORKFLOW} by {issuer} under {root}"));
        assert_eq!(listed(&user)["signer"]["identity"], identity);
        let pushed = push(&ada, "1.0.1");
        says(&pushed, 0, "ada/adder 1.0.1 pushed, signed by");
        says(&user.tool("update"), 0, "adder: updated at 1.0.1");
        assert_eq!(listed(&user)["signer"]["identity"], identity);

        // The services are as the program of somebody else expects them.
        let token = sigstore.token("sigstore");
        let line = ["sign", "sigstore", "--trust_config", "trust.json"];
        let place = ["--signature", "adder/model.sig", "adder"];
        let line = [&line[..], &["--identity_token", &token], &place].concat();
        let signed = said(&mut model_signing(&ada, &line));
        assert!(signed.contains("Signing succeeded"), "{signed}");
        ada.tool("key trust forge trust.json").ok();
        assert_eq!(title(&ada, "./adder"), format!("adder 1.0.1, {words}"));
    }
}

/// One job that publishes and signs has a token for each.
fn by_a_trusted_publisher() {
    let author = Home::new();
    let sigstore = SigstoreServer::start(&author, "1");
    let issuer = sigstore.issuer.url();
    let front = Switching::start("http://127.0.0.1:9");
    let trusted = format!("github={issuer}");
    let flags = ["--public-url", front.url(), "--trusted-issuer", &trusted];
    let registry = RegistryProcess::start_with(&flags);
    front.lead_to(registry.url());
    let ada = author.with("HF_ENDPOINT", front.url());
    let token = registry.user("ada");
    ada.run_with_input("login --token-stdin", &token).ok();
    version(&ada, "1.0.0");
    ada.tool("push ada/adder -C adder").ok();
    let terms = "--repository acme/forecast --workflow release.yml";
    ada.tool(&format!(
        "registry publisher add ada/adder --issuer {issuer} {terms}"
    ))
    .ok();

    let job = Home::new().with("HF_ENDPOINT", front.url());
    let trust = fs::read(ada.work().join("trust.json")).expect("a configuration");
    job.write("trust.json", &trust);
    job.write("signs", sigstore.token("sigstore"));
    version(&job, "1.1.0");
    let with = |files: &[&str]| {
        let files = files.iter().flat_map(|file| ["--identity-token", *file]);
        job.run(PUSH.into_iter().chain(files))
    };
    let alone = with(&["signs"]);
    says(
        &alone,
        1,
        "in signs is for `sigstore`: it signs, and publishes nothing",
    );
    job.write("publishes", sigstore.token(front.url()));
    let alone = with(&["publishes"]);
    says(&alone, 1, "there is no identity token for `sigstore`");
    let other = format!("the one in publishes is for `{}`", front.url());
    says(&alone, 1, &other);
    let twice = with(&["signs", "signs"]);
    says(&twice, 1, "two identity tokens are for the same");
    assert_eq!(sigstore.asked(), [0; 4]);
    // A workflow that may not publish leaves nothing in the log.
    let workflow = "acme/forecast/.github/workflows/test.yml@refs/heads/main";
    let other = json!({ "aud": front.url(), "job_workflow_ref": workflow });
    job.write("other", sigstore.token_with(&other));
    says(&with(&["signs", "other"]), 1, "no trusted publisher of");
    assert_eq!(sigstore.asked(), [0; 4]);

    // A failed signature ends the token of the registry as well.
    sigstore.fail("down: entries");
    says(&with(&["publishes", "signs"]), 1, "down for the day");
    sigstore.fail("");
    job.write("publishes", sigstore.token(front.url()));
    let pushed = with(&["publishes", "signs"]);
    says(&pushed, 0, "publishing as release.yml of acme/forecast");
    says(
        &pushed,
        0,
        &format!("1.1.0 pushed, signed by {WORKFLOW}, as"),
    );

    // GitHub makes a token for each audience.
    version(&job, "1.2.0");
    let address = format!("{issuer}/github?run=1");
    let variables = [
        ("ACTIONS_ID_TOKEN_REQUEST_URL", address.as_str()),
        ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "of-the-job"),
    ];
    let pushed = job.run_with(&PUSH, &variables);
    says(&pushed, 0, "publishing as release.yml of acme/forecast");
    says(
        &pushed,
        0,
        &format!("1.2.0 pushed, signed by {WORKFLOW}, as"),
    );
    // GitLab puts them into two variables.
    version(&job, "1.3.0");
    let tokens = [sigstore.token("sigstore"), sigstore.token(front.url())];
    let variables = [
        ("SIGSTORE_ID_TOKEN", tokens[0].as_str()),
        ("TOOL_HUB_ID_TOKEN", tokens[1].as_str()),
    ];
    let pushed = job.run_with(&PUSH, &variables);
    says(
        &pushed,
        0,
        &format!("1.3.0 pushed, signed by {WORKFLOW}, as"),
    );
    model_signing_accepts(&registry, &trust, issuer, "1.3.0");
}

fn identities() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    let sigstore = SigstoreServer::start(&ada, "1");
    version(&ada, "1.0.0");
    let none = "there is no identity token for `sigstore`, and --keyless signs as one";
    says(&ada.run(PUSH), 1, none);
    says(
        &ada.run(PUSH),
        1,
        "hint: give it in a file with --identity-token",
    );
    let refused = |token: &str, expect: &str| {
        says(
            &ada.run_with(&PUSH, &[("SIGSTORE_ID_TOKEN", token)]),
            1,
            expect,
        );
    };
    refused("nonsense", "it is not a JSON Web Token");
    let elsewhere = sigstore.token("https://other.example\u{1b}");
    let expect = "in SIGSTORE_ID_TOKEN is for `https://other.example\\u{1b}`, expected `sigstore`";
    refused(&elsewhere, expect);
    let over = json!({ "aud": "sigstore", "exp": -10 });
    refused(&sigstore.token_with(&over), "has expired");
    ada.write("identity", &elsewhere);
    let with_file = [&PUSH[..], &["--identity-token", "identity"]].concat();
    says(
        &ada.run(&with_file),
        1,
        "hint: the one in identity is for `https://other.example",
    );
    ada.write("identity", sigstore.token_with(&over));
    says(
        &ada.run(&with_file),
        1,
        "the identity token in identity has expired",
    );
    // Whoever else made a token is no issuer of this Sigstore, which says so.
    let forged = json!({ "aud": "sigstore", "iss": "https://other.example" });
    assert_eq!(sigstore.asked(), [0; 4]);
    refused(
        &sigstore.token_with(&forged),
        "error processing the identity token",
    );
    assert_eq!(sigstore.asked(), [1, 0, 0, 0]);

    // A dry run leaves nothing in the log.
    let token = sigstore.token_with(&json!({ "aud": "sigstore", "email": "ada@acme.example" }));
    ada.write("identity", token);
    let dry = ada.run([&with_file[..], &["--dry-run"]].concat());
    says(&dry, 0, "would push adder 1.0.0");
    assert_eq!(sigstore.asked(), [1, 0, 0, 0]);
    // Neither does a version that is there without a signature, or with other content.
    ada.tool("push ada/adder -C adder").ok();
    says(&ada.run(&with_file), 3, "and it is not signed");
    assert_eq!(sigstore.asked(), [1, 0, 0, 0]);
    let pushed = push(&ada, "1.0.1");
    let signed = format!(
        "signed by ada@acme.example, as {} says",
        sigstore.issuer.url()
    );
    says(&pushed, 0, &signed);
}

fn failing_services() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    let sigstore = SigstoreServer::start(&ada, "1 clock");
    ada.write("identity", sigstore.token("sigstore"));
    let nothing = |fault: &str, code: i32, expect: &str| {
        sigstore.fail(fault);
        let failed = push(&ada, "1.0.0");
        says(&failed, code, expect);
        says(&failed, code, "hint: nothing was published; ");
        let said = failed.stderr();
        assert!(said.len() < 3000 && !said.contains('\u{1b}'), "{said}");
        assert!(!ada.work().join("adder/model.sig").exists());
        let inspected = ada.run(["inspect", TOOL]);
        says(&inspected, 1, "ada/adder is not on ");
        said
    };
    let wrong = "answered something else than it was asked for";
    for (fault, expect) in [
        (
            "refuses: certificates",
            "refused with status 403: not today\\u{1b}[2J\\u{202e} so so",
        ),
        ("redirects: certificates", "refused with status 307"),
        ("garbage: certificates", wrong),
        ("too much: certificates", "longer than 65536 bytes"),
        ("another key", "its certificate is for another key"),
        (
            "another authority",
            "its certificate is not of an authority of the trusted root",
        ),
        (
            "usage",
            "its certificate is not of an authority of the trusted root",
        ),
        ("detached", "the proof of its registration (SCT)"),
    ] {
        nothing(fault, 1, expect);
    }
    // Nobody but the authority saw the token, and the log heard of nothing.
    assert_eq!(sigstore.asked()[1..], [0; 3]);
    for (fault, expect) in [
        ("down: timestamps", "the timestamp authority at http"),
        ("down: entries", "refused with status 503: down for the day"),
        ("garbage: entries", wrong),
        ("two entries", "it has not exactly one entry"),
    ] {
        nothing(fault, 1, expect);
    }
    for (fault, expect) in [
        ("unregistered", "SCT"),
        ("time", "CertExpired"),
        ("garbage: timestamps", "Failed to parse timestamp response"),
        ("another artifact", "Timestamp message hash mismatch"),
        (
            "another signature",
            "does not match any signature in Rekor entry",
        ),
        ("root", "nclusion proof"),
        ("checkpoint", "heckpoint"),
        ("promise", "SET"),
    ] {
        let said = nothing(fault, 3, expect);
        let counts = "error: the signature that this Sigstore made does not count\n";
        assert!(said.contains(counts), "{said}");
    }
    sigstore.fail("");
    says(&push(&ada, "1.0.0"), 0, "ada/adder 1.0.0 pushed, signed by");
}

fn configurations() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    let sigstore = SigstoreServer::start(&ada, "1");
    ada.write("identity", sigstore.token("sigstore"));
    version(&ada, "1.0.0");
    let none = ada.tool("push ada/adder -C adder --keyless --identity-token identity");
    says(
        &none,
        1,
        "--keyless needs the trust configuration of a Sigstore, and none is built in",
    );
    says(&none, 1, "hint: name it with --trust-config FILE");
    let key = ada.tool("push ada/adder -C adder --keyless --sign release");
    says(&key, 1, "cannot be used with");
    let trust = fs::read(ada.work().join("trust.json")).expect("a configuration");
    let trust: Value = serde_json::from_slice(&trust).expect("JSON");
    let refused = |change: &dyn Fn(&mut Value), expect: &str| {
        let mut changed = trust.clone();
        change(&mut changed);
        ada.write("trust.json", changed.to_string());
        says(&push(&ada, "1.0.0"), 1, expect);
    };
    refused(
        &|it| *it = it["trustedRoot"].take(),
        "it has no `signingConfig`",
    );
    refused(
        &|it| it["trustedRoot"] = json!({}),
        "cannot be used to sign",
    );
    let authority = |url: &'static str| {
        move |it: &mut Value| it["signingConfig"]["caUrls"][0]["url"] = json!(url)
    };
    let plain = "is at `http://fulcio.example/api/v2/signingCert`, expected an https URL";
    refused(&authority("http://fulcio.example"), plain);
    let with_user = "expected an http or https URL without user, query and fragment";
    refused(&authority("https://ada:secret@fulcio.example"), with_user);
    refused(&authority("fulcio"), with_user);
    assert_eq!(sigstore.asked(), [0; 4]);
    // The services of one Sigstore, and the root of another.
    fs::remove_file(ada.work().join("sigstore.pickle")).expect("it is there");
    let twin = SigstoreServer::start(&ada, "1");
    let other = fs::read(ada.work().join("trust.json")).expect("a configuration");
    let other: Value = serde_json::from_slice(&other).expect("JSON");
    let root = other["trustedRoot"].clone();
    refused(
        &move |it| it["trustedRoot"] = root.clone(),
        "not of an authority of the trusted root",
    );
    drop(sigstore);
    refused(&|_| {}, "the service cannot be reached");
    assert_eq!(twin.asked(), [0; 4]);
}
