//! Embeds tools in a program: load, inspect, approve and call them; for Rust, Python and Node.
//!
//! A [`Workspace`] is made of the variables that the caller hands in. [`load`] pulls or reads a
//! package, verifies it and runs nothing; [`Inspection::approve`] takes the digest that a person
//! approved and the grants; [`Tools`] are called, from any thread. A [`Toolbox`] has what was
//! approved before.
//!
//! The first load builds one tokio runtime and one [`Host`](tool_hub_host::Host) for the process.
//! After a fork the child calls [`process::forked`], and builds its own when it first needs them:
//! it never waits for threads that do not exist in it.
//!
//! ```
//! # use std::collections::BTreeMap;
//! use tool_hub_embed::{GrantRequest, Listener, Workspace, load, process};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = tempfile::tempdir()?;
//! # let component = wat::parse_str(r#"(component
//! #     (core module $m (func (export "add") (param i32 i32) (result i32)
//! #         (i32.add (local.get 0) (local.get 1))))
//! #     (core instance $i (instantiate $m))
//! #     (func (export "add") (param "a" u32) (param "b" u32) (result u32)
//! #         (canon lift (core func $i "add"))))"#)?;
//! # let adder = place.path().join("adder.wasm");
//! # std::fs::write(&adder, component)?;
//! # let adder = adder.to_str().expect("a path in UTF-8");
//! # let home = place.path().to_str().expect("UTF-8").to_owned();
//! # let variables = BTreeMap::from([("TOOL_HUB_HOME", home.clone()), ("HOME", home)]);
//! let variable = move |name: &str| variables.get(name).map(|value| value.into());
//! let workspace = Workspace::new(variable, place.path(), None)?;
//! let inspection = process::get(&workspace)?.block_on(load(&workspace, adder))?;
//! let tools = inspection.approve(&inspection.digest(), GrantRequest::none())?;
//! let call = tools.call("adder", r#"{"a": 20, "b": 22}"#.to_owned(), Listener::new(None))?;
//! let answer = process::get(&workspace)?.block_on(call);
//! assert_eq!(answer.structured(), Some("42"));
//! # Ok(())
//! # }
//! ```

mod answer;
mod audit_file;
mod error;
mod events;
mod fetching;
mod grant_request;
mod inspection;
mod per_process;
pub mod process;
mod registry;
mod toolbox;
mod tools;
mod warnings;
mod workspace;

pub use answer::{Answer, failure_text};
pub use error::{Error, ErrorKind};
pub use events::{
    Asked, Event, EventKind, Events, Listener, failure_of_kind, text_reply, value_reply,
};
pub use fetching::load;
pub use grant_request::GrantRequest;
pub use inspection::Inspection;
pub use per_process::PerProcess;
pub use process::Process;
pub use registry::{Pushed, push, search};
pub use tool_hub_host::{
    Answer as HumanAnswer, Content, ContentBody, Failure, LogEntry, Outcome,
    Question as ToolQuestion, ResourceContents, ToolboxFunction,
};
pub use tool_hub_manifest::CallLimits;
pub use tool_hub_registry_client::Visibility;
pub use tool_hub_serve::{CallerName, Presentation};
pub use toolbox::Toolbox;
pub use tools::{Call, Tools};
pub use workspace::{CompilerProgram, Workspace};
