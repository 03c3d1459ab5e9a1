//! Tests of the release workflow, its list of platforms, and the scripts for tags and builds.
//! The workflow has known keys only, names actions by commit, and runs scripts that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use super::{Expect, platforms, said, script};
use crate::support::{Need, Test, root, test};

const WORKFLOW: &str = ".github/workflows/release.yml";

pub(super) fn tests() -> Vec<Test> {
    vec![
        test(
            "deploy::the_release_workflow_is_sound",
            the_release_workflow_is_sound,
        ),
        test(
            "deploy::a_release_is_for_known_platforms",
            a_release_is_for_known_platforms,
        ),
        test("deploy::a_tag_is_the_version", a_tag_is_the_version).needs(&[Need::LinuxPython]),
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Workflow {
    name: String,
    on: BTreeMap<String, Option<BTreeMap<String, Vec<String>>>>,
    permissions: BTreeMap<String, String>,
    jobs: BTreeMap<String, Job>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Job {
    needs: Option<String>,
    runs_on: String,
    #[serde(default)]
    outputs: BTreeMap<String, String>,
    #[serde(default)]
    strategy: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(default)]
    defaults: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(default)]
    permissions: BTreeMap<String, String>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    id: Option<String>,
    #[serde(rename = "if")]
    condition: Option<String>,
    uses: Option<String>,
    #[serde(default)]
    with: BTreeMap<String, Value>,
    run: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

fn the_release_workflow_is_sound() {
    let text = std::fs::read_to_string(root().join(WORKFLOW)).expect("the workflow");
    let workflow: Workflow = serde_saphyr::from_str(&text).expect("no unknown keys");
    assert_eq!(workflow.name, "release");
    assert_eq!(workflow.on["push"].as_ref().expect("tags")["tags"], ["v*"]);
    assert_eq!(
        workflow.permissions,
        [("contents".into(), "read".into())].into()
    );
    let writers = workflow
        .jobs
        .iter()
        .filter(|(_, job)| !job.permissions.is_empty());
    let writers: Vec<_> = writers.map(|(name, _)| name.as_str()).collect();
    assert_eq!(writers, ["collect"]);
    let build = &workflow.jobs["build"];
    let platforms = "${{ fromJSON(needs.plan.outputs.platforms) }}";
    assert_eq!(build.strategy["matrix"]["platform"], platforms);
    assert_eq!(build.runs_on, "${{ matrix.platform.runner }}");
    assert_eq!(build.defaults["run"]["shell"], "bash");
    let plan = &workflow.jobs["plan"];
    let output = plan.outputs["platforms"].as_str();
    let from = plan.steps.iter().find_map(|step| step.id.as_deref());
    assert_eq!(
        output,
        format!(
            "${{{{ steps.{}.outputs.platforms }}}}",
            from.expect("a step")
        )
    );
    let mut started = BTreeSet::new();
    for job in workflow.jobs.values() {
        let needed = job
            .needs
            .iter()
            .all(|name| workflow.jobs.contains_key(name));
        assert!(needed, "{:?} is no job", job.needs);
        for step in &job.steps {
            started.extend(check(step));
        }
    }
    let known = ["echo", "gh", "npm", "python", "python3", "rustup"];
    assert_eq!(started, known.map(str::to_owned).into());
}

/// Checks a step, and gives the program that it starts.
#[track_caller]
fn check(step: &Step) -> Option<String> {
    assert!(step.uses.is_some() != step.run.is_some(), "one of both");
    if let Some(uses) = &step.uses {
        let (action, commit) = uses.split_once('@').expect("a commit");
        assert!(action.starts_with("actions/"), "{action}");
        let is_hexadecimal = commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(commit.len() == 40 && is_hexadecimal, "{uses} is no commit");
        let keeps = step.with.get("persist-credentials");
        assert_eq!(action == "actions/checkout", keeps == Some(&false.into()));
        return None;
    }
    let run = step.run.as_deref()?;
    // Whoever pushes a tag chooses its name.
    assert!(!run.contains("github."), "{run} takes text from outside");
    let on_a_tag = step.condition.as_deref() == Some("github.ref_type == 'tag'");
    assert_eq!(
        on_a_tag,
        run.starts_with("gh ") && step.env.contains_key("GH_TOKEN")
    );
    let words = run.split([' ', '(', ')']).filter(|word| is_a_path(word));
    for path in words {
        assert!(root().join(path).exists(), "{path} in `{run}`");
    }
    run.split(' ').next().map(str::to_owned)
}

/// True for the paths of files that the repository has to hold.
fn is_a_path(word: &str) -> bool {
    [".py", ".json", ".txt", ".md"]
        .iter()
        .any(|ending| word.ends_with(ending))
}

fn a_release_is_for_known_platforms() {
    let known = Command::new("rustc")
        .args(["--print", "target-list"])
        .output();
    let known = String::from_utf8(known.expect("rustc starts").stdout).expect("targets");
    let known: BTreeSet<&str> = known.lines().collect();
    let platforms = platforms();
    assert_eq!(platforms.len(), 7);
    let mut names = BTreeSet::new();
    for platform in &platforms {
        let text = |value: &Value| value.as_str().map(str::to_owned).expect("text");
        let target = text(&platform["target"]);
        assert!(known.contains(target.as_str()), "{target}");
        let system = match text(&platform["npm"]["os"]).as_str() {
            "linux" => ("linux", "ubuntu-"),
            "darwin" => ("apple", "macos-"),
            "win32" => ("windows", "windows-"),
            other => panic!("{other} is no system of npm's"),
        };
        assert!(target.contains(system.0), "{target}");
        assert!(text(&platform["runner"]).starts_with(system.1), "{target}");
        let cpu = match text(&platform["npm"]["cpu"]).as_str() {
            "x64" => "x86_64-",
            "arm64" => "aarch64-",
            other => panic!("{other} is no processor of npm's"),
        };
        assert!(target.starts_with(cpu), "{target}");
        let zig = platform["zig"].as_str();
        assert_eq!(zig.is_some(), system.0 == "linux", "{target}");
        // With the oldest glibc that manylinux2014 promises.
        let linked = if target.ends_with("gnu") { ".2.17" } else { "" };
        assert!(
            zig.is_none_or(|zig| zig == format!("{target}{linked}")),
            "{target}"
        );
        names.insert(text(&platform["npm"]["name"]));
    }
    assert_eq!(names.len(), platforms.len());
}

fn a_tag_is_the_version() {
    let version = env!("CARGO_PKG_VERSION");
    let right = format!("v{version}");
    said(&script("check_tag.py", &["tag", &right]), Expect::Success);
    said(
        &script("check_tag.py", &["branch", "main"]),
        Expect::Success,
    );
    let wrong = said(&script("check_tag.py", &["tag", version]), Expect::Failure);
    assert!(
        wrong.contains(&format!("expected the tag {right}")),
        "{wrong}"
    );
    // The other scripts are read whole before they say what they take.
    for name in ["build.py", "npm.py"] {
        said(&script(name, &["--help"]), Expect::Success);
    }
    let unknown = said(&script("build.py", &["riscv64-none"]), Expect::Failure);
    assert!(
        unknown.contains("expected one of x86_64-unknown-linux-gnu"),
        "{unknown}"
    );
}
