//! A benchmark of the time from the start of `tool serve` to the first result of a call.
//! It compares a warm cache of compiled code with an empty one, and `--only` with a toolbox, for a
//! Rust tool and for a Python tool.
//!
//! `cargo bench -p tool-hub-cli --bench start`
//!
//! The tools are samples of this repository, built, inspected and loaded by the command
//! itself in a home of their own. The figure to read is the ratio; `tool --version`, which
//! starts and does nothing, is printed beside it as the floor of any process.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark prints its figures and sets up its own surroundings"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const WARM_ROUNDS: usize = 40;
const COLD_ROUNDS: usize = 3;

/// A sample tool, and a call whose answer is known.
struct Sample {
    name: &'static str,
    language: &'static str,
    function: &'static str,
    arguments: Value,
    answer: Value,
}

fn main() -> Result<()> {
    let samples = [
        Sample {
            name: "text-stats",
            language: "Rust",
            function: "text_stats__count_words",
            arguments: json!({"text": "one two three"}),
            answer: json!(3),
        },
        Sample {
            name: "slugify",
            language: "Python",
            function: "slugify__slugify",
            arguments: json!({"text": "One, two!"}),
            answer: json!("one-two"),
        },
    ];
    samples.iter().try_for_each(compare)
}

fn compare(sample: &Sample) -> Result<()> {
    let home = Home::with(sample.name)?;
    let cold = median(COLD_ROUNDS, || {
        std::fs::remove_dir_all(home.compiled())?;
        home.first_result(&["serve"], sample)
    })?;
    let warm = median(WARM_ROUNDS, || home.first_result(&["serve"], sample))?;
    let only = ["serve", "--only", &home.project, "--approve", &home.digest];
    let only = median(WARM_ROUNDS, || home.first_result(&only, sample))?;
    let floor = median(WARM_ROUNDS, || home.version())?;
    println!(
        "{} ({}): first result after {warm:.1?} with a warm cache, {cold:.1?} with an empty one, \
         ratio {:.4}; with --only {only:.1?}, ratio {:.2}; `tool --version` takes {floor:.1?}",
        sample.name,
        sample.language,
        warm.as_secs_f64() / cold.as_secs_f64(),
        only.as_secs_f64() / warm.as_secs_f64(),
    );
    Ok(())
}

fn median(rounds: usize, mut run: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    let mut times = (0..rounds).map(|_| run()).collect::<Result<Vec<_>>>()?;
    times.sort_unstable();
    Ok(times[rounds / 2])
}

/// A user's home with one tool in the toolbox.
struct Home {
    directory: TempDir,
    project: String,
    digest: String,
}

impl Home {
    fn with(tool: &str) -> Result<Self> {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sample-tools");
        let project = samples.join(tool).display().to_string();
        let mut home = Self {
            directory: tempfile::tempdir()?,
            project: project.clone(),
            digest: String::new(),
        };
        home.run(&["build", "--trust", &project])?;
        let report = home.run(&["inspect", &project, "--json"])?;
        let report: Value = serde_json::from_slice(&report)?;
        let digest = report["inspection"]["approval_digest"].as_str();
        home.digest = digest.ok_or("no digest")?.to_owned();
        home.run(&["load", &project, "--approve", &home.digest])?;
        Ok(home)
    }

    fn compiled(&self) -> PathBuf {
        self.directory.path().join("cache/compiled")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tool"));
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env("TOOL_HUB_HOME", self.directory.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> Result<Vec<u8>> {
        let output = self.command(arguments).output()?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(String::from_utf8_lossy(&output.stderr).into())
    }

    fn version(&self) -> Result<Duration> {
        let started = Instant::now();
        self.run(&["--version"])?;
        Ok(started.elapsed())
    }

    /// From the start of the process to the last byte of the answer.
    fn first_result(&self, serve: &[&str], sample: &Sample) -> Result<Duration> {
        let started = Instant::now();
        let mut server = self
            .command(serve)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let answer = first_answer(&mut server, sample)?;
        let elapsed = started.elapsed();
        drop(server.stdin.take());
        server.wait()?;
        assert_eq!(answer["structuredContent"]["result"], sample.answer);
        Ok(elapsed)
    }
}

/// Plays a client of the Model Context Protocol up to the result of its first call.
fn first_answer(server: &mut Child, sample: &Sample) -> Result<Value> {
    let input = server.stdin.as_mut().ok_or("no standard input")?;
    let output = server.stdout.as_mut().ok_or("no standard output")?;
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "bench", "version": "0"},
    }});
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": sample.function, "arguments": sample.arguments,
    }});
    writeln!(input, "{initialize}\n{initialized}\n{call}")?;
    for line in BufReader::new(output).lines() {
        let mut message: Value = serde_json::from_str(&line?)?;
        if message["id"] == 2 {
            return Ok(message["result"].take());
        }
    }
    Err("the server ended without an answer".into())
}
