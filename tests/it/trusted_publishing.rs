//! Tests of `tool push` as the job of a build service, and of the publishers that an owner names.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::public_clients::packages;
use crate::signatures::published::get;
use crate::support::adder::package;
use crate::support::loading::{digest, load};
use crate::support::proxy::Switching;
use crate::support::ran::says;
use crate::support::server::Server;
use crate::support::{Home, Need, RegistryProcess, Test, root, test};

pub(crate) fn tests() -> Vec<Test> {
    const NEEDS: &[Need] = &[Need::PythonPackages];
    vec![
        test("trusted_publishing::a_job_pushes", a_job_pushes).needs(NEEDS),
        test(
            "trusted_publishing::only_issuers_with_a_name",
            only_issuers_with_a_name,
        ),
    ]
}

const TOOL: &str = "ada/adder";

/// Writes version `version` of the tool that adds.
fn version(home: &Home, version: &str) {
    package(home, "adder", |manifest| {
        manifest.version = version.parse().expect("a version");
    });
}

/// A build service whose jobs are of `release.yml` of `acme/forecast`.
pub(crate) fn build_service() -> Server {
    let installed = packages::python(&["PyJWT==2.15.1", "cryptography==50.0.2"]);
    let mut python = Command::new("python3");
    python
        .arg(root().join("tests/clients/identity_issuer.py"))
        .env("PYTHONPATH", installed)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stderr(Stdio::null());
    Server::start(python)
}

/// An identity token for `audience`, as GitLab hands one to a job.
fn identity(service: &Server, audience: &str) -> String {
    identity_with(service, &json!({ "aud": audience }))
}

/// An identity token with these claims, and the usual ones beside them.
pub(crate) fn identity_with(service: &Server, claims: &Value) -> String {
    let runtime = Builder::new_current_thread().enable_all().build();
    let body = json!({ "how": "ec", "claims": claims });
    let url = format!("{}/sign", service.url());
    runtime.expect("a runtime").block_on(async {
        let request = reqwest::Client::new().post(url).json(&body);
        let answer = request.send().await.expect("an answer");
        answer.text().await.expect("a token")
    })
}

fn a_job_pushes() {
    let service = build_service();
    // The registry has to know its name before it has an address.
    let front = Switching::start("http://127.0.0.1:9");
    let trusted = format!("github={}", service.url());
    let flags = ["--public-url", front.url(), "--trusted-issuer", &trusted];
    let registry = RegistryProcess::start_with(&flags);
    front.lead_to(registry.url());
    let home = || Home::new().with("HF_ENDPOINT", front.url());
    let ada = home();
    ada.run_with_input("login --token-stdin", &registry.user("ada"))
        .ok();
    version(&ada, "1.0.0");
    let line = ["push", TOOL, "-C", "adder"];
    ada.run(line).ok();

    let add = [
        "registry",
        "publisher",
        "add",
        TOOL,
        "--issuer",
        service.url(),
    ];
    let terms = ["--repository", "acme/forecast", "--workflow", "release.yml"];
    let added = ada.run([&add[..], &terms[..]].concat());
    says(
        &added,
        0,
        "release.yml of acme/forecast may publish ada/adder",
    );
    says(
        &added,
        0,
        "hint: the first job says who owns that repository",
    );
    says(
        &ada.run(["registry", "publisher", "only", TOOL]),
        0,
        "come from its trusted publishers alone",
    );
    version(&ada, "1.1.0");
    // Nothing is committed, also where somebody rehearses it first.
    for flags in [&["--dry-run"][..], &[]] {
        let refused = ada.run([&line[..], flags].concat());
        says(&refused, 1, "nothing was published: versions of ada/adder");
        says(&refused, 1, "come from its trusted publishers alone");
        says(&refused, 1, "tool registry publisher only ada/adder --off");
    }
    let manifest = get(&format!("{}/{TOOL}/resolve/main/tool.toml", front.url()));
    let manifest = String::from_utf8(manifest).expect("UTF-8");
    assert!(manifest.contains("version = \"1.0.0\""), "{manifest}");
    let unknown = ada.run(["registry", "publisher", "remove", TOOL, "99"]);
    says(
        &unknown,
        1,
        "there is no publisher 99; see: tool registry publisher list ada/adder",
    );

    // A job without an identity has nothing to show, and one with another's is told so.
    let job = home();
    version(&job, "1.1.0");
    says(&job.run(line), 1, "wants a token");
    let address = format!("{}/github?run=1", service.url());
    let github = |bearer| {
        let variables = [
            ("ACTIONS_ID_TOKEN_REQUEST_URL", address.as_str()),
            ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", bearer),
        ];
        job.run_with(&line, &variables)
    };
    says(
        &github("of-another-job"),
        1,
        "cannot ask for the identity token of this job",
    );
    let pushed = github("of-the-job");
    says(
        &pushed,
        0,
        "publishing as release.yml of acme/forecast at 0123456789ab by ",
    );
    says(&pushed, 0, "ada/adder 1.1.0 pushed");

    version(&job, "1.2.0");
    let token = identity(&service, front.url());
    let pushed = job.run_with(&line, &[("TOOL_HUB_ID_TOKEN", &token)]);
    says(&pushed, 0, "ada/adder 1.2.0 pushed");
    version(&job, "1.3.0");
    let file = job.write("identity", &token);
    let file = file.to_str().expect("UTF-8");
    let with_file = [&line[..], &["--identity-token", file]].concat();
    says(&job.run(&with_file), 1, "it was used before");
    job.write("identity", identity(&service, "https://other.example.com"));
    let refused = job.run(&with_file);
    says(
        &refused,
        1,
        &format!("its audience has to be `{}`", front.url()),
    );
    says(
        &refused,
        1,
        "hint: whoever may manage the repo sees who may publish with: tool",
    );
    job.write("identity", identity(&service, front.url()) + "\n");
    says(&job.run(&with_file), 0, "ada/adder 1.3.0 pushed");

    let listed = ada.run(["registry", "publisher", "list", TOOL]);
    says(&listed, 0, "versions of ada/adder come from these alone");
    let found = ada.run(["registry", "publisher", "list", TOOL, "--json"]);
    let found = found.json();
    assert_eq!(found["publishers"][0]["owner_id"], "65");
    let said = found["events"][0]["event"].as_str().expect("a text");
    assert!(said.starts_with("published 1.3.0: release.yml"), "{said}");
    let user = home();
    load(&user, TOOL, &[]);
    assert_eq!(user.tool("call adder.add a=20 b=22").ok(), "42\n");

    let id = found["publishers"][0]["id"].as_str().expect("an id");
    // The user sees the repository, and a version without one stops.
    let report = user.run(["inspect", TOOL]).ok();
    let built_from = format!("acme/forecast of {} (owner 65)", service.url());
    assert!(
        report.contains(&format!(
            "built from {built_from}, as its build service says"
        )),
        "{report}"
    );
    let removed = ada.run(["registry", "publisher", "remove", TOOL, id]);
    says(&removed, 0, "its tokens are refused from now on");
    version(&job, "1.4.0");
    says(
        &github("of-the-job"),
        1,
        "no trusted publisher of ada/adder is release.yml",
    );
    assert_eq!(found["only"], Value::Bool(true));

    says(
        &ada.run(["registry", "publisher", "only", TOOL, "--off"]),
        0,
        "",
    );
    version(&ada, "1.4.0");
    ada.run(line).ok();
    let stopped = user.tool("update");
    says(&stopped, 3, &format!("  - built from: {built_from}"));
    assert_eq!(
        user.tool("list --json").json()["tools"][0]["version"],
        "1.3.0"
    );
    // A digest alone accepts no version that nobody built there, with a lock or without.
    let approve = digest(&user, TOOL);
    let was = format!(
        "`adder` was built from {built_from} when you approved it, and is built from no repository"
    );
    for command in [&["update", "adder"][..], &["load", TOOL]] {
        let refused = user.run([command, &["--approve", &approve]].concat());
        says(&refused, 3, &was);
        says(&refused, 3, "if they say so, add: --built-from none");
    }
    user.tool("remove adder").ok();
    let again = ["load", TOOL, "--approve", &approve];
    says(&user.run(again), 3, &was);
    let wrong = user.run([&again[..], &["--built-from", &built_from]].concat());
    says(&wrong, 3, "and --built-from asks for acme/forecast of");
    user.run([&again[..], &["--built-from", "none"]].concat())
        .ok();
    user.tool("remove adder").ok();
    user.run(again).ok();
}

fn only_issuers_with_a_name() {
    let home = Home::new();
    for (flags, code, expect) in [
        ("--trusted-issuer github", 1, "--public-url"),
        (
            "--trusted-issuer gitlab=http://git.example.com --public-url https://a.example.com",
            1,
            "its keys have to come over https",
        ),
        (
            "--trusted-issuer github --public-url https://a.example.com --issuer-keys https://gitlab.com=x",
            1,
            "--issuer-keys names https://gitlab.com, which is not trusted",
        ),
    ] {
        let ran = home.tool(&format!("registry serve --listen 127.0.0.1:0 {flags}"));
        says(&ran, code, expect);
    }
}
