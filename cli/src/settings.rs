//! Settings, resolved once: options, environment, directories, registries and tokens.

pub(crate) mod clear_text;
pub(crate) mod config;
pub(crate) mod credentials;
pub(crate) mod environment;
pub(crate) mod model_endpoint;
pub(crate) mod options;
