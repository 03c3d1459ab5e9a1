//! Jinja as chat templates are written in it, with Python's semantics, bounded by construction.
//!
//! It prints what Jinja2 prints as Transformers sets it up: `trim_blocks`, `lstrip_blocks`, loop
//! controls, `{% generation %}`, an immutable sandbox, its own `tojson`. Other templates cannot be
//! included: there are none.
//!
//! A template comes from a stranger. It reads nothing but what it is given, and is ended when it
//! goes beyond [`Limits`]. It runs on the stack of the caller, which 2 MiB are enough for.
//!
//! ```
//! use serde_json::json;
//! use tool_hub_jinja::{Global, Limits, Template};
//!
//! let source = "{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}{% endfor %}";
//! let template = Template::new(source, Limits::default())?;
//! let messages = json!([{"role": "user", "content": " Hi! "}]);
//! let printed = template.render(&|name| match name {
//!     "messages" => Some(Global::Json(&messages)),
//!     _ => None,
//! })?;
//! assert_eq!(printed, "<user>Hi!");
//! # Ok::<(), tool_hub_jinja::Error>(())
//! ```

mod arena;
mod ast;
mod compare;
mod error;
mod filters;
mod format;
mod html;
mod json;
mod kind;
mod lexer;
mod limits;
mod literal;
mod methods;
mod number;
mod operators;
mod parser;
mod range;
mod render;
mod repr;
mod scope;
mod sort;
mod template;
mod tests;
mod text;
mod value;

pub use error::Error;
pub use limits::Limits;
pub use render::{Global, Object};
pub use template::Template;
pub use value::Given;
