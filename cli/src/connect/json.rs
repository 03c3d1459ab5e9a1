//! Reads a configuration in JSON, and adds or removes a server without changing the rest.
//! The JSON may have comments.

use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use jsonc_parser::{ParseOptions, errors::ParseError};
use serde_json::{Map, Value};

use super::unreadable::Unreadable;

/// Extensions of JSON that a text may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comments {
    Refused,
    Allowed,
}

/// The whole of `text`; nothing at all reads as an empty object.
pub(super) fn read(text: &str, comments: Comments) -> Result<Value, Unreadable> {
    let root = parse(text, comments)?;
    Ok(root.to_serde_value().unwrap_or(Value::Object(Map::new())))
}

/// `text` with `entry` as the server `name` of `section`. Everything else keeps its place, its
/// form and its comments.
pub(super) fn put(
    text: &str,
    comments: Comments,
    section: &str,
    name: &str,
    entry: &Map<String, Value>,
) -> Result<String, Unreadable> {
    let root = parse(text, comments)?;
    let whole = match root.value() {
        None => root.object_value_or_set(),
        Some(value) => value
            .as_object()
            .ok_or_else(|| Unreadable::as_a_whole("it is not an object"))?,
    };
    let servers = match only(&whole, section)? {
        None => object_in(&whole, section)?,
        Some(property) => object_of(&property, section)?,
    };
    match only(&servers, name)? {
        None => {
            servers.append(name, input(&Value::Object(entry.clone())));
        }
        Some(property) => adapt(&object_of(&property, name)?, entry),
    }
    Ok(root.to_string())
}

/// `text` without the server `name` of `section`, and without the section if that was all of
/// it.
pub(super) fn take(
    text: &str,
    comments: Comments,
    section: &str,
    name: &str,
) -> Result<String, Unreadable> {
    let root = parse(text, comments)?;
    if let Some(whole) = root.object_value()
        && let Some(property) = only(&whole, section)?
    {
        let servers = object_of(&property, section)?;
        if let Some(server) = only(&servers, name)? {
            server.remove();
        }
        if servers.properties().is_empty() && !servers.children().iter().any(CstNode::is_comment) {
            property.remove();
        }
    }
    Ok(root.to_string())
}

/// The server `name` of `section` as it is written, and the number of servers before it.
pub(super) fn written_server(
    text: &str,
    comments: Comments,
    section: &str,
    name: &str,
) -> Result<Option<(usize, String)>, Unreadable> {
    let root = parse(text, comments)?;
    let Some(whole) = root.object_value() else {
        return Ok(None);
    };
    let Some(servers) = only(&whole, section)? else {
        return Ok(None);
    };
    let Some(server) = only(&object_of(&servers, section)?, name)? else {
        return Ok(None);
    };
    let value = server.value().map(|value| value.to_string());
    Ok(value.map(|value| (server.property_index(), value)))
}

/// `text` with the server `name` of `section` as [`written_server`] read it, after `before` others.
pub(super) fn put_back(
    text: &str,
    comments: Comments,
    section: &str,
    name: &str,
    (before, value): (usize, &str),
) -> Result<String, Unreadable> {
    let root = parse(text, comments)?;
    let whole = root.object_value_or_set();
    let servers = match only(&whole, section)? {
        None => object_in(&whole, section)?,
        Some(property) => object_of(&property, section)?,
    };
    if only(&servers, name)?.is_some() {
        return Err(Unreadable::as_a_whole(format!("it has {name:?} already")));
    }
    let at = before.min(servers.properties().len());
    let server = servers.insert(at, name, CstInputValue::Number("0".to_owned()));
    // A number is written as it is given, so any text takes its place.
    if let Some(number) = server.value().and_then(|value| value.as_number_lit()) {
        number.set_raw_value(value.to_owned());
    }
    Ok(root.to_string())
}

fn parse(text: &str, comments: Comments) -> Result<CstRootNode, Unreadable> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let root = CstRootNode::parse(text, &options).map_err(unreadable)?;
    if comments == Comments::Refused
        && root.value().is_some()
        && let Err(error) = serde_json::from_str::<Value>(text)
    {
        // The other parser read it, so this is all that can be wrong with it.
        return Err(Unreadable {
            line: Some(error.line()),
            reason: "this client reads no comments and no trailing commas".to_owned(),
        });
    }
    Ok(root)
}

fn unreadable(error: ParseError) -> Unreadable {
    let reason = error.kind().to_string();
    let mut letters = reason.chars();
    let first = letters.next().map(|first| first.to_lowercase());
    Unreadable {
        line: Some(error.line_display()),
        reason: first.into_iter().flatten().chain(letters).collect(),
    }
}

/// The property `name`. Where there are two, clients differ in which one counts.
fn only(object: &CstObject, name: &str) -> Result<Option<CstObjectProp>, Unreadable> {
    let mut found = object
        .properties()
        .into_iter()
        .filter(|property| named(property, name));
    let first = found.next();
    if found.next().is_some() {
        return Err(Unreadable::as_a_whole(format!("it has {name:?} twice")));
    }
    Ok(first)
}

fn named(property: &CstObjectProp, name: &str) -> bool {
    property.decoded_name().as_deref() == Some(name)
}

fn object_in(object: &CstObject, name: &str) -> Result<CstObject, Unreadable> {
    let property = object.append(name, CstInputValue::Object(Vec::new()));
    object_of(&property, name)
}

fn object_of(property: &CstObjectProp, name: &str) -> Result<CstObject, Unreadable> {
    let object = property.object_value();
    object.ok_or_else(|| Unreadable::as_a_whole(format!("{name:?} in it is not an object")))
}

/// Makes `object` say what `wanted` says, and changes nothing that says it already.
fn adapt(object: &CstObject, wanted: &Map<String, Value>) {
    for property in object.properties() {
        if !wanted.keys().any(|name| named(&property, name)) {
            property.remove();
        }
    }
    for (name, value) in wanted {
        let properties = object.properties();
        let Some(property) = properties.iter().find(|property| named(property, name)) else {
            object.append(name, input(value));
            continue;
        };
        match (property.object_value(), value) {
            (Some(inner), Value::Object(wanted)) => adapt(&inner, wanted),
            _ if property.to_serde_value().as_ref() == Some(value) => {}
            _ => property.set_value(input(value)),
        }
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(map) => {
            let properties = map.iter().map(|(name, value)| (name.clone(), input(value)));
            CstInputValue::Object(properties.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ALLOWED: Comments = Comments::Allowed;

    fn entry() -> Map<String, Value> {
        let entry = json!({ "command": "/bin/tool", "args": ["serve"], "env": { "A": "é\"\\" } });
        entry.as_object().unwrap().clone()
    }

    #[track_caller]
    fn put_and_taken(text: &str) -> (String, String) {
        let put = put(text, ALLOWED, "servers", "tool-hub", &entry()).unwrap();
        let value = read(&put, ALLOWED).unwrap();
        assert_eq!(value["servers"]["tool-hub"], json!(entry()), "{put}");
        let again = super::put(&put, ALLOWED, "servers", "tool-hub", &entry()).unwrap();
        assert_eq!(again, put, "twice is once");
        let taken = take(&put, ALLOWED, "servers", "tool-hub").unwrap();
        (put, taken)
    }

    #[track_caller]
    fn comes_back(text: &str) {
        assert_eq!(put_and_taken(text).1, text);
    }

    #[test]
    fn what_is_put_can_be_taken() {
        comes_back("{}\n");
        comes_back("{\n  \"a\": 1\n}\n");
        comes_back("{\n\t\"a\": 1\n}");
        comes_back("{\r\n  \"a\": 1,\r\n  \"b\": [1, 2]\r\n}\r\n");
        comes_back("{\n    \"a\": 1,\n}\n");
        comes_back("// top\n{\n  // in\n  \"a\": 1, // after\n  // last\n}\n// end\n");
        comes_back("// top\n{\n  /* in */ \"a\": 1 // after\n  // last\n}\n// end\n");
        comes_back("{\n  \"servers\": {\n    // none yet\n  }\n}\n");
        comes_back(
            "{\n  \"servers\": {\n    \"x\": {\n      \"command\": \"y\"\n    }\n  },\n  \"inputs\": []\n}\n",
        );
        comes_back(
            "{\n  \"servers\": {\n    \"x\": { \"command\": \"y\" }, // c\n    // d\n  },\n}\n",
        );
    }

    #[test]
    fn what_was_taken_is_put_back_as_it_was_written() {
        let value =
            "{\n      /* mine */ \"command\": \"\\u0079\", // c\n      \"args\": [ 1.50 ]\n    }";
        let text = format!("{{\n  \"servers\": {{\n    \"a\": 1,\n    \"x\": {value}\n  }}\n}}\n");
        let (before, found) = written_server(&text, ALLOWED, "servers", "x")
            .unwrap()
            .unwrap();
        assert_eq!((before, &*found), (1, value));
        let taken = take(&text, ALLOWED, "servers", "x").unwrap();
        assert!(
            written_server(&taken, ALLOWED, "servers", "x")
                .unwrap()
                .is_none()
        );
        let back = put_back(&taken, ALLOWED, "servers", "x", (before, value)).unwrap();
        assert_eq!(back, text);
        let other = put_back("{}\n", ALLOWED, "servers", "x", (3, value)).unwrap();
        assert!(other.contains(&format!("\"x\": {value}")), "{other}");
        let twice = put_back(&text, ALLOWED, "servers", "x", (0, value)).unwrap_err();
        assert_eq!(twice.to_string(), "it has \"x\" already");
    }

    #[test]
    fn lines_end_as_the_others_do() {
        let (put, _) = put_and_taken("{\r\n  \"a\": 1\r\n}\r\n");
        assert_eq!(put.matches('\n').count(), put.matches("\r\n").count());
    }

    #[test]
    fn what_is_on_one_line_says_the_same_afterwards() {
        for text in [
            "",
            "{\"a\":1}",
            "{ \"servers\": {\"x\": {\"command\": \"y\"}} }",
        ] {
            let (_, taken) = put_and_taken(text);
            assert_eq!(read(&taken, ALLOWED), read(text, ALLOWED), "{taken}");
        }
    }

    #[test]
    fn only_what_differs_is_changed() {
        let before = "{\"servers\": {\"tool-hub\": {\n  \"args\": [ \"serve\" ], // mine\n  \"command\": \"old\",\n  \"gone\": 1,\n  \"env\": {\"A\": \"x\"} }}}";
        let after = put(before, ALLOWED, "servers", "tool-hub", &entry()).unwrap();
        assert!(
            after.contains("\"args\": [ \"serve\" ], // mine\n"),
            "{after}"
        );
        assert!(after.contains("\"command\": \"/bin/tool\",\n"), "{after}");
        assert!(!after.contains("gone"), "{after}");
    }

    #[track_caller]
    fn check_refused(text: &str, comments: Comments, expect: &str) {
        let refused = put(text, comments, "servers", "tool-hub", &entry()).unwrap_err();
        assert_eq!(refused.to_string(), expect, "{text}");
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        check_refused(
            "{\n  \"a\": 1\n  \"b\": 2\n}",
            ALLOWED,
            "line 2: expected comma",
        );
        check_refused(
            "{\n\n  a: 1 }",
            ALLOWED,
            "line 3: expected string for object property",
        );
        check_refused("[]", ALLOWED, "it is not an object");
        check_refused("null", ALLOWED, "it is not an object");
        check_refused(
            "{\"servers\": []}",
            ALLOWED,
            "\"servers\" in it is not an object",
        );
        check_refused(
            "{\"servers\": {\"tool-hub\": 1}}",
            ALLOWED,
            "\"tool-hub\" in it is not an object",
        );
        check_refused(
            "{\"servers\": {}, \"s\\u0065rvers\": {}}",
            ALLOWED,
            "it has \"servers\" twice",
        );
        check_refused(
            "{\n}\n// c",
            Comments::Refused,
            "line 3: this client reads no comments and no trailing commas",
        );
        check_refused(
            "{\n\"a\": 1,\n}",
            Comments::Refused,
            "line 3: this client reads no comments and no trailing commas",
        );
        let deep = "[".repeat(100_000);
        let refused = put(&deep, ALLOWED, "servers", "tool-hub", &entry()).unwrap_err();
        assert_eq!(refused.line, Some(1));
    }
}
