//! Attacks with the streams and futures of a result: without end, without a value, and too big.

use crate::case::cases;
use crate::fixture::{Bounds, Fixture, stopped_at, trapped};
use crate::stream_guest::{DROP, Writer};

cases! {
    "82" stream_without_end => "stopped at `transfer_bytes`";
    "82" stream_of_nothing_without_end => "stopped at `cpu_ms`";
    "83" texts_that_swell_in_a_stream => "stopped at `transfer_bytes`";
    "84" stream_that_is_never_ended => "stopped at `call_ms`";
    "84" future_that_is_never_written => "stopped at `call_ms`";
    "84" future_that_is_dropped => "a trap that says that a value is missing";
    "85" trap_behind_an_answered_stream => "a failure, without a part of the stream";
}

/// Writes pages of bytes.
const BYTES: Writer<'static> = Writer {
    ty: "(stream u8)",
    bytes: "",
    items: 0x8000,
    writes: -1,
    last: DROP,
};

async fn stream_without_end(fixture: &mut Fixture) {
    fixture
        .limit(|limits| limits.transfer_bytes = 8 << 20)
        .await;
    let outcome = fixture.attack(BYTES.component(), Bounds::tight()).await;
    stopped_at(outcome, "transfer_bytes", 8 << 20);
}

async fn stream_of_nothing_without_end(fixture: &mut Fixture) {
    fixture.limit(|limits| limits.cpu_ms = 100).await;
    let nothing = Writer { items: 0, ..BYTES };
    let outcome = fixture.attack(nothing.component(), Bounds::tight()).await;
    stopped_at(outcome, "cpu_ms", 100);
}

/// Each item is the same thirty kilobytes of the guest.
async fn texts_that_swell_in_a_stream(fixture: &mut Fixture) {
    fixture
        .limit(|limits| limits.transfer_bytes = 8 << 20)
        .await;
    let text = "\\00\\00\\00\\00\\00\\75\\00\\00".repeat(1_000);
    let texts = Writer {
        ty: "(stream string)",
        bytes: &text,
        items: 1_000,
        ..BYTES
    };
    let outcome = fixture.attack(texts.component(), Bounds::tight()).await;
    stopped_at(outcome, "transfer_bytes", 8 << 20);
}

async fn stream_that_is_never_ended(fixture: &mut Fixture) {
    never_ended(fixture, "(stream u8)").await;
}

async fn future_that_is_never_written(fixture: &mut Fixture) {
    never_ended(fixture, "(future u8)").await;
}

/// Returns from its task with its end of a stream or a future in its hand.
async fn never_ended(fixture: &mut Fixture, ty: &str) {
    fixture.limit(|limits| limits.call_ms = 300).await;
    let guest = Writer {
        ty,
        writes: 0,
        last: "",
        ..BYTES
    };
    let outcome = fixture.attack(guest.component(), Bounds::tight()).await;
    stopped_at(outcome, "call_ms", 300);
}

async fn future_that_is_dropped(fixture: &mut Fixture) {
    let guest = Writer {
        ty: "(future u8)",
        writes: 0,
        ..BYTES
    };
    let outcome = fixture.attack(guest.component(), Bounds::tight()).await;
    trapped(outcome, "without");
}

async fn trap_behind_an_answered_stream(fixture: &mut Fixture) {
    let guest = Writer {
        writes: 3,
        last: "unreachable",
        ..BYTES
    };
    let outcome = fixture.attack(guest.component(), Bounds::tight()).await;
    trapped(outcome, "unreachable");
}
