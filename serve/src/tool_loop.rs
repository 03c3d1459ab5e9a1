//! The loop of a model that calls functions: it is asked, its calls are made, until it answers.

mod failed_calls;

use std::borrow::Cow;

use futures::FutureExt as _;
use futures::future::{self, BoxFuture};
use futures::stream::{FuturesOrdered, StreamExt as _};
use tool_hub_manifest::contract::{Failure, FailureKind, Reply};

use failed_calls::FailedCalls;

/// The most calls of one reply that are made; further ones are answered with a failure.
const CALLS_MAX: usize = 64;

/// The parts of a loop that differ between its users.
pub(crate) trait ToolLoop: Send {
    /// A call as the model wrote it.
    type Call: WrittenCall + Sync;
    /// The result of a call as the model reads it.
    type Result: Send;
    type Error;

    /// Asks the model for its next reply.
    fn ask(
        &mut self,
        expected: Expected,
    ) -> impl Future<Output = Result<Turn<Self::Call>, Self::Error>> + Send;

    /// The most calls that are made at the same time.
    fn calls_at_once(&self) -> usize;

    /// Makes a call. Dropping the future stops it.
    fn make_call(&mut self, call: &Self::Call) -> BoxFuture<'static, CallEnd>;

    /// Takes the end of a call. Calls end in the order in which the model wrote them.
    fn end_call(&mut self, call: &Self::Call, result: Result<Reply, Failure>) -> Self::Result;

    /// Takes the results of all calls of a reply, in the order of the calls.
    fn take_results(
        &mut self,
        calls: &[Self::Call],
        results: Vec<Self::Result>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// The error for a model that still calls functions in the round `round`, the last.
    fn too_many_rounds(&self, round: u32) -> Self::Error;
}

/// A call as a model wrote it.
pub(crate) trait WrittenCall {
    fn name(&self) -> &str;

    /// The text of a JSON object, if the model wrote one.
    fn arguments(&self) -> Cow<'_, str>;
}

/// The reply that a model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    CallsOrAnswer,
    /// Words only: no further calls are made.
    Answer,
}

/// The calls of a reply that are made here, and what happens after them.
pub(crate) struct Turn<C> {
    pub(crate) calls: Vec<C>,
    pub(crate) next: Next,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    Ask,
    Finish,
}

/// The end of a call.
pub(crate) enum CallEnd {
    Made(Result<Reply, Failure>),
    /// It was refused before it began. The same call may be made later.
    NotMade(Failure),
}

impl CallEnd {
    pub(crate) fn into_result(self) -> Result<Reply, Failure> {
        match self {
            Self::Made(result) => result,
            Self::NotMade(failure) => Err(failure),
        }
    }
}

/// Asks the model of `tool_loop` until it answers, at most `rounds_max` times. Dropping the future
/// stops the calls that are running.
pub(crate) async fn run<L: ToolLoop>(tool_loop: &mut L, rounds_max: u32) -> Result<(), L::Error> {
    let mut failed = FailedCalls::default();
    for round in 1..=rounds_max {
        let expected = match round == rounds_max || failed.must_answer() {
            true => Expected::Answer,
            false => Expected::CallsOrAnswer,
        };
        let Turn { calls, next } = tool_loop.ask(expected).await?;
        if calls.is_empty() && next == Next::Finish {
            return Ok(());
        }
        if expected == Expected::Answer {
            // The model would never read the results.
            return Err(tool_loop.too_many_rounds(round));
        }
        let results = make_calls(tool_loop, &calls, &mut failed).await;
        tool_loop.take_results(&calls, results).await?;
        if next == Next::Finish {
            return Ok(());
        }
    }
    Err(tool_loop.too_many_rounds(rounds_max))
}

/// Makes the calls of one reply, except those that `failed` before.
async fn make_calls<L: ToolLoop>(
    tool_loop: &mut L,
    calls: &[L::Call],
    failed: &mut FailedCalls,
) -> Vec<L::Result> {
    // The model wrote all of them before it knew the result of any.
    let refused = calls.iter().enumerate().map(|(index, call)| {
        let repeated = failed.refuse_repeated(call.name(), &call.arguments());
        repeated.or_else(|| (index >= CALLS_MAX).then(too_many_calls))
    });
    let refused: Vec<Option<Failure>> = refused.collect();
    let mut waiting = calls.iter().zip(refused);
    let mut running = FuturesOrdered::new();
    let mut results = Vec::with_capacity(calls.len());
    loop {
        while running.len() < tool_loop.calls_at_once()
            && let Some((call, refused)) = waiting.next()
        {
            running.push_back(match refused {
                Some(failure) => future::ready(CallEnd::NotMade(failure)).boxed(),
                None => tool_loop.make_call(call),
            });
        }
        let Some(end) = running.next().await else {
            return results;
        };
        let call = &calls[results.len()];
        if let CallEnd::Made(result) = &end {
            failed.record(call.name(), &call.arguments(), result);
        }
        results.push(tool_loop.end_call(call, end.into_result()));
    }
}

fn too_many_calls() -> Failure {
    let limit = FailureKind::HostLimit {
        limit: "calls",
        value: CALLS_MAX as u64,
    };
    let message = format!("more than {CALLS_MAX} calls were made at once");
    Failure::new(limit, message)
}

#[cfg(test)]
mod tests;
