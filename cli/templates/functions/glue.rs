//! Offers the functions of `{{file}}` to agents. `tool build` writes this for each build.

#![allow(unused)]

wit_bindgen::generate!({ path: "wit", world: "tool", generate_all });

use exports::tools::{{wit_module}}::functions::*;

struct Tool;

impl Guest for Tool {
{{functions}}
}

/// An error is for the agent to read.
fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

export!(Tool);
