//! The end-to-end test program: its `main` lists the tests of all modules and runs them.
//! They use the real command, registry and components, and others' clients.
//!
//! Some tests need what a machine may not have: the target `wasm32-wasip2`, or packages from
//! a registry. They are looked for once, before anything runs; a test that cannot run is
//! reported as ignored, never as passed, and standard error says why.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests set up their own surroundings, and say what they skip"
)]

mod administration;
mod adopt;
mod advisories;
mod agent_loop;
mod agent_slips;
mod agents;
mod air_gap;
mod attestations;
mod author;
mod bounds;
mod builds;
mod bundles;
mod changed_packages;
mod checkouts;
mod clients;
mod confirmation;
mod connect;
mod consent;
mod credentials;
mod dangerous_directories;
mod dataset_logs;
mod demo;
mod dependencies;
mod deploy;
mod dev;
mod difference;
mod embed;
mod errors;
mod explain;
mod export;
mod foreign;
mod gateway;
mod grammar;
mod hints;
mod hostile_registry;
mod inspection;
mod javascript_agent;
mod journey;
mod keyring;
mod lint;
mod logs;
mod maintenance;
mod mcp_conformance;
mod messages;
mod mirrors;
mod moved_repos;
mod network;
mod no_rust;
mod node;
mod observed;
mod old_locks;
mod only;
mod operator;
mod output;
mod overrides;
mod parse;
mod policy;
mod prompted_agent;
mod prompts;
#[path = "../clients/public_clients.rs"]
mod public_clients;
mod python_package;
mod readme;
mod rebuilt;
mod reference;
mod rest;
mod rights;
mod samples;
mod sboms;
mod search;
mod secrets;
mod served;
mod servers;
mod shelf;
mod sign_ins;
mod signatures;
mod signed;
mod support;
mod tamper;
mod tidy;
mod tokens;
mod toolbox;
mod trusted_publishing;
mod witnesses;
mod yanks;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = libtest_mimic::Arguments::from_args();
    // Many tests wait, for a time limit or a server, so one more of them than there are
    // processors keeps these busy.
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    arguments.test_threads.get_or_insert(processors + 1);
    let tests = [
        tidy::tests(),
        errors::tests(),
        explain::tests(),
        export::tests(),
        parse::tests(),
        foreign::tests(),
        gateway::tests(),
        grammar::tests(),
        changed_packages::tests(),
        hints::tests(),
        hostile_registry::tests(),
        inspection::tests(),
        lint::tests(),
        dataset_logs::tests(),
        logs::tests(),
        mirrors::tests(),
        moved_repos::tests(),
        air_gap::tests(),
        journey::tests(),
        keyring::tests(),
        yanks::tests(),
        witnesses::tests(),
        advisories::tests(),
        policy::tests(),
        signatures::tests(),
        attestations::tests(),
        tamper::tests(),
        checkouts::tests(),
        clients::tests(),
        rest::tests(),
        dangerous_directories::tests(),
        rights::tests(),
        samples::tests(),
        sboms::tests(),
        rebuilt::tests(),
        search::tests(),
        secrets::tests(),
        served::tests(),
        sign_ins::tests(),
        servers::tests(),
        shelf::tests(),
        signed::tests(),
        maintenance::tests(),
        agents::tests(),
        agent_loop::tests(),
        agent_slips::tests(),
        javascript_agent::tests(),
        mcp_conformance::tests(),
        messages::tests(),
        embed::tests(),
        demo::tests(),
        dependencies::tests(),
        deploy::tests(),
        dev::tests(),
        difference::tests(),
        consent::tests(),
        confirmation::tests(),
        connect::tests(),
        credentials::tests(),
        administration::tests(),
        adopt::tests(),
        network::tests(),
        node::tests(),
        no_rust::tests(),
        old_locks::tests(),
        output::tests(),
        overrides::tests(),
        prompted_agent::tests(),
        prompts::tests(),
        observed::tests(),
        only::tests(),
        operator::tests(),
        tokens::tests(),
        toolbox::tests(),
        trusted_publishing::tests(),
        python_package::tests(),
        readme::tests(),
        author::tests(),
        bounds::tests(),
        builds::tests(),
        bundles::tests(),
        reference::tests(),
    ]
    .concat();
    let conclusion = libtest_mimic::run(&arguments, support::trials(tests, &arguments));
    agents::put_away();
    support::home::remove_compiled_code();
    conclusion.exit_code()
}
