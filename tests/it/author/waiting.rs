//! Tests of tools in JavaScript that wait: `async` functions, timers and other globals.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::get;
use futures::stream;
use tokio::sync::Notify;

use super::edit;
use super::fetching::Project;
use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::website::serve;
use crate::support::{Home, Need, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("author::waiting_in_vain", in_vain).needs(&[Need::JavascriptGuest]),
        test("author::waiting_in_order", in_order).needs(&[Need::JavascriptGuest]),
        test("author::waiting_in_a_world", in_a_world).needs(&[Need::JavascriptGuest]),
        test(
            "author::waiting_with_what_browsers_have",
            with_what_browsers_have,
        )
        .needs(&[Need::JavascriptGuest]),
        test("author::waiting_imports_what_is_used", imports_what_is_used)
            .needs(&[Need::JavascriptGuest]),
    ]
}

const WAITER: &str = r#"
/**
 * Gives up.
 * @param url - Where to wait.
 * @returns Nothing.
 */
export async function impatient(url: string): Promise<string> {
  return (await fetch(url, { signal: AbortSignal.timeout(100) })).text();
}

/**
 * Is stopped.
 * @param url - Where to wait.
 * @returns Why it ended.
 */
export async function stopped(url: string): Promise<string> {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  try {
    await fetch(url, { signal: stop.signal });
    return "an answer";
  } catch (error) {
    return `${error.name} ${stop.signal.aborted}`;
  }
}

/**
 * Waits for nothing.
 * @returns Nothing.
 */
export function forever(): Promise<string> {
  return new Promise(() => {});
}

/**
 * Fails later.
 * @returns Nothing.
 */
export async function later(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  throw new RangeError("too late");
}

/**
 * Reads what is broken off.
 * @param url - Where.
 * @param stop - What breaks it off.
 * @returns Nothing.
 */
export async function broken(url: string, stop: string): Promise<string> {
  const reader = (await fetch(url)).body.getReader();
  await reader.read();
  await fetch(stop);
  return `${(await reader.read()).done}`;
}
"#;

fn in_vain() {
    let stop = Arc::new(Notify::new());
    let asked = Arc::clone(&stop);
    let broken = move || async move {
        let parts = stream::unfold((0, stop), |(at, stop)| async move {
            if at == 0 {
                return Some((Ok(Bytes::from("high")), (1, stop)));
            }
            stop.notified().await;
            Some((Err(std::io::Error::other("gone")), (at + 1, stop)))
        });
        Body::from_stream(parts)
    };
    let pages = Router::new()
        .route("/never", get(std::future::pending::<()>))
        .route("/broken", get(broken))
        .route("/stop", get(move || async move { asked.notify_one() }));
    let (origin, _runtime) = serve(pages);
    let project = Project::new(WAITER, &[&origin]);
    let never = format!("url={origin}/never");
    project.fails(
        "impatient",
        &[&never],
        1,
        "TimeoutError: The operation timed out",
    );
    project.answers("stopped", &[&never], "AbortError true");
    project.fails(
        "forever",
        &[],
        1,
        "Error: the function waits for a promise that nothing will settle",
    );
    project.fails("later", &[], 1, "RangeError: too late");
    project.fails(
        "broken",
        &[
            &format!("url={origin}/broken"),
            &format!("stop={origin}/stop"),
        ],
        1,
        &format!("TypeError: fetch failed: the answer of {origin} broke off"),
    );
}

const CLOCK: &str = r#"
/**
 * Waits in all ways.
 * @returns What came when.
 */
export async function order(): Promise<string> {
  const seen: string[] = [];
  const say = (what: string) => () => seen.push(what);
  setTimeout(say("late"), 60);
  setTimeout(say("soon"), 10);
  clearTimeout(setTimeout(say("never"), 5));
  queueMicrotask(say("job"));
  Promise.resolve().then(say("then"));
  let rounds = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval((step) => {
      rounds += step;
      if (rounds === 6) { clearInterval(timer); resolve(); }
    }, 40, 2);
  });
  seen.push(`rounds ${rounds}`);
  for await (const what of count()) seen.push(`${what}`);
  const all = await Promise.allSettled([Promise.reject(1), 2, globalThis.Promise.any([3])]);
  seen.push(all.map((it) => it.status[0]).join(""));
  return seen.join(" ");
}

async function* count() {
  yield 1;
  await null;
  yield 2;
}
"#;

fn in_order() {
    let project = Project::new(CLOCK, &[]);
    project.answers("order", &[], "job then soon late rounds 6 1 2 rff");
}

/// A project with a world of its own, whose functions are looked at in the build.
fn in_a_world() {
    let home = Home::new();
    home.tool("new greeter --lang javascript").ok();
    edit(
        &home,
        "greeter/tool.js",
        "  greet(name",
        "  async greet(name",
    );
    edit(
        &home,
        "greeter/tool.js",
        "const code =",
        "await new Promise((resolve) => setTimeout(resolve, 5));\n    \
         if (name === \"Eve\") throw new Error(\"not her\", { cause: new Error(\"she is away\") });\n    const code =",
    );
    home.tool("build greeter").ok();
    load(&home, "./greeter", &[]);
    for arguments in [
        ["call", "greeter", "name=Ada"].as_slice(),
        &["dev", "greeter", "--once", "--call", "name=Ada"],
    ] {
        let said = home.run(arguments).ok();
        assert!(said.ends_with("Hello, Ada!\n"), "{said}");
    }
    let refused = home.tool("call greeter name=Ada language=xx");
    says(&refused, 1, "`xx` is not a language I speak");
    says(
        &home.tool("call greeter name=Eve"),
        1,
        "not her: she is away",
    );
}

const BROWSER: &str = r#"
/**
 * Uses what browsers have.
 * @returns What came of it.
 */
export function use(): string {
  const url = new URL("../b?x=1#y", "https://Example.com:443/a/c");
  url.searchParams.append("q", "ä b");
  const copy = structuredClone({ when: new Map([[1, new Date(0)]]) });
  const random = crypto.getRandomValues(new Uint8Array(32));
  return [
    url.href,
    URL.canParse("nothing"),
    new TextDecoder().decode(new TextEncoder().encode("é€")),
    new TextDecoder("utf-16le").decode(new Uint8Array([104, 0])),
    atob(btoa("tide")),
    copy.when.get(1)?.getTime(),
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()),
    random.some((byte) => byte !== 0),
    typeof globalThis.fetch,
    new Headers([["A", "1"], ["a", "2"]]).get("a"),
    Response.json({ a: 1 }, { status: 404 }).ok,
  ].join(" ");
}
"#;

fn with_what_browsers_have() {
    let project = Project::new(BROWSER, &[]);
    project.answers(
        "use",
        &[],
        "https://example.com/b?x=1&q=%C3%A4+b#y false é€ h tide 0 true true function 1, 2 false",
    );
}

/// The interfaces that a package of `source` imports, in one text.
#[track_caller]
fn imports(source: &str) -> String {
    let home = Home::new();
    home.write("waiter.js", source);
    home.tool("new waiter --from waiter.js").ok();
    home.tool("build waiter").ok();
    home.run(["inspect", "./waiter", "--verbose"]).ok()
}

/// The imports of the component of a project with WIT of its own, one function of which has the
/// body `code`.
fn imports_of_component(code: &str) -> String {
    let home = Home::new();
    home.tool("new greeter --lang javascript").ok();
    let with = format!("const run = async () => {{ {code} }};\n    void run;\n    const code =");
    edit(&home, "greeter/tool.js", "const code =", &with);
    home.tool("build greeter").ok();
    home.run(["inspect", "./greeter", "--verbose"]).ok()
}

fn imports_what_is_used() {
    let bare = "await null; return 'nothing';";
    let timed = "await new Promise((done) => setTimeout(done, 1)); return 'nothing';";
    let fetching = "return (await fetch('http://localhost/')).text();";
    let imported = imports_of_component(bare);
    for absent in [
        "wasi:http",
        "wasi:io/poll@0.2.0",
        "wasi:random/random@",
        "host:",
    ] {
        assert!(!imported.contains(absent), "{absent}: {imported}");
    }
    let imported = imports_of_component(timed);
    assert!(!imported.contains("wasi:http"), "{imported}");
    assert!(imported.contains("wasi:io/poll@0.2.0"), "{imported}");
    let imported = imports_of_component(fetching);
    let http = "wasi:http/outgoing-handler@0.2.0";
    assert!(imported.contains(http), "{imported}");
    assert!(!imported.contains("host:"), "{imported}");

    // The interpreter of plain functions has timers and random numbers, but HTTP only where a
    // function makes requests.
    for (code, has_http) in [(bare, false), (timed, false), (fetching, true)] {
        let imported = imports(&format!(
            "/** Waits.\n * @returns {{Promise<string>}} It. */\nexport async function wait() {{ {code} }}\n"
        ));
        assert_eq!(imported.contains("wasi:http"), has_http, "{imported}");
        assert!(!imported.contains("host:"), "{imported}");
    }
}
