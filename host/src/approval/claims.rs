//! Compares the functions that a manifest claims with a component's exports; refuses differences.
//! Functions that both have become callable, with the manifest's texts and the component's types.

use serde_json::Value;
use tool_hub_manifest::{
    ArgumentName, Confirmation, Function, FunctionName, FunctionSpec, Input, Manifest, Members,
    Output, SchemaText, ValueType,
};

use crate::component::exports::{CallableExport, Exports};
use crate::component::function::{CallableFunction, CallableInput};
use crate::error::refusal::Refusal;
use crate::values::descriptions::{Descriptions, has_member};
use crate::values::types::{Field, Signature, Type, contract, snake};
use crate::values::{reply_kind, schema};

/// Compares every claim with `exports`. Returns the functions that are both claimed and exported,
/// each with its index among the callable exports, and a refusal for each difference.
pub(crate) fn check<I>(
    manifest: &Manifest,
    exports: &Exports<I>,
) -> (Vec<(CallableFunction, usize)>, Vec<Refusal>) {
    let mut functions = Vec::new();
    let mut refusals = Vec::new();
    let mut claimed = vec![false; exports.callable.len()];
    for (name, function) in &manifest.functions {
        match index(name, function, exports) {
            Ok(index) if claimed[index] => refusals.push(Refusal::ClaimedTwice {
                function: name.clone(),
                export: exports.callable[index].name.clone(),
            }),
            Ok(index) => {
                claimed[index] = true;
                let export = &exports.callable[index];
                refusals.extend(differences(name, function, &export.signature));
                functions.push((callable(name, function, export), index));
            }
            Err(refusal) => refusals.push(refusal),
        }
    }
    for (export, claimed) in exports.callable.iter().zip(claimed) {
        if !claimed {
            refusals.push(Refusal::NotClaimed {
                export: export.name.clone(),
            });
        }
    }
    (functions, refusals)
}

/// The index of the callable export that a claim is about.
pub(crate) fn index<I>(
    name: &FunctionName,
    function: &Function,
    exports: &Exports<I>,
) -> Result<usize, Refusal> {
    let found = match &function.export {
        Some(export) => {
            let mut callable = exports.callable.iter();
            callable.position(|callable| callable.name == *export)
        }
        None => {
            let is_named =
                |export: &CallableExport<I>| snake(export.name.function()) == name.as_str();
            let mut named = (0..exports.callable.len()).filter(|i| is_named(&exports.callable[*i]));
            named.next().filter(|_| named.next().is_none())
        }
    };
    found.ok_or_else(|| {
        let export = match &function.export {
            Some(export) => export.to_string(),
            None => name.as_str().replace('_', "-"),
        };
        let mut blocked = exports.not_callable.iter();
        match blocked.find(|blocked| blocked.export == export) {
            Some(blocked) => Refusal::ClaimNotCallable {
                function: name.clone(),
                reason: blocked.reason.clone(),
            },
            None => Refusal::NotExported {
                function: name.clone(),
                export,
            },
        }
    })
}

/// The type of a whole result in the manifest's vocabulary.
pub(crate) fn output_type(signature: &Signature) -> Option<ValueType> {
    signature.answered().map(schema::value_type)
}

fn differences(name: &FunctionName, function: &Function, signature: &Signature) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    let mut differs = |part: String, claimed: String, actual: String| {
        refusals.push(Refusal::Differs {
            function: name.clone(),
            part,
            claimed,
            actual,
        });
    };
    let takes_text = matches!(&signature.parameters[..], [only] if only.ty == Type::String);
    if function.input_schema.is_some() && !takes_text {
        differs(
            "`input_schema`".into(),
            JSON_TEXT.into(),
            "other arguments".into(),
        );
    }
    let replies = signature
        .answered()
        .is_some_and(|ty| *ty == *contract::REPLY);
    if function.output_schema.is_some() && !replies {
        differs(
            "`output_schema`".into(),
            "a reply".into(),
            "another result".into(),
        );
    }
    for field in &signature.parameters {
        let label = &field.label.json;
        let part = || format!("input `{label}`");
        let actual = schema::value_type(&field.ty);
        let optional = matches!(field.ty, Type::Option(_));
        let claim = function
            .inputs
            .iter()
            .find(|(name, _)| name.as_str() == label);
        match claim {
            None => differs(part(), "absent".into(), actual.to_string()),
            Some((_, claim)) if !agree(claim.value_type, actual) => {
                differs(part(), claim.value_type.to_string(), actual.to_string());
            }
            Some((_, claim)) if claim.optional != optional => {
                differs(part(), need(claim.optional), need(optional));
            }
            Some((_, claim)) => {
                for path in undescribable(&claim.members, Some(&field.ty)) {
                    let part = format!("member `{path}` of {}", part());
                    differs(part, DESCRIBED.into(), "absent".into());
                }
            }
        }
    }
    if let Some(Confirmation::Values(arguments)) = &function.confirm {
        for argument in arguments.keys() {
            let mut parameters = signature.parameters.iter();
            if !parameters.any(|field| field.label.json == argument.as_str()) {
                let claimed = format!("argument `{argument}`");
                differs("`confirm`".into(), claimed, "absent".into());
            }
        }
    }
    for (claim, input) in &function.inputs {
        let is_there = |field: &crate::values::types::Field| field.label.json == claim.as_str();
        if !signature.parameters.iter().any(is_there) {
            let claimed = input.value_type.to_string();
            differs(format!("input `{claim}`"), claimed, "absent".into());
        }
    }
    let claimed = function.output.as_ref().map(|output| output.value_type);
    match (claimed, output_type(signature)) {
        (None, None) => {}
        (Some(claimed), Some(actual)) if agree(claimed, actual) => {}
        (claimed, actual) => differs("the output".into(), or_nothing(claimed), or_nothing(actual)),
    }
    if let Some(output) = &function.output {
        for path in undescribable(&output.members, signature.answered()) {
            let part = format!("member `{path}` of the output");
            differs(part, DESCRIBED.into(), "absent".into());
        }
    }
    refusals
}

/// The most members named in refusals because they do not exist.
const UNDESCRIBABLE_MAX: usize = 8;
/// The claim of a manifest with a schema of the arguments.
const JSON_TEXT: &str = "one argument, a text of JSON";
/// The claim of a manifest about a member that it describes.
const DESCRIBED: &str = "described";

/// The first members described in `members` that a value of type `ty` does not have. Agents would
/// never read their descriptions, whatever people approve. Looking for all of them would take the
/// length of a manifest times that of a type.
fn undescribable<'m>(members: &'m Members, ty: Option<&Type>) -> impl Iterator<Item = &'m str> {
    let paths = members.keys().map(String::as_str);
    let paths = paths.filter(move |path| !ty.is_some_and(|ty| has_member(ty, path)));
    paths.take(UNDESCRIBABLE_MAX)
}

/// Pictures and sounds have one type, and `any` is true of everything.
fn agree(claimed: ValueType, actual: ValueType) -> bool {
    claimed == actual
        || claimed == ValueType::Any
        || (claimed == ValueType::Audio && actual == ValueType::Image)
}

fn need(optional: bool) -> String {
    if optional { "optional" } else { "required" }.to_owned()
}

fn or_nothing(value_type: Option<ValueType>) -> String {
    value_type.map_or_else(|| "nothing".to_owned(), |value_type| value_type.to_string())
}

/// The function as it is offered: texts from the claim, types from the component.
fn callable<I>(
    name: &FunctionName,
    function: &Function,
    export: &CallableExport<I>,
) -> CallableFunction {
    let signature = &export.signature;
    let nothing = Members::default();
    let claim_of = |field: &Field| {
        let mut claims = function.inputs.iter();
        let claim = claims.find(|(name, _)| name.as_str() == field.label.json);
        claim.map(|(_, claim)| claim)
    };
    let mut input_schema = schema::input(signature.parameters.iter().map(|field| {
        let members = claim_of(field).map_or(&nothing, |claim| &claim.members);
        (field, Descriptions::of(members))
    }));
    let mut inputs = Vec::new();
    for field in &signature.parameters {
        let Ok(argument) = field.label.json.parse::<ArgumentName>() else {
            continue;
        };
        let claim = claim_of(field);
        if let Some(claim) = claim {
            describe(&mut input_schema["properties"][&field.label.json], claim);
        }
        inputs.push(CallableInput {
            value_type: match claim {
                Some(claim) => claim.value_type,
                None => schema::value_type(&field.ty),
            },
            optional: matches!(field.ty, Type::Option(_)),
            description: claim.map_or_else(String::new, |claim| claim.description.clone()),
            members: claim.map_or_else(Members::default, |claim| claim.members.clone()),
            name: argument.to_string(),
        });
    }
    if let Some(schema) = &function.input_schema {
        input_schema = schema.value().clone();
        inputs = inputs_of(schema);
    }
    let output = function.output.clone().or_else(|| {
        output_type(signature).map(|value_type| Output {
            value_type,
            description: String::new(),
            members: Members::default(),
        })
    });
    let output_schema = reply_kind::structured(signature).map(|ty| {
        let members = output.as_ref().map_or(&nothing, |output| &output.members);
        let mut schema = schema::output(ty, &Descriptions::of(members));
        if let Some(output) = &output
            && !output.description.is_empty()
        {
            schema::describe(&mut schema, &output.description);
        }
        schema
    });
    let declared = function.output_schema.as_ref();
    let output_schema = declared.map(|it| it.value().clone()).or(output_schema);
    CallableFunction {
        name: name.clone(),
        export: export.name.clone(),
        inputs,
        output,
        confirm: function.confirm.clone(),
        spec: FunctionSpec {
            name: name.to_string(),
            title: function.title.clone(),
            description: function.description.clone(),
            input_schema,
            output_schema,
            annotations: function.annotations(),
        },
    }
}

/// The arguments of a function that takes JSON.
fn inputs_of(schema: &SchemaText) -> Vec<CallableInput> {
    let members = schema.members().map(|(name, member)| CallableInput {
        name: name.to_owned(),
        value_type: match member["type"].as_str() {
            Some("string") => ValueType::Text,
            Some("boolean") => ValueType::Boolean,
            Some("integer") => ValueType::Integer,
            Some("number") => ValueType::Number,
            Some("array") => ValueType::Array,
            Some("object") => ValueType::Object,
            _ => ValueType::Any,
        },
        optional: !schema.requires(name),
        description: member["description"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        members: {
            let mut described = Members::default();
            describe_members(member, "", &mut described);
            described
        },
    });
    members.collect()
}

/// Adds what a schema of an argument says about what is within a value, so that people see it.
fn describe_members(schema: &Value, place: &str, described: &mut Members) {
    if !schema.is_object() {
        return;
    }
    let nested = |key: &str| schema[key].as_object().into_iter().flatten();
    let named = nested("properties").chain(nested("$defs"));
    for (name, member) in named {
        let place = match place {
            "" => name.clone(),
            place => format!("{place}.{name}"),
        };
        if let Some(text) = member["description"].as_str() {
            described.insert(place.clone(), text.to_owned());
        }
        describe_members(member, &place, described);
    }
    let several = ["anyOf", "oneOf", "allOf", "prefixItems"];
    let choices = several.map(|key| schema[key].as_array().into_iter().flatten());
    let single = ["items", "additionalProperties"].map(|key| &schema[key]);
    for member in choices.into_iter().flatten().chain(single) {
        describe_members(member, place, described);
    }
}

fn describe(property: &mut Value, claim: &Input) {
    if !claim.description.is_empty() {
        schema::describe(property, &claim.description);
    }
    let examples: Vec<Value> = claim
        .examples
        .iter()
        .filter_map(|example| serde_json::to_value(example).ok())
        .collect();
    if !examples.is_empty() {
        property["examples"] = examples.into();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn people_see_what_a_schema_says_of_arguments_and_within_them() {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "A path."},
                "edits": {"type": "array", "items": {"type": "object", "properties": {
                    "newText": {"description": "The text."},
                    "at": {"anyOf": [{"type": "null"}, {"properties": {"line": {"description": "A line."}}}]},
                }}},
                "any": true,
            },
            "required": ["path"],
        });
        let inputs = inputs_of(&SchemaText::try_from(schema).unwrap());
        let [path, edits, any] = &inputs[..] else {
            panic!("{inputs:?}");
        };
        assert_eq!(
            (path.name.as_str(), path.description.as_str()),
            ("path", "A path.")
        );
        assert_eq!((path.value_type, path.optional), (ValueType::Text, false));
        assert_eq!((edits.value_type, edits.optional), (ValueType::Array, true));
        let members: Vec<(&str, &str)> = edits
            .members
            .iter()
            .map(|(place, text)| (place.as_str(), text.as_str()))
            .collect();
        assert_eq!(members, [("newText", "The text."), ("at.line", "A line.")]);
        assert_eq!((any.value_type, any.members.len()), (ValueType::Any, 0));
    }
}
