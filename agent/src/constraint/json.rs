//! Compiles JSON Schema to a grammar of the valid texts.
//!
//! Members are written in the schema's order, and the items of a set in that of its values;
//! one space may follow a comma or a colon, and there is none elsewhere.

mod members;

use std::collections::HashMap;

use serde_json::Value;

use super::error::ConstraintError;
use super::expression::{Expression, Grammar};
use super::numbers;
use super::strings::{self, COUNT_MAX};
use crate::definition::LossKind;
use crate::schema::disjoint::are_disjoint;
use crate::schema::keywords::{ANNOTATIONS, OF_ARRAYS, OF_NUMBERS, OF_OBJECTS, OF_TEXTS};
use crate::schema::{Document, Form, Member, Node, Presence, Rest};

/// The most schemas within a schema.
const NODES_MAX: usize = 10_000;
const DEPTH_MAX: usize = 64;
/// The largest bound of a number that a grammar enforces.
const BOUND_MAX: f64 = 1e30;

/// The string keywords that a grammar enforces. `format` is not among them.
const ENFORCED_STRING_KEYWORDS: [&str; 3] = ["minLength", "maxLength", "pattern"];
/// The keywords that change a schema too much to be left out of a grammar.
const REFUSED: [&str; 5] = ["$ref", "$dynamicRef", "allOf", "not", "patternProperties"];

/// The grammar of the texts that are valid for `schema`. Keywords that it cannot enforce are in
/// `losses`.
pub(super) fn grammar(
    schema: &Value,
    losses: &mut Vec<LossKind>,
) -> Result<Grammar, ConstraintError> {
    let document = Document::new(schema);
    let mut compiler = Compiler {
        document,
        grammar: Grammar::new(),
        definitions: HashMap::new(),
        anything: None,
        nodes: 0,
        depth: 0,
        losses,
    };
    let root = compiler.node(&document.root(), "value")?;
    compiler.grammar.set_first(root);
    Ok(compiler.grammar)
}

struct Compiler<'l, 'a> {
    document: Document<'a>,
    grammar: Grammar,
    /// The rules of what the document defines.
    definitions: HashMap<&'a str, usize>,
    /// The rule of any value.
    anything: Option<usize>,
    nodes: usize,
    depth: usize,
    losses: &'l mut Vec<LossKind>,
}

impl<'a> Compiler<'_, 'a> {
    fn node(&mut self, node: &Node<'a>, name: &str) -> Result<Expression, ConstraintError> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            return Err(too_large("schemas in one", NODES_MAX));
        }
        if self.depth >= DEPTH_MAX {
            return Err(too_large("schemas within each other", DEPTH_MAX));
        }
        self.depth += 1;
        let expression = self.form(node, name);
        self.depth -= 1;
        expression
    }

    fn form(&mut self, node: &Node<'a>, name: &str) -> Result<Expression, ConstraintError> {
        match &node.form {
            Form::Any => {
                self.weakened(node, &[])?;
                Ok(self.anything())
            }
            Form::Null => Ok(Expression::text("null")),
            Form::Boolean => {
                self.weakened(node, &[&OF_NUMBERS, &OF_TEXTS, &OF_ARRAYS, &OF_OBJECTS])?;
                let words = ["true", "false"].map(Expression::text);
                let choice = Expression::Choice(words.into());
                Ok(self.grammar.word("boolean", choice))
            }
            Form::Integer => self.integer(node),
            Form::Number => self.number(node),
            Form::Text => self.text(node),
            Form::Literals(values) => self.literals(node, values, name),
            Form::Array(item) => self.array(node, item, name),
            Form::Tuple(items, rest) => self.tuple(node, items, rest.as_deref(), name),
            Form::Object(members, rest) => self.object(node, members, rest, name),
            Form::Union(nodes) => self.union(node, nodes, name),
            Form::Ref(target) => self.reference(node, target),
        }
    }

    /// Like `node`, for a part that may be left out: `None` if it has no valid value. Careless
    /// schemas have such parts, for example an optional member that is a boolean and also one of
    /// `"True"` and `"False"`.
    fn optional_member(
        &mut self,
        node: &Node<'a>,
        name: &str,
    ) -> Result<Option<Expression>, ConstraintError> {
        let losses_before = self.losses.len();
        match self.node(node, name) {
            Err(ConstraintError::Nothing { .. }) => {
                self.losses.truncate(losses_before);
                let pointer = node.pointer.clone();
                self.losses.push(LossKind::Impossible { pointer });
                Ok(None)
            }
            expression => expression.map(Some),
        }
    }

    /// Reports the keywords that apply to the type and that neither its form nor `others` covers.
    fn weakened(&mut self, node: &Node<'a>, others: &[&[&str]]) -> Result<(), ConstraintError> {
        for (keyword, _) in node.unread(&ANNOTATIONS) {
            if others.iter().any(|others| others.contains(&keyword)) {
                continue;
            }
            if REFUSED.contains(&keyword) {
                return Err(ConstraintError::Unsupported {
                    pointer: node.pointer.clone(),
                    keyword: keyword.to_owned(),
                });
            }
            self.report_loss(node, keyword);
        }
        Ok(())
    }

    fn report_loss(&mut self, node: &Node<'_>, keyword: &str) {
        self.losses.push(LossKind::SchemaWeakened {
            pointer: node.pointer.clone(),
            keyword: keyword.to_owned(),
        });
    }

    fn narrow(&mut self, node: &Node<'_>, keyword: &str) {
        self.losses.push(LossKind::Narrowed {
            pointer: node.pointer.clone(),
            keyword: keyword.to_owned(),
        });
    }

    fn integer(&mut self, node: &Node<'a>) -> Result<Expression, ConstraintError> {
        let bounds = &OF_NUMBERS[..4];
        self.weakened(node, &[bounds, &OF_TEXTS, &OF_ARRAYS, &OF_OBJECTS])?;
        let min = ["minimum", "exclusiveMinimum"].map(|keyword| lowest(node, keyword));
        let max = ["maximum", "exclusiveMaximum"].map(|keyword| highest(node, keyword));
        let min = min.into_iter().flatten().max();
        let max = max.into_iter().flatten().min();
        let integer = numbers::integer(min, max).ok_or_else(|| nothing(node))?;
        Ok(self.grammar.word("integer", integer))
    }

    fn number(&mut self, node: &Node<'a>) -> Result<Expression, ConstraintError> {
        let is_positive = bound_of(node, "minimum").is_some_and(|bound| bound >= 0.0)
            || bound_of(node, "exclusiveMinimum").is_some_and(|bound| bound >= 0.0);
        let is_from_zero = bound_of(node, "minimum") == Some(0.0);
        let held: &[&str] = if is_from_zero { &["minimum"] } else { &[] };
        self.weakened(node, &[held, &OF_TEXTS, &OF_ARRAYS, &OF_OBJECTS])?;
        Ok(self.grammar.word("number", numbers::number(!is_positive)))
    }

    fn text(&mut self, node: &Node<'a>) -> Result<Expression, ConstraintError> {
        let others: [&[&str]; 4] = [
            &ENFORCED_STRING_KEYWORDS,
            &OF_NUMBERS,
            &OF_ARRAYS,
            &OF_OBJECTS,
        ];
        self.weakened(node, &others)?;
        let lengths = ["minLength", "maxLength"].map(|keyword| node.keyword(keyword));
        let pattern = node.keyword("pattern").and_then(Value::as_str);
        let character = self.character();
        let word = match pattern.map(|pattern| strings::matching(pattern, &character)) {
            Some(Some(matching)) => {
                self.lose_where(node, ["minLength", "maxLength"], |_| true);
                matching
            }
            Some(None) | None => {
                if pattern.is_some() {
                    self.report_loss(node, "pattern");
                }
                let is_base64 = node.keyword("contentEncoding") == Some(&"base64".into());
                if is_base64 && lengths == [None, None] {
                    strings::base64()
                } else {
                    let (min, max) = self.counts(node, ["minLength", "maxLength"])?;
                    strings::string(character, min, max)
                }
            }
        };
        Ok(self.grammar.word("string", word))
    }

    /// Any character of a string.
    fn character(&mut self) -> Expression {
        self.grammar.part("character", strings::character())
    }

    /// Reports as lost those of `keywords` that are present and for which `is_lost` is true.
    fn lose_where(
        &mut self,
        node: &Node<'_>,
        keywords: [&str; 2],
        is_lost: impl Fn(&Value) -> bool,
    ) {
        for keyword in keywords {
            if node.keyword(keyword).is_some_and(&is_lost) {
                self.report_loss(node, keyword);
            }
        }
    }

    /// The bounds of two counting keywords. There is no upper bound where it exceeds what is
    /// counted.
    fn counts(
        &mut self,
        node: &Node<'_>,
        keywords: [&str; 2],
    ) -> Result<(u32, Option<u32>), ConstraintError> {
        let count = |keyword| bound_of(node, keyword).map(|bound| bound.max(0.0));
        self.lose_where(node, keywords, |value| {
            value
                .as_f64()
                .is_some_and(|count| count > f64::from(COUNT_MAX))
        });
        let [min, max] = keywords.map(count);
        let min = min.map_or(0, |min| min.ceil().min(f64::from(COUNT_MAX)) as u32);
        let max = max.filter(|max| *max <= f64::from(COUNT_MAX));
        let max = max.map(|max| max.floor() as u32);
        match max {
            Some(max) if max < min => Err(nothing(node)),
            _ => Ok((min, max)),
        }
    }

    fn literals(
        &mut self,
        node: &Node<'a>,
        values: &[&'a Value],
        name: &str,
    ) -> Result<Expression, ConstraintError> {
        self.weakened(node, &[])?;
        let fitting = values.iter().filter(|value| is_of_type(node, value));
        let texts: Vec<Expression> = fitting
            .map(|value| Expression::text(value.to_string()))
            .collect();
        match texts.len() {
            0 => Err(nothing(node)),
            1 => Ok(Expression::any_of(texts)),
            _ => Ok(self.grammar.word(name, Expression::Choice(texts))),
        }
    }

    fn union(
        &mut self,
        node: &Node<'a>,
        nodes: &[Node<'a>],
        name: &str,
    ) -> Result<Expression, ConstraintError> {
        let shares_keywords = node.keyword("type").is_some();
        if !shares_keywords {
            self.weakened(node, &[])?;
            let is_exclusive = node.keyword("oneOf").is_some();
            if is_exclusive && !are_disjoint(nodes) {
                self.report_loss(node, "oneOf");
            }
        }
        let choices = nodes
            .iter()
            .map(|choice| self.optional_member(choice, name));
        let choices: Vec<Option<Expression>> = choices.collect::<Result<_, _>>()?;
        let choices: Vec<Expression> = choices.into_iter().flatten().collect();
        if choices.is_empty() {
            return Err(nothing(node));
        }
        Ok(self.grammar.phrase(name, Expression::any_of(choices)))
    }

    fn reference(
        &mut self,
        node: &Node<'a>,
        target: &'a str,
    ) -> Result<Expression, ConstraintError> {
        self.weakened(node, &[])?;
        if let Some(known) = self.definitions.get(target) {
            return Ok(Expression::Rule(*known));
        }
        let unsupported = || ConstraintError::Unsupported {
            pointer: node.pointer.clone(),
            keyword: "$ref".to_owned(),
        };
        let definition = self.document.definition(target).ok_or_else(unsupported)?;
        if self.leads_to(&definition, target, &mut Vec::new()) {
            return Err(unsupported());
        }
        let rule = self.grammar.reserve(target);
        self.definitions.insert(target, rule);
        let expression = self.node(&definition, target);
        if expression.is_err() {
            // Nothing refers to this rule, and the next reference to it reports the same error.
            self.definitions.remove(target);
            self.grammar.fill(rule, Expression::text("null"));
        }
        self.grammar.fill(rule, expression?);
        Ok(Expression::Rule(rule))
    }

    /// True if a definition refers to itself and nothing else.
    fn leads_to(&self, node: &Node<'a>, target: &str, seen: &mut Vec<&'a str>) -> bool {
        match &node.form {
            Form::Ref(name) if *name == target => true,
            Form::Ref(name) if !seen.contains(name) => {
                seen.push(name);
                let definition = self.document.definition(name);
                definition.is_some_and(|node| self.leads_to(&node, target, seen))
            }
            Form::Union(nodes) => nodes.iter().any(|node| self.leads_to(node, target, seen)),
            _ => false,
        }
    }
}

fn too_large(what: &'static str, max: usize) -> ConstraintError {
    ConstraintError::TooLarge { what, max }
}

fn nothing(node: &Node<'_>) -> ConstraintError {
    ConstraintError::Nothing {
        pointer: node.pointer.clone(),
    }
}

/// The lowest whole number that a bound allows.
fn lowest(node: &Node<'_>, keyword: &str) -> Option<i128> {
    let is_open = keyword.starts_with("exclusive");
    if let Some(bound) = node.keyword(keyword).and_then(whole) {
        return Some(bound + i128::from(is_open));
    }
    let bound = bound_of(node, keyword)?;
    Some(bound.ceil() as i128 + i128::from(is_open && bound.fract() == 0.0))
}

/// The highest whole number that a bound allows.
fn highest(node: &Node<'_>, keyword: &str) -> Option<i128> {
    let is_open = keyword.starts_with("exclusive");
    if let Some(bound) = node.keyword(keyword).and_then(whole) {
        return Some(bound - i128::from(is_open));
    }
    let bound = bound_of(node, keyword)?;
    Some(bound.floor() as i128 - i128::from(is_open && bound.fract() == 0.0))
}

fn whole(value: &Value) -> Option<i128> {
    let signed = value.as_i64().map(i128::from);
    signed.or(value.as_u64().map(i128::from))
}

fn bound_of(node: &Node<'_>, keyword: &str) -> Option<f64> {
    let bound = node.keyword(keyword)?.as_f64()?;
    Some(bound.clamp(-BOUND_MAX, BOUND_MAX))
}

fn is_of_type(node: &Node<'_>, value: &Value) -> bool {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    match node.keyword("type") {
        Some(Value::String(name)) => is(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}
