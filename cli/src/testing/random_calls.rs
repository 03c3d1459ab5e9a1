//! Calls each function of a tested tool with random arguments: it may return errors, never trap.

use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::Value;
use tool_hub_agent::definition::random_arguments::random_arguments;
use tool_hub_host::{CallableFunction, Tool};

use super::judgement;
use super::report::{RANDOM, Report, TestResult};
use super::runner::{Call, Runner};

/// The time for the random calls of all functions; a call that is under way is waited for.
const TIME_MAX: Duration = Duration::from_secs(30);

/// Calls all functions of `tool`, each until a call fails as none may.
pub(super) async fn run(runner: &Runner<'_>, tool: &Tool, report: &mut Report) {
    let begun = Instant::now();
    for function in tool.functions() {
        let result = run_function(runner, tool, function, report.seed, begun).await;
        let wanted = runner.plan.random_calls;
        if result.passed && result.calls < wanted {
            let (function, calls, seconds) = (&result.function, result.calls, TIME_MAX.as_secs());
            report.notes.push(format!(
                "`{function}` had {calls} of {wanted} random calls, because all of them together \
                 have {seconds} s"
            ));
        }
        report.results.push(result);
    }
}

async fn run_function(
    runner: &Runner<'_>,
    tool: &Tool,
    function: &CallableFunction,
    seed: u64,
    begun: Instant,
) -> TestResult {
    let name = function.name.as_str();
    let examples: Vec<Value> = runner
        .examples()
        .filter_map(|(of, _, arguments)| (of == name).then_some(arguments))
        .collect();
    let mut random = Rng::with_seed(seed_of(seed, name));
    let mut result = TestResult {
        suite: RANDOM.to_owned(),
        name: name.to_owned(),
        function: name.to_owned(),
        passed: true,
        calls: 0,
        time: Duration::ZERO,
        problems: Vec::new(),
        written: Vec::new(),
        arguments: None,
        repeat: None,
    };
    while result.calls < runner.plan.random_calls && begun.elapsed() < TIME_MAX {
        let arguments = random_arguments(&function.spec.input_schema, &examples, &mut random);
        let call = Call {
            suite: RANDOM,
            name,
            function: name,
            arguments: &arguments,
        };
        let made = call.made(tool).await;
        result.calls += 1;
        result.time += made.time;
        if let Some(problem) = judgement::of_random(&made.outcome) {
            result.passed = false;
            result.written = made.written;
            result.problems.push(problem);
            result.repeat = Some(runner.repeat(name, &arguments));
            result.arguments = Some(arguments);
            break;
        }
    }
    result
}

/// The seed of a function, so that another function beside it changes nothing.
fn seed_of(seed: u64, function: &str) -> u64 {
    let bytes = function.bytes();
    bytes.fold(seed, |seed, byte| {
        seed.wrapping_mul(31).wrapping_add(u64::from(byte))
    })
}
