//! Arguments as they are typed: `text="one two" n=3 image=@photo.png`, made into JSON by the
//! function's schema.

use std::path::Path;

use anyhow::Context as _;
use data_encoding::BASE64;
use serde_json::{Map, Value};

use crate::diagnosis::Problem;

/// The largest file that is put into an argument.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Makes the JSON object of arguments from `pairs`, each `name=value`.
///
/// A value is read by what the schema says of the argument: text stays as it is, everything
/// else is read as JSON. `@path` stands for the contents of a file; `@@` for a text that
/// starts with `@`. A list may be given by naming the argument several times.
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
        insert(&mut arguments, name, value, property);
    }
    Ok(Value::Object(arguments))
}

fn property<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get("properties")?.get(name)
}

/// Adds `value`; where the schema wants a list and one element was given, the elements are
/// gathered.
fn insert(arguments: &mut Map<String, Value>, name: &str, value: Value, property: Option<&Value>) {
    let gathers = property.is_some_and(|property| has_type(property, "array")) && !value.is_array();
    if !gathers {
        arguments.insert(name.to_owned(), value);
        return;
    }
    let list = arguments
        .entry(name)
        .or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(items) = list {
        items.push(value);
    }
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
        return file(name, &working.join(path), property);
    }
    let is_text = property.is_some_and(|property| has_type(property, "string"));
    match serde_json::from_str(text) {
        Ok(value) if !is_text => Ok(value),
        _ => Ok(Value::String(text.to_owned())),
    }
}

/// The contents of a file as the schema wants them: an object with media type and data, the
/// data alone, or text.
fn file(name: &str, path: &Path, property: Option<&Value>) -> anyhow::Result<Value> {
    let failed = || {
        format!(
            "the file for argument `{name}` cannot be read: {}",
            path.display()
        )
    };
    let length = std::fs::metadata(path).with_context(failed)?.len();
    if length > FILE_BYTES_MAX {
        return Err(Problem::user(format!(
            "{} has {length} bytes, an argument takes at most {FILE_BYTES_MAX}",
            path.display()
        ))
        .into());
    }
    let bytes = std::fs::read(path).with_context(failed)?;
    let is_media = property.is_some_and(|property| {
        let members = property.get("properties");
        members.is_some_and(|members| {
            members.get("media_type").is_some() && members.get("data").is_some()
        })
    });
    if is_media {
        let media_type = media_type(path, &bytes);
        return Ok(serde_json::json!({ "media_type": media_type, "data": BASE64.encode(&bytes) }));
    }
    let is_base64 = property.is_some_and(|property| {
        property.get("contentEncoding").and_then(Value::as_str) == Some("base64")
    });
    if is_base64 {
        return Ok(Value::String(BASE64.encode(&bytes)));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        Problem::user(format!(
            "{} is not UTF-8 text, which `{name}` wants",
            path.display()
        ))
    })?;
    if property.is_none_or(|property| has_type(property, "string")) {
        return Ok(Value::String(text));
    }
    serde_json::from_str(&text)
        .with_context(|| format!("{} is not JSON, which `{name}` wants", path.display()))
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

/// The media type of a file: by what its first bytes say, else by its name.
fn media_type(path: &Path, bytes: &[u8]) -> &'static str {
    const SIGNATURES: [(&[u8], &str); 8] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF8", "image/gif"),
        (b"BM", "image/bmp"),
        (b"ID3", "audio/mpeg"),
        (b"OggS", "audio/ogg"),
        (b"fLaC", "audio/flac"),
        (b"%PDF", "application/pdf"),
    ];
    if bytes.starts_with(b"RIFF") {
        match bytes.get(8..12) {
            Some(b"WEBP") => return "image/webp",
            Some(b"WAVE") => return "audio/wav",
            _ => {}
        }
    }
    if let Some((_, media_type)) = SIGNATURES
        .iter()
        .find(|(start, _)| bytes.starts_with(start))
    {
        return media_type;
    }
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "svg" => "image/svg+xml",
        "mp3" => "audio/mpeg",
        "txt" | "md" => "text/plain",
        "json" => "application/json",
        _ => "application/octet-stream",
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
        check(&["text=12", "text=13"], json!({"text": "13"}));
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

    #[test]
    fn what_is_not_a_pair_is_refused() {
        assert!(parse(&["text".to_owned()], &json!({}), Path::new(".")).is_err());
        assert!(parse(&["text=@missing".to_owned()], &json!({}), Path::new(".")).is_err());
    }
}
