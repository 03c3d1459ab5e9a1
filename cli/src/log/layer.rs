//! The type of a boxed `tracing` layer, which receives events.

use tracing_subscriber::{Layer, Registry};

pub(super) type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;
