//! Reads the public functions of a file in Rust, with their types and doc comments.

mod comment;
mod items;
pub(crate) mod signature;
mod span;
mod types;

use proc_macro2::Span;
use serde_json::{Map, Value, json};
use syn::spanned::Spanned as _;
use syn::{FnArg, Item, ItemFn, Pat, ReturnType, Visibility};

use crate::definition::{Definition, Function, Signature};
use crate::description::describe;
use crate::error::{Fault, FaultKind, SourceError};
use crate::function_count::check_function_count;
use comment::Comment;
pub(crate) use items::items;
use signature::{RustSignature, RustType};
use span::position;
use types::Types;

/// The functions of `text` that are `pub`.
pub(crate) fn read(text: &str) -> Result<Vec<Function>, SourceError> {
    let text = text.trim_start_matches('\u{feff}');
    let items = items(text)?;
    let types = Types::of(&items);
    let functions = items.iter().filter_map(|item| match item {
        Item::Fn(function) if matches!(function.vis, Visibility::Public(_)) => Some(function),
        _ => None,
    });
    let functions: Vec<&ItemFn> = functions.collect();
    check_function_count(functions.len())?;
    let functions = functions.into_iter();
    Ok(functions.map(|it| read_function(it, &types)).collect())
}

/// An error, and its place.
type KindAndSpan = (FaultKind, Span);

fn read_function(function: &ItemFn, types: &Types<'_>) -> Function {
    let name = function.sig.ident.to_string();
    let name = name.trim_start_matches("r#").to_owned();
    let definition = define(function, &name, types).map_err(|(kind, span)| Fault {
        function: name.clone(),
        position: position(span),
        kind,
    });
    Function {
        position: position(function.sig.ident.span()),
        definition,
        name,
    }
}

fn define(function: &ItemFn, name: &str, types: &Types<'_>) -> Result<Definition, KindAndSpan> {
    let signature = &function.sig;
    let at_name = |kind| (kind, signature.ident.span());
    let comment = Comment::of(&function.attrs);
    if comment.description.is_empty() {
        return Err(at_name(FaultKind::NoDescription));
    }
    if let Some(word) = &signature.asyncness {
        let (name, reason) = ("async".to_owned(), "no tool can wait for");
        return Err((FaultKind::UnsupportedType { name, reason }, word.span()));
    }
    let generic = signature.generics.type_params().next();
    if let Some(generic) = generic.map(|generic| generic.ident.to_string()) {
        let reason = "stands for many types; write the one that is meant";
        let name = generic;
        return Err(at_name(FaultKind::UnsupportedType { name, reason }));
    }
    let (mut properties, mut required, mut parameters) = (Map::new(), Vec::new(), Vec::new());
    for input in &signature.inputs {
        let (name, found, rust) = parameter(input, &comment, types)?;
        if !matches!(rust, RustType::Option(_)) {
            required.push(name.clone());
        }
        parameters.push(rust);
        properties.insert(name, found);
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    let returned = match &signature.output {
        ReturnType::Default => types::ReturnValue::nothing(),
        ReturnType::Type(_, of) => types.returned(of).map_err(|kind| (kind, of.span()))?,
    };
    let mut output = returned.schema;
    if let Some(output) = &mut output {
        describe(output, &comment.returns);
    }
    Ok(Definition {
        name: name.to_owned(),
        description: comment.description,
        parameters: Value::Object(schema),
        output: output.map(Value::Object),
        is_async: false,
        signature: Signature::Rust(RustSignature {
            parameters,
            output: returned.rust,
            is_fallible: returned.is_fallible,
        }),
        tool: None,
    })
}

/// A parameter's name, the schema of its values, and its type.
fn parameter(
    input: &FnArg,
    comment: &Comment,
    types: &Types<'_>,
) -> Result<(String, Value, RustType), KindAndSpan> {
    let typed = match input {
        FnArg::Typed(typed) => typed,
        _ => {
            let (name, reason) = ("self".to_owned(), "is no argument of an agent's");
            return Err((FaultKind::UnsupportedType { name, reason }, input.span()));
        }
    };
    let at = |kind| (kind, typed.pat.span());
    let Pat::Ident(pattern) = &*typed.pat else {
        let (name, reason) = (
            "a pattern".to_owned(),
            "has no name; give the parameter one",
        );
        return Err(at(FaultKind::UnsupportedType { name, reason }));
    };
    let name = pattern.ident.to_string();
    let name = name.trim_start_matches("r#").to_owned();
    let (mut schema, rust) = types
        .parameter(&typed.ty)
        .map_err(|kind| (kind, typed.ty.span()))?;
    let Some(text) = comment.arguments.get(&name) else {
        return Err(at(FaultKind::NoParameterDescription { parameter: name }));
    };
    describe(&mut schema, text);
    Ok((name, Value::Object(schema), rust))
}

#[cfg(test)]
mod tests;
