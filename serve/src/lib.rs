//! Offers loaded tools over MCP, plain HTTP and an OpenAI-compatible gateway; runs agent loops.
//! The Model Context Protocol is spoken on standard input and output, any other pair of byte
//! streams, or HTTP.
//!
//! A [`Catalogue`] says which functions are offered and under which names, and a [`Toolset`] offers
//! one until another takes its place; [`serve_stdio`] and [`serve`] answer a client until it leaves
//! or the caller says stop, [`serve_http`] answers each [`Caller`] that [`Access`] lets in.
//! Revision 2025-11-25 and older (`initialize`) and 2026-07-28 (no session) are spoken alike. A
//! [`Gateway`] stands before an endpoint. An [`AgentLoop`] has a model do a task with the toolset.
//! A program calls by [`Toolset::call`]. An [`Audit`] takes note of calls, whichever way they come.
//!
//! ```
//! use tokio::io::AsyncReadExt;
//! use tool_hub_host::{Host, HostConfig, authoring::derive_manifest, inspect};
//! use tool_hub_manifest::{Grants, Package, Verified};
//! use tool_hub_serve::{Catalogue, End, Offer, Toolset, serve};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let component = wat::parse_str(r#"(component
//! #     (core module $m (func (export "add") (param i32 i32) (result i32)
//! #         (i32.add (local.get 0) (local.get 1))))
//! #     (core instance $i (instantiate $m))
//! #     (func (export "add") (param "a" u32) (param "b" u32) (result u32)
//! #         (canon lift (core func $i "add"))))"#)?;
//! // A component that exports one function, `add`, loaded as the host demands.
//! let manifest = derive_manifest(&component, "adder".parse()?)?;
//! let manifest = manifest.to_toml().into_bytes();
//! let package = Package { manifest, component, interpreter: None, sbom: None };
//! let approved = inspect(&Verified::check(package)?)?.approve(Grants::none())?;
//! let tool = Host::new(HostConfig::new())?.load(approved).await?;
//!
//! // Its only function goes by the name that the toolbox has for the tool.
//! let toolset = Toolset::new(Catalogue::new(Offer::all(&"adder".parse()?, &tool)?)?);
//!
//! let requests = concat!(
//!     r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":"#,
//!     r#"{"protocolVersion":"2025-11-25","#,
//!     r#""capabilities":{},"clientInfo":{"name":"doc","version":"0"}}}"#, "\n",
//!     r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","#,
//!     r#""params":{"name":"adder","arguments":{"a":20,"b":22}}}"#, "\n",
//! );
//! let (writer, mut answers) = tokio::io::duplex(4096);
//! let end = serve(toolset, requests.as_bytes(), writer, std::future::pending()).await?;
//! assert_eq!(end, End::InputClosed);
//! let mut text = String::new();
//! answers.read_to_string(&mut text).await?;
//! assert!(text.contains(r#""structuredContent":{"result":42}"#));
//! # Ok(())
//! # }
//! ```

/// The examples of the guide, which need this crate and those below it.
#[cfg(doctest)]
#[doc = include_str!("../../docs/agent.md")]
mod document {}

mod agent_loop;
mod argument_notes;
mod audit;
mod audit_log;
mod budget;
mod built_in;
mod cache;
mod call_result;
mod catalogue;
mod discovery;
mod embedded;
mod error;
mod http;
mod index;
mod mcp;
mod message_limits;
mod offerings;
mod openai;
mod paths;
mod prepared_call;
mod provenance;
mod quoted_text;
mod resolved_function;
mod rest;
mod stdio;
mod stored_results;
mod tool_loop;
mod toolset;

pub use agent_loop::{
    Act, AgentLoop, ApproveAll, ChatModel, ChatModelError, Interpreter, KeptMedia, LoopAnswer,
    LoopError, ModelAnswer, ModelRequest, NamedMedia, Verdict, Watcher, WrittenCalls, WrittenCode,
};
pub use audit::{Audit, AuditedCall, AuditedRequest, FrontEnd, Subject};
pub use audit_log::{AuditLog, AuditNotice};
pub use catalogue::{ANSWER_BYTES_MAX, Catalogue, CatalogueError, LISTED_MAX, Offer, Presentation};
pub use embedded::Called;
pub use error::ServeError;
pub use http::{Access, AccessError, BearerToken, Caller, CallerName, serve_http};
pub use mcp::{End, serve};
pub use openai::gateway::Gateway;
pub use openai::{EndpointKey, GatewayError, OpenAiModel};
pub use paths::{MCP_PATH, REST_PATH};
pub use stdio::serve_stdio;
pub use toolset::Toolset;
