//! Tests that calls are admitted fairly: bounds, the queue, no caller takes all, who is next.

use super::*;

const MOMENT: Duration = Duration::from_millis(20);
const LONG: Duration = Duration::from_secs(30);

fn key(name: &str) -> CallerKey {
    CallerKey::new(name)
}

/// Takes all places that `caller` can get without waiting.
async fn fill(limiter: &CallLimiter, caller: Option<&CallerKey>) -> Vec<CallPermit> {
    let mut taken = Vec::new();
    while let Ok(permit) = limiter.acquire(caller, 1, Duration::ZERO).await {
        taken.push(permit);
    }
    taken
}

#[tokio::test]
async fn those_beyond_the_places_wait_and_those_beyond_the_queue_are_told() {
    let limiter = CallLimiter::new(1, 1);
    let inside = limiter.acquire(None, 1, MOMENT).await.unwrap();
    let (waited, refused) = tokio::join!(
        limiter.acquire(None, 1, MOMENT),
        limiter.acquire(None, 1, MOMENT)
    );
    assert_eq!(
        waited.unwrap_err().message,
        "the host is busy: 1 calls run and this one waited for 20 ms (limits \
         calls_in_flight_max = 1, calls_waiting_max = 1)"
    );
    assert_eq!(
        refused.unwrap_err().message,
        "the host is busy: 1 calls run and 1 wait (limits calls_in_flight_max = 1, \
         calls_waiting_max = 1)"
    );
    drop(inside);
    assert!(limiter.acquire(None, 1, MOMENT).await.is_ok());
}

#[tokio::test]
async fn no_caller_takes_all_places_and_the_embedder_may() {
    let limiter = CallLimiter::new(32, 256);
    let (ann, bob) = (key("ann"), key("bob"));
    let of_ann = fill(&limiter, Some(&ann)).await;
    assert_eq!(of_ann.len(), 28);
    assert!(limiter.acquire(Some(&bob), 1, Duration::ZERO).await.is_ok());
    drop(of_ann);
    assert_eq!(fill(&limiter, None).await.len(), 32);
    for small in 1..8 {
        assert_eq!(
            fill(&CallLimiter::new(small, 8), Some(&ann)).await.len(),
            small as usize
        );
    }
}

#[tokio::test]
async fn the_caller_with_the_fewest_running_calls_is_next() {
    let limiter = CallLimiter::new(4, 64);
    let (ann, bob) = (key("ann"), key("bob"));
    let mut of_ann = fill(&limiter, Some(&ann)).await;
    assert_eq!(of_ann.len(), 4);
    let order = Mutex::new(Vec::new());
    let call = async |caller: &CallerKey, name: &'static str| {
        let permit = limiter.acquire(Some(caller), 1, LONG).await.unwrap();
        order.lock().unwrap().push(name);
        permit
    };
    let ends = async {
        // The waiting calls are in the queue by now, because they are polled first.
        of_ann.pop();
        tokio::task::yield_now().await;
        of_ann.pop();
        of_ann.pop();
    };
    let held = tokio::join!(
        biased;
        call(&ann, "ann 1"),
        call(&ann, "ann 2"),
        call(&bob, "bob 1"),
        ends
    );
    assert_eq!(*order.lock().unwrap(), ["bob 1", "ann 1", "ann 2"]);
    drop(held);
}

#[tokio::test]
async fn no_caller_fills_the_queue() {
    let limiter = CallLimiter::new(1, 16);
    let (ann, bob) = (key("ann"), key("bob"));
    let _inside = limiter.acquire(Some(&ann), 1, MOMENT).await.unwrap();
    let of_ann: Vec<_> = (0..20)
        .map(|_| limiter.acquire(Some(&ann), 1, MOMENT))
        .collect();
    let (of_ann, of_bob) = tokio::join!(
        biased;
        futures::future::join_all(of_ann),
        limiter.acquire(Some(&bob), 1, MOMENT)
    );
    let message_of = |outcome: Result<CallPermit, Failure>| outcome.unwrap_err().message;
    let of_ann: Vec<String> = of_ann.into_iter().map(message_of).collect();
    let turned_away = of_ann.iter().filter(|message| message.contains("14 wait"));
    assert_eq!(turned_away.count(), 6, "{of_ann:?}");
    assert!(message_of(of_bob).contains("waited for 20 ms"));
}

#[tokio::test]
async fn a_place_goes_past_those_who_have_left() {
    let limiter = CallLimiter::new(1, 8);
    let inside = limiter.acquire(None, 1, MOMENT).await.unwrap();
    assert!(limiter.acquire(None, 1, Duration::ZERO).await.is_err());
    let mut gone = Box::pin(limiter.acquire(None, 1, LONG));
    assert!(futures::poll!(&mut gone).is_pending());
    let mut waiting = Box::pin(limiter.acquire(None, 1, LONG));
    assert!(futures::poll!(&mut waiting).is_pending());
    // It is admitted, but dropped before it notices.
    drop(inside);
    drop(gone);
    assert!(waiting.await.is_ok());
    let state = limiter.0.lock();
    assert_eq!((state.inside.total(), state.queue.total()), (0, 0));
    assert!(state.waiting.is_empty());
}
