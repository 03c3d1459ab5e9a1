//! FastMCP: functions below `@server.tool`, of the packages `fastmcp` and `mcp`.

use serde_json::Value;
use tree_sitter::Node;

use super::tool::{Tool, name_and_description};
use crate::definition::Function;
use crate::error::FaultKind;
use crate::framework::Framework;
use crate::python::arguments::{ArgumentTexts, FirstText, arguments};
use crate::python::docstring::text_in;
use crate::python::expression::Expression;
use crate::python::module::{Binding, decorators};
use crate::python::pydantic::Texts;
use crate::python::sections::{Sections, sections};
use crate::python::source_file::SourceFile;
use crate::syntax::{self, children};

const RESOURCE: &str =
    "is a resource of an MCP server: functions become the tool, and this is left out";
const PROMPT: &str =
    "is a prompt of an MCP server: functions become the tool, and this is left out";
const WITHIN: &str =
    "is defined within a function, where no call reaches it: move it to the top of the file";

/// The packages that have a class `FastMCP`, which differ in what they tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Package {
    FastMcp,
    /// The official one, whose descriptions are docstrings as they are.
    Mcp,
}

/// The package of the server that `expression` names.
fn server(file: &SourceFile<'_>, expression: &Expression) -> Option<Package> {
    let Expression::Name(name) = expression else {
        return None;
    };
    match file.scope.get(name)? {
        Binding::Value(made @ Expression::Call(..)) => package(&file.import(made)?),
        // A server of another module of the project.
        Binding::Import(path) if ["mcp", "server"].contains(&name.as_str()) => {
            let is_own = !["mcp", "fastmcp"].contains(&path.split('.').next().unwrap_or_default());
            is_own.then_some(Package::FastMcp)
        }
        _ => None,
    }
}

fn package((package, name): &(String, String)) -> Option<Package> {
    match (package.as_str(), name.as_str()) {
        ("fastmcp", "FastMCP") => Some(Package::FastMcp),
        ("mcp", "FastMCP" | "MCPServer") => Some(Package::Mcp),
        _ => None,
    }
}

/// The part of a server that a decorator is, such as `tool`, and the server's package.
fn part(file: &SourceFile<'_>, decorator: &Expression) -> Option<(String, Package)> {
    let named = match decorator {
        Expression::Call(function, _) => function,
        other => other,
    };
    if let Expression::Attribute(of, name) = named
        && let Some(package) = server(file, of)
    {
        return Some((name.clone(), package));
    }
    // `fastmcp` has decorators without a server too.
    let (package, name) = file.import(named)?;
    (package == "fastmcp").then_some((name, Package::FastMcp))
}

/// The function at `node`, if `decorator` gives it to a server.
pub(super) fn decorated(
    file: &SourceFile<'_>,
    node: Node<'_>,
    decorator: &Expression,
) -> Option<Function> {
    let (part, package) = part(file, decorator)?;
    let (name, offset) = file.name_of(node);
    Some(match part.as_str() {
        "tool" => tool(file, node, decorator, package),
        "resource" | "custom_route" => file.left_out(&name, offset, RESOURCE),
        "prompt" | "completion" => file.left_out(&name, offset, PROMPT),
        _ => return None,
    })
}

fn tool(
    file: &SourceFile<'_>,
    node: Node<'_>,
    decorator: &Expression,
    package: Package,
) -> Function {
    let (object, offset) = file.name_of(node);
    let given = name_and_description(file, decorator, ("name", Some(0)), "description");
    let (name, told) = match given {
        Ok(given) => given,
        Err(kind) => return file.tool(&object, offset, Err((kind, offset))),
    };
    let name = name.unwrap_or_else(|| object.clone());
    let docstring = text_in(node, file.text).unwrap_or_default();
    let Sections {
        description,
        parameters: documented,
    } = match package {
        Package::FastMcp => sections(&docstring),
        Package::Mcp => Sections {
            description: docstring,
            ..Sections::default()
        },
    };
    let description = told.unwrap_or(description);
    if description.is_empty() {
        return file.tool(&name, offset, Err((FaultKind::NoDescription, offset)));
    }
    let texts = ArgumentTexts {
        of_annotated: match package {
            Package::FastMcp => Texts::Describe,
            Package::Mcp => Texts::Ignored,
        },
        documented,
        first: FirstText::Annotation,
    };
    let parameters = arguments(file, node, &texts).map(|mut parameters| {
        if package == Package::FastMcp {
            parameters.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
        let is_async = syntax::is_async(node);
        let tool = Tool {
            framework: Framework::FastMcp,
            name: name.clone(),
            description,
            parameters,
            is_async,
            object,
            method: None,
            settings: Vec::new(),
        };
        tool.definition()
    });
    file.tool(&name, offset, parameters)
}

/// The tools that the function at `node` defines within itself.
pub(super) fn within(file: &SourceFile<'_>, node: Node<'_>) -> Vec<Function> {
    let body = node.child_by_field_name("body").map(children);
    let inner = body.unwrap_or_default().into_iter();
    let inner = inner.filter(|it| it.kind() == "decorated_definition");
    let inner = inner.filter_map(|it| it.child_by_field_name("definition"));
    let tools = inner.filter(|it| {
        decorators(*it, file.text).iter().any(|decorator| {
            let named = match decorator {
                Expression::Call(function, _) => function,
                other => other,
            };
            let has_tool = matches!(named, Expression::Attribute(_, name) if name == "tool");
            has_tool && uses_package(file)
        })
    });
    tools
        .map(|it| {
            let (name, offset) = file.name_of(it);
            file.left_out(&name, offset, WITHIN)
        })
        .collect()
}

/// True if the file imports the class of servers.
fn uses_package(file: &SourceFile<'_>) -> bool {
    ["FastMCP", "MCPServer"].iter().any(|name| {
        matches!(file.scope.get(name), Some(Binding::Import(path))
            if path.starts_with("fastmcp") || path.starts_with("mcp"))
    })
}
