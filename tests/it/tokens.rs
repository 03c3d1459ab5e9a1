//! Tests that each token is shown only to the registry that it was given for.

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use tokio::runtime::Runtime;
use tool_hub_manifest::Source;

use crate::support::adder::package;
use crate::support::loading::load;
use crate::support::toolbox_files::rewrite;
use crate::support::{Home, RegistryProcess, Test, test, website};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("tokens::of_the_hub", of_the_hub),
        test("tokens::kept_for_a_registry", kept_for_a_registry),
        test("tokens::a_refusal_says_which", a_refusal_says_which),
    ]
}

const CANARY: &str = "hf_canary_of_the_hub";

/// An empty registry that records the `Authorization` header of every request.
struct Stranger {
    origin: String,
    shown: Arc<Mutex<Vec<Option<String>>>>,
    _runtime: Runtime,
}

impl Stranger {
    fn start() -> Self {
        let shown = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&shown);
        let pages = Router::new().fallback(move |request: Request| {
            let header = request.headers().get("authorization");
            let header = header.map(|value| value.to_str().expect("text").to_owned());
            seen.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(header);
            std::future::ready(StatusCode::NOT_FOUND)
        });
        let (origin, runtime) = website::serve(pages);
        Self {
            origin,
            shown,
            _runtime: runtime,
        }
    }

    fn take(&self) -> Vec<Option<String>> {
        std::mem::take(&mut *self.shown.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Every command that asks a registry without a token for it.
const ASKING: [&str; 9] = [
    "search x",
    "inspect a/b",
    "load a/b",
    "update",
    "doctor",
    "explain --as a/b",
    "parse --as a/b",
    "prompt pull a/b",
    "prompt render --task x --template a/b",
];
/// Those that ask nobody, since the answer without a token is known, or none is needed.
const SILENT: [&str; 3] = ["whoami", "push a/b -C one", "call a/b"];

/// Has `one` in the toolbox, as if it had come from the registry at `origin`.
fn load_from(home: &Home, origin: &str) {
    package(home, "one", |_| ());
    load(home, "./one", &[]);
    rewrite(home, |locked| {
        locked.source = Source::Registry {
            endpoint: origin.parse().expect("a URL"),
            repo: "a/b".parse().expect("a repo"),
            commit: "1".repeat(40).parse().expect("a commit"),
        }
    });
    home.write(
        "../home/toolbox.toml",
        format!("[tools.one]\nrepo = \"a/b\"\nversion = \"^0\"\nendpoint = \"{origin}\"\n"),
    );
}

fn of_the_hub() {
    let (hub, stranger) = (Stranger::start(), Stranger::start());
    // The second home has no HF_ENDPOINT, so its token is for the Hub, which no test contacts.
    let homes = [
        Home::new()
            .with("HF_TOKEN", CANARY)
            .with("HF_ENDPOINT", &hub.origin),
        Home::new().with("HF_TOKEN", CANARY),
    ];
    for home in &homes {
        load_from(home, &stranger.origin);
        for line in ASKING.iter().chain(&SILENT) {
            let ran = home.tool(&format!("{line} --endpoint {}", stranger.origin));
            let (shown, said) = (stranger.take(), ran.stderr());
            assert_eq!(shown.is_empty(), SILENT.contains(line), "{line}: {said}");
            assert!(shown.iter().all(Option::is_none), "{line}: {shown:?}");
        }
    }
    assert!(hub.take().is_empty(), "nobody asked the hub");
    homes[0].tool("inspect a/b");
    let shown = hub.take();
    let expected = format!("Bearer {CANARY}");
    assert!(!shown.is_empty() && shown.iter().all(|it| it.as_ref() == Some(&expected)));

    // A configuration and a toolbox may name a registry, too.
    homes[1].write(
        "../home/config.toml",
        format!("endpoint = \"{}\"\n", stranger.origin),
    );
    homes[1].tool("inspect a/b");
    let shown = stranger.take();
    assert!(
        !shown.is_empty() && shown.iter().all(Option::is_none),
        "{shown:?}"
    );
}

fn kept_for_a_registry() {
    let registry = RegistryProcess::start();
    let token = registry.user("ada");
    let (hub, other) = (Stranger::start(), Stranger::start());
    let home = Home::new()
        .with("HF_TOKEN", CANARY)
        .with("HF_ENDPOINT", &hub.origin);
    let login = format!("login --token-stdin --endpoint {}", registry.url());
    let logged_in = home.run_with_input(&login, &token);
    logged_in.ok();
    assert!(
        !logged_in.stderr().contains("HF_TOKEN"),
        "{}",
        logged_in.stderr()
    );
    let name = home
        .tool(&format!("whoami --endpoint {}", registry.url()))
        .ok();
    assert_eq!(name.trim(), "ada");
    home.tool(&format!("inspect a/b --endpoint {}", other.origin));
    assert!(other.take().iter().all(Option::is_none));
}

fn a_refusal_says_which() {
    let registry = RegistryProcess::start();
    let home = Home::new()
        .with("HF_TOKEN", CANARY)
        .with("HF_ENDPOINT", "https://hub.example.org");
    let url = registry.url();
    let refused = home.tool(&format!("inspect ada/private --endpoint {url}"));
    assert_eq!(refused.code(), 1);
    let told = refused.stderr();
    let hint = format!(
        "hint: no token was sent to {url}: HF_TOKEN is for https://hub.example.org, the registry \
         of HF_ENDPOINT; log in with: tool login --endpoint {url}/\n"
    );
    assert!(told.contains(&hint), "{told}");
    assert!(!told.contains(CANARY), "{told}");
}
