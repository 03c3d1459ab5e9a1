//! Tests of the loop of a model's turns and its tool calls, with a model that follows a script.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// A function, which says how its calls end, and arguments.
#[derive(Clone)]
struct Call(&'static str, String);

impl WrittenCall for Call {
    fn name(&self) -> &str {
        self.0
    }

    fn arguments(&self) -> Cow<'_, str> {
        self.1.as_str().into()
    }
}

#[derive(Default)]
struct Scripted {
    replies: VecDeque<(Vec<Call>, Option<Next>)>,
    at_once: usize,
    expected: Vec<Expected>,
    made: usize,
    running: Arc<AtomicUsize>,
    running_max: Arc<AtomicUsize>,
    /// The results of each reply.
    results: Vec<Vec<String>>,
}

impl ToolLoop for Scripted {
    type Call = Call;
    type Result = String;
    type Error = u32;

    async fn ask(&mut self, expected: Expected) -> Result<Turn<Call>, u32> {
        self.expected.push(expected);
        let (calls, next) = self.replies.pop_front().unwrap_or_default();
        let next = next.unwrap_or(if calls.is_empty() {
            Next::Finish
        } else {
            Next::Ask
        });
        Ok(Turn { calls, next })
    }

    fn calls_at_once(&self) -> usize {
        self.at_once
    }

    fn make_call(&mut self, call: &Call) -> BoxFuture<'static, CallEnd> {
        self.made += 1;
        let (running, running_max) = (self.running.clone(), self.running_max.clone());
        let (function, waits) = (call.0, self.made % 3);
        async move {
            let now = running.fetch_add(1, Ordering::SeqCst) + 1;
            running_max.fetch_max(now, Ordering::SeqCst);
            for _ in 0..=waits {
                tokio::task::yield_now().await;
            }
            running.fetch_sub(1, Ordering::SeqCst);
            let failure = Failure::new(FailureKind::NotFound, function);
            match function {
                "fail" => CallEnd::Made(Err(failure)),
                "decline" => CallEnd::NotMade(failure),
                _ => CallEnd::Made(Ok(Reply::default())),
            }
        }
        .boxed()
    }

    fn end_call(&mut self, call: &Call, result: Result<Reply, Failure>) -> String {
        match result {
            Ok(_) => call.1.clone(),
            Err(failure) => failure.message,
        }
    }

    async fn take_results(&mut self, calls: &[Call], results: Vec<String>) -> Result<(), u32> {
        assert_eq!(calls.len(), results.len());
        self.results.push(results);
        Ok(())
    }

    fn too_many_rounds(&self, round: u32) -> u32 {
        round
    }
}

fn calls(function: &'static str, arguments: &[&str]) -> (Vec<Call>, Option<Next>) {
    let calls = arguments.iter().map(|text| Call(function, (*text).into()));
    (calls.collect(), None)
}

/// Runs the loop with these replies, and an answer after them, in at most 9 rounds.
async fn ran(
    at_once: usize,
    replies: impl IntoIterator<Item = (Vec<Call>, Option<Next>)>,
) -> (Result<(), u32>, Scripted) {
    let mut scripted = Scripted {
        replies: replies.into_iter().collect(),
        at_once,
        ..Scripted::default()
    };
    let ended = run(&mut scripted, 9).await;
    (ended, scripted)
}

#[tokio::test]
async fn results_are_in_the_order_of_the_calls_however_many_run_at_once() {
    let arguments: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    let texts: Vec<&str> = arguments.iter().map(String::as_str).collect();
    for at_once in [1, 8] {
        let (ended, scripted) = ran(at_once, [calls("echo", &texts)]).await;
        assert_eq!(ended, Ok(()));
        assert_eq!(scripted.results.concat(), arguments);
        assert_eq!(scripted.running_max.load(Ordering::SeqCst), at_once);
        assert_eq!(scripted.expected, [Expected::CallsOrAnswer; 2]);
    }
}

#[tokio::test]
async fn the_last_round_has_to_answer() {
    let (ended, scripted) = ran(1, vec![calls("echo", &["{}"]); 8]).await;
    assert_eq!((ended, scripted.made), (Ok(()), 8));
    assert_eq!(scripted.expected[7], Expected::CallsOrAnswer);
    assert_eq!(scripted.expected[8..], [Expected::Answer]);
    let (ended, scripted) = ran(1, vec![calls("echo", &["{}"]); 9]).await;
    assert_eq!(
        (ended, scripted.made),
        (Err(9), 8),
        "the last one is not made"
    );
}

#[tokio::test]
async fn a_model_that_repeats_itself_has_to_answer() {
    let again = ["{\"a\": 1, \"b\": 2}", "{\"b\":2,\"a\":1}"];
    let replies = [&again[..1], &again[..], &again[1..]].map(|again| calls("fail", again));
    let (ended, scripted) = ran(2, replies.clone()).await;
    assert_eq!((ended, scripted.made), (Ok(()), 1));
    assert_eq!(scripted.results.concat(), ["fail"; 4]);
    assert_eq!(
        scripted.expected[2..],
        [Expected::CallsOrAnswer, Expected::Answer]
    );

    let stubborn = replies.into_iter().chain([calls("echo", &["{}"])]);
    let (ended, scripted) = ran(2, stubborn).await;
    assert_eq!((ended, scripted.made), (Err(4), 1));

    // A person may allow later what was declined.
    let (ended, scripted) = ran(1, vec![calls("decline", &["{}"]); 5]).await;
    assert_eq!((ended, scripted.made), (Ok(()), 5));
    assert_eq!(scripted.expected, [Expected::CallsOrAnswer; 6]);
}

#[tokio::test]
async fn calls_beyond_the_limit_are_not_made() {
    let (ended, scripted) = ran(8, [calls("echo", &["{}"; CALLS_MAX + 2])]).await;
    assert_eq!((ended, scripted.made), (Ok(()), CALLS_MAX));
    let refused = &scripted.results[0][CALLS_MAX..];
    assert_eq!(refused, ["more than 64 calls were made at once"; 2]);
}

#[tokio::test]
async fn a_turn_ends_with_its_calls_or_goes_on_without_any() {
    let (ended, scripted) = ran(1, [(calls("echo", &["{}"]).0, Some(Next::Finish))]).await;
    assert_eq!((ended, scripted.made), (Ok(()), 1));
    assert_eq!(
        scripted.expected.len(),
        1,
        "whoever asked has calls of its own"
    );
    let (ended, scripted) = ran(1, [(Vec::new(), Some(Next::Ask))]).await;
    assert_eq!((ended, scripted.expected.len()), (Ok(()), 2));
}
