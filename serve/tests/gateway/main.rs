//! The gateway end to end: a scripted endpoint, a real component in the real sandbox, and
//! requests as clients make them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod bounded;
mod chat;
mod chat_stream;
mod held;
mod leaving;
mod responses;
mod responses_odd;
mod support;
mod through;

use std::time::Duration;

/// Whatever takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(20);
