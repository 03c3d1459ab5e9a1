//! Tests of attestations: the form of bundle and statement, and the files that it is about.

use data_encoding::BASE64;
use serde_json::json;

use super::*;
use crate::envelope::pre_authentication_encoding;
use crate::private_key::PrivateKey;
use crate::public_key::KeyKind;

const TOML: &[u8] = b"manifest";
const WASM: &[u8] = b"component";

fn files() -> AttestedFiles<'static> {
    let files = [
        ("tool.toml", TOML),
        ("tool.wasm", WASM),
        ("README.md", b"card"),
    ];
    AttestedFiles(files.map(|(name, bytes)| (name, Digest::of(bytes))).into())
}

fn statement() -> Value {
    let subject = |name: &str, bytes: &[u8]| {
        let digest = json!({ "sha256": Digest::of(bytes).hex(), "sha1": "x" });
        json!({ "name": name, "digest": digest, "uri": "ignored" })
    };
    json!({
        "_type": STATEMENT_TYPE,
        "subject": [subject("tool.toml", TOML), subject("tool.wasm", WASM)],
        "predicateType": PROVENANCE,
        "predicate": {
            "buildDefinition": { "buildType": "x", "externalParameters": {} },
            "runDetails": { "builder": { "id": "x" } },
        },
    })
}

/// A bundle of `statement` with a key, for which nobody vouches: all but that is checked.
fn line(statement: &Value) -> Vec<u8> {
    let key = PrivateKey::generate(KeyKind::P256).unwrap();
    let payload = statement.to_string().into_bytes();
    let bundle = Bundle {
        material: Material::Key { hint: None },
        is_logged: false,
        signature: key.sign(&pre_authentication_encoding(&payload)).unwrap(),
        payload,
    };
    bundle.to_json().unwrap()
}

fn check_text(text: &[u8]) -> Result<CheckedAttestations, SigningError> {
    CheckedAttestations::check(text, &files(), &Trust::none())
}

#[track_caller]
fn refused(statement: &Value, expect: &str) {
    let error = check_text(&line(statement)).unwrap_err();
    assert!(error.is_refusal() && !error.is_unverifiable(), "{error:?}");
    assert!(error.to_string().contains(expect), "{error}");
}

#[test]
fn one_for_which_nobody_vouches_is_as_good_as_none() {
    let mut published = statement();
    published["predicateType"] = json!(PUBLISH);
    published["predicate"] = Value::Null;
    for statement in [statement(), published] {
        let checked = check_text(&line(&statement)).unwrap();
        let [Err(error)] = &checked.0[..] else {
            panic!("{checked:?}");
        };
        assert!(error.is_unverifiable(), "{error}");
        let expect = "attestation 1 cannot be verified here: it is signed with a key, for which";
        assert!(error.to_string().starts_with(expect), "{error}");
    }
}

#[test]
fn it_is_about_the_files_and_no_others() {
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut statement = statement();
        edit(&mut statement);
        statement
    };
    let subject = |name: &str, digest: Value| json!({ "name": name, "digest": digest });
    let card = Digest::of(b"card").hex();
    let with = |more: Value| edited(&|it| it["subject"].as_array_mut().unwrap().push(more.clone()));
    assert!(
        check_text(&line(&with(subject(
            "README.md",
            json!({ "sha256": card })
        ))))
        .is_ok()
    );
    for (statement, expect) in [
        (
            edited(&|it| it["subject"] = json!([])),
            "it is not about tool.toml",
        ),
        (
            with(subject("tool.wasm", json!({ "sha256": card }))),
            "it is about another tool.wasm, with sha256:",
        ),
        (
            with(subject("./tool.wasm", json!({}))),
            "`./tool.wasm`, which the package does not",
        ),
        (
            with(subject("README.md", json!({}))),
            "it does not say the SHA-256 of README.md",
        ),
        (
            with(subject(
                "README.md",
                json!({ "sha256": card.to_uppercase() }),
            )),
            "a digest that is not 64 lower-case digits",
        ),
        (
            edited(&|it| it["subject"] = json!(vec![it["subject"][0].clone(); SUBJECTS_MAX + 1])),
            "it has more than 32 subjects",
        ),
        (
            edited(&|it| it["predicate"]["buildDefinition"] = json!(1)),
            "its predicate has no",
        ),
        (
            edited(&|it| it["predicateType"] = json!("https://x")),
            "its predicate is `https://x`",
        ),
        (
            edited(&|it| it["_type"] = json!("x")),
            "the `_type` of its statement is not",
        ),
        (json!([]), "its statement: "),
    ] {
        refused(&statement, expect);
    }
}

#[test]
fn all_is_bounded() {
    let one = line(&statement());
    let many = |count: usize| [&one[..], b"\r\n"].concat().repeat(count);
    assert_eq!(check_text(&many(8)).unwrap().0.len(), 8);
    for (text, expect) in [
        (many(9), "has 9 attestations, expected 1 to 8"),
        (b" \n\n".to_vec(), "has 0 attestations"),
        (
            vec![b' '; ATTESTATIONS_BYTES_MAX + 1],
            "has more than 262144 bytes",
        ),
        (
            vec![b'['; 100_000],
            "attestation 1 is wrong: it has more than 65536 bytes",
        ),
        (
            b"{}".to_vec(),
            "attestation 1 is wrong: its bundle: missing field",
        ),
        ([&one[..], b"\n{}"].concat(), "attestation 2 is wrong"),
    ] {
        let error = check_text(&text).unwrap_err();
        assert!(error.is_refusal(), "{error:?}");
        assert!(error.to_string().contains(expect), "{error}");
    }
    let twice = String::from_utf8(one)
        .unwrap()
        .replacen('{', "{\"mediaType\":\"x\",", 1);
    assert!(check_text(twice.as_bytes()).is_err());
}

#[test]
fn a_statement_that_was_changed_is_refused_with_its_certificate_alone() {
    // No certificate: its bytes are no DER, which is found out after the statement is held
    // against the files.
    let bundle: Value = serde_json::from_slice(&line(&statement())).unwrap();
    let mut bundle = bundle;
    bundle["verificationMaterial"] = json!({
        "certificate": { "rawBytes": BASE64.encode(b"none") },
        "tlogEntries": [],
    });
    let error = check_text(bundle.to_string().as_bytes()).unwrap_err();
    assert!(
        error.to_string().contains("its certificate cannot be read"),
        "{error}"
    );
}
