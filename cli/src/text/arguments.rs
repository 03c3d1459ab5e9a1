//! Parses arguments as they are typed, `text="one two" n=3 image=@photo.png`, into JSON.
//! They are read by the function's schema, or for variables without one by what the value or file
//! looks like.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context as _;
use data_encoding::BASE64;
use serde_json::{Map, Value};

use super::media::{media, media_type};
use crate::terminal::problem::Problem;

/// The largest file that is put into an argument.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// The name that stands for standard input where a file is named.
const STANDARD_INPUT: &str = "-";

/// Makes the JSON object of arguments from `pairs`, each `name=value`.
///
/// A value is read by what the schema says of the argument: text stays as it is, everything
/// else is read as JSON. `@path` stands for the contents of a file, `@-` for those of
/// standard input; `@@` for a text that starts with `@`. A list may be given by naming the
/// argument several times.
///
/// # Errors
/// When a word is no argument, an argument that is no list is given twice, or a file cannot
/// be read, is too large or is not what the schema wants.
pub(crate) fn parse(pairs: &[String], schema: &Value, working: &Path) -> anyhow::Result<Value> {
    let mut arguments = Map::new();
    for pair in pairs {
        let Some((name, text)) = pair.split_once('=') else {
            return Err(Problem::user(format!("`{pair}` is not an argument"))
                .hint("write arguments as name=value, or all at once with --json-args '{…}'")
                .into());
        };
        let property = property(schema, name);
        let value = value(name, text, property, working)?;
        insert(&mut arguments, name, value, property)?;
    }
    Ok(Value::Object(arguments))
}

/// Reads `pair`, `name=value` or `name=@file`, where no schema says what the value is: a picture or
/// a sound by its file, other files as text, JSON as what it is, and everything else as text.
///
/// # Errors
/// When it is none, or the file cannot be read, is too large, or is neither media nor text.
pub(crate) fn variable(pair: &str, working: &Path) -> anyhow::Result<(String, Value)> {
    let Some((name, text)) = pair.split_once('=') else {
        return Err(
            Problem::user(format!("expected name=value, found `{pair}`"))
                .hint("write name=value, or name=@file")
                .into(),
        );
    };
    let value = match text.strip_prefix('@') {
        Some(literal) if literal.starts_with('@') => Value::String(literal.to_owned()),
        Some(path) => {
            let bytes = contents(name, path, working)?;
            let media_type = media_type(Path::new(path), &bytes);
            match media_type.split_once('/') {
                Some(("image" | "audio", _)) => media(media_type, &bytes),
                _ => Value::String(utf8(name, path, bytes)?),
            }
        }
        None => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
    };
    Ok((name.to_owned(), value))
}

fn property<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get("properties")?.get(name)
}

/// Adds `value`; where the schema wants a list and one element was given, the elements are
/// gathered.
fn insert(
    arguments: &mut Map<String, Value>,
    name: &str,
    value: Value,
    property: Option<&Value>,
) -> anyhow::Result<()> {
    let is_element =
        property.is_some_and(|property| has_type(property, "array")) && !value.is_array();
    match (arguments.get_mut(name), is_element) {
        (None, false) => {
            arguments.insert(name.to_owned(), value);
        }
        (None, true) => {
            arguments.insert(name.to_owned(), Value::Array(vec![value]));
        }
        (Some(Value::Array(elements)), true) => elements.push(value),
        (Some(_), _) => {
            return Err(Problem::user(format!("argument `{name}` is given twice"))
                .hint("give it once; only a list takes several, one element each")
                .into());
        }
    }
    Ok(())
}

fn value(
    name: &str,
    text: &str,
    property: Option<&Value>,
    working: &Path,
) -> anyhow::Result<Value> {
    if let Some(literal) = text.strip_prefix("@@") {
        return Ok(Value::String(format!("@{literal}")));
    }
    if let Some(path) = text.strip_prefix('@') {
        return file(name, path, working, property);
    }
    let is_text = property.is_some_and(|property| has_type(property, "string"));
    match serde_json::from_str(text) {
        Ok(value) if !is_text => Ok(value),
        _ => Ok(Value::String(text.to_owned())),
    }
}

/// The contents of a file as the schema wants them: an object with media type and data, the
/// data alone, or text.
fn file(name: &str, path: &str, working: &Path, property: Option<&Value>) -> anyhow::Result<Value> {
    let bytes = contents(name, path, working)?;
    let is_media = property.is_some_and(|property| {
        let members = property.get("properties");
        members.is_some_and(|members| {
            members.get("media_type").is_some() && members.get("data").is_some()
        })
    });
    if is_media {
        return Ok(media(media_type(Path::new(path), &bytes), &bytes));
    }
    let is_base64 = property.is_some_and(|property| {
        property.get("contentEncoding").and_then(Value::as_str) == Some("base64")
    });
    if is_base64 {
        return Ok(Value::String(BASE64.encode(&bytes)));
    }
    let text = utf8(name, path, bytes)?;
    if property.is_none_or(|property| has_type(property, "string")) {
        return Ok(Value::String(text));
    }
    serde_json::from_str(&text).with_context(|| format!("{path} is not JSON, which `{name}` wants"))
}

/// The bytes of the file at `path`, or of standard input.
fn contents(name: &str, path: &str, working: &Path) -> anyhow::Result<Vec<u8>> {
    let failed = || format!("argument `{name}` cannot be read from {path}");
    let contents = match path {
        STANDARD_INPUT => bounded(io::stdin().lock()),
        _ => File::open(working.join(path)).and_then(bounded),
    };
    contents.with_context(failed)?.ok_or_else(|| {
        Problem::user(failed())
            .hint(format!(
                "it holds more than {FILE_BYTES_MAX} bytes, the most that an argument takes"
            ))
            .into()
    })
}

fn utf8(name: &str, path: &str, bytes: Vec<u8>) -> anyhow::Result<String> {
    String::from_utf8(bytes).map_err(|_| {
        Problem::user(format!("{path} is not UTF-8 text, which `{name}` wants")).into()
    })
}

/// Reads to the end, or gives nothing when that is too far. How long a device, a pipe or a
/// file of the kernel's is cannot be asked for.
fn bounded(reader: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= FILE_BYTES_MAX).then_some(bytes))
}

fn has_type(schema: &Value, wanted: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == wanted,
        Some(Value::Array(several)) => several.iter().any(|one| one == wanted),
        _ => schema
            .get("anyOf")
            .and_then(Value::as_array)
            .is_some_and(|branches| branches.iter().any(|branch| has_type(branch, wanted))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(pairs: &[&str], expect: Value) {
        let schema = json!({"type": "object", "properties": {
            "text": {"type": "string"},
            "n": {"type": "integer"},
            "list": {"type": "array", "items": {"type": "string"}},
            "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "data": {"type": "string", "contentEncoding": "base64"},
            "picture": {"type": "object", "properties": {"media_type": {}, "data": {}}},
        }});
        let directory = tempfile::tempdir().unwrap();
        crate::files::write(&directory.path().join("p.png"), b"\x89PNG\r\n\x1a\nx").unwrap();
        let pairs: Vec<String> = pairs.iter().map(|pair| (*pair).to_owned()).collect();
        assert_eq!(parse(&pairs, &schema, directory.path()).unwrap(), expect);
    }

    #[test]
    fn values_follow_the_schema() {
        check(&["text=one two", "n=3"], json!({"text": "one two", "n": 3}));
        check(&["text=12"], json!({"text": "12"}));
        check(&["text=a=b"], json!({"text": "a=b"}));
        check(&["text=@@home"], json!({"text": "@home"}));
        check(&["n=three"], json!({"n": "three"}));
        check(&["maybe=null"], json!({"maybe": null}));
        check(&["list=a", "list=b"], json!({"list": ["a", "b"]}));
        check(&["list=[\"a\"]"], json!({"list": ["a"]}));
        check(&["unknown=1"], json!({"unknown": 1}));
        check(&["data=@p.png"], json!({"data": "iVBORw0KGgp4"}));
        check(
            &["picture=@p.png"],
            json!({"picture": {"media_type": "image/png", "data": "iVBORw0KGgp4"}}),
        );
    }

    #[track_caller]
    fn refused(pairs: &[&str], expect: &str) {
        let schema = json!({"type": "object", "properties": {
            "text": {"type": "string"},
            "list": {"type": "array", "items": {"type": "string"}},
        }});
        let pairs: Vec<String> = pairs.iter().map(|pair| (*pair).to_owned()).collect();
        let error = parse(&pairs, &schema, Path::new("/")).unwrap_err();
        assert_eq!(error.to_string(), expect);
    }

    #[test]
    fn what_is_not_an_argument_is_refused() {
        refused(&["text"], "`text` is not an argument");
        refused(
            &["text=@missing"],
            "argument `text` cannot be read from missing",
        );
        refused(&["text=@/"], "argument `text` cannot be read from /");
    }

    #[test]
    fn only_a_list_is_given_several_times() {
        refused(&["text=a", "text=b"], "argument `text` is given twice");
        refused(&["list=[]", "list=[]"], "argument `list` is given twice");
        refused(&["new=1", "new=2"], "argument `new` is given twice");
    }

    #[test]
    fn what_never_ends_is_read_as_far_as_an_argument_goes() {
        assert_eq!(bounded(io::repeat(0)).unwrap(), None);
        assert_eq!(bounded(io::empty()).unwrap(), Some(Vec::new()));
        let exactly = bounded(io::repeat(0).take(FILE_BYTES_MAX)).unwrap();
        assert_eq!(
            exactly.map(|bytes| bytes.len() as u64),
            Some(FILE_BYTES_MAX)
        );
    }
}
