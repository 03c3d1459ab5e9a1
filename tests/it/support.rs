//! The `Test` type of end-to-end tests with its needs, their support modules, and paths.
//! A test is converted to a trial; paths are those of this repository.

pub(crate) mod adder;
#[allow(
    clippy::unwrap_used,
    dead_code,
    reason = "the registry's own tests, whose file it is, use the rest and unwrap"
)]
#[path = "../../registry-server/tests/backends/backends.rs"]
pub(crate) mod backends;
pub(crate) mod client;
pub(crate) mod documents;
pub(crate) mod guests;
pub(crate) mod home;
pub(crate) mod hostile;
pub(crate) mod loading;
pub(crate) mod model;
pub(crate) mod modules;
pub(crate) mod needs;
pub(crate) mod picture;
pub(crate) mod proxy;
pub(crate) mod python_project;
pub(crate) mod ran;
pub(crate) mod registry;
pub(crate) mod scripted_agent;
pub(crate) mod server;
pub(crate) mod terminal;
pub(crate) mod time_limit;
pub(crate) mod toolbox_files;
pub(crate) mod website;
pub(crate) mod witness;

use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};

pub(crate) use client::Client;
pub(crate) use home::Home;
pub(crate) use model::ScriptedModel;
pub(crate) use needs::Need;
pub(crate) use ran::Ran;
pub(crate) use registry::RegistryProcess;
pub(crate) use server::Server;
pub(crate) use terminal::Terminal;

/// One test: its name, what it needs, and what it does. It fails by panicking.
#[derive(Clone)]
pub(crate) struct Test {
    name: &'static str,
    needs: &'static [Need],
    run: fn(),
}

/// A test that needs nothing but this repository.
pub(crate) const fn test(name: &'static str, run: fn()) -> Test {
    Test {
        name,
        needs: &[],
        run,
    }
}

impl Test {
    /// The same test, which cannot run without `needs`.
    pub(crate) const fn needs(mut self, needs: &'static [Need]) -> Self {
        self.needs = needs;
        self
    }
}

/// Makes trials of tests; those that would run and whose needs are not met are ignored,
/// loudly.
pub(crate) fn trials(tests: Vec<Test>, arguments: &Arguments) -> Vec<Trial> {
    let trials: Vec<(Test, Trial)> = tests
        .into_iter()
        .map(|test| {
            let run = test.run;
            let trial = Trial::test(test.name, move || {
                time_limit::run_within_limit(test.name, run);
                Ok::<(), Failed>(())
            });
            (test, trial)
        })
        .collect();
    let is_run = |trial: &Trial| !arguments.list && !arguments.is_filtered_out(trial);
    let would_run = trials.iter().filter(|(_, trial)| is_run(trial));
    needs::look_for(would_run.flat_map(|(test, _)| test.needs));
    trials
        .into_iter()
        .map(|(test, trial)| {
            if !is_run(&trial) {
                return trial;
            }
            let missing = test.needs.iter().find_map(|need| need.missing());
            if let Some(reason) = &missing {
                eprintln!("SKIPPED {}: {reason}", test.name);
            }
            trial.with_ignored_flag(missing.is_some())
        })
        .collect()
}

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace")
        .to_owned()
}

/// Every file below `directory`, in order. Links are not followed.
pub(crate) fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let entry = entry.expect("an entry");
        if entry.file_type().expect("an entry").is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

/// A directory that survives from run to run: what is costly to make is made there once.
pub(crate) fn kept() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}
