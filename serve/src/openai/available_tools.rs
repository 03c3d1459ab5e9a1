//! Adds the toolbox's functions to a request's own, and finds the one that a model calls.

mod choice;
mod definition;

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};
use tool_hub_agent::conversation::answer::nearest;
use tool_hub_agent::definition::Dialect;
use tool_hub_agent::definition::export::export;
use tool_hub_manifest::FunctionSpec;

use super::gateway::Strictness;
use super::refusal::Refusal;
use crate::built_in::READ_ANSWER;
use crate::resolved_function::ResolvedFunction;
use crate::toolset::Toolset;
use choice::Choice;
use definition::{name_of, own_functions};

/// The functions of one request. They stay what they are when the toolset changes.
pub(super) struct AvailableTools {
    /// The toolbox's, by name.
    ours: HashMap<String, ResolvedFunction>,
    /// The client's, by name, with the schemas of their arguments.
    theirs: HashMap<String, Value>,
    /// The function that the request names.
    forced: Option<String>,
    strictness: Strictness,
    /// The definition of the function that reads stored results, until there are any: small models
    /// call it for no reason.
    later: Option<Value>,
    /// The most calls of one reply that run at once.
    pub(super) at_once: usize,
}

/// Calls of one reply that run at once, unless the request wants one after another.
const CALLS_AT_ONCE: usize = 8;

/// The forms of definitions and choices in one of the two APIs.
pub(super) struct Dialects {
    plain: Dialect,
    strict: Dialect,
    /// A `tool_choice` that names a function.
    named: fn(&str) -> Value,
}

impl Dialects {
    pub(super) const CHAT: Self = Self {
        plain: Dialect::OpenAi,
        strict: Dialect::OpenAiStrict,
        named: |name| serde_json::json!({"type": "function", "function": {"name": name}}),
    };
    pub(super) const RESPONSES: Self = Self {
        plain: Dialect::Responses,
        strict: Dialect::ResponsesStrict,
        named: |name| serde_json::json!({"type": "function", "name": name}),
    };
}

impl AvailableTools {
    /// Adds the toolbox's functions to `request`, as far as its `tool_choice` wants them.
    ///
    /// A choice that only some endpoints know is written as all do: a bare name as the object
    /// that names a function, and a list of allowed tools by offering no others.
    pub(super) fn add(
        request: &mut Map<String, Value>,
        toolset: &Toolset,
        strictness: Strictness,
        dialects: &Dialects,
    ) -> Result<Self, Refusal> {
        let mut tools = match request.shift_remove("tools") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(tools)) => tools,
            Some(_) => return Err(Refusal::request("`tools` must be an array", Some("tools"))),
        };
        let choice = Choice::read(request.get("tool_choice"), tools.len())?;
        let mut ours = match choice {
            Choice::Nothing => Vec::new(),
            _ => ResolvedFunction::listed(toolset),
        };
        let theirs = own_functions(&tools);
        if let Some(name) = ours
            .iter()
            .map(|resolved| &resolved.spec().name)
            .find(|name| theirs.contains_key(*name))
        {
            return Err(Refusal::request(
                format!("`{name}` is a tool of this server; call your own function something else"),
                Some("tools"),
            ));
        }
        tools.extend(definitions(&mut ours, strictness, dialects));
        let forced = choice.write(request, &mut tools, dialects.named);
        let names: HashSet<&str> = tools.iter().filter_map(name_of).collect();
        ours.retain(|resolved| names.contains(&*resolved.spec().name));
        let later = match toolset.stored_results().is_empty() && forced.is_none() {
            true => take_reader(&mut tools),
            false => None,
        };
        if tools.is_empty() {
            // Endpoints refuse to be told how to choose from nothing.
            request.shift_remove("tool_choice");
            request.shift_remove("parallel_tool_calls");
        } else {
            request.insert("tools".to_owned(), tools.into());
        }
        let one_by_one = request.get("parallel_tool_calls") == Some(&Value::Bool(false));
        Ok(Self {
            ours: ours
                .into_iter()
                .map(|resolved| (resolved.spec().name.clone(), resolved))
                .collect(),
            theirs,
            forced,
            strictness,
            later,
            at_once: if one_by_one { 1 } else { CALLS_AT_ONCE },
        })
    }

    /// Adds to `request` what a model needs since results were stored.
    pub(super) fn add_later(&mut self, request: &mut Map<String, Value>, toolset: &Toolset) {
        if !toolset.stored_results().is_empty()
            && let Some(Value::Array(tools)) = request.get_mut("tools")
        {
            tools.extend(self.later.take());
        }
    }

    /// Returns true if there is anything to run here.
    pub(super) fn is_ours(&self) -> bool {
        !self.ours.is_empty()
    }

    pub(super) fn strictness(&self) -> Strictness {
        self.strictness
    }

    /// The toolbox's function of that name, where it is offered.
    pub(super) fn resolved(&self, name: &str) -> Option<&ResolvedFunction> {
        self.ours.get(name)
    }

    /// The function that was probably meant by a name that nobody has.
    pub(super) fn nearest(&self, name: &str) -> Option<&str> {
        let names = self.ours.keys().chain(self.theirs.keys());
        nearest(name, names.map(String::as_str))
    }

    /// Returns true if the client answers calls of that name. All others are answered here, if only
    /// by saying that there is no such function.
    pub(super) fn is_theirs(&self, name: &str) -> bool {
        self.theirs.contains_key(name)
    }

    /// The function that `arguments` without a name are for: the one that the request names, or
    /// the only one that has such arguments.
    pub(super) fn meant(&self, arguments: &Map<String, Value>) -> Option<&str> {
        if let Some(forced) = &self.forced {
            return Some(forced);
        }
        let ours = self
            .ours
            .iter()
            .map(|(name, resolved)| (name, &resolved.spec().input_schema));
        let all: Vec<_> = ours.chain(&self.theirs).collect();
        if let [(only, _)] = all[..] {
            return Some(only);
        }
        let mut fitting = all
            .into_iter()
            .filter(|(_, schema)| fits(arguments, schema));
        match (fitting.next(), fitting.next()) {
            (Some((name, _)), None) => Some(name),
            _ => None,
        }
    }
}

/// The definitions of `functions`, without those that endpoints would refuse a whole request for.
fn definitions(
    functions: &mut Vec<ResolvedFunction>,
    strictness: Strictness,
    dialects: &Dialects,
) -> Vec<Value> {
    let dialect = match strictness {
        Strictness::Plain => dialects.plain,
        Strictness::Strict => dialects.strict,
    };
    let mut definitions = Vec::new();
    functions.retain(|resolved| match definition(resolved.spec(), dialect) {
        Ok(definition) => {
            definitions.push(definition);
            true
        }
        Err(refusal) => {
            tracing::warn!(%refusal, "a function cannot be offered to models");
            false
        }
    });
    definitions
}

/// Takes the definition of the function that reads stored results out of `tools`, where others
/// are left.
fn take_reader(tools: &mut Vec<Value>) -> Option<Value> {
    let at = tools
        .iter()
        .position(|tool| name_of(tool) == Some(READ_ANSWER))?;
    (tools.len() > 1).then(|| tools.remove(at))
}

fn definition(spec: &FunctionSpec, dialect: Dialect) -> Result<Value, String> {
    let mut export = export(std::slice::from_ref(spec), dialect);
    match export.losses.iter().find(|loss| loss.kind.is_refusal()) {
        Some(refusal) => Err(refusal.to_string()),
        None => Ok(export.tools[0].take()),
    }
}

/// Returns true if `arguments` have every member that `schema` demands, and none that it does not
/// know.
fn fits(arguments: &Map<String, Value>, schema: &Value) -> bool {
    let members = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let mut required = required.into_iter().flatten().filter_map(Value::as_str);
    required.all(|name| arguments.contains_key(name))
        && arguments
            .keys()
            .all(|name| members.is_some_and(|members| members.contains_key(name)))
}
