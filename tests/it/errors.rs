//! Tests of errors as people read them: message, hint, exit code, and nothing left behind.
//! Most messages are compared with the files in `snapshots`.

use crate::support::loading::{digest, load};
use crate::support::ran::check;
use crate::support::{Home, Need, RegistryProcess, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("errors::no_network", no_network),
        test("errors::no_token", no_token).needs(&[Need::RustGuests]),
        test("errors::bad_token", bad_token),
        test("errors::nothing_there", nothing_there),
        test("errors::not_a_reference", not_a_reference),
        test("errors::name_taken", name_taken).needs(&[Need::RustGuests]),
        test("errors::directory_taken", directory_taken),
        test("errors::no_approval", no_approval).needs(&[Need::RustGuests]),
        test("errors::wrong_approval", wrong_approval).needs(&[Need::RustGuests]),
        test("errors::too_many_rights", too_many_rights).needs(&[Need::RustGuests]),
        test("errors::unknown_tool", unknown_tool).needs(&[Need::RustGuests]),
        test("errors::unknown_function", unknown_function).needs(&[Need::RustGuests]),
        test("errors::wrong_argument", wrong_argument).needs(&[Need::RustGuests]),
        test("errors::failure_that_teaches", failure_that_teaches).needs(&[Need::RustGuests]),
        test("errors::version_pushed", version_pushed).needs(&[Need::RustGuests]),
        test("errors::wrong_hash", wrong_hash).needs(&[Need::RustGuests]),
        test("errors::undeclared_import", undeclared_import),
        test("errors::not_a_component", not_a_component),
        test("errors::unknown_key", unknown_key),
        test("errors::not_built", not_built),
        test("errors::no_usable_token", no_usable_token),
        test("errors::token_in_clear", token_in_clear),
        test(
            "errors::texts_for_models_that_are_too_long",
            texts_for_models_that_are_too_long,
        ),
    ]
}

/// Asserts that a person's home holds no toolbox.
#[track_caller]
fn nothing_was_loaded(home: &Home) {
    for file in ["toolbox.toml", "toolbox.lock", "approvals.toml"] {
        assert!(!home.tool_home().join(file).exists(), "{file} was written");
    }
}

fn no_network() {
    let home = Home::new().with("HF_ENDPOINT", "http://127.0.0.1:1");
    check("no_network", &home.tool("load demo/text-stats"), 1);
    nothing_was_loaded(&home);
}

fn no_token() {
    let registry = RegistryProcess::start();
    let project = guests::built("calculator");
    let pushed =
        registry
            .visitor()
            .run(["push", "demo/calculator", "-C", &project.to_string_lossy()]);
    check("no_token", &pushed, 1);
}

fn bad_token() {
    let registry = RegistryProcess::start();
    let home = registry.visitor();
    check(
        "bad_token",
        &home.run_with_input("login --token-stdin", "hf_wrong"),
        1,
    );
    assert!(!home.tool_home().join("credentials.toml").exists());
}

fn nothing_there() {
    let registry = RegistryProcess::start();
    check(
        "nothing_there",
        &registry.visitor().tool("inspect demo/missing"),
        1,
    );
}

fn not_a_reference() {
    check(
        "not_a_reference",
        &Home::new().tool("inspect just-a-word"),
        1,
    );
}

fn name_taken() {
    let home = Home::new();
    load(
        &home,
        &guests::built("text-stats").to_string_lossy(),
        &["--as", "numbers"],
    );
    let project = guests::built("calculator");
    let digest = digest(&home, &project.to_string_lossy());
    let copy = home.work().join("calculator");
    std::os::unix::fs::symlink(&project, &copy).expect("a link");
    let taken = home.run([
        "load",
        "./calculator",
        "--as",
        "numbers",
        "--approve",
        &digest,
        "--quiet",
    ]);
    assert_eq!(taken.code(), 0, "{}", taken.stderr());
    let warnings: Vec<String> = taken
        .stderr()
        .lines()
        .filter(|line| line.starts_with("warning:"))
        .map(str::to_owned)
        .collect();
    assert_eq!(warnings.len(), 1, "{}", taken.stderr());
    assert!(
        warnings[0].contains("`numbers` is already the name of"),
        "{}",
        warnings[0]
    );
}

fn directory_taken() {
    let home = Home::new();
    home.write("greeter/mine.txt", "mine");
    check("directory_taken", &home.tool("new greeter"), 1);
    assert_eq!(
        std::fs::read_dir(home.work().join("greeter"))
            .expect("mine")
            .count(),
        1
    );
    assert_eq!(std::fs::read_dir(home.work()).expect("the work").count(), 1);
}

fn no_approval() {
    let home = Home::new();
    let project = guests::built("calculator");
    let refused = home.run(["load", &project.to_string_lossy(), "--quiet"]);
    check("no_approval", &refused, 3);
    nothing_was_loaded(&home);
}

fn wrong_approval() {
    let home = Home::new();
    let project = guests::built("calculator");
    let other = format!("sha256:{}", "0".repeat(64));
    let refused = home.run([
        "load",
        &project.to_string_lossy(),
        "--approve",
        &other,
        "--quiet",
    ]);
    check("wrong_approval", &refused, 3);
    nothing_was_loaded(&home);
}

fn too_many_rights() {
    let home = Home::new();
    let project = guests::built("calculator");
    let digest = digest(&home, &project.to_string_lossy());
    let flags = [
        "--approve",
        &digest,
        "--allow-network",
        "https://example.com",
        "--quiet",
    ];
    let refused = home.run([&["load", &*project.to_string_lossy()], &flags[..]].concat());
    check("too_many_rights", &refused, 3);
    nothing_was_loaded(&home);
}

fn with_calculator() -> Home {
    let home = Home::new();
    load(&home, &guests::built("calculator").to_string_lossy(), &[]);
    home
}

fn unknown_tool() {
    check(
        "unknown_tool",
        &with_calculator().tool("call calculater.evaluate expression=1"),
        1,
    );
}

fn unknown_function() {
    check(
        "unknown_function",
        &with_calculator().tool("call calculator.compute expression=1"),
        1,
    );
}

fn wrong_argument() {
    check(
        "wrong_argument",
        &with_calculator().tool("call calculator.evaluate expresion=1"),
        1,
    );
}

fn failure_that_teaches() {
    let ran = with_calculator().run(["call", "calculator.evaluate", "expression=2 m + 3 kg"]);
    check("failure_that_teaches", &ran, 1);
}

fn version_pushed() {
    let registry = RegistryProcess::start();
    let author = registry.member("author");
    author.tool("new greeter").ok();
    author.tool("build greeter").ok();
    author.tool("push -C greeter").ok();
    let again = author.tool("push -C greeter");
    assert_eq!(
        again.code(),
        0,
        "the same content again is fine:\n{}",
        again.stderr()
    );
    let source = author.work().join("greeter/src/lib.rs");
    let text = std::fs::read_to_string(&source).expect("the source");
    std::fs::write(&source, text.replace("Hello", "Good day")).expect("the source");
    author.tool("build greeter").ok();
    check("version_pushed", &author.tool("push -C greeter"), 3);
}

fn wrong_hash() {
    let home = Home::new();
    let project = guests::built("calculator");
    for file in ["tool.toml", "tool.wasm"] {
        home.write(
            &format!("package/{file}"),
            std::fs::read(project.join("dist").join(file)).expect("a file"),
        );
    }
    let component = home.work().join("package/tool.wasm");
    let mut bytes = std::fs::read(&component).expect("the component");
    *bytes.last_mut().expect("a byte") ^= 1;
    std::fs::write(&component, bytes).expect("the component");
    check("wrong_hash", &home.tool("load ./package"), 3);
    nothing_was_loaded(&home);
}

/// A component that wants something no host offers.
fn undeclared_import() {
    let home = Home::new();
    let component = wat::parse_str(
        r#"(component
            (import "evil:host/shell" (instance (export "run" (func (param "command" string)))))
            (core module $m (func (export "f") (result i32) (i32.const 1)))
            (core instance $i (instantiate $m))
            (func (export "f") (result u32) (canon lift (core func $i "f"))))"#,
    )
    .expect("a component");
    home.write("evil.wasm", component);
    let inspected = home.tool("inspect ./evil.wasm --json").json();
    assert_eq!(
        inspected["inspection"]["refusals"][0]["import"], "evil:host/shell",
        "{inspected}"
    );
    check("undeclared_import", &home.tool("load ./evil.wasm"), 3);
    nothing_was_loaded(&home);
}

fn not_a_component() {
    let home = Home::new();
    home.write("module.wasm", wat::parse_str("(module)").expect("a module"));
    check("not_a_component", &home.tool("inspect ./module.wasm"), 1);
}

fn unknown_key() {
    let home = Home::new();
    home.write(
        "tool/tool.toml",
        "schema = 1\nname = \"x\"\nversion = \"0.1.0\"\ndescripton = \"y\"\n",
    );
    check("unknown_key", &home.tool("build tool"), 1);
}

fn not_built() {
    let home = Home::new();
    home.tool("new greeter").ok();
    check("not_built", &home.tool("check greeter"), 1);
}

fn no_usable_token() {
    let home = Home::new();
    let empty = home.run_with_input("login --token-stdin", "");
    check("empty_token", &empty, 1);
    let strange = home.with("HF_TOKEN", "two words").tool("whoami");
    check("strange_token", &strange, 1);
}

/// The address is this machine's, and no client can know that of a name or a number that is
/// not the loopback's.
fn token_in_clear() {
    let registry = RegistryProcess::start_with(&["--allow-host", "0.0.0.0"]);
    let token = registry.user("ada");
    let everywhere = registry.url().replace("127.0.0.1", "0.0.0.0");
    let home = Home::new()
        .with("HF_ENDPOINT", &everywhere)
        .with("HF_TOKEN", &token);
    check("token_in_clear", &home.tool("whoami"), 0);
    check("token_in_clear_quiet", &home.tool("whoami --quiet"), 0);
}

/// A limit is a refusal, whatever it is a limit of.
fn texts_for_models_that_are_too_long() {
    let home = Home::new();
    home.write("template.txt", "é".repeat(70_000));
    home.write("long.py", "#".repeat((1 << 20) + 1));
    home.write("many.py", "def f(): pass\n".repeat(1_001));
    home.write("long.json", " ".repeat((4 << 20) + 1));
    home.write("many.json", format!("[{}1]", "1,".repeat(1_000)));
    home.write("answer.txt", "é".repeat((2 << 20) + 1));
    home.write("prompt.txt", " ".repeat((16 << 20) + 1));
    home.write("model.jinja", " ".repeat((128 << 10) + 1));
    home.write("model/tokenizer_config.json", " ".repeat((16 << 20) + 1));
    for (line, told) in [
        (
            "prompt render --task x --template template.txt",
            "the prompt template has more than 131072 bytes",
        ),
        (
            "schema long.py",
            "long.py is too long (source_bytes = 1048576)",
        ),
        (
            "schema many.py",
            "it has 1001 functions, at most 1000 are read",
        ),
        (
            "new made --from long.py",
            "long.py is too long (source_bytes = 1048576)",
        ),
        (
            "new made --from long.json",
            "long.json is too long (definitions_bytes = 4194304)",
        ),
        (
            "new made --from many.json",
            "it defines 1001 functions, at most 1000 are read",
        ),
        (
            "parse answer.txt",
            "The answer is longer than 4194304 bytes",
        ),
        (
            "parse answer.txt --prompt prompt.txt",
            "prompt.txt is too long (prompt_bytes = 16777216)",
        ),
        ("explain --as model.jinja", "template_bytes = 131072"),
        (
            "explain --as model",
            "too long (model_file_bytes = 16777216)",
        ),
    ] {
        let ran = home.tool(line);
        assert_eq!(ran.code(), 3, "{line}: {}", ran.stderr());
        assert!(ran.stderr().contains(told), "{line}: {}", ran.stderr());
    }
}
