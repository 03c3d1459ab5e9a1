//! Tests of the npm package, installed beside the agent frameworks, with two versions of Node.
//! It is built and installed into an empty directory, where its own tests run, with the oldest Node
//! that it takes and a newer one.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::agents::document::{holds, paragraphs, sources};
use crate::public_clients::{packages, said};
use crate::support::loading::load;
use crate::support::{Home, Need, Test, guests, hostile, modules, root, test};

pub(crate) fn tests() -> Vec<Test> {
    const NEEDS: &[Need] = &[Need::RustGuests, Need::JavascriptGuest, Need::NodePackages];
    vec![
        test("node::calls_and_processes", calls_and_processes).needs(NEEDS),
        test("node::hostile_components", hostile_components).needs(NEEDS),
        test("node::frameworks", frameworks).needs(NEEDS),
        test("node::types", types).needs(NEEDS),
        test("node::the_examples_run", the_examples_run).needs(NEEDS),
        test("node::a_packed_package_works", a_packed_package_works).needs(NEEDS),
        test(
            "node::the_document_shows_what_is_run",
            the_document_shows_what_is_run,
        ),
    ]
}

/// The frameworks and versions for which there are adapters.
const FRAMEWORKS: [&str; 6] = [
    "ai@7.0.173",
    "@openai/agents@0.20.0",
    "langchain@1.5.14",
    "@langchain/core@1.4.0",
    "@langchain/langgraph@1.7.3",
    "zod@4.6.7",
];
const NEWER_NODE: &str = "node@22.23.3";

/// A directory of somebody who installed the package from a clone, as the document says.
struct Program {
    place: TempDir,
    home: Home,
    runtimes: Vec<PathBuf>,
}

impl Program {
    /// `npm install` of `package` in an empty directory, and the tests beside it.
    fn with(package: &Path) -> Self {
        let program = Self {
            place: tempfile::tempdir().expect("a directory"),
            home: Home::new(),
            runtimes: Vec::new(),
        };
        said(
            npm(&["install", "--no-audit", "--no-fund"])
                .arg(package)
                .current_dir(program.place.path()),
        );
        for directory in ["test", "test/programs", "examples"] {
            let to = program.place.path().join(directory);
            std::fs::create_dir_all(&to).expect("a directory");
            for entry in std::fs::read_dir(root().join("node").join(directory)).expect("files") {
                let from = entry.expect("a file").path();
                if from.is_file() {
                    std::fs::copy(&from, to.join(from.file_name().expect("a name")))
                        .expect("a copy");
                }
            }
        }
        program.write_fixtures();
        // The tests are modules.
        let manifest = program.place.path().join("package.json");
        let text = std::fs::read_to_string(&manifest).expect("a manifest");
        let text = text.replacen('{', "{ \"type\": \"module\",", 1);
        std::fs::write(manifest, text).expect("a manifest");
        program
    }

    /// The package of this clone, linked.
    fn linked() -> Self {
        Self::with(&root().join("node"))
    }

    fn write_fixtures(&self) {
        let fixtures = self.fixtures();
        std::fs::create_dir(&fixtures).expect("a directory");
        for (name, text) in [
            (
                "guest.wasm",
                include_str!("../../serve/tests/mcp/guest.wat"),
            ),
            ("traps.wasm", include_str!("../../embed/tests/traps.wat")),
            (
                "answers.wasm",
                include_str!("../../embed/tests/answers.wat"),
            ),
        ] {
            let component = wat::parse_str(text).expect("a component");
            std::fs::write(fixtures.join(name), component).expect("a file");
        }
        for name in ["tally", "calculator", "run-javascript"] {
            std::os::unix::fs::symlink(guests::built(name), fixtures.join(name)).expect("a link");
        }
    }

    /// The same with packages beside it.
    fn beside(self, packages: &[&str]) -> Self {
        let from = packages::node(packages).join("node_modules");
        link_all(&from, &self.place.path().join("node_modules"));
        self
    }

    /// The same with a newer Node.
    fn newer(mut self) -> Self {
        self.runtimes = vec![packages::node(&[NEWER_NODE]).join("node_modules/node/bin")];
        self
    }

    fn fixtures(&self) -> PathBuf {
        self.place.path().join("fixtures")
    }

    fn node(&self) -> Command {
        let mut command = self.home.program_among("node", &self.runtimes);
        command
            .current_dir(self.place.path())
            .env("TOOL_HUB_FIXTURES", self.fixtures());
        command
    }

    /// Runs test files with Node's own runner. Each must have run something.
    #[track_caller]
    fn test(&self, names: &[&str]) {
        let files = names.iter().map(|name| format!("test/{name}.test.js"));
        let said = said(
            self.node()
                .args(["--test", "--test-reporter=tap"])
                .args(files),
        );
        let passed = said.lines().find_map(|line| line.strip_prefix("# pass "));
        let passed: usize = passed
            .and_then(|count| count.parse().ok())
            .expect("a count");
        assert!(
            passed >= names.len() && said.contains("# skipped 0"),
            "{said}"
        );
    }
}

/// npm, building with what these tests were built with.
fn npm(arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    let cargo_arguments = modules::cargo_arguments().join(" ");
    command
        .args(arguments)
        .env("TOOL_HUB_CARGO_ARGUMENTS", cargo_arguments);
    command
}

/// Links every package in `from` into `to`, those of scopes one by one.
fn link_all(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("packages") {
        let entry = entry.expect("a package");
        let (package, link) = (entry.path(), to.join(entry.file_name()));
        if entry.file_name().to_string_lossy().starts_with('@') {
            std::fs::create_dir_all(&link).expect("a scope");
            link_all(&package, &link);
        } else if !link.exists() {
            std::os::unix::fs::symlink(package, link).expect("a link");
        }
    }
}

fn calls_and_processes() {
    let program = Program::linked();
    let suites = [
        "authoring",
        "call",
        "functions",
        "limits",
        "process",
        "random",
        "registry",
        "toolbox",
        "traps",
    ];
    std::thread::scope(|threads| {
        // It waits for a minute, whatever the version of Node, and computes nothing.
        threads.spawn(|| program.test(&["unanswered"]));
        program.test(&suites);
    });
    program.newer().test(&suites);
}

fn hostile_components() {
    let program = Program::linked();
    let components = program.fixtures().join("hostile");
    std::os::unix::fs::symlink(hostile::components(), components).expect("a link");
    program.test(&["hostile", "scripts"]);
    program.newer().test(&["hostile", "scripts"]);
}

fn frameworks() {
    let program = Program::linked().beside(&FRAMEWORKS).newer();
    program.test(&["ai", "openai-agents", "langchain"]);
}

fn types() {
    let mut packages = FRAMEWORKS.to_vec();
    packages.extend(["typescript@7.0.2", "@types/node@22.20.5"]);
    let program = Program::linked().beside(&packages);
    let flags =
        "--noEmit --strict --module nodenext --target es2022 --skipLibCheck --preserveSymlinks";
    said(
        program
            .node()
            .arg("node_modules/typescript/bin/tsc")
            .args(flags.split(' '))
            .arg("test/types.ts"),
    );
}

fn the_examples_run() {
    let program = Program::linked();
    let user = &program.home;
    let calculator = guests::built("calculator");
    load(user, &calculator.to_string_lossy(), &[]);
    let said_of = |name: &str, given: &[&str]| {
        let script = program.place.path().join("examples").join(name);
        said(program.node().arg(script).args(given))
    };
    let called = said_of("call.js", &[]);
    assert!(
        called.starts_with("{ value: 42, unit: '', text: '42' }\ninvalid-argument "),
        "{called}"
    );

    let given = r#"{"expression": "6 * 7"}"#;
    let limited = said_of("limits.js", &["calculator__evaluate", given]);
    assert!(limited.contains(" microseconds, "), "{limited}");

    let built = said_of("authoring.js", &[]);
    assert!(built.ends_with("reading-time/dist\n2\n"), "{built}");

    let tally = guests::built("tally").to_string_lossy().into_owned();
    let inspected = user.run(["inspect", &tally, "--json"]).json();
    let digest = inspected["digest"].as_str().expect("a digest");
    let approved = said_of("approve.js", &[&tally, digest]);
    assert!(
        approved.ends_with("[ { counter: 'pages', total: 12 } ]\n"),
        "{approved}"
    );

    let guest = program.fixtures().join("guest.wasm");
    let guest = guest.to_string_lossy();
    let inspected = user.run(["inspect", &*guest, "--json"]).json();
    let digest = inspected["digest"].as_str().expect("a digest");
    let worked = said_of("interaction.js", &[&guest, digest, "guest__work"]);
    assert_eq!(worked, "1 of 2: halfway\n2\n");
    let confirmed = said_of("interaction.js", &[&guest, digest, "guest__confirm"]);
    assert_eq!(confirmed, "Delete 12 notes?\nReally?\n{\"ok\":true}\n");
}

fn a_packed_package_works() {
    let packed = tempfile::tempdir().expect("a directory");
    said(
        npm(&["pack", "--silent", "--pack-destination"])
            .arg(packed.path())
            .arg(root().join("node")),
    );
    let program = Program::with(&packed.path().join("tool-hub-0.1.0.tgz"));
    let installed = program.place.path().join("node_modules/tool-hub");
    assert!(!installed.is_symlink() && !installed.join("Cargo.toml").exists());
    program.test(&["call"]);
    // It carries the command.
    let mut command = program.home.program_among("node", &[]);
    command.arg(installed.join("bin.js")).arg("--version");
    assert!(said(&mut command).starts_with("tool "));
}

/// Every paragraph of a block stands in one of the files that its section links to, and the
/// versions are those of the tests.
fn the_document_shows_what_is_run() {
    let document = root().join("docs/javascript.md");
    let document = std::fs::read_to_string(document).expect("docs/javascript.md");
    let mut shown = 0;
    for section in document.split("\n## ") {
        let sources = sources(section);
        let texts = sources.iter().map(std::fs::read_to_string);
        let texts: Vec<String> = texts.map(|text| text.expect("a source")).collect();
        for paragraph in paragraphs(section) {
            let is_shown = texts.iter().any(|text| holds(text, paragraph));
            assert!(
                is_shown,
                "none of {sources:?} has these lines:\n{paragraph}"
            );
            shown += 1;
        }
    }
    assert!(shown > 10, "{shown}");
    for package in &FRAMEWORKS[..3] {
        assert!(document.contains(&format!("`{package}`")), "{package}");
    }
}
