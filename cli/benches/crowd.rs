//! A benchmark of a thousand compiled tools in one process: time to load them, and memory of each.
//! Compiled code is in the cache, and the memory is what an idle tool takes beside its mapped code.
//! For comparison, the same components are read and hashed.
//!
//! `cargo bench -p tool-hub-cli --bench crowd`
//!
//! Each tool is the sample `text-stats` of this repository with a number in a section of its
//! own, so that no two are the same to the host. Compiling them, which is not measured, takes
//! a minute or two.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark prints its figures and sets up its own surroundings"
)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::json;
use tool_hub_host::{Approved, Host, HostConfig, Outcome, Tool, authoring};
use tool_hub_manifest::{Digest, Grants, Package, Verified};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const TOOLS: usize = 1_000;
const ROUNDS: usize = 5;
const LOADED_WITHIN: Duration = Duration::from_secs(1);
const IDLE_BYTES_MAX: u64 = 200 << 10;

/// Names the directory with the packages to a process that measures.
const MEASURE: &str = "TOOL_HUB_BENCH_PACKAGES";

fn main() -> Result<()> {
    if let Some(directory) = std::env::var_os(MEASURE) {
        return measure(&Packages::new(directory.into()));
    }
    let directory = tempfile::tempdir()?;
    let packages = Packages::make(directory.path())?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(load(&packages))?;

    // What one round leaves to the allocator, the next would find.
    let rounds = (0..ROUNDS).map(|_| measured(directory.path()));
    let rounds = rounds.collect::<Result<Vec<[u64; 3]>>>()?;
    let [loading, hashing, idle] =
        [0, 1, 2].map(|figure| median(rounds.iter().map(|round| round[figure]).collect()));
    let [loading, hashing] = [loading, hashing].map(Duration::from_micros);
    println!(
        "{TOOLS} tools of {} KiB: loaded in {loading:.0?} (at most {LOADED_WITHIN:?}: {}), \
         read and hashed in {hashing:.0?}, ratio {:.2}",
        packages.read(0)?.component.len() >> 10,
        verdict(loading <= LOADED_WITHIN),
        loading.as_secs_f64() / hashing.as_secs_f64(),
    );
    println!(
        "an idle tool: {} KiB of memory of its own (at most {} KiB: {})",
        idle >> 10,
        IDLE_BYTES_MAX >> 10,
        verdict(idle <= IDLE_BYTES_MAX),
    );
    Ok(())
}

/// The figures of one process: microseconds of loading and of hashing, and bytes of an idle
/// tool.
fn measured(packages: &Path) -> Result<[u64; 3]> {
    let output = Command::new(std::env::current_exe()?)
        .env(MEASURE, packages)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn measure(packages: &Packages) -> Result<()> {
    let begun = Instant::now();
    for number in 0..TOOLS {
        Digest::of(&packages.read(number)?.component);
    }
    let hashing = begun.elapsed();
    let runtime = tokio::runtime::Runtime::new()?;
    let before = private_bytes()?;
    let begun = Instant::now();
    let (_host, tools) = runtime.block_on(load(packages))?;
    let loading = begun.elapsed();
    let idle = (private_bytes()? - before) / TOOLS as u64;
    let last = tools.last().ok_or("no tool")?;
    let called = runtime.block_on(last.call("count_words", r#"{"text": "one two"}"#));
    assert!(matches!(called, Outcome::Reply(_)), "{called:?}");
    println!(
        "{}",
        json!([loading.as_micros(), hashing.as_micros(), idle])
    );
    Ok(())
}

/// Loads all tools as `tool serve` does: read, verified, approved, loaded, as many at once as
/// there are processors.
async fn load(packages: &Packages) -> Result<(Host, Vec<Tool>)> {
    let mut config = HostConfig::new();
    config.cache = Some(packages.directory.join("compiled"));
    let host = Host::new(config)?;
    let loads = (0..TOOLS).map(async |number| {
        let verified = Verified::check(packages.read(number)?)?;
        let approved = Approved::from_lock_record(verified, Grants::none())?;
        Result::Ok(host.load(approved).await?)
    });
    let at_once = available_parallelism()?.get();
    let tools = stream::iter(loads).buffered(at_once).try_collect().await?;
    Ok((host, tools))
}

/// The packages on the disk.
struct Packages {
    directory: PathBuf,
}

impl Packages {
    fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    fn make(directory: &Path) -> Result<Self> {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sample-tools/text-stats");
        let built = Command::new(env!("CARGO_BIN_EXE_tool"))
            .args(["build", "--json"])
            .arg(&sample)
            .env("TOOL_HUB_HOME", directory)
            .output()?;
        if !built.status.success() {
            return Err(String::from_utf8_lossy(&built.stderr).into());
        }
        let component = std::fs::read(sample.join("dist/tool.wasm"))?;
        let packages = Self::new(directory.to_owned());
        for number in 0..TOOLS {
            let mut numbered = component.clone();
            numbered.extend(section(number));
            let name = format!("tool-{number}").parse()?;
            let manifest = authoring::derive_manifest(&numbered, name)?;
            std::fs::write(packages.path(number, "toml"), manifest.to_toml())?;
            std::fs::write(packages.path(number, "wasm"), numbered)?;
        }
        Ok(packages)
    }

    fn read(&self, number: usize) -> Result<Package> {
        Ok(Package {
            manifest: std::fs::read(self.path(number, "toml"))?,
            component: std::fs::read(self.path(number, "wasm"))?,
            interpreter: None,
            sbom: None,
        })
    }

    fn path(&self, number: usize, ending: &str) -> PathBuf {
        self.directory.join(format!("tool-{number}.{ending}"))
    }
}

/// A custom section of a component, which means nothing.
fn section(number: usize) -> Vec<u8> {
    let content = format!("\u{6}number{number:04}");
    let mut section = vec![0, content.len() as u8];
    section.extend(content.into_bytes());
    section
}

/// Memory that is this process's alone. Code is mapped from files, and shared.
fn private_bytes() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    Ok(kib.ok_or("no RssAnon")?.trim().parse::<u64>()? << 10)
}

fn median<T: Ord + Copy>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values[values.len() / 2]
}

fn verdict(reached: bool) -> &'static str {
    if reached { "reached" } else { "MISSED" }
}
