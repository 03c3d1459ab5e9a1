//! Tests of `docs/registry.md`: its commands work, and its limits, metrics and paths are right.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use tool_hub_registry_server::{Limits, RouteMethod, routes};

use crate::deploy::understood;
use crate::support::backends::{Backend, Shared};
use crate::support::documents::{Step, rows, steps};
use crate::support::{Home, Need, Test, root, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("operator::on_one_machine", || take_all(None)),
        test("operator::on_many_machines", || {
            take_all(Some(Shared::get().expect("PostgreSQL").place()));
        })
        .needs(&[Need::Postgres]),
        test(
            "operator::limits_have_their_values",
            limits_have_their_values,
        ),
        test(
            "operator::other_commands_are_understood",
            other_commands_are_understood,
        ),
        test("operator::what_is_named_is_there", what_is_named_is_there),
    ]
}

fn document() -> String {
    std::fs::read_to_string(root().join("docs/registry.md")).expect("docs/registry.md")
}

/// Whoever runs a registry, and what stands for the places of the document.
struct Operator {
    home: Home,
    /// What was exported so far, one command a line.
    exported: String,
    places: Vec<(String, String)>,
    servers: Vec<Server>,
}

/// A server that was started in the background, and where it says that it listens.
struct Server {
    child: Child,
    url: String,
    metrics: Option<String>,
}

/// The address of the document's database and storage, and what lies beside them.
const SHARED: [&str; 4] = ["postgres://", "s3://", "AWS_", "unset "];

/// Takes every step that can be taken without, or with, PostgreSQL and a bucket.
fn take_all(shared: Option<Backend>) {
    let is_shared = |step: &Step| SHARED.iter().any(|word| step.line.contains(word));
    let steps: Vec<Step> = steps(&document())
        .into_iter()
        .filter(|step| shared.is_some() || !is_shared(step))
        .collect();
    assert!(steps.len() > 15, "{steps:?}");
    let mut operator = Operator::new(shared);
    for step in &steps {
        operator.take(step);
    }
    operator.looks_at_the_metrics();
}

impl Operator {
    fn new(shared: Option<Backend>) -> Self {
        let home = Home::new();
        let below = |path: &str| home.path().join(path).display().to_string();
        std::fs::create_dir(below("backups")).expect("a directory");
        let mut places = vec![
            ("/var/lib/".to_owned(), below("lib/")),
            ("/var/backups/".to_owned(), below("backups/")),
        ];
        if let Some(place) = shared {
            let empty = Shared::get().expect("PostgreSQL").place();
            let database = |name: &str| format!("postgres://registry@db.example.com/{name}");
            places.extend(place.bucket_variables().map(|(name, value)| {
                let set = format!("{name}=");
                let document = document();
                let mut words = document.split_whitespace();
                let written = words.find(|word| word.starts_with(&set));
                let written = written.unwrap_or_else(|| panic!("{name} is not set"));
                (written.to_owned(), format!("{set}{value}"))
            }));
            places.extend([
                (database("registry"), place.database),
                (database("empty"), empty.database),
                ("s3://tools/registry".to_owned(), place.storage),
                ("s3://tools/empty".to_owned(), empty.storage),
            ]);
        }
        Self {
            home,
            exported: String::new(),
            places,
            servers: Vec::new(),
        }
    }

    fn take(&mut self, step: &Step) {
        let mut line = step.line.clone();
        for (written, actual) in &self.places {
            line = line.replace(written, actual);
        }
        if line.starts_with("export ") || line.starts_with("unset ") {
            self.exported.push_str(&format!("{line}\n"));
        } else if let Some(server) = line.strip_suffix(" &") {
            let server = self.start(server);
            self.servers.push(server);
        } else {
            self.run(&line, &step.shows);
        }
    }

    /// Starts a server in the background, on ports that are free.
    fn start(&self, line: &str) -> Server {
        let anywhere = line.replace(":8080", ":0").replace(":9090", ":0");
        let mut child = self
            .home
            .shell(&format!("{}exec {anywhere} --json", self.exported))
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut said = String::new();
        for line in stdout.lines() {
            said += &line.expect("a line");
            if said.ends_with('}') {
                break;
            }
        }
        let said: serde_json::Value =
            serde_json::from_str(&said).unwrap_or_else(|_| panic!("$ {line}\n{said}"));
        let text = |key: &str| said[key].as_str().map(str::to_owned);
        Server {
            child,
            url: text("url").expect("a URL"),
            metrics: text("metrics"),
        }
    }

    fn run(&self, line: &str, shows: &[String]) {
        let output = self
            .home
            .shell(&format!("{}{line}", self.exported))
            .output()
            .expect("a shell starts");
        let said = String::from_utf8_lossy(&output.stdout);
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "$ {line}\n{said}{complaints}");
        for shown in shows {
            assert!(
                said.lines().any(|line| line == shown),
                "$ {line}\n{said}\nno {shown:?}"
            );
        }
    }

    /// The table's metrics are those that the first server has once it was asked something.
    fn looks_at_the_metrics(&self) {
        let server = &self.servers[0];
        let metrics = server.metrics.as_ref().expect("metrics are served");
        let ask = |url: String| {
            let asked = self
                .home
                .shell(&format!("curl --silent --fail {url}"))
                .output();
            String::from_utf8(asked.expect("curl starts").stdout).expect("text")
        };
        for path in ["/health/ready", "/api/models"] {
            assert!(!ask(format!("{}{path}", server.url)).is_empty(), "{path}");
        }
        let counted = ask(metrics.clone());
        for (name, _) in rows(&document(), "## Watching it") {
            let name = name.trim_matches('`');
            assert!(counted.contains(name), "{name} is not among\n{counted}");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The fields of a value's `Debug` form, each with its value.
fn fields(shown: &str) -> Vec<(String, String)> {
    let (_, inside) = shown.split_once('{').expect("fields");
    let inside = inside.trim().trim_end_matches('}').trim();
    let mut fields = vec![String::new()];
    let mut depth = 0;
    for c in inside.chars() {
        depth += i32::from("({".contains(c)) - i32::from(")}".contains(c));
        match (c, fields.last_mut()) {
            (',', _) if depth == 0 => fields.push(String::new()),
            (_, Some(field)) => field.push(c),
            (_, None) => {}
        }
    }
    let fields = fields.iter().map(|field| field.trim().split_once(": "));
    fields
        .map(|field| field.expect("a name and a value"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn in_words(name: &str, value: &str) -> String {
    if let Some(rate) = value.strip_prefix("Some(RateLimit ") {
        let rate = fields(rate.trim_end_matches(')'));
        return format!("{} a minute, {} at once", rate[0].1, rate[1].1);
    }
    match value.parse::<u64>() {
        Ok(bytes) if name.contains("_bytes") => in_bytes(bytes),
        Err(_) if value.ends_with('s') => in_time(value.trim_end_matches('s')),
        _ => value.replace("None", "none"),
    }
}

fn in_bytes(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let unit = units.iter().find(|(_, shift)| bytes >> shift > 0);
    let (unit, shift) = unit.expect("a limit of a KiB at least");
    format!("{} {unit}", bytes >> shift)
}

fn in_time(seconds: &str) -> String {
    let seconds: u64 = seconds.parse().expect("whole seconds");
    if seconds < 3_600 {
        format!("{seconds} s")
    } else if seconds < 86_400 {
        format!("{} h", seconds / 3_600)
    } else {
        format!("{} days", seconds / 86_400)
    }
}

fn limits_have_their_values() {
    let limits = fields(&format!("{:?}", Limits::standard()));
    let actual: Vec<(String, String)> = limits
        .iter()
        .map(|(name, value)| (format!("`{name}`"), in_words(name, value)))
        .collect();
    assert_eq!(rows(&document(), "## Limits"), actual);
}

/// Lines for machines that tests do not have: what `tool` is told in them, it understands.
fn other_commands_are_understood() {
    let document = document();
    let blocks = document.split("```sh\n").skip(1);
    let blocks = blocks.map(|rest| rest.split("```").next().expect("a block"));
    let mut seen = 0;
    for line in blocks.flat_map(str::lines) {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let is_tool = |pair: &[String]| pair[0] == "tool" && pair[1] == "registry";
        if let Some(at) = words.windows(2).position(is_tool) {
            understood(&words[at + 1..]);
            seen += 1;
        }
        for file in words.iter().filter(|word| word.starts_with("deploy/")) {
            let is_object = line.starts_with("kubectl exec");
            assert!(is_object || root().join(file).is_file(), "{line}");
        }
    }
    assert!(seen > 3, "{seen}");
}

fn what_is_named_is_there() {
    let document = document();
    for link in document.split("](").skip(1) {
        let path = link.split(')').next().expect("a link");
        assert!(root().join("docs").join(path).exists(), "{path}");
    }
    let served = routes();
    for path in document
        .split('`')
        .filter(|word| word.starts_with("/health/"))
    {
        let mut served = served.iter().filter(|it| it.method == RouteMethod::Get);
        assert!(served.any(|route| route.path == path), "{path} is no route");
    }
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    assert!(readme.contains("(docs/registry.md)"));
}
