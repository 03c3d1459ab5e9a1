//! Settings of a run: options, environment, the toolbox's settings, and a model endpoint's.

pub(crate) mod config;
pub(crate) mod environment;
pub(crate) mod model_endpoint;
pub(crate) mod options;
