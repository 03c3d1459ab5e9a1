//! Starts MCP servers that other people wrote, and calls their tools as functions of the host.
//!
//! A local server runs in a cage, with what a person granted; a remote one is reached by the rules
//! of egress. [`list`] starts one that a person agreed to start, and says what its tools are, for
//! the approval. A [`Connector`] gives the host connections to approved ones: each is started at
//! its first call, its list is held against what was approved, and what differs is refused.
//!
//! A server is a stranger: its messages are bounded, its requests of the client (sampling, roots,
//! elicitation) are refused, and it is ended with the connection.
//!
//! ```
//! use tool_hub_mcp_client::local_support;
//!
//! for missing in local_support().missing() {
//!     eprintln!("local servers cannot be started here: {missing}");
//! }
//! ```

mod bounded_output;
mod connection;
mod connector;
mod drift;
mod error;
mod handler;
mod listing;
mod opening;
mod process;
mod remote;
mod reply;
mod session;
mod tree;

pub use connector::{Connector, ServerNotice};
pub use error::ServerError;
pub use listing::Listing;
pub use opening::{Opening, Surroundings};
pub use process::local_support;
pub use session::list;
pub use tree::{TreeError, tree_digest};
