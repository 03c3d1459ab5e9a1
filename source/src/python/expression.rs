//! A parser of Python expressions, for types, values of enumerations and docstrings.

use serde_json::Value;
use tree_sitter::Node;

use super::literal::{self, Text};
use crate::syntax::{self, children, text_of};

/// The deepest nesting of an expression.
const DEPTH_MAX: usize = 64;

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expression {
    Name(String),
    Attribute(Box<Expression>, String),
    Subscript(Box<Expression>, Vec<Expression>),
    /// A call with its arguments; those with a name are [`Expression::Keyword`].
    Call(Box<Expression>, Vec<Expression>),
    /// An argument of a call that is given by its name.
    Keyword(String, Box<Expression>),
    Binary(Box<Expression>, String, Box<Expression>),
    Negative(Box<Expression>),
    /// A value that JSON can write.
    Constant(Value),
    /// The texts and values of an f-string.
    Formatted(Vec<Expression>),
    Tuple(Vec<Expression>),
    List(Vec<Expression>),
    Dictionary(Vec<(Expression, Expression)>),
    Ellipsis,
    /// Whatever else.
    Other,
}

impl Expression {
    /// The argument `name` of a call; nothing for another expression.
    pub(super) fn keyword(&self, name: &str) -> Option<&Expression> {
        let Self::Call(_, arguments) = self else {
            return None;
        };
        arguments.iter().find_map(|argument| match argument {
            Self::Keyword(known, value) if known == name => Some(&**value),
            _ => None,
        })
    }

    /// The arguments of a call that are given by their places.
    pub(super) fn positional(&self) -> Vec<&Expression> {
        let Self::Call(_, arguments) = self else {
            return Vec::new();
        };
        let positional = arguments.iter();
        positional
            .filter(|it| !matches!(it, Self::Keyword(..)))
            .collect()
    }

    /// The expression that is all of `text`, in which line breaks are allowed as within brackets.
    pub(super) fn of_text(text: &str) -> Option<Self> {
        let bracketed = format!("({text}\n)");
        let tree = syntax::parse_leniently(&bracketed, &tree_sitter_python::LANGUAGE.into())?;
        let root = tree.root_node();
        let statement = root
            .named_child(0)
            .filter(|_| root.named_child_count() == 1)?;
        let inner = statement.named_child(0)?;
        (!root.has_error()).then(|| Self::of(inner, &bracketed))
    }

    /// The expression at `node`.
    pub(super) fn of(node: Node<'_>, text: &str) -> Self {
        Reader { text }.expression(node, 0)
    }
}

struct Reader<'a> {
    text: &'a str,
}

impl Reader<'_> {
    fn expression(&self, node: Node<'_>, depth: usize) -> Expression {
        if depth > DEPTH_MAX {
            return Expression::Other;
        }
        let field = |name: &str| {
            let child = node.child_by_field_name(name);
            Box::new(child.map_or(Expression::Other, |it| self.expression(it, depth + 1)))
        };
        let all = |node| {
            let nodes = children(node).into_iter();
            nodes.map(|it| self.expression(it, depth + 1)).collect()
        };
        let text = text_of(node, self.text);
        match node.kind() {
            "identifier" => Expression::Name(text.to_owned()),
            "none" => Expression::Constant(Value::Null),
            "true" => Expression::Constant(Value::Bool(true)),
            "false" => Expression::Constant(Value::Bool(false)),
            "ellipsis" => Expression::Ellipsis,
            "integer" => constant(literal::integer(text)),
            "float" => constant(literal::float(text)),
            "string" | "concatenated_string" => match string(node, self.text) {
                Text::Plain(text) => Expression::Constant(Value::String(text)),
                Text::Other => self
                    .formatted(node, depth)
                    .map_or(Expression::Other, Expression::Formatted),
                Text::Unreadable => Expression::Other,
            },
            "attribute" => {
                let name = node.child_by_field_name("attribute");
                let name = name.map_or("", |it| text_of(it, self.text));
                Expression::Attribute(field("object"), name.to_owned())
            }
            "subscript" => {
                let mut cursor = node.walk();
                let arguments = node.children_by_field_name("subscript", &mut cursor);
                let arguments: Vec<_> =
                    arguments.map(|it| self.expression(it, depth + 1)).collect();
                let arguments = match <[Expression; 1]>::try_from(arguments) {
                    Ok([Expression::Tuple(items)]) => items,
                    Ok([only]) => vec![only],
                    Err(several) => several,
                };
                Expression::Subscript(field("value"), arguments)
            }
            "call" => {
                let arguments = node.child_by_field_name("arguments");
                Expression::Call(field("function"), arguments.map_or_else(Vec::new, all))
            }
            "keyword_argument" => {
                let name = node.child_by_field_name("name");
                let name = name.map_or("", |it| text_of(it, self.text));
                Expression::Keyword(name.to_owned(), field("value"))
            }
            "binary_operator" => {
                let operator = node.child_by_field_name("operator");
                let operator = operator.map_or("", |it| text_of(it, self.text));
                Expression::Binary(field("left"), operator.to_owned(), field("right"))
            }
            "unary_operator" if text.starts_with('-') => Expression::Negative(field("argument")),
            "parenthesized_expression" => match children(node)[..] {
                [inner] => self.expression(inner, depth + 1),
                _ => Expression::Other,
            },
            "tuple" | "expression_list" => Expression::Tuple(all(node)),
            "list" => Expression::List(all(node)),
            "dictionary" => {
                let pairs = children(node).into_iter().map(|pair| {
                    let part = |name: &str| {
                        let part = pair.child_by_field_name(name);
                        part.map_or(Expression::Other, |it| self.expression(it, depth + 1))
                    };
                    (part("key"), part("value"))
                });
                Expression::Dictionary(pairs.collect())
            }
            _ => Expression::Other,
        }
    }

    /// The parts of a string with values in braces, or of several strings that stand beside each
    /// other. `None` if there are bytes among them, or a value has a format.
    fn formatted(&self, node: Node<'_>, depth: usize) -> Option<Vec<Expression>> {
        if node.kind() == "concatenated_string" {
            let strings = children(node).into_iter();
            let parts = strings.map(|it| match string(it, self.text) {
                Text::Plain(text) => Some(vec![Expression::Constant(Value::String(text))]),
                _ => self.formatted(it, depth),
            });
            return Some(parts.collect::<Option<Vec<_>>>()?.concat());
        }
        let within = children(node);
        let start = within.first().filter(|it| it.kind() == "string_start")?;
        let prefix = text_of(*start, self.text).to_ascii_lowercase();
        if !prefix.contains('f') {
            return None;
        }
        let mut parts = Vec::new();
        for part in &within {
            match part.kind() {
                "string_content" => {
                    let text = literal::piece(text_of(*part, self.text), prefix.contains('r'))?;
                    parts.push(Expression::Constant(Value::String(text)));
                }
                // A brace, a value, a brace.
                "interpolation" if part.child_count() == 3 => {
                    let value = part.child_by_field_name("expression")?;
                    parts.push(self.expression(value, depth + 1));
                }
                "string_start" | "string_end" => {}
                _ => return None,
            }
        }
        Some(parts)
    }
}

fn constant(value: Option<Value>) -> Expression {
    value.map_or(Expression::Other, Expression::Constant)
}

/// The text of a string, or of several that stand beside each other.
pub(super) fn string(node: Node<'_>, text: &str) -> Text {
    let parts = match node.kind() {
        "concatenated_string" => children(node),
        _ => vec![node],
    };
    let mut whole = String::new();
    for part in parts {
        match literal::text(text_of(part, text)) {
            Text::Plain(part) => whole.push_str(&part),
            other => return other,
        }
    }
    Text::Plain(whole)
}
