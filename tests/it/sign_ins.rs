//! Tests of sign-ins for credentials, against an authorization server that is not ours.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::json;
use tokio::runtime::Builder;

use crate::public_clients::packages;
use crate::support::loading::load;
use crate::support::ran::{Ran, says};
use crate::support::server::Server;
use crate::support::{Client, Home, Need, Test, root, test};

pub(crate) fn tests() -> Vec<Test> {
    const NEEDS: &[Need] = &[Need::JavascriptGuest, Need::PythonPackages];
    vec![
        test("sign_ins::renewed_before_they_end", renewed_before_they_end).needs(NEEDS),
        test("sign_ins::by_processes_at_once", by_processes_at_once).needs(NEEDS),
        test("sign_ins::refused", refused).needs(NEEDS),
        test("sign_ins::manifest_mistakes", manifest_mistakes),
    ]
}

/// The time after which an access token of [`SHORT_SECONDS`] is renewed.
const STALE: Duration = Duration::from_millis(2_100);
/// Tokens are renewed a minute before they end.
const SHORT_SECONDS: u32 = 62;

/// The authorization server, whose access tokens last for `seconds`, and its API.
fn service(seconds: u32) -> Server {
    let installed = packages::python(&["authlib==1.9.10", "flask==3.1.3"]);
    let mut python = Command::new("python3");
    python
        .arg(root().join("tests/clients/oauth_server.py"))
        .arg(seconds.to_string())
        .env("PYTHONPATH", installed)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stderr(Stdio::null());
    Server::start(python)
}

/// What the service answers at `path`.
fn get(service: &Server, path: &str) -> String {
    let runtime = Builder::new_current_thread().enable_all().build();
    let url = format!("{}{path}", service.url());
    runtime.expect("a runtime").block_on(async {
        let answer = reqwest::get(url).await.expect("an answer");
        answer.text().await.expect("a text")
    })
}

const READER: &str = r#"
/**
 * Reads a page.
 * @param url - Where it is.
 * @returns Its text.
 */
export async function read(url: string): Promise<string> {
  return (await fetch(url)).text();
}
"#;

/// A user who has the tool `reader`, with a credential for `service`.
fn reader(service: &Server, token_query: &str) -> Home {
    let home = Home::new();
    let origin = service.url();
    home.write("reader.ts", READER);
    home.tool("new reader --from reader.ts").ok();
    let capabilities = format!(
        "[capabilities]\n\
         network = ['{origin}']\n\
         [[capabilities.credentials]]\n\
         name = 'KEY'\n\
         origin = '{origin}'\n\
         header = 'Authorization: Bearer {{}}'\n\
         [capabilities.credentials.oauth]\n\
         device_authorization_endpoint = '{origin}/device-authorization'\n\
         token_endpoint = '{origin}/token{token_query}'\n\
         client_id = 'tool-hub-tests'\n\
         scopes = ['pages.read']\n\n\
         [build]"
    );
    let manifest = home.work().join("reader/tool.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    std::fs::write(&manifest, text.replace("[build]", &capabilities)).expect("a manifest");
    home.tool("build reader").ok();
    let rights = ["--allow-network", origin, "--allow-credential", "KEY"];
    load(&home, "./reader", &rights);
    home
}

/// A `tool credential login` that waits for its person.
struct Waiting {
    process: Child,
    said: String,
    stderr: BufReader<std::process::ChildStderr>,
    code: String,
}

impl Waiting {
    #[track_caller]
    fn start(home: &Home) -> Self {
        let mut command = home.command(["credential", "login", "KEY"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let mut stderr = BufReader::new(process.stderr.take().expect("a pipe"));
        let mut said = String::new();
        stderr.read_line(&mut said).expect("a line");
        let code = said.split_once("enter the code ");
        let code = code.and_then(|(_, rest)| rest.split(' ').next());
        Self {
            code: code.unwrap_or_else(|| panic!("no code: {said}")).to_owned(),
            process,
            said,
            stderr,
        }
    }

    /// The code that it says when the person enters it; its exit code and all that it said.
    fn entered(mut self, service: &Server, allow: bool) -> (Option<i32>, String) {
        let allow = u8::from(allow);
        get(service, &format!("/enter?code={}&allow={allow}", self.code));
        std::io::Read::read_to_string(&mut self.stderr, &mut self.said).expect("text");
        (self.process.wait().expect("it ends").code(), self.said)
    }
}

#[track_caller]
fn log_in(home: &Home, service: &Server) {
    let (code, said) = Waiting::start(home).entered(service, true);
    assert_eq!(code, Some(0), "{said}");
    let kept = format!("signed in at {}: kept KEY for", service.url());
    assert!(said.contains(&kept), "{said}");
}

/// What the service's API says to the tool.
fn call(home: &Home, service: &Server) -> Ran {
    home.run(["call", "reader", &format!("url={}/api", service.url())])
}

fn renewed_before_they_end() {
    let service = service(SHORT_SECONDS);
    let home = reader(&service, "?github");
    let told = home.tool("inspect reader").ok();
    let named = format!(
        "by a sign-in at {} as client tool-hub-tests (scopes: pages.read)",
        service.url()
    );
    assert!(told.contains(&named), "{told}");
    let unasked = call(&home, &service);
    says(
        &unasked,
        3,
        "was refused credential KEY: nobody is signed in for it",
    );
    says(
        &unasked,
        3,
        "a person can sign in: tool credential login KEY",
    );
    log_in(&home, &service);
    let first = call(&home, &service).ok();
    assert_eq!(first.trim_end(), "token 1 of ada for pages.read");
    let listed = home.tool("credential list").ok();
    assert!(listed.contains(&named), "{listed}");
    let json = home.tool("credential list --json").ok();
    assert!(
        json.contains("\"renewable\":true") || json.contains("\"renewable\": true"),
        "{json}"
    );
    let kept = std::fs::read_to_string(home.tool_home().join("credentials.toml"));
    let kept = kept.expect("a file");
    for shown in [&first, &listed, &json] {
        assert!(!shown.contains("access-") && !shown.contains("refresh-"));
    }
    assert!(kept.contains("access-") && kept.contains("refresh-"));
    // A server that goes on running renews it, too.
    let mut serving = Client::start(home.command(["serve"]));
    let url = format!("{}/api", service.url());
    let mut ask = || {
        let arguments = json!({ "name": "reader", "arguments": { "url": url } });
        serving.ask("tools/call", arguments).to_string()
    };
    sleep(STALE);
    let second = ask();
    assert!(second.contains("token 2 of ada"), "{second}");
    sleep(STALE);
    let third = ask();
    assert!(third.contains("token 3 of ada"), "{third}");
    // As long as the service goes along with it.
    get(&service, "/withdraw");
    sleep(STALE);
    let fourth = ask();
    assert!(fourth.contains("nobody is signed in for it"), "{fourth}");
    // A new sign-in helps the server that runs.
    log_in(&home, &service);
    let fifth = ask();
    assert!(fifth.contains("token 4 of ada"), "{fifth}");
    home.tool("credential remove KEY").ok();
    says(&call(&home, &service), 3, "nobody is signed in for it");
}

fn by_processes_at_once() {
    let service = service(SHORT_SECONDS);
    let home = reader(&service, "");
    log_in(&home, &service);
    sleep(STALE);
    let url = format!("url={}/api", service.url());
    let started = (0..4).map(|_| {
        let mut command = home.command(["call", "reader", &url]);
        command.stdout(Stdio::piped()).spawn().expect("it starts")
    });
    let started: Vec<Child> = started.collect();
    for process in started {
        let ended = process.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(said.contains("of ada for pages.read"), "{said}");
    }
    // Whoever came second read what the first had got.
    let counts = get(&service, "/counts");
    assert!(counts.ends_with(" 0 refused"), "{counts}");
    // A value and a sign-in do not stand side by side.
    home.run_with_input("credential set KEY --stdin", "a-value")
        .ok();
    let listed = home.tool("credential list").ok();
    assert_eq!(listed, format!("KEY for {}\n", service.url()));
}

fn refused() {
    let service = service(SHORT_SECONDS);
    let home = reader(&service, "?github");
    let (code, said) = Waiting::start(&home).entered(&service, false);
    assert_eq!(code, Some(1), "{said}");
    let (headline, cause) = ("nobody is signed in at", "the sign-in was refused");
    assert!(said.contains(headline) && said.contains(cause), "{said}");
    assert_eq!(home.tool("credential list").ok(), "");
    let unknown = home.tool("credential login OTHER");
    says(&unknown, 1, "no tool of the toolbox was granted OTHER");
    drop(service);
    let gone = home.tool("credential login KEY");
    says(&gone, 1, "the service cannot be reached");
}

fn manifest_mistakes() {
    let home = Home::new();
    home.tool("new caller").ok();
    let manifest = home.work().join("caller/tool.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let endpoints = |device: &str, token: &str| {
        format!("device_authorization_endpoint = '{device}', token_endpoint = '{token}'")
    };
    let good = endpoints("https://a.example/d", "https://a.example/t");
    for (place, oauth, said) in [
        (
            "basic = true",
            format!("{good}, client_id = 'x'"),
            "leave one of them out",
        ),
        ("query = 'k'", good.clone(), "missing field `client_id`"),
        (
            "query = 'k'",
            format!(
                "{}, client_id = 'x'",
                endpoints("http://a.example/d", "http://a.example/t")
            ),
            "does not begin with https://",
        ),
        (
            "query = 'k'",
            format!(
                "{}, client_id = 'x'",
                endpoints("https://a.example/d", "https://b.example/t")
            ),
            "have to be of one origin",
        ),
    ] {
        let capabilities = format!(
            "[capabilities]\nnetwork = ['https://c.example']\ncredentials = [{{ name = 'KEY', origin = 'https://c.example', {place}, oauth = {{ {oauth} }} }}]\n\n[build]"
        );
        std::fs::write(&manifest, text.replace("[build]", &capabilities)).expect("a manifest");
        says(&home.tool("build caller"), 1, said);
    }
}
