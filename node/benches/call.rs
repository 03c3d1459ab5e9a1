//! Measures `Tool::call` for the benchmark in JavaScript beside it.
//!
//! Prints the median of single calls of a built package, in nanoseconds.

use std::path::PathBuf;
use std::time::Instant;

use tool_hub_host::{Host, HostConfig, Outcome, inspect};
use tool_hub_manifest::{Grants, Package, Verified};

const WARM_UP: usize = 300;
const CALLS: usize = 3000;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "the benchmark reads it")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut given = std::env::args().skip(1);
    let mut next = || given.next().ok_or("usage: call PACKAGE FUNCTION ARGUMENTS");
    let (package, function, arguments) = (PathBuf::from(next()?), next()?, next()?);
    let package = Package {
        manifest: std::fs::read(package.join("tool.toml"))?,
        component: std::fs::read(package.join("tool.wasm"))?,
        interpreter: None,
        sbom: std::fs::read(package.join("sbom.cdx.json")).ok(),
    };
    let approved = inspect(&Verified::check(package)?)?.approve(Grants::none())?;
    let tool = Host::new(HostConfig::new())?.load(approved).await?;

    let mut times = Vec::with_capacity(CALLS);
    for call in 0..WARM_UP + CALLS {
        let begun = Instant::now();
        let outcome = tool.call(&function, &arguments).await;
        let time = begun.elapsed();
        if let Outcome::Failure(failure) = outcome {
            return Err(failure.into());
        }
        if call >= WARM_UP {
            times.push(time);
        }
    }
    times.sort();
    println!("{}", times[CALLS / 2].as_nanos());
    Ok(())
}
