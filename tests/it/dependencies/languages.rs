//! Tests of tools that call tools in other languages, each built from its source.

use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::{Home, Need, RegistryProcess, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("dependencies::in_rust", in_rust).needs(&[Need::RustGuests]),
        test("dependencies::across_languages", across_languages).needs(&[
            Need::RustGuests,
            Need::PythonGuest,
            Need::JavascriptGuest,
        ]),
    ]
}

const UNITS_WORLD: &str = "package ada:units@1.0.0;\n\n/// Conversions.\ninterface convert {\n    \
    record temperature { degrees: f64, unit: string }\n    \
    /// Converts degrees Celsius. Returns degrees Fahrenheit.\n    \
    ///\n    /// - `celsius`: the degrees.\n    \
    fahrenheit: func(celsius: f64) -> result<temperature, string>;\n}\n\n\
    world tool {\n    export convert;\n}\n";

const UNITS_IN_RUST: &str = r#"
wit_bindgen::generate!({ path: "wit", world: "tool", generate_all });
use exports::ada::units::convert::{Guest, Temperature};
struct Tool;
impl Guest for Tool {
    fn fahrenheit(celsius: f64) -> Result<Temperature, String> {
        if celsius < -273.15 {
            return Err("it is never as cold as that".to_owned());
        }
        Ok(Temperature { degrees: celsius * 1.8 + 32.0, unit: "F".to_owned() })
    }
}
export!(Tool);
"#;

const REPORT_WORLD: &str = "package tools:report;\n\n/// Reports.\ninterface functions {\n    \
    /// Says how warm it is. Returns a sentence.\n    ///\n    /// - `celsius`: the degrees.\n    \
    warmth: func(celsius: f64) -> result<string, string>;\n}\n\n\
    world tool {\n    import ada:units/convert@1.0.0;\n    export functions;\n}\n";

const REPORT_IN_RUST: &str = r#"
wit_bindgen::generate!({ path: "wit", world: "tool", generate_all });
use exports::tools::report::functions::Guest;
struct Tool;
impl Guest for Tool {
    fn warmth(celsius: f64) -> Result<String, String> {
        let found = ada::units::convert::fahrenheit(celsius)?;
        Ok(format!("{} {}", found.degrees, found.unit))
    }
}
export!(Tool);
"#;

const REPORT_IN_PYTHON: &str = r#"
from wit_world import exports
from wit_world.imports import convert


class Functions(exports.Functions):
    def warmth(self, celsius: float) -> str:
        found = convert.fahrenheit(celsius)
        return f"{found.degrees:g} {found.unit}"
"#;

const UNITS_IN_JAVASCRIPT: &str = r#"
export const convert = {
  fahrenheit(celsius) {
    if (celsius < -273.15) throw "it is never as cold as that";
    return { degrees: celsius * 1.8 + 32, unit: "F" };
  },
};
"#;

const REPORT_IN_JAVASCRIPT: &str = r#"
import { fahrenheit } from "ada:units/convert@1.0.0";

export const functions = {
  warmth(celsius) {
    const found = fahrenheit(celsius);
    return `${found.degrees} ${found.unit}`;
  },
};
"#;

/// Makes and publishes the project `NAME` of `ada` in `language`.
fn project(ada: &Home, name: &str, language: &str, world: &str, source: (&str, &str)) {
    ada.run(["new", name, "--lang", language]).ok();
    ada.write(&format!("{name}/wit/world.wit"), world);
    ada.write(&format!("{name}/{}", source.0), source.1);
}

fn needs_units(ada: &Home, name: &str) {
    let path = ada.work().join(name).join("tool.toml");
    let text = std::fs::read_to_string(&path).expect("a manifest");
    let text =
        format!("{text}\n[dependencies]\nunits = {{ repo = \"ada/units\", version = \"^0.1\" }}\n");
    std::fs::write(path, text).expect("written");
}

fn build_and_push(ada: &Home, name: &str) {
    ada.run(["build", name, "--trust"]).ok();
    ada.run(["push", &format!("ada/{name}"), "-C", name]).ok();
}

fn check_report(registry: &RegistryProcess, tool: &str) {
    let user = registry.visitor();
    load(&user, &format!("ada/{tool}"), &["--as", "report"]);
    assert_eq!(user.tool("call report celsius=100").ok(), "212 F\n");
    let failed = user.run(["call", "report", "celsius=-300"]);
    says(&failed, 1, "it is never as cold as that");
}

fn in_rust() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    project(
        &ada,
        "units",
        "rust",
        UNITS_WORLD,
        ("src/lib.rs", UNITS_IN_RUST),
    );
    build_and_push(&ada, "units");

    project(
        &ada,
        "report",
        "rust",
        REPORT_WORLD,
        ("src/lib.rs", REPORT_IN_RUST),
    );
    let refused = ada.tool("build report --trust");
    assert_ne!(refused.code(), 0, "nobody says what ada:units is");
    needs_units(&ada, "report");
    build_and_push(&ada, "report");
    let wit = ada
        .work()
        .join("report/wit/deps/ada-units-1.0.0/package.wit");
    let wit = std::fs::read_to_string(wit).expect("the WIT of the dependency");
    assert!(wit.contains("interface convert"), "{wit}");
    says(&ada.tool("check report"), 0, "agrees with the component");
    check_report(&registry, "report");
}

fn across_languages() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    // A program, which an interpreter runs, is called by a component in Rust.
    project(
        &ada,
        "units",
        "javascript",
        UNITS_WORLD,
        ("tool.js", UNITS_IN_JAVASCRIPT),
    );
    build_and_push(&ada, "units");
    project(
        &ada,
        "report",
        "rust",
        REPORT_WORLD,
        ("src/lib.rs", REPORT_IN_RUST),
    );
    needs_units(&ada, "report");
    build_and_push(&ada, "report");
    check_report(&registry, "report");

    // A component in Python, with an interpreter of its own, calls the same.
    ada.run(["new", "told", "--lang", "javascript"]).ok();
    let manifest = ada.work().join("told/tool.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    std::fs::write(&manifest, text.replace("\"javascript\"", "\"python\"")).expect("written");
    std::fs::remove_file(ada.work().join("told/tool.js")).expect("removed");
    ada.write("told/wit/world.wit", REPORT_WORLD);
    ada.write("told/app.py", REPORT_IN_PYTHON);
    needs_units(&ada, "told");
    build_and_push(&ada, "told");
    check_report(&registry, "told");

    // So does one in JavaScript.
    project(
        &ada,
        "spoken",
        "javascript",
        REPORT_WORLD,
        ("tool.js", REPORT_IN_JAVASCRIPT),
    );
    needs_units(&ada, "spoken");
    build_and_push(&ada, "spoken");
    check_report(&registry, "spoken");
}
