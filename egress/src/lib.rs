//! The way out of a sandbox: the addresses that a granted origin may lead to, and hidden methods.
//!
//! The gate of the host and the proxy of the cage both use it, so that a grant means the same to
//! a component and to a process.
//!
//! ```
//! use tool_hub_egress::{DialError, Resolver, dial};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A granted name is looked up once. What is private there does not count.
//! let local = "http://localhost:1".parse()?;
//! assert!(matches!(
//!     dial(&local, &Resolver::default()).await,
//!     Err(DialError::Connect(_))
//! ));
//! # Ok(())
//! # }
//! ```

mod address;
mod dial;
mod method;
mod plain_origin;

pub use dial::{DialError, Resolver, addresses, bare_host, dial};
pub use method::{announces_body, may_have_body, overriding_methods};
pub use plain_origin::plain_origin;
