//! Tests of bills of materials: they are valid, name what is in a package, and belong to it.

use std::process::Command;

use serde_json::{Value, json};

use crate::public_clients::{packages, said};
use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::{Home, Need, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("sboms::each_language_writes_one", each_language_writes_one).needs(&[
            Need::RustGuests,
            Need::PythonGuest,
            Need::JavascriptGuest,
            Need::CGuest,
            Need::PythonPackages,
        ]),
        test(
            "sboms::it_belongs_to_the_package",
            it_belongs_to_the_package,
        )
        .needs(&[Need::CGuest]),
    ]
}

/// Validates files by the schema of CycloneDX, and reads their package URLs and licenses, all with
/// programs that others wrote.
const VALIDATE: &str = r#"
import json, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from license_expression import get_spdx_licensing
from packageurl import PackageURL

for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert error is None, (path, error)
    for part in json.loads(text).get("components", []):
        if "purl" in part:
            url = PackageURL.from_string(part["purl"])
            named = "/".join(filter(None, [part.get("group"), part["name"]]))
            name = "/".join(filter(None, [url.namespace, url.name]))
            if url.type == "pypi":
                named = named.lower().replace("_", "-")
            assert (name, url.version) == (named, part["version"]), url
        for license in part.get("licenses", []):
            if "expression" in license:
                expression = license["expression"]
                found = get_spdx_licensing().validate(expression)
                assert not found.errors, (expression, found.errors)
print("valid")
"#;

fn sbom(home: &Home, project: &str) -> Value {
    home.run(["inspect", &format!("./{project}"), "--sbom"])
        .json()
}

/// The package `purl` of a bill.
#[track_caller]
fn package<'a>(sbom: &'a Value, purl: &str) -> &'a Value {
    let parts = sbom["components"].as_array().expect("components");
    let mut found = parts.iter().filter(|part| {
        let said = part["purl"].as_str().unwrap_or_default();
        said == purl || said.starts_with(&format!("{purl}@"))
    });
    found.next().unwrap_or_else(|| panic!("{purl}: {sbom}"))
}

fn each_language_writes_one() {
    let home = Home::new();
    for language in ["rust", "python", "javascript", "c"] {
        home.run(["new", language, "--lang", language]).ok();
    }
    home.write(
        "python/requirements.txt",
        "typing_extensions==4.15.0\nidna==3.7\n",
    );
    let entry = home.work().join("python/app.py");
    let text = std::fs::read_to_string(&entry).expect("a source");
    home.write(
        "python/app.py",
        format!("import idna, typing_extensions\n{text}"),
    );
    let mut files = Vec::new();
    for language in ["rust", "python", "javascript", "c"] {
        home.run(["build", language]).ok();
        files.push(home.work().join(language).join("dist/sbom.cdx.json"));
    }
    let installed = packages::python(&["cyclonedx-python-lib[json-validation]==11.12.0"]);
    let mut validator = Command::new("python3");
    validator
        .env("PYTHONPATH", installed)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args(["-c", VALIDATE])
        .args(&files);
    assert_eq!(said(&mut validator).trim(), "valid");

    let rust = sbom(&home, "rust");
    let bindings = package(&rust, "pkg:cargo/wit-bindgen");
    let lock = std::fs::read_to_string(home.work().join("rust/Cargo.lock")).expect("a lock");
    let hash = bindings["hashes"][0]["content"].as_str().expect("a hash");
    assert!(lock.contains(&format!("checksum = \"{hash}\"")), "{rust}");
    let tools = rust["metadata"]["tools"]["components"].as_array();
    let tools: Vec<&Value> = tools.expect("tools").iter().map(|it| &it["name"]).collect();
    assert_eq!(tools, ["rustc", "tool-hub"]);

    let python = sbom(&home, "python");
    let idna = package(&python, "pkg:pypi/idna");
    assert_eq!(idna["version"], "3.7");
    let lock = std::fs::read_to_string(home.work().join("python/pylock.toml")).expect("a lock");
    let hash = idna["hashes"][0]["content"].as_str().expect("a hash");
    assert!(lock.contains(hash), "{python}");
    let other = package(&python, "pkg:pypi/typing-extensions");
    assert_eq!(other["name"], "typing_extensions");
    let interpreter = &python["components"][0];
    assert_eq!(
        [&interpreter["type"], &interpreter["name"]],
        ["platform", "python-interpreter"]
    );
    let shown = home.tool("inspect ./python").ok();
    assert!(
        shown.contains("\n  contains   2 packages of PyPI, as its author says (see --verbose)\n"),
        "{shown}"
    );

    // What depends on nothing is made of nothing.
    for language in ["javascript", "c"] {
        let sbom = sbom(&home, language);
        assert_eq!(sbom["components"], json!([]), "{sbom}");
        assert_eq!(sbom["metadata"]["component"]["name"], language);
    }

    // Another time, in another directory, it is the same to the byte.
    let before = std::fs::read(&files[1]).expect("a bill");
    let place = home.work().join("elsewhere");
    std::fs::create_dir_all(&place).expect("a directory");
    std::fs::rename(home.work().join("python"), place.join("python")).expect("it moves");
    home.run(["build", "elsewhere/python"]).ok();
    let after = std::fs::read(place.join("python/dist/sbom.cdx.json")).expect("a bill");
    assert_eq!(before, after);
}

fn it_belongs_to_the_package() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    ada.tool("new adder --lang c").ok();
    ada.tool("build adder").ok();
    ada.tool("key new release").ok();
    ada.tool("push ada/adder -C adder --sign release").ok();
    let written = ada.work().join("adder/dist/sbom.cdx.json");
    let written = std::fs::read_to_string(written).expect("a bill");
    let signature = ada.work().join("adder/dist/model.sig");
    assert!(!signature.exists(), "it is signed as it is pushed");

    // It travels with the package, and is kept with it.
    let user = registry.visitor();
    let told = user.tool("inspect ada/adder --sbom").json();
    let expect: Value = serde_json::from_str(&written).expect("JSON");
    assert_eq!(told, expect);
    load(&user, "ada/adder", &[]);
    user.tool("gc").ok();
    user.tool("verify").ok();
    let signed = user.tool("inspect ada/adder").ok();
    assert!(
        signed.starts_with("adder 0.1.0, signed by SHA256:"),
        "{signed}"
    );

    // A bill that somebody changed, or took away, is not the package's.
    ada.write("adder/dist/sbom.cdx.json", written.replace("zig", "other"));
    says(&ada.tool("inspect ./adder"), 3, "sbom.cdx.json has digest");
    std::fs::remove_file(ada.work().join("adder/dist/sbom.cdx.json")).expect("it goes");
    says(&ada.tool("inspect ./adder"), 1, "sbom.cdx.json is missing");

    // A package of before there were any has none.
    let manifest = ada.work().join("adder/dist/tool.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let (before, after) = text.split_once("[sbom]\n").expect("a claim");
    let (_, after) = after.split_once('\n').expect("a line");
    ada.write("adder/dist/tool.toml", format!("{before}{after}"));
    load(&ada, "./adder", &[]);
    says(
        &ada.tool("inspect ./adder --sbom"),
        1,
        "has no bill of materials",
    );
}
