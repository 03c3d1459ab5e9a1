//! The greatest length of a client's message, and the interval between keep-alive messages.

use std::time::Duration;

/// The longest message, in bytes. The host's own limit on arguments is lower; this one bounds
/// what a client that never ends its message can make the process hold.
pub(crate) const MESSAGE_BYTES_MAX: usize = 20 << 20;
/// The interval in which something is sent to a client that waits for a long call, so that
/// nothing between takes the connection for dead.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(15);
