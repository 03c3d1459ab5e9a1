//! Settings, resolved once: options, environment, and the settings of the toolbox.

pub(crate) mod config;
pub(crate) mod environment;
pub(crate) mod model_endpoint;
pub(crate) mod options;
