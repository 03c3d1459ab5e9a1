//! Reads a configuration in TOML, and adds or removes a server without changing the rest.

use serde_json::{Map, Value};
use toml_edit::{
    Array, DocumentMut, InlineTable, Item, Table, TableLike, TomlError, Value as TomlValue,
};

use super::unreadable::Unreadable;

/// The whole of `text`.
pub(super) fn read(text: &str) -> Result<Value, Unreadable> {
    parse(text)?;
    toml_edit::de::from_str(text).map_err(|error| Unreadable::as_a_whole(error.message()))
}

/// `text` with `entry` as the server `name` of `section`. Everything else keeps its place, its
/// form and its comments.
pub(super) fn put(
    text: &str,
    section: &str,
    name: &str,
    entry: &Map<String, Value>,
) -> Result<String, Unreadable> {
    let mut document = parse(text)?;
    if !document.contains_key(section) {
        let mut servers = Table::new();
        servers.set_implicit(true);
        document.insert(section, Item::Table(servers));
    }
    let is_inline = document.get(section).is_some_and(Item::is_inline_table);
    let servers = table_in(document.as_table_mut(), section)?;
    if servers.contains_key(name) {
        adapt(table_in(servers, name)?, entry);
    } else if is_inline {
        servers.insert(name, Item::Value(inline(entry).into()));
    } else {
        let mut server = Table::new();
        adapt(&mut server, entry);
        if !text.trim().is_empty() {
            server.decor_mut().set_prefix("\n");
        }
        servers.insert(name, Item::Table(server));
    }
    Ok(with_line_ends_of(text, document))
}

/// `text` without the server `name` of `section`, and without the section if that was all of
/// it and had no line of its own.
pub(super) fn take(text: &str, section: &str, name: &str) -> Result<String, Unreadable> {
    let mut document = parse(text)?;
    if document.contains_key(section) {
        let servers = table_in(document.as_table_mut(), section)?;
        servers.remove(name);
        let is_empty = servers.is_empty();
        let has_a_line = document
            .get(section)
            .and_then(Item::as_table)
            .is_none_or(|servers| !servers.is_implicit());
        if is_empty && !has_a_line {
            document.remove(section);
        }
    }
    Ok(with_line_ends_of(text, document))
}

/// The server `name` of `section` as a document of its own, and the number of servers before it.
pub(super) fn written_server(
    text: &str,
    section: &str,
    name: &str,
) -> Result<Option<(usize, String)>, Unreadable> {
    let mut document = parse(text)?;
    if !document.contains_key(section) {
        return Ok(None);
    }
    let servers = table_in(document.as_table_mut(), section)?;
    let Some(before) = servers.iter().position(|(other, _)| other == name) else {
        return Ok(None);
    };
    let Some(server) = servers.get(name).cloned() else {
        return Ok(None);
    };
    let mut alone = Table::new();
    alone.set_implicit(!server.is_value());
    alone.insert(name, server);
    let mut document = DocumentMut::new();
    document.insert(section, Item::Table(alone));
    Ok(Some((before, document.to_string())))
}

/// `text` with the server `name` of `section` as [`written_server`] read it, after all others.
pub(super) fn put_back(
    text: &str,
    section: &str,
    name: &str,
    alone: &str,
) -> Result<String, Unreadable> {
    let mut document = parse(text)?;
    let mut alone = parse(alone)?;
    let server = table_in(alone.as_table_mut(), section)?.remove(name);
    let mut server = server.ok_or_else(|| Unreadable::as_a_whole("it was not kept whole"))?;
    if !document.contains_key(section) {
        let mut servers = Table::new();
        servers.set_implicit(true);
        document.insert(section, Item::Table(servers));
    }
    let is_inline = document.get(section).is_some_and(Item::is_inline_table);
    let servers = table_in(document.as_table_mut(), section)?;
    if servers.contains_key(name) {
        return Err(Unreadable::as_a_whole(format!("it has `{name}` already")));
    }
    if is_inline {
        server.make_value();
    }
    forget_positions(&mut server);
    servers.insert(name, server);
    Ok(with_line_ends_of(text, document))
}

/// Lets a table stand where it is inserted, and not where it stood in another document.
fn forget_positions(item: &mut Item) {
    if let Some(table) = item.as_table_mut() {
        table.set_position(None);
        for (_, inner) in table.iter_mut() {
            forget_positions(inner);
        }
    }
}

fn parse(text: &str) -> Result<DocumentMut, Unreadable> {
    text.parse().map_err(|error: TomlError| {
        let before = error.span().and_then(|span| text.get(..span.start));
        Unreadable {
            line: before.map(|before| before.matches('\n').count() + 1),
            reason: error.message().to_owned(),
        }
    })
}

fn table_in<'a>(
    table: &'a mut dyn TableLike,
    name: &str,
) -> Result<&'a mut dyn TableLike, Unreadable> {
    let found = table.get_mut(name).and_then(Item::as_table_like_mut);
    found.ok_or_else(|| Unreadable::as_a_whole(format!("`{name}` in it is not a table")))
}

/// Makes `table` say what `wanted` says, and changes nothing that says it already.
fn adapt(table: &mut dyn TableLike, wanted: &Map<String, Value>) {
    let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
    for name in names.iter().filter(|name| !wanted.contains_key(*name)) {
        table.remove(name);
    }
    for (name, value) in wanted {
        match (table.get_mut(name), value) {
            (Some(item), Value::Object(wanted)) if item.is_table_like() => {
                if let Some(inner) = item.as_table_like_mut() {
                    adapt(inner, wanted);
                }
            }
            (Some(item), value) if says(item, value) => {}
            (Some(Item::Value(before)), value) => {
                let mut after = written(value);
                *after.decor_mut() = before.decor().clone();
                *before = after;
            }
            (_, value) => {
                table.insert(name, Item::Value(written(value)));
            }
        }
    }
}

/// True if `item` already says what `value` says to a server.
fn says(item: &Item, value: &Value) -> bool {
    match value {
        Value::String(text) => item.as_str() == Some(text),
        Value::Bool(value) => item.as_bool() == Some(*value),
        Value::Number(number) if number.is_f64() => item.as_float() == number.as_f64(),
        Value::Number(number) => {
            item.as_integer().is_some() && item.as_integer() == number.as_i64()
        }
        Value::Array(values) => item.as_array().is_some_and(|array| {
            let items = array.iter().map(|value| Item::Value(value.clone()));
            array.len() == values.len() && items.zip(values).all(|(item, value)| says(&item, value))
        }),
        // A value that JSON lacks, such as a date, was read as an object and is left as it is.
        Value::Null | Value::Object(_) => true,
    }
}

fn written(value: &Value) -> TomlValue {
    match value {
        Value::Null => "".into(),
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => text.into(),
        Value::Array(values) => values.iter().map(written).collect::<Array>().into(),
        Value::Object(map) => inline(map).into(),
    }
}

fn inline(map: &Map<String, Value>) -> InlineTable {
    let pairs = map
        .iter()
        .map(|(name, value)| (name.as_str(), written(value)));
    pairs.collect()
}

/// The library ends every line with a line feed.
fn with_line_ends_of(text: &str, document: DocumentMut) -> String {
    let written = document.to_string();
    let lines = text.matches('\n').count();
    if lines > 0 && text.matches("\r\n").count() == lines {
        return written.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    written
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry() -> Map<String, Value> {
        let entry = json!({ "command": "/bin/tool", "args": ["serve"], "env": { "A": "é\"\\" } });
        entry.as_object().unwrap().clone()
    }

    #[track_caller]
    fn comes_back(text: &str) {
        let put = put(text, "mcp_servers", "tool-hub", &entry()).unwrap();
        let value = read(&put).unwrap();
        assert_eq!(value["mcp_servers"]["tool-hub"], json!(entry()), "{put}");
        let again = super::put(&put, "mcp_servers", "tool-hub", &entry()).unwrap();
        assert_eq!(again, put, "twice is once");
        assert_eq!(take(&put, "mcp_servers", "tool-hub").unwrap(), text);
    }

    #[test]
    fn what_is_put_can_be_taken() {
        comes_back("");
        comes_back("a = 1\n");
        comes_back("a = 1\r\n\r\n[b]\r\nc = 2 # d\r\n");
        comes_back("# top\na = 1 # c\n\n[b]\nc = 1979-05-27\n# end\n");
        comes_back("[mcp_servers.x]\ncommand = \"y\" # k\n\n# next\n[z]\nq = 1\n");
        comes_back("[mcp_servers.x]\ncommand = \"y\"\n[mcp_servers.x.env]\nA = \"b\"\n");
        comes_back("[mcp_servers]\nx = { command = \"y\" }\n");
        comes_back("mcp_servers.x.command = \"y\"\n");
        comes_back("mcp_servers = { x = { command = \"y\" } }\n");
    }

    #[track_caller]
    fn comes_back_as_written(text: &str) {
        let (_, alone) = written_server(text, "mcp_servers", "x").unwrap().unwrap();
        let taken = take(text, "mcp_servers", "x").unwrap();
        assert!(
            written_server(&taken, "mcp_servers", "x")
                .unwrap()
                .is_none()
        );
        let back = put_back(&taken, "mcp_servers", "x", &alone).unwrap();
        assert_eq!(read(&back), read(text), "{back}");
        let again = written_server(&back, "mcp_servers", "x")
            .unwrap()
            .unwrap()
            .1;
        assert_eq!(again.trim(), alone.trim());
        assert!(put_back(text, "mcp_servers", "x", &alone).is_err());
    }

    #[test]
    fn what_was_taken_is_put_back_as_it_was_written() {
        comes_back_as_written(
            "a = 1\n\n# of mine\n[mcp_servers.x]\ncommand = 'y' # k\n\n[mcp_servers.x.env]\nA = \"b\"\n\n[z]\nq = 1\n",
        );
        comes_back_as_written("[mcp_servers]\nx = { command = \"y\" } # k\n");
        comes_back_as_written("mcp_servers.x.command = \"y\"\n");
        comes_back_as_written("mcp_servers = { x = { command = \"y\" } }\n");
    }

    #[test]
    fn only_what_differs_is_changed() {
        let before = "[mcp_servers.tool-hub]\nargs = [ 'serve' ] # mine\ncommand = \"old\" # was\ngone = 1\n\n[mcp_servers.tool-hub.env]\nA = \"x\" # a\n";
        let after = put(before, "mcp_servers", "tool-hub", &entry()).unwrap();
        assert_eq!(
            after,
            "[mcp_servers.tool-hub]\nargs = [ 'serve' ] # mine\ncommand = \"/bin/tool\" # was\n\n[mcp_servers.tool-hub.env]\nA = 'é\"\\' # a\n"
        );
    }

    #[track_caller]
    fn check_refused(text: &str, expect: &str) {
        let refused = put(text, "mcp_servers", "tool-hub", &entry()).unwrap_err();
        assert_eq!(refused.to_string(), expect, "{text}");
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        check_refused("a = 1\nb = [\n", "line 2: unclosed array, expected `]`");
        check_refused("mcp_servers = 1\n", "`mcp_servers` in it is not a table");
        check_refused(
            "[mcp_servers]\ntool-hub = 1\n",
            "`tool-hub` in it is not a table",
        );
    }
}
