//! Tests of `fetch` in tools written in JavaScript, which read websites of the tests.
//! Each tool is built as a package and as `tool dev` builds it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{any, get};
use futures::stream;
use tokio::runtime::Runtime;
use tokio::sync::{Barrier, Notify};

use super::edit;
use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::website::{Website, serve};
use crate::support::{Home, Need, Ran, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("author::fetching_answers", answers).needs(&[Need::JavascriptGuest]),
        test("author::fetching_forms", forms).needs(&[Need::JavascriptGuest]),
        test("author::fetching_through_redirects", through_redirects)
            .needs(&[Need::JavascriptGuest]),
        test("author::fetching_what_is_refused", what_is_refused).needs(&[Need::JavascriptGuest]),
    ]
}

/// A project of plain functions with rights to origins, in both of its forms.
pub(super) struct Project {
    pub(super) home: Home,
    origins: Vec<String>,
}

impl Project {
    /// Builds a package of `source`, and loads it with the rights to `origins`.
    #[track_caller]
    pub(super) fn new(source: &str, origins: &[&str]) -> Self {
        let home = Home::new();
        home.write("waiter.ts", source);
        home.tool("new waiter --from waiter.ts").ok();
        edit(
            &home,
            "waiter/tool.toml",
            "[build]",
            &format!("[capabilities]\nnetwork = {origins:?}\n\n[build]"),
        );
        home.tool("build waiter").ok();
        let project = Self {
            home,
            origins: origins.iter().map(|&origin| origin.to_owned()).collect(),
        };
        load(&project.home, "./waiter", &project.grants());
        project
    }

    fn grants(&self) -> Vec<&str> {
        let flags = self.origins.iter();
        flags
            .flat_map(|origin| ["--allow-network", origin])
            .collect()
    }

    /// Asserts what `function` answers as a package, and as `tool dev` builds it.
    #[track_caller]
    pub(super) fn answers(&self, function: &str, arguments: &[&str], expected: &str) {
        let name = format!("waiter.{function}");
        let called = self.home.run([&["call", &name], arguments].concat()).ok();
        assert_eq!(called.trim_end(), expected, "as a package");
        let developed = self.develop(function, arguments).ok();
        assert!(
            developed.trim_end().ends_with(&format!(
                "
{expected}"
            )),
            "with tool dev: {developed}"
        );
    }

    /// Asserts that `function` fails with `said` in both forms.
    #[track_caller]
    pub(super) fn fails(&self, function: &str, arguments: &[&str], code: i32, said: &str) {
        let name = format!("waiter.{function}");
        let called = self.home.run([&["call", &name], arguments].concat());
        says(&called, code, said);
        says(&self.develop(function, arguments), code, said);
    }

    fn develop(&self, function: &str, arguments: &[&str]) -> Ran {
        let call = [&[function], arguments].concat().join(" ");
        let flags = ["dev", "waiter", "--once", "--call", &call];
        self.home.run([&flags[..], &self.grants()].concat())
    }
}

/// Fetches two pages at once, and a page while another one still comes.
const READER: &str = r#"
/**
 * Reads two pages.
 * @param a - One.
 * @param b - The other.
 * @returns Both.
 */
export async function both(a: string, b: string): Promise<string> {
  const [first, second] = await Promise.all([fetch(a), fetch(b)]);
  return `${first.status} ${await first.text()}, ${second.ok} ${(await second.json()).name}`;
}

/**
 * Sends a form.
 * @param url - Where to.
 * @returns What was said of it.
 */
export async function send(url: string): Promise<string> {
  const headers = new Headers({ "X-Tide": "high" });
  const request = new Request(url, { method: "PUT", headers, body: new URLSearchParams({ q: "ä b" }) });
  const answer = await fetch(request);
  return `${answer.status} ${answer.ok} ${answer.headers.get("x-kind")} ${await answer.text()}`;
}

/**
 * Sends much.
 * @param url - Where to.
 * @returns How much was taken.
 */
export async function sendMuch(url: string): Promise<string> {
  const answer = await fetch(url, { method: "POST", body: new Uint8Array(1 << 20).fill(7) });
  const bytes = await answer.bytes();
  return `${bytes.length} ${bytes[bytes.length - 1]}`;
}

/**
 * Reads in parts.
 * @param url - Where.
 * @param more - What brings the rest.
 * @returns The parts.
 */
export async function parts(url: string, more: string): Promise<string> {
  const found: string[] = [];
  const answer = await fetch(url);
  for await (const chunk of answer.body) {
    found.push(new TextDecoder().decode(chunk));
    if (found.length === 1) await fetch(more);
  }
  return `${found.join("|")} ${answer.bodyUsed}`;
}

/**
 * Reads the first part.
 * @param url - Where.
 * @returns It.
 */
export async function first(url: string): Promise<string> {
  const reader = (await fetch(url)).body.getReader();
  const { value, done } = await reader.read();
  await reader.cancel();
  return `${new TextDecoder().decode(value)} ${done}`;
}
"#;

/// A website on which what is fetched together has to be asked for together, and a page whose
/// second part comes once another one was asked for.
fn pages() -> (String, Runtime) {
    let (together, rest) = (Arc::new(Barrier::new(2)), Arc::new(Notify::new()));
    let met = move || {
        let together = Arc::clone(&together);
        async move {
            let met = tokio::time::timeout(Duration::from_secs(20), together.wait()).await;
            let name = if met.is_ok() { "met" } else { "alone" };
            format!("{{\"name\":\"{name}\"}}")
        }
    };
    let asked = Arc::clone(&rest);
    let two_parts = move || async move {
        let parts = stream::unfold((0, rest), |(at, rest)| async move {
            if at == 1 {
                rest.notified().await;
            }
            let part = *["high", "low"].get(at)?;
            Some((Ok::<_, Infallible>(Bytes::from(part)), (at + 1, rest)))
        });
        Body::from_stream(parts)
    };
    let told = |headers: HeaderMap, body: String| async move {
        let said = |name: &str| headers[name].to_str().expect("text").to_owned();
        let text = format!("{} {} {body}", said("content-type"), said("x-tide"));
        (axum::http::StatusCode::CREATED, [("x-kind", "tide")], text)
    };
    let pages = Router::new()
        .route("/met", get(met))
        .route("/told", axum::routing::put(told))
        .route("/same", any(|body: Bytes| async { body }))
        .route("/parts", get(two_parts))
        .route("/more", get(move || async move { asked.notify_one() }));
    serve(pages)
}

fn answers() {
    let (origin, _runtime) = pages();
    let project = Project::new(READER, &[&origin]);
    let url = |name: &str, path: &str| format!("{name}={origin}/{path}");
    project.answers(
        "both",
        &[&url("a", "met"), &url("b", "met")],
        r#"200 {"name":"met"}, true met"#,
    );
    project.answers(
        "send",
        &[&url("url", "told")],
        "201 true tide application/x-www-form-urlencoded;charset=UTF-8 high q=%C3%A4+b",
    );
    project.answers("send_much", &[&url("url", "same")], "1048576 7");
    project.answers(
        "parts",
        &[&url("url", "parts"), &url("more", "more")],
        "high|low true",
    );
    project.answers("first", &[&url("url", "parts")], "high false");
}

const SENDER: &str = r#"
/**
 * Sends a form with a file.
 * @param url - Where to.
 * @returns What was sent, with another boundary.
 */
export async function upload(url: string): Promise<string> {
  const form = new FormData();
  form.append("q", "gone");
  form.append("q", "too");
  form.set("q", "ä\nb");
  const tide = new Blob(["high ", new Uint8Array([116, 105, 100, 101])], { type: "Text/Plain" });
  form.append("file", tide, "a\"b.txt\r\nx: y");
  form.append("other", new File([tide.slice(-4)], "c.txt"));
  const answer = await fetch(url, { method: "PUT", body: form, headers: { "x-tide": "high" } });
  const whole = await answer.text();
  const boundary = /boundary=(\S+)/.exec(whole)![1]!;
  return JSON.stringify(whole.replaceAll(boundary, "B"));
}

/**
 * Sends a blob, and reads the answer twice.
 * @param url - Where to.
 * @returns Both.
 */
export async function twice(url: string): Promise<string> {
  const request = new Request(url, { method: "POST", body: new Blob(["high"]) });
  const answer = await fetch(request.clone());
  const copy = answer.clone();
  const third = copy.clone();
  const first = await answer.text();
  const blob = await copy.blob();
  const chunks: string[] = [];
  for await (const chunk of third.body) chunks.push(new TextDecoder().decode(chunk));
  let late = "";
  try {
    answer.clone();
  } catch (error) {
    late = String(error);
  }
  return [first, blob.size, await blob.text(), chunks.join(""), third.status, late].join(" ");
}
"#;

fn forms() {
    let (origin, _runtime) = pages();
    let project = Project::new(SENDER, &[&origin]);
    let form = "multipart/form-data; boundary=B high --B\r\nContent-Disposition: form-data; \
                name=\"q\"\r\n\r\nä\r\nb\r\n--B\r\nContent-Disposition: form-data; name=\"file\"; \
                filename=\"a%22b.txt%0D%0Ax: y\"\r\nContent-Type: text/plain\r\n\r\nhigh \
                tide\r\n--B\r\nContent-Disposition: form-data; name=\"other\"; \
                filename=\"c.txt\"\r\nContent-Type: application/octet-stream\r\n\r\ntide\r\n--B--\r\n";
    let url = format!("url={origin}/told");
    let expected = serde_json::Value::from(form).to_string();
    project.answers("upload", &[&url], &expected);
    let url = format!("url={origin}/same");
    let expected = "high 4 high high 200 TypeError: the body was read already";
    project.answers("twice", &[&url], expected);
}

const FOLLOWER: &str = r#"
/**
 * Follows a redirect.
 * @param url - Where from.
 * @param mode - How.
 * @returns Where it led.
 */
export async function follow(url: string, mode: "follow" | "error" | "manual" = "follow"): Promise<string> {
  const answer = await fetch(url, {
    method: "POST",
    body: "high",
    redirect: mode,
    headers: { authorization: "Bearer secret", accept: "text/plain" },
  });
  return `${answer.status} ${answer.redirected} ${new URL(answer.url).pathname} ${await answer.text()}`;
}
"#;

fn through_redirects() {
    let seen = |method: axum::http::Method, headers: HeaderMap, body: String| async move {
        let has = |name: &str| headers.contains_key(name);
        format!(
            "{method} {} {} {} [{body}]",
            has("authorization"),
            has("content-type"),
            has("accept")
        )
    };
    let (elsewhere, _other) = serve(Router::new().fallback(seen));
    let away = format!("{elsewhere}/away");
    let pages = Router::new()
        .route("/found", any(|| async { see("/seen", 302) }))
        .route("/same", any(|| async { Redirect::temporary("seen") }))
        .route(
            "/away",
            any(move || async move { Redirect::temporary(&away) }),
        )
        .route("/loop", any(|| async { Redirect::temporary("/loop") }))
        .route("/seen", any(seen));
    let (origin, _runtime) = serve(pages);
    let project = Project::new(FOLLOWER, &[&origin, &elsewhere]);
    for (path, mode, expected) in [
        (
            "seen",
            "follow",
            "200 false /seen POST true true true [high]",
        ),
        ("found", "follow", "200 true /seen GET true false true []"),
        (
            "same",
            "follow",
            "200 true /seen POST true true true [high]",
        ),
        (
            "away",
            "follow",
            "200 true /away POST false true true [high]",
        ),
        ("same", "manual", "307 false /same"),
    ] {
        let arguments = [&*format!("url={origin}/{path}"), &*format!("mode={mode}")];
        project.answers("follow", &arguments, expected);
    }
    let looping = format!("url={origin}/loop");
    project.fails(
        "follow",
        &[&looping],
        1,
        "TypeError: fetch failed: there were more than 20 redirects",
    );
    project.fails(
        "follow",
        &[&looping, "mode=error"],
        1,
        "fetch failed: http://127.0.0.1:",
    );
}

/// A redirect that says only the place.
fn see(place: &str, status: u16) -> Response {
    let status = axum::http::StatusCode::from_u16(status).expect("a status");
    (status, [("location", place.to_owned())]).into_response()
}

const PRIER: &str = r#"
/**
 * Fetches.
 * @param url - What.
 * @returns What it says.
 */
export async function pry(url: string): Promise<string> {
  return (await fetch(url)).text();
}

/**
 * Fetches, and says why it cannot.
 * @param url - What.
 * @returns Why.
 */
export async function why(url: string): Promise<string> {
  return fetch(url).then(String, (error) => `${error.name}, ${error.message}, ${error.cause.message}`);
}
"#;

fn what_is_refused() {
    let granted = Website::start(|_| "high".into_response());
    let other = Website::start(|_| "a secret".into_response());
    let project = Project::new(PRIER, &[granted.origin()]);
    project.answers("pry", &[&format!("url={}", granted.origin())], "high");
    let url = format!("url={}/secret", other.origin());
    let why = format!(
        "this tool may not reach {}: its author names it in `network` below [capabilities] of tool.toml",
        other.origin()
    );
    project.fails(
        "pry",
        &[&url],
        3,
        &format!("TypeError: fetch failed: {why}"),
    );
    let told = project.home.run(["call", "waiter.why", &url]);
    let told = format!("{}{}", told.stdout(), told.stderr());
    assert!(
        told.contains(&format!("TypeError, fetch failed, {why}")),
        "{told}"
    );
    project.fails("pry", &["url=tides"], 1, "\"tides\" is not a URL");
    project.fails(
        "pry",
        &["url=file:///etc/passwd"],
        1,
        "not a protocol that can be fetched",
    );
    assert_eq!(other.asked(), [""; 0]);
}
