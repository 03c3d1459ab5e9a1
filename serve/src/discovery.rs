//! Indexes functions for searches, and writes search results and descriptions for a model.

use serde_json::{Value, json};
use tool_hub_agent::definition::example::example;
use tool_hub_agent::prompt::toolbox_line;
use tool_hub_manifest::FunctionSpec;
use tool_hub_manifest::contract::{Failure, FailureKind};

use crate::built_in::{CALL_TOOL, DESCRIBE_TOOL};
use crate::index::Index;

/// The weight of a word in a function's name, compared with one in its description.
const NAME_WEIGHT: f32 = 4.0;
/// The same for its title.
const TITLE_WEIGHT: f32 = 2.0;
/// The most characters of a description that a search shows.
const SHOWN_CHARACTERS_MAX: usize = 200;
/// The most arguments that a search shows.
const ARGUMENTS_SHOWN_MAX: usize = 8;

/// Makes functions findable by their names, descriptions and arguments.
pub(crate) fn index<'a>(specs: impl IntoIterator<Item = &'a FunctionSpec>) -> Index {
    Index::new(specs.into_iter().map(|spec| {
        let mut parts = vec![
            (spec.name.as_str(), NAME_WEIGHT),
            (spec.description.as_str(), 1.0),
        ];
        parts.extend(spec.title.as_deref().map(|title| (title, TITLE_WEIGHT)));
        for (name, property) in arguments(spec) {
            parts.push((name, 1.0));
            let description = property.get("description").and_then(Value::as_str);
            parts.extend(description.map(|text| (text, 1.0)));
        }
        parts
    }))
}

/// The result of a search: `found` of `total` functions, each on a line.
pub(crate) fn found<'a>(found: impl Iterator<Item = &'a FunctionSpec>, total: usize) -> String {
    let lines: Vec<String> = found.map(line).collect();
    if lines.is_empty() {
        return format!("None of the {total} tools mentions any of these words. Try others.");
    }
    format!(
        "{}\nCall one with {CALL_TOOL}; {DESCRIBE_TOOL} shows all of its arguments.",
        lines.join("\n")
    )
}

/// All that there is to know of a function, and how a call of it looks.
pub(crate) fn described(spec: &FunctionSpec) -> String {
    let mut told = json!({
        "name": spec.name, "description": spec.description, "input_schema": spec.input_schema,
    });
    if let Some(schema) = &spec.output_schema {
        told["output_schema"] = schema.clone();
    }
    if let Some(example) = example(&spec.input_schema) {
        told["example"] = json!({"name": spec.name, "arguments": example});
    }
    told.to_string()
}

/// The failure of a call that names an unknown function, with the `message` of the lookup.
pub(crate) fn unknown(message: String) -> Failure {
    Failure::new(FailureKind::UnknownFunction, message).with_argument("name")
}

/// A function with its arguments, on one line.
fn line(spec: &FunctionSpec) -> String {
    let required = spec.input_schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| {
        let mut names = required.into_iter().flatten();
        names.any(|required| required == name)
    };
    let mut shown: Vec<String> = arguments(spec)
        .take(ARGUMENTS_SHOWN_MAX)
        .map(|(name, property)| {
            let mark = if is_required(name) { "" } else { "?" };
            match property.get("type").and_then(Value::as_str) {
                Some(kind) => format!("{name}{mark}: {kind}"),
                None => format!("{name}{mark}"),
            }
        })
        .collect();
    if arguments(spec).nth(ARGUMENTS_SHOWN_MAX).is_some() {
        shown.push("…".to_owned());
    }
    let mut description: String = spec
        .description
        .chars()
        .take(SHOWN_CHARACTERS_MAX)
        .collect();
    if description.len() < spec.description.len() {
        description.push('…');
    }
    toolbox_line(
        &format!("{}({})", spec.name, shown.join(", ")),
        &description,
    )
}

fn arguments(spec: &FunctionSpec) -> impl Iterator<Item = (&str, &Value)> {
    let properties = spec
        .input_schema
        .get("properties")
        .and_then(Value::as_object);
    let properties = properties.into_iter().flatten();
    properties.map(|(name, property)| (name.as_str(), property))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_hub_manifest::Annotations;

    fn spec(name: &str, description: &str, arguments: Value) -> FunctionSpec {
        FunctionSpec {
            name: name.to_owned(),
            title: None,
            description: description.to_owned(),
            input_schema: json!({
                "type": "object", "properties": arguments, "required": ["id"],
            }),
            output_schema: None,
            annotations: Annotations::default(),
        }
    }

    fn toolbox() -> Vec<FunctionSpec> {
        let id = json!({"id": {"type": "integer"}});
        vec![
            spec("notes__add", "Writes something down.", id.clone()),
            spec(
                "mail__send",
                "Sends a letter. It may hold a note.",
                id.clone(),
            ),
            spec(
                "pictures__scale",
                "Makes it smaller.",
                json!({"width": {"description": "in pixels"}, "id": {"type": "integer"}}),
            ),
            spec("b__long", &"word ".repeat(100), id),
        ]
    }

    #[track_caller]
    fn check(query: &str, expect: &[&str]) {
        let toolbox = toolbox();
        let places = index(&toolbox).search(query);
        let names: Vec<&str> = places.iter().map(|place| &*toolbox[*place].name).collect();
        assert_eq!(names, expect, "{query}");
    }

    #[test]
    fn functions_are_found_by_name_description_and_arguments() {
        check("add a note", &["notes__add", "mail__send"]);
        check("letters", &["mail__send"]);
        check("pixel", &["pictures__scale"]);
        check("width", &["pictures__scale"]);
        check("nothing", &[]);
    }

    #[test]
    fn the_right_one_of_a_thousand_is_found() {
        let verbs = "add drop list find send read scale turn count join".split(' ');
        let nouns = "note mail photo file date person ticket branch bill sensor".split(' ');
        let kinds = "daily shared private past remote local open broken old new".split(' ');
        let mut toolbox = Vec::new();
        for verb in verbs {
            for noun in nouns.clone() {
                for kind in kinds.clone() {
                    let name = format!("{noun}s_{kind}__{verb}");
                    let told = format!("{verb}s a {kind} {noun} of the person, by its id.");
                    toolbox.push(spec(&name, &told, json!({"id": {}})));
                }
            }
        }
        assert_eq!(toolbox.len(), 1_000);
        let index = index(&toolbox);
        for (query, name) in [
            ("send a shared bill", "bills_shared__send"),
            ("count old tickets", "tickets_old__count"),
            ("broken sensors: list them", "sensors_broken__list"),
        ] {
            assert_eq!(toolbox[index.search(query)[0]].name, name, "{query}");
        }
    }

    #[test]
    fn what_is_found_stands_on_a_line_each() {
        let toolbox = toolbox();
        let text = found(toolbox[2..].iter(), 4);
        let long = "word ".repeat(40);
        let lines = [
            "- pictures__scale(width?, id: integer): Makes it smaller.",
            &format!("- b__long(id: integer): {long}…"),
            "Call one with call_tool; describe_tool shows all of its arguments.",
        ];
        assert_eq!(text, lines.join("\n"));
        assert!(found([].into_iter(), 4).starts_with("None of the 4 tools"));
    }

    #[test]
    fn a_description_shows_a_call() {
        let told: Value = serde_json::from_str(&described(&toolbox()[0])).unwrap();
        let example = json!({"name": "notes__add", "arguments": {"id": 1}});
        assert_eq!(told["example"], example);
        assert_eq!(told["input_schema"]["type"], "object");
    }
}
