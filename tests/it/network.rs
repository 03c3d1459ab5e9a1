//! Tests of the sample tool `fetch-page`, and of the origins granted to it.
//! It is pushed and loaded like any other tool, and reads websites of the tests.

use std::io::ErrorKind;
use std::net::TcpListener;

use axum::response::{Html, IntoResponse as _, Redirect};
use tool_hub_manifest::{Manifest, Methods};

use crate::support::loading::{digest, load};
use crate::support::website::Website;
use crate::support::{Home, Need, Ran, RegistryProcess, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("network::a_granted_page_is_read", a_granted_page_is_read).needs(&[Need::RustGuests]),
        test(
            "network::a_refusal_says_how_to_grant",
            a_refusal_says_how_to_grant,
        )
        .needs(&[Need::RustGuests]),
        test(
            "network::nobody_can_grant_what_was_not_asked_for",
            nobody_can_grant_what_was_not_asked_for,
        )
        .needs(&[Need::RustGuests]),
        test(
            "network::redirects_are_held_against_the_grants",
            redirects_are_held_against_the_grants,
        )
        .needs(&[Need::RustGuests]),
    ]
}

const REPO: &str = "author/fetch-page";

/// A registry with `fetch-page` for other origins than the sample's own: the component as it
/// was built, and a manifest that asks for `origins`.
fn publish(origins: &[&str]) -> RegistryProcess {
    let registry = RegistryProcess::start();
    let author = registry.member("author");
    let built = guests::built("fetch-page").join("dist");
    let read = |file: &str| std::fs::read(built.join(file)).expect("a file of the package");
    let text = String::from_utf8(read("tool.toml")).expect("a manifest is text");
    let mut manifest: Manifest = text.parse().expect("a manifest");
    manifest.capabilities.network = origins
        .iter()
        .map(|origin| (origin.parse().expect("an origin"), Methods::Any))
        .collect();
    author.write("fetch-page/tool.toml", manifest.to_toml());
    for file in ["tool.wasm", "sbom.cdx.json", "README.md"] {
        author.write(&format!("fetch-page/{file}"), read(file));
    }
    author.tool("push -C fetch-page").ok();
    registry
}

const PAGE: &str = "<!doctype html><html lang=en><head><title>Tides of today</title>\
    <script>document.write('no text')</script></head>\
    <body><nav>Menu</nav><main><h1>Tides</h1><p>High water is at <b>noon</b>.</p>\
    <p><a href=/tomorrow>Tomorrow</a></p></main></body></html>";

fn tides() -> Website {
    Website::start(|_| Html(PAGE).into_response())
}

/// A listener that must not get a connection.
struct Canary(TcpListener);

impl Canary {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a listener");
        Self(listener)
    }

    fn origin(&self) -> String {
        format!("http://{}", self.0.local_addr().expect("an address"))
    }

    #[track_caller]
    fn was_left_alone(&self) {
        match self.0.accept() {
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            Ok((_, from)) => panic!("{from} connected to {}", self.origin()),
        }
    }
}

fn fetch(user: &Home, url: &str) -> Ran {
    user.run([
        "call",
        "fetch_page",
        &format!("url={url}"),
        "links=true",
        "--json",
    ])
}

/// The same call as a person reads it.
fn fetch_as_text(user: &Home, url: &str) -> Ran {
    user.run(["call", "fetch_page", &format!("url={url}")])
}

fn a_granted_page_is_read() {
    let site = tides();
    let registry = publish(&[site.origin()]);
    let user = registry.visitor();
    load(&user, REPO, &["--allow-network", site.origin()]);
    let url = format!("{}/today", site.origin());
    let page = &fetch(&user, &url).json()["structured"];
    assert_eq!(page["url"], url, "{page}");
    assert_eq!(page["title"], "Tides of today", "{page}");
    assert_eq!(page["language"], "en", "{page}");
    assert_eq!(
        page["links"][0]["url"],
        format!("{}/tomorrow", site.origin())
    );
    let text = page["text"].as_str().expect("a text");
    assert!(text.contains("# Tides"), "{text}");
    assert!(text.contains("High water is at"), "{text}");
    assert!(!text.contains("no text"), "scripts are left out:\n{text}");
    assert_eq!(site.asked(), ["/today"]);
}

#[track_caller]
fn refused(ran: &Ran) -> String {
    assert_eq!(ran.code(), 3, "{}{}", ran.stdout(), ran.stderr());
    assert_eq!(ran.stdout(), "");
    ran.stderr()
}

/// What a person is told to run does what it promises.
fn a_refusal_says_how_to_grant() {
    let site = tides();
    let registry = publish(&[site.origin()]);
    let user = registry.visitor();
    load(&user, REPO, &[]);
    let said = refused(&fetch_as_text(&user, site.origin()));
    assert_eq!(site.asked(), [""; 0]);
    let command = format!("tool grant fetch_page --allow-network {}", site.origin());
    assert!(
        said.contains(&format!("hint: a person can grant it: {command}\n")),
        "{said}"
    );
    let digest = digest(&user, REPO);
    let arguments = command.split(' ').skip(1);
    user.run(arguments.chain(["--approve", &digest])).ok();
    assert!(fetch_as_text(&user, site.origin()).ok().contains("noon"));
}

fn nobody_can_grant_what_was_not_asked_for() {
    let (site, canary) = (tides(), Canary::new());
    let registry = publish(&[site.origin()]);
    let user = registry.visitor();
    load(&user, REPO, &["--allow-network", site.origin()]);
    let said = refused(&fetch_as_text(&user, &canary.origin()));
    assert!(
        said.contains(&format!("was refused network {}", canary.origin())),
        "{said}"
    );
    assert!(
        said.contains("the manifest of `fetch_page` does not ask for it"),
        "{said}"
    );
    let (digest, origin) = (digest(&user, REPO), canary.origin());
    let asking = [
        "load",
        REPO,
        "--approve",
        &digest,
        "--allow-network",
        &origin,
    ];
    let said = refused(&user.run(asking));
    assert!(
        said.contains(&format!("does not ask for network access to {origin}")),
        "{said}"
    );
    canary.was_left_alone();
}

/// A granted page cannot send the tool elsewhere: each redirect is a request of its own.
fn redirects_are_held_against_the_grants() {
    let (asked_for, unknown) = (Canary::new(), Canary::new());
    let away = [asked_for.origin(), unknown.origin()];
    let site = Website::start(move |path| match path {
        "/moved" => Redirect::permanent("/today").into_response(),
        "/away" => Redirect::temporary(&format!("{}/secret", away[0])).into_response(),
        "/farther" => Redirect::to(&format!("{}/secret", away[1])).into_response(),
        _ => Html(PAGE).into_response(),
    });
    let registry = publish(&[site.origin(), &asked_for.origin()]);
    let user = registry.visitor();
    load(&user, REPO, &["--allow-network", site.origin()]);

    let moved = fetch(&user, &format!("{}/moved", site.origin())).json();
    assert_eq!(
        moved["structured"]["url"],
        format!("{}/today", site.origin()),
        "{moved}"
    );
    let said = refused(&fetch_as_text(&user, &format!("{}/away", site.origin())));
    assert!(
        said.contains(&format!("--allow-network {}\n", asked_for.origin())),
        "{said}"
    );
    let said = refused(&fetch_as_text(&user, &format!("{}/farther", site.origin())));
    assert!(
        said.contains(&format!("was refused network {}", unknown.origin()))
            && said.contains("does not ask for it"),
        "{said}"
    );
    assert_eq!(site.asked(), ["/moved", "/today", "/away", "/farther"]);
    asked_for.was_left_alone();
    unknown.was_left_alone();
}
