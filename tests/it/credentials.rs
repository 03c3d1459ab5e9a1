//! Tests of credentials: the host puts them into requests to their origin, and the tool sees none.

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Redirect, Response};
use tokio::runtime::Runtime;

use crate::support::loading::{digest, load};
use crate::support::ran::says;
use crate::support::website::serve;
use crate::support::{Home, Need, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("credentials::sent_and_not_seen", sent_and_not_seen).needs(&[Need::JavascriptGuest]),
        test(
            "credentials::lost_on_the_way_elsewhere",
            lost_on_the_way_elsewhere,
        )
        .needs(&[Need::JavascriptGuest]),
        test("credentials::kept_by_the_user", kept_by_the_user).needs(&[Need::JavascriptGuest]),
        test("credentials::asked_for_again", asked_for_again).needs(&[Need::JavascriptGuest]),
        test("credentials::manifest_mistakes", manifest_mistakes),
    ]
}

/// Repeats what it was sent, in a header as well as in the answer; `/to/URL` redirects.
fn mirror() -> (String, Runtime) {
    serve(Router::new().fallback(|request: Request| async move { reflect(&request) }))
}

fn reflect(request: &Request) -> Response {
    let uri = request.uri().to_string();
    if let Some(to) = uri.strip_prefix("/to/") {
        return Redirect::temporary(to).into_response();
    }
    let header = |name: &str| {
        let value = request.headers().get(name);
        value
            .map_or("none", |value| value.to_str().expect("text"))
            .to_owned()
    };
    let key = header("authorization");
    let length = key.len();
    let text = format!(
        "{uri} authorization {key} of {length}, range {}",
        header("range")
    );
    ([("x-seen", key)], text).into_response()
}

const CALLER: &str = r#"
/**
 * Reads a page.
 * @param url - Where it is.
 * @returns Its header and its text.
 */
export async function read(url: string): Promise<string> {
  const headers = { authorization: "Bearer forged", range: "bytes=0-40" };
  const answer = await fetch(url, { headers });
  return `${answer.headers.get("x-seen")}: ${await answer.text()}`;
}
"#;

const KEY: &str = "sk-canary-4f1c9d";

/// Writes and builds the tool `caller`, which asks for `credential` and for `origins`.
fn build(home: &Home, origins: &[&str], credential: &str) {
    home.write("caller.ts", CALLER);
    let _ = std::fs::remove_dir_all(home.work().join("caller"));
    home.tool("new caller --from caller.ts").ok();
    let capabilities = format!(
        "[capabilities]\nnetwork = {origins:?}\ncredentials = [{{ name = 'KEY', {credential} }}]\n\n[build]"
    );
    let manifest = home.work().join("caller/tool.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    std::fs::write(&manifest, text.replace("[build]", &capabilities)).expect("a manifest");
    home.tool("build caller").ok();
}

/// What the tool answers for `url`.
#[track_caller]
fn read(home: &Home, url: &str) -> String {
    home.run(["call", "caller", &format!("url={url}")]).ok()
}

fn sent_and_not_seen() {
    let (origin, _running) = mirror();
    let home = Home::new().with("KEY", KEY).with("TOOL_HUB_LOG", "trace");
    let place = format!("origin = '{origin}', header = 'Authorization: Bearer {{}}'");
    build(&home, &[&origin], &place);
    let inspection = home.tool("inspect ./caller").ok();
    let told = format!(
        "has a credential of yours sent, which it does not see: KEY for {origin}, in the header `authorization: Bearer {{}}`"
    );
    assert!(inspection.contains(&told), "{inspection}");
    let rights = ["--allow-network", &origin, "--allow-credential", "KEY"];
    load(&home, "./caller", &rights);
    assert!(
        home.tool("list")
            .ok()
            .contains(&format!("have $KEY sent to {origin}"))
    );
    let called = home.run(["call", "caller", &format!("url={origin}/a"), "--verbose"]);
    let length = "Bearer ".len() + KEY.len();
    let hidden = "*".repeat(KEY.len());
    let said = format!("Bearer {hidden}: /a authorization Bearer {hidden} of {length}, range none");
    assert_eq!(called.ok().trim_end(), said);
    assert!(!called.stderr().contains(KEY), "{}", called.stderr());
    // In a query, and as user and password.
    for (place, expect) in [
        (
            "query = 'api_key'",
            format!("/a?b=1&api_key={hidden} authorization Bearer forged"),
        ),
        ("basic = true", "of 42".to_owned()),
    ] {
        let home = Home::new().with(
            "KEY",
            if place.starts_with("query") {
                KEY
            } else {
                "ada:sk-canary-4f1c9d-77aa01"
            },
        );
        build(&home, &[&origin], &format!("origin = '{origin}', {place}"));
        load(&home, "./caller", &rights);
        let said = read(&home, &format!("{origin}/a?api_key=forged&b=1"));
        assert!(said.contains(&expect), "{place}: {said}");
        assert!(!said.contains("canary"), "{said}");
    }
}

fn lost_on_the_way_elsewhere() {
    let (origin, _running) = mirror();
    let (elsewhere, _other) = mirror();
    let home = Home::new().with("KEY", KEY);
    let place = format!("origin = '{origin}', header = 'Authorization: Bearer {{}}'");
    build(&home, &[&origin, &elsewhere], &place);
    let origins = ["--allow-network", &origin, "--allow-network", &elsewhere];
    load(
        &home,
        "./caller",
        &[&origins[..], &["--allow-credential", "KEY"]].concat(),
    );
    let said = read(&home, &format!("{origin}/to/{elsewhere}/b"));
    assert!(said.contains("none: /b authorization none"), "{said}");
    let back = read(&home, &format!("{elsewhere}/to/{origin}/c"));
    assert!(back.contains("/c authorization Bearer ****"), "{back}");
}

fn kept_by_the_user() {
    let (origin, _running) = mirror();
    let home = Home::new();
    let place = format!("origin = '{origin}', header = 'Authorization: Bearer {{}}'");
    build(&home, &[&origin], &place);
    load(&home, "./caller", &["--allow-network", &origin]);
    // It may be refused: requests go without it, and a failure would say so.
    assert!(read(&home, &origin).contains("Bearer forged"));
    let digest = digest(&home, "./caller");
    let granted = home.run([
        "grant",
        "caller",
        "--allow-credential",
        "KEY",
        "--approve",
        &digest,
    ]);
    says(
        &granted,
        0,
        "give KEY a value with: tool credential set KEY",
    );
    let url = format!("url={origin}/");
    let called = home.run(["call", "caller", &url]);
    says(
        &called,
        3,
        "was refused credential KEY: it is granted and has no value",
    );
    says(
        &called,
        3,
        "a person can give it a value: tool credential set KEY",
    );
    says(
        &home.tool("credential set KEY"),
        1,
        "tool credential set KEY --stdin",
    );
    let set = home.run_with_input("credential set KEY --stdin", &format!("{KEY}\n"));
    assert!(
        set.stderr().contains(&format!("kept KEY for {origin}")),
        "{}",
        set.stderr()
    );
    assert_eq!(
        home.tool("credential list").ok(),
        format!("KEY for {origin}\n")
    );
    assert!(read(&home, &origin).contains(&format!("of {}", 7 + KEY.len())));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = home.tool_home().join("credentials.toml");
        let mode = std::fs::metadata(&file)
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o077, 0, "{mode:o}");
    }
    for bad in ["", "two\nlines", "gr\u{fc}n"] {
        let refused = home.run_with_input("credential set KEY --stdin", bad);
        says(&refused, 1, "this cannot be the value of a credential");
    }
    home.tool("revoke caller --credential KEY").ok();
    assert!(read(&home, &origin).contains("Bearer forged"));
    let elsewhere = home.run_with_input(
        "credential set KEY --stdin --origin https://b.example",
        "other",
    );
    elsewhere.ok();
    says(&home.tool("credential remove KEY"), 1, "https://b.example");
    home.run(["credential", "remove", "KEY", "--origin", &origin])
        .ok();
    home.tool("credential remove KEY").ok();
    says(
        &home.tool("credential remove KEY"),
        1,
        "no value is kept for KEY",
    );
}

fn asked_for_again() {
    let (origin, _running) = mirror();
    let (elsewhere, _other) = mirror();
    let home = Home::new().with("KEY", KEY);
    let header = "header = 'Authorization: Bearer {}'";
    build(
        &home,
        &[&origin, &elsewhere],
        &format!("origin = '{origin}', {header}"),
    );
    let origins = ["--allow-network", &origin, "--allow-network", &elsewhere];
    load(
        &home,
        "./caller",
        &[&origins[..], &["--allow-credential", "KEY"]].concat(),
    );
    // The same name for another origin is another right.
    build(
        &home,
        &[&origin, &elsewhere],
        &format!("origin = '{elsewhere}', {header}"),
    );
    let update = home.tool("update");
    says(&update, 3, "credential KEY");
    let report = update.stderr();
    assert!(
        report.contains(&format!("+ credential KEY: for {elsewhere}")),
        "{report}"
    );
}

fn manifest_mistakes() {
    let home = Home::new();
    home.tool("new caller").ok();
    let manifest = home.work().join("caller/tool.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let origin = "origin = 'https://a.example'";
    for (capabilities, said) in [
        (
            format!("credentials = [{{ name = 'KEY', {origin}, basic = true }}]"),
            "add it there",
        ),
        (
            format!(
                "network = ['https://a.example']\nvariables = [{{ name = 'KEY' }}]\ncredentials = [{{ name = 'KEY', {origin}, basic = true }}]"
            ),
            "as a credential and as a variable",
        ),
        (
            format!(
                "network = ['https://a.example']\ncredentials = [{{ name = 'KEY', {origin} }}]"
            ),
            "needs one of",
        ),
    ] {
        let capabilities = format!("[capabilities]\n{capabilities}\n\n[build]");
        std::fs::write(&manifest, text.replace("[build]", &capabilities)).expect("a manifest");
        says(&home.tool("build caller"), 1, said);
    }
}
