//! Tests of requests of HTTP in tools written in Python, and of the packages that they depend on.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method};
use axum::response::Redirect;
use axum::routing::{any, get};
use futures::stream;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::Barrier;

use crate::support::loading::load;
use crate::support::website::serve;
use crate::support::{Home, Need, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("author::requests_in_python", requests_in_python).needs(&[Need::PythonGuest]),
        test(
            "author::packages_of_python_are_locked",
            packages_of_python_are_locked,
        )
        .needs(&[Need::PythonGuest]),
    ]
}

const CLIENT: &str = r#"
import asyncio
import json
import logging
import os
import pkgutil
import urllib.request
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib import metadata, resources

import certifi
import httpx
import requests
import yaml


def with_urllib(url: str) -> str:
    """Puts a text with urllib.

    Args:
        url: The origin.
    """
    request = urllib.request.Request(f"{url}/echo?a=b", data=b"text", method="PUT", headers={"X-Sent": "yes"})
    with urllib.request.urlopen(request) as response:
        return response.read().decode()


def with_requests(url: str) -> list[str]:
    """Follows a redirect, and sends a body in pieces, with requests.

    Args:
        url: The origin.
    """
    logging.warning("now with requests")
    with requests.Session() as session:
        found = session.get(f"{url}/redirect", timeout=5)
        sent = session.post(f"{url}/echo", data=(b"piece" for _ in range(2000)))
    return [str(found.history), found.text, str(len(sent.json()["body"]))]


async def with_httpx(url: str) -> list[str]:
    """Makes two requests at once, of which the server answers none alone.

    Args:
        url: The origin.
    """
    async with httpx.AsyncClient() as client:
        both = await asyncio.gather(*(client.get(f"{url}/both") for _ in range(2)))
        async with client.stream("GET", f"{url}/pieces") as response:
            pieces = [piece async for piece in response.aiter_lines()]
    return [*(it.text for it in both), *pieces]


def too_late(url: str) -> list[str]:
    """Says how each client fails where the server never answers.

    Args:
        url: The origin.
    """
    failed = []
    for attempt in (
        lambda: urllib.request.urlopen(f"{url}/never", timeout=0.2),
        lambda: requests.get(f"{url}/never", timeout=0.2),
        lambda: httpx.get(f"{url}/never", timeout=0.2),
        lambda: asyncio.run(asyncio.wait_for(httpx.AsyncClient().get(f"{url}/never"), 0.2)),
    ):
        try:
            attempt()
        except Exception as error:
            failed.append(type(error).__name__)
    return failed


def without_rights(url: str) -> list[str]:
    """Says how each client fails where the tool has no right to go.

    Args:
        url: The origin.
    """
    failed = []
    for attempt in (
        lambda: urllib.request.urlopen(url),
        lambda: requests.get(url),
        lambda: httpx.get(url),
    ):
        try:
            attempt()
        except Exception as error:
            failed.append(str(error))
    return failed


async def without_reason(url: str) -> str:
    """Leaves it to httpx to say why it has no right to go there, which says nothing.

    Args:
        url: The origin.
    """
    async with httpx.AsyncClient() as client:
        return (await client.get(url)).text


def in_a_pool(url: str) -> list[str]:
    """Makes requests in a pool of threads.

    Args:
        url: The origin.
    """
    with ThreadPoolExecutor(max_workers=4) as pool:
        found = list(pool.map(lambda page: requests.get(url + page).text, ["/found", "/redirect"]))
        wrong = pool.submit(lambda: 1 // 0)
    return [*found, *(type(it.exception()).__name__ for it in as_completed([wrong]))]


async def never() -> str:
    """Waits for what never comes."""
    await asyncio.Event().wait()


def packages() -> str:
    """Reads data and metadata of packages."""
    data = resources.files("certifi").joinpath("cacert.pem").read_text()
    with open(certifi.where()) as file:
        assert file.read() == data
    found = [name for _, name, _ in pkgutil.iter_modules(requests.__path__)]
    seen = os.path.isdir(os.path.dirname(certifi.where())) and "adapters" in found
    return json.dumps([metadata.version("requests"), "BEGIN CERTIFICATE" in data, seen, yaml.safe_load("a: [1, 2]")])
"#;

const REQUIREMENTS: &str =
    "httpx == 0.28.1  # for what is asynchronous\nrequests==2.32.5\nPyYAML>=6\n";

/// A website that answers a request as these tests need it.
fn website() -> (String, Runtime) {
    let both = Arc::new(Barrier::new(2));
    let echo = async |method: Method, uri: axum::http::Uri, headers: HeaderMap, body: Bytes| {
        let sent = headers
            .get("x-sent")
            .map(|value| value.to_str().unwrap_or("?"));
        let body = String::from_utf8_lossy(&body).into_owned();
        json!({"method": method.as_str(), "uri": uri.to_string(), "sent": sent, "body": body})
            .to_string()
    };
    let pieces = async || {
        let lines = ["one\n", "two\n", "three\n"].map(Ok::<_, Infallible>);
        Body::from_stream(stream::iter(lines))
    };
    let never = async || std::future::pending::<&'static str>().await;
    let pages = Router::new()
        .route("/echo", any(echo))
        .route("/redirect", get(async || Redirect::to("/found")))
        .route("/found", get(async || "found"))
        .route("/pieces", get(pieces))
        .route("/never", get(never))
        .route(
            "/both",
            get(move || {
                let both = both.clone();
                async move {
                    both.wait().await;
                    "both"
                }
            }),
        );
    serve(pages)
}

fn requests_in_python() {
    let (origin, _website) = website();
    let home = Home::new();
    home.write("client.py", CLIENT);
    home.tool("new client --from client.py").ok();
    home.write("client/requirements.txt", REQUIREMENTS);
    let manifest = home.work().join("client/tool.toml");
    let mut text = std::fs::read_to_string(&manifest).expect("a manifest");
    text.push_str(&format!("\n[capabilities]\nnetwork = [\"{origin}\"]\n"));
    std::fs::write(&manifest, text).expect("the manifest is written");
    let built = home.tool("build client --json").json();
    let licenses = built["packages"].as_array().expect("packages").iter();
    let licenses: Vec<&Value> = licenses
        .filter(|package| package["name"] == "requests")
        .map(|package| &package["license"])
        .collect();
    assert_eq!(licenses, ["Apache Software License"], "{built}");
    load(&home, "./client", &["--allow-network", &origin]);

    let call = |function: &str, url: &str| {
        let function = format!("client.{function}");
        let url = format!("url={url}");
        let said = home.run(["call", &function, &url, "--json"]).json();
        said["structured"].clone()
    };
    let echoed = call("with_urllib", &origin);
    let echoed: Value = serde_json::from_str(echoed.as_str().unwrap_or("")).expect("JSON");
    let expect = json!({"method": "PUT", "uri": "/echo?a=b", "sent": "yes", "body": "text"});
    assert_eq!(echoed, expect);
    let expect = json!(["[<Response [303]>]", "found", "10000"]);
    assert_eq!(call("with_requests", &origin), expect);
    let expect = json!(["both", "both", "one", "two", "three"]);
    assert_eq!(call("with_httpx", &origin), expect);
    let expect = json!(["TimeoutError", "ReadTimeout", "ReadTimeout", "TimeoutError"]);
    assert_eq!(call("too_late", &origin), expect);
    let failed = call("without_rights", "https://elsewhere.example");
    let failed = failed.as_array().expect("a list");
    assert_eq!(failed.len(), 3, "{failed:?}");
    for said in failed {
        let said = said.as_str().unwrap_or_default();
        let why = "the tool was not granted https://elsewhere.example";
        assert!(said.contains(why), "{said}");
    }

    let url = "url=https://elsewhere.example";
    let refused = home.run(["call", "client.without_reason", url]);
    assert_eq!(refused.code(), 3, "what was refused is the reason");
    let said = refused.stderr();
    let why = "ReadError: the tool was not granted https://elsewhere.example";
    assert!(said.contains(why), "{said}");
    let expect = json!(["found", "found", "ZeroDivisionError"]);
    assert_eq!(call("in_a_pool", &origin), expect);

    let stuck = home.tool("call client.never");
    assert_eq!(stuck.code(), 1);
    let stderr = stuck.stderr();
    assert!(
        stderr.contains("waits for something that never comes"),
        "{stderr}"
    );
    let said = home.tool("call client.packages").ok();
    assert_eq!(said.trim_end(), "[\"2.32.5\", true, true, {\"a\": [1, 2]}]");

    // What it logs is for its author.
    let url = format!("url={origin}");
    let told = home.run(["call", "client.with_requests", &url, "--verbose"]);
    assert!(
        told.stderr().contains("now with requests"),
        "{}",
        told.stderr()
    );
}

const LISTER: &str = r#"
import idna


def encode(name: str) -> str:
    """Writes a domain's name in ASCII.

    Args:
        name: The name.
    """
    return idna.encode(name).decode()
"#;

fn packages_of_python_are_locked() {
    let home = Home::new();
    home.write(
        "names.py",
        format!("# /// script\n# dependencies = [\"idna==3.7\"]\n# ///\n{LISTER}"),
    );
    home.tool("new names --from names.py").ok();
    let lock = home.work().join("names/pylock.toml");
    let read = || std::fs::read_to_string(&lock).expect("a lock");

    let built = home.tool("build names");
    assert!(
        built
            .stderr()
            .contains("wrote pylock.toml, which pins 1 package\n")
    );
    assert!(
        built.stderr().contains("with idna 3.7 ("),
        "{}",
        built.stderr()
    );
    let first = read();
    assert!(first.contains("idna-3.7-py3-none-any.whl"), "{first}");
    load(&home, "./names", &[]);
    let said = home.run(["call", "names", "name=bücher.example"]).ok();
    assert_eq!(said.trim_end(), "xn--bcher-kva.example");

    // The lock holds until something else is asked for.
    let built = home.tool("build names");
    assert!(
        !built.stderr().contains("pylock.toml"),
        "{}",
        built.stderr()
    );
    home.write("names/requirements.txt", "idna<3.8\nsniffio==1.3.1\n");
    home.tool("build names").ok();
    assert!(read().contains("sniffio-1.3.1"), "{}", read());

    // Bytes that the lock does not name are not taken.
    let start = first.find("sha256 = \"").expect("a digest") + "sha256 = \"".len();
    let digest = &first[start..start + 64];
    std::fs::write(&lock, read().replace(digest, &"0".repeat(64))).expect("the lock is written");
    let refused = home.tool("build names");
    assert_eq!(refused.code(), 1);
    let stderr = refused.stderr();
    assert!(stderr.contains("python-packages is needed"), "{stderr}");
    assert!(stderr.contains("HASH"), "{stderr}");

    std::fs::remove_file(&lock).expect("the lock is removed");
    for (requirement, said, hint) in [
        (
            "numpy==2.3.5",
            "error: the package `numpy` 2.3.5 has native code, which a component cannot hold\n",
            "hint: use math and statistics",
        ),
        (
            "tool-hub-no-such-package==9",
            "error: there is no wheel of `tool-hub-no-such-package==9` for Python 3.14\n",
            "hint: look at its name",
        ),
        (
            "git+https://elsewhere.example/x",
            "error: requirements.txt asks for `git+https://elsewhere.example/x`: it is not a package",
            "hint: name the package",
        ),
    ] {
        home.write("names/requirements.txt", requirement);
        let refused = home.tool("build names");
        assert_eq!(refused.code(), 1, "{requirement}");
        let stderr = refused.stderr();
        assert!(stderr.contains(said), "{requirement}: {stderr}");
        assert!(stderr.contains(hint), "{requirement}: {stderr}");
        assert!(!lock.exists(), "{requirement}");
    }
}
