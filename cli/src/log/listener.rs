//! The receiver of events: standard error, or a collector.

use tracing_subscriber::{Layer, Registry};

pub(super) type Listener = Box<dyn Layer<Registry> + Send + Sync>;
