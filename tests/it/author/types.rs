//! Tests of the types of tools in TypeScript: builds refuse mistakes, and `tool dev` answers first.

use serde_json::{Value, json};

use super::edit;
use crate::support::ran::says;
use crate::support::terminal::CTRL_C;
use crate::support::{Home, Need, Terminal, Test, test};

pub(super) fn tests() -> Vec<Test> {
    let on = |name, run| test(name, run).needs(&[Need::JavascriptGuest]);
    vec![
        on("author::types_are_checked", are_checked),
        on("author::types_hold_up_no_answer", hold_up_no_answer)
            .needs(&[Need::JavascriptGuest, Need::Interrupts]),
        on("author::types_of_globals", of_globals),
        on("author::types_of_packages", of_packages),
        on("author::types_are_as_strict_as_a_project_says", strict),
        on("author::types_beside_wit", beside_wit),
        on("author::types_of_wrong_settings", of_wrong_settings),
        on("author::types_without_the_checker", without_the_checker),
    ]
}

/// A project of one function, whose body is `body`.
#[track_caller]
fn project(home: &Home, before: &str, body: &str) {
    let text = format!(
        "{before}\n/**\n * Measures a text.\n *\n * @param text - The text.\n * @returns Its length.\n \
         */\nexport async function measure(text: string): Promise<number> {{\n{body}\n}}\n"
    );
    home.write("measure.ts", text);
    home.run(["new", "measure", "--from", "measure.ts"]).ok();
}

const WRONG: &str = "error: measure.ts:9:1: Type 'string' is not assignable to type 'number'.\n";

fn are_checked() {
    let home = Home::new();
    project(&home, "", "return text;");
    let refused = home.tool("build measure");
    says(&refused, 1, WRONG);
    says(&refused, 1, "caused by: this line\n");
    says(&refused, 1, "    9 │ return text;\n");
    says(&refused, 1, "hint: write a value of that type");
    assert!(!home.work().join("measure/dist").exists());
    let dev = ["dev", "measure", "--once", "--call", "text=abc"];
    let ran = home.run(dev);
    says(&ran, 1, WRONG);
    // The function is called all the same, and its answer comes first.
    says(&ran, 1, "> text=abc");
    says(&ran, 1, "where its type says number");
    let ran = home.run(dev.into_iter().chain(["--json"]));
    assert_eq!(ran.code(), 1);
    let told: Value = serde_json::from_str(&ran.stdout()).expect("JSON");
    let error = told["type_error"].as_str().expect("an error");
    assert!(WRONG.contains(error.split(": this line").next().expect("a line")));

    // A helper of the project is checked too, and what nothing imports is not.
    edit(
        &home,
        "measure/measure.ts",
        "return text",
        "return size(text)",
    );
    let text = std::fs::read_to_string(home.work().join("measure/measure.ts")).expect("a file");
    let text = format!("import {{ size }} from \"./size.ts\";{text}");
    home.write("measure/measure.ts", text);
    home.write("measure/other.ts", "const wrong: number = \"\";\n");
    let helper = "export const size = (text: string): number => text.size;\n";
    home.write("measure/size.ts", helper);
    let refused = home.tool("build measure");
    says(&refused, 1, "error: size.ts:1:52: Property 'size' does not");
    edit(&home, "measure/size.ts", "text.size", "text.length");
    home.tool("build measure").ok();
    let ran = home.run(dev.into_iter().chain(["--json"])).json();
    assert_eq!(ran["type_error"], Value::Null);
    assert_eq!(ran["calls"][0]["outcome"]["structured"], json!(3.0));
}

fn hold_up_no_answer() {
    let home = Home::new();
    project(&home, "", "return text.length;");
    let mut terminal = Terminal::start(home.command(["dev", "measure", "--call", "text=abc"]));
    terminal.wait_for("time: ");
    edit(
        &home,
        "measure/measure.ts",
        "return text.length",
        "return JSON.parse(`${text.length + 1}`) as string",
    );
    terminal.wait_for("measure.ts was changed");
    terminal.wait_for("time: ");
    terminal.wait_for("measure.ts:9:1: Type 'string' is not assignable");
    edit(&home, "measure/measure.ts", " as string", "");
    terminal.wait_for("measure.ts was changed");
    terminal.wait_for("time: ");
    terminal.press(CTRL_C);
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    let errors = ended.shown.matches("is not assignable").count();
    assert_eq!(errors, 1, "{}", ended.shown);
}

const GLOBALS: &str = r#"
const url = new URL("https://a.example/?q=1");
url.searchParams.set("text", text);
const timer: number = setTimeout((more: string) => console.log(more), 1, "more");
clearTimeout(timer);
const controller = new AbortController();
controller.signal.addEventListener("abort", (event) => console.error(event.type));
const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(50)]);
const request = new Request(url, { method: "POST", headers: { a: "b" }, body: text, signal });
const copy = structuredClone({ at: performance.now(), id: crypto.randomUUID() });
crypto.getRandomValues(new Uint32Array(2));
const answer = Response.json({ size: new TextEncoder().encode(text).length });
for (const [name, value] of answer.headers) console.info(name, value);
for await (const chunk of new Response(text).body ?? []) console.debug(chunk.length);
const failed = await fetch(request).catch((error: unknown) => error instanceof DOMException || error);
console.warn(copy.at, copy.id, atob(btoa("a")), failed instanceof Response ? failed.status : failed);
queueMicrotask(() => controller.abort());
const { size } = (await answer.json()) as { size: number };
return Iterator.from([size]).map((it) => it).toArray()[0] ?? 0;
"#;

/// The checker knows the globals of the sandbox, and refuses those of Node and browsers by name.
fn of_globals() {
    let home = Home::new();
    project(&home, "", GLOBALS);
    let ran = home.run(["dev", "measure", "--once", "--json", "--call", "text=abc"]);
    let told = ran.json();
    assert_eq!(
        told["calls"][0]["outcome"]["structured"],
        json!(3.0),
        "{told}"
    );
    assert_eq!(told["type_error"], Value::Null);
    for (uses, place, error, hint) in [
        (
            "Buffer.from(text)",
            "9:8",
            "Cannot find name 'Buffer'.\n",
            "a tool runs without Node",
        ),
        (
            "document.title",
            "9:8",
            "Cannot find name 'document'.\n",
            "a tool runs without a browser",
        ),
        (
            "fetsh(text)",
            "9:8",
            "Cannot find name 'fetsh'",
            "define or import it",
        ),
        (
            "console.table([])",
            "9:16",
            "Property 'table'",
            "correct the name",
        ),
    ] {
        let home = Home::new();
        project(&home, "", &format!("return {uses}.length;"));
        let refused = home.tool("build measure");
        says(&refused, 1, &format!("error: measure.ts:{place}: {error}"));
        says(&refused, 1, &format!("hint: {hint}"));
    }
}

/// A package of the lock has its types. One without types is no error, and one with those of Node
/// adds none of its globals.
fn of_packages() {
    let home = Home::new();
    let imports = "import mitt from \"mitt\"; import * as jmespath from \"jmespath\"; import type \
                   { Stats } from \"node:fs\";";
    let body = "const heard: number[] = [];\nconst bus = mitt<{ size: number }>();\n\
                bus.on(\"size\", (size) => heard.push(size));\nbus.emit(\"size\", text.length);\n\
                const none: Stats | undefined = undefined;\n\
                return jmespath.search({ heard }, \"heard[0]\") + (none ?? 0);";
    project(&home, imports, body);
    let dependencies = json!({ "mitt": "3.0.1", "jmespath": "0.16.0", "@types/node": "22.10.0" });
    let manifest = json!({ "dependencies": dependencies });
    home.write("measure/package.json", manifest.to_string());
    let lock = json!({ "lockfileVersion": 3, "packages": {
        "": { "dependencies": dependencies },
        "node_modules/mitt": {
            "version": "3.0.1",
            "integrity": "sha512-vKivATfr97l2/QBCYAkXYDbrIWPM2IIKEl7YPhjCvKlG3kE2gm+uBo6nEXK3M5/Ffh/FLpKExzOQ3JJoJGFKBw==",
        },
        "node_modules/jmespath": {
            "version": "0.16.0",
            "integrity": "sha512-9FzQjJ7MATs1tSpnco1K6ayiYE3figslrXA72G2HQ/n76RzvYlofyi5QM+iX4YRs/pu3yzxlVQSST23+dMDknw==",
        },
        "node_modules/@types/node": {
            "version": "22.10.0",
            "integrity": "sha512-XC70cRZVElFHfIUB40FgZOBbgJYFKKMa5nb9lxcwYstFG/Mi+/Y0bGS+rs6Dmhmkpq4pnNiLiuZAbc02YCOnmA==",
            "dependencies": { "undici-types": "~6.20.0" },
        },
        "node_modules/undici-types": {
            "version": "6.20.0",
            "integrity": "sha512-Ny6QZ2Nju20vw1SRHe3d9jVu6gJ+4e3+MMpqu7pqE5HT6WsTSlce++GQmK5UXS8mzV8DSYHrQH+Xrf2jVcuKNg==",
        },
    }});
    home.write("measure/package-lock.json", lock.to_string());
    // Once from the packages of the lock, and once from a checkout that nobody trusts.
    for directory in ["measure", "checkout/measure"] {
        if directory.starts_with("checkout") {
            for file in [
                "tool.toml",
                "measure.ts",
                "package.json",
                "package-lock.json",
            ] {
                let from = home.work().join("measure").join(file);
                let text = std::fs::read_to_string(from).expect("a file");
                home.write(&format!("{directory}/{file}"), text);
            }
        }
        let file = format!("{directory}/measure.ts");
        home.run(["build", directory]).ok();
        edit(
            &home,
            &file,
            "emit(\"size\", text.length)",
            "emit(\"size\", text)",
        );
        let refused = home.run(["build", directory]);
        let said =
            "error: measure.ts:12:18: Argument of type 'string' is not assignable to parameter";
        says(&refused, 1, said);
        edit(
            &home,
            &file,
            "emit(\"size\", text)",
            "emit(\"size\", process.pid)",
        );
        let refused = home.run(["build", directory]);
        says(
            &refused,
            1,
            "error: measure.ts:12:18: Cannot find name 'process'.",
        );
        edit(
            &home,
            &file,
            "emit(\"size\", process.pid)",
            "emit(\"size\", text.length)",
        );
    }
}

/// A project's settings say how strict the check is, and neither what is written nor what is there.
fn strict() {
    let home = Home::new();
    project(
        &home,
        "const size = (it) => it.length;",
        "return size(text);",
    );
    let refused = home.tool("build measure");
    says(
        &refused,
        1,
        "error: measure.ts:1:15: Parameter 'it' implicitly",
    );
    says(&refused, 1, "whose tsconfig.json says `\"strict\": false`");
    let written = home.work().join("written");
    let base = json!({ "compilerOptions": {
        "strict": false, "incremental": true, "tsBuildInfoFile": written, "declaration": true,
        "outDir": written, "generateTrace": written, "noEmit": false, "lib": ["es5"],
    }});
    home.write("measure/settings/base.json", base.to_string());
    let settings = "{ // As elsewhere.\n  \"extends\": \"./settings/base.json\",\n}\n";
    home.write("measure/tsconfig.json", settings);
    home.tool("build measure").ok();
    assert!(!written.exists());
    edit(&home, "measure/measure.ts", "size(text)", "process.pid");
    says(
        &home.tool("build measure"),
        1,
        "Cannot find name 'process'.",
    );
}

/// What is wrong in the settings is told as a mistake in the code is, but not where it counts for
/// nothing.
fn of_wrong_settings() {
    let home = Home::new();
    project(&home, "", "return text.length;");
    let dev = ["dev", "measure", "--once", "--call", "text=abc"];
    for (settings, place, said) in [
        (
            r#"{ "extends": "./base.json" }"#,
            "tsconfig.json: ",
            "Cannot read file",
        ),
        (
            "{\n  \"extends\": \"@a/b/tsconfig.json\"\n}",
            "tsconfig.json:2:14: ",
            "File '@a/b/tsconfig.json' not found.",
        ),
        (
            r#"{ "compilerOptions": { "strict": "yes" } }"#,
            "tsconfig.json:1:34: ",
            "requires a value of type boolean.",
        ),
        (
            r#"{ "compilerOptions": { "jsxFactory": "a b" } }"#,
            "tsconfig.json: ",
            "Invalid value for 'jsxFactory'.",
        ),
    ] {
        home.write("measure/tsconfig.json", settings);
        let refused = home.tool("build measure");
        says(&refused, 1, &format!("error: {place}"));
        says(&refused, 1, said);
        says(&refused, 1, "hint: correct the settings");
        assert!(
            !refused.stderr().contains("tool-types-"),
            "{}",
            refused.stderr()
        );
        // The function is called all the same, and its answer comes first.
        let ran = home.run(dev);
        says(&ran, 1, &format!("error: {place}"));
        assert!(ran.stdout().ends_with("\n3.0\n"), "{}", ran.stdout());
    }
    let written = home.work().join("written");
    let counts_for_nothing = json!({ "compilerOptions": {
        "target": "es2099", "moduleResolution": "node10", "baseUrl": ".", "importsNotUsedAsValues": "x",
        "generateTrace": written, "generateCpuProfile": written, "tsBuildInfoFile": written,
        "incremental": true, "composite": true, "outDir": written, "declaration": true,
    }});
    home.write("measure/tsconfig.json", counts_for_nothing.to_string());
    home.tool("build measure").ok();
    assert!(!written.exists());
}

/// Where the checker cannot be fetched, work on a project goes on, and a build does not.
fn without_the_checker() {
    let home = Home::new()
        .with("npm_config_registry", "http://127.0.0.1:9/")
        .with("npm_config_fetch_retries", "0");
    home.keep_toolchains(|name| !name.starts_with("typescript"));
    project(&home, "", "return text;");
    edit(
        &home,
        "measure/measure.ts",
        "return text;",
        "return text as any;",
    );
    let ran = home.run(["dev", "measure", "--once", "--call", "text=abc"]);
    says(&ran, 1, "warning: types are not checked here: typescript-");
    says(&ran, 1, "cannot be installed");
    says(
        &ran,
        1,
        "hint: connect to npm's registry and start `tool dev` again",
    );
    says(&ran, 1, "where its type says number");
    edit(&home, "measure/measure.ts", "text as any", "text.length");
    let ran = home.run(["dev", "measure", "--once", "--call", "text=abc"]);
    assert!(ran.ok().ends_with("\n3.0\n"), "{}", ran.stdout());
    let refused = home.tool("build measure");
    says(&refused, 1, "error: typescript-");
    says(
        &refused,
        1,
        " is needed to build this tool and cannot be installed",
    );
    says(&refused, 1, "hint: look what is missing with: tool doctor");
    assert!(!home.work().join("measure/dist").exists());
}

/// A project in TypeScript with WIT of its own is checked as well.
fn beside_wit() {
    let home = Home::new();
    home.tool("new greeter --lang javascript").ok();
    let source = home.work().join("greeter/tool.js");
    let text = std::fs::read_to_string(&source).expect("the source");
    std::fs::remove_file(source).expect("the source");
    home.write("greeter/tool.ts", &text);
    edit(
        &home,
        "greeter/tool.toml",
        "[build]",
        "[build]\nsource = \"tool.ts\"",
    );
    home.write(
        "greeter/tsconfig.json",
        "{\"compilerOptions\": {\"strict\": false}}",
    );
    let ran = home.run(["dev", "greeter", "--once", "--call", "name=Ada"]);
    assert!(ran.ok().ends_with("\nHello, Ada!\n"), "{}", ran.stdout());
    home.tool("build greeter").ok();
    let wrong = format!("const wrong: number = \"\";\n{text}");
    home.write("greeter/tool.ts", wrong);
    let said = "error: tool.ts:1:7: Type 'string' is not assignable to type 'number'.";
    says(&home.tool("build greeter"), 1, said);
    says(&home.tool("dev greeter --once"), 1, said);
}
