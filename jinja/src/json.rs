//! JSON as Python's `json.dumps` writes it, which templates show to models byte for byte.

use crate::error::{Outcome, failed};
use crate::render::{Args, Renderer};
use crate::repr;
use crate::value::{Items, Members, Value};

/// How far one level may be indented.
const INDENT_MAX: i128 = 1_000;

/// Which bytes stand for themselves in a text.
const PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let mut control = 0;
    while control < 0x20 {
        plain[control] = false;
        control += 1;
    }
    plain[b'"' as usize] = false;
    plain[b'\\' as usize] = false;
    plain
};

/// How JSON is laid out.
struct Layout<'a> {
    /// What one level is indented by. Absent where all is in one line.
    indent: Option<&'a str>,
    item: &'a str,
    key: &'a str,
    is_ascii: bool,
    is_sorted: bool,
}

impl<'a> Renderer<'a> {
    /// The filter `tojson` with its arguments, written.
    pub(crate) fn write_json_as_asked(&mut self, value: Value<'a>, args: Args<'a>) -> Outcome<()> {
        let layout = match args.positional.is_empty() && args.keywords.is_empty() {
            true => Layout {
                indent: None,
                item: ", ",
                key: ": ",
                is_ascii: false,
                is_sorted: false,
            },
            false => self.layout(args)?,
        };
        self.write_json(value, &layout, 0)
    }

    fn layout(&mut self, args: Args<'a>) -> Outcome<Layout<'a>> {
        let names = ["ensure_ascii", "indent", "separators", "sort_keys"];
        let [ascii, indent, separators, sorted] = args.bind("tojson", names)?;
        let indent = match indent {
            None | Some(Value::None) => None,
            Some(Value::Str(text) | Value::Markup(text)) => Some(text),
            Some(other) => match other.as_integer() {
                Some(width) if width <= INDENT_MAX => {
                    Some(self.memory.text(&" ".repeat(width.max(0) as usize))?)
                }
                _ => return failed("`indent` is a small number or a text"),
            },
        };
        let (item, key) = match separators {
            None | Some(Value::None) if indent.is_some() => (",", ": "),
            None | Some(Value::None) => (", ", ": "),
            Some(pair) => {
                let items = pair.as_items().unwrap_or(Items::Values(&[]));
                let text = |at| items.get(at).and_then(Value::as_text);
                match (text(0), text(1), items.len()) {
                    (Some(item), Some(key), 2) => (item, key),
                    _ => return failed("`separators` are two texts"),
                }
            }
        };
        Ok(Layout {
            indent,
            item,
            key,
            is_ascii: ascii.is_some_and(Value::is_true),
            is_sorted: sorted.is_some_and(Value::is_true),
        })
    }

    fn write_json(&mut self, value: Value<'a>, layout: &Layout<'a>, level: usize) -> Outcome<()> {
        self.charge(1)?;
        match value {
            Value::Str(text) | Value::Markup(text) => self.write_json_text(text, layout),
            Value::None => self.push("null"),
            Value::Bool(true) => self.push("true"),
            Value::Bool(false) => self.push("false"),
            Value::Int(number) => self.write_integer(number),
            Value::Float(number) => self.push(&float(number)),
            Value::List(items) => self.write_json_items(items, layout, level),
            Value::Tuple(items) => self.write_json_items(Items::Values(items), layout, level),
            Value::Dict(members) => self.write_json_members(members, layout, level),
            other => failed(format!(
                "Object of type {} is not JSON serializable",
                other.kind()
            )),
        }
    }

    fn write_json_items(
        &mut self,
        items: Items<'a>,
        layout: &Layout<'a>,
        level: usize,
    ) -> Outcome<()> {
        if items.len() == 0 {
            return self.push("[]");
        }
        self.enter()?;
        self.push("[")?;
        for at in 0..items.len() {
            self.next_in_json(at, layout, level + 1)?;
            if let Some(item) = items.get(at) {
                self.write_json(item, layout, level + 1)?;
            }
        }
        self.new_line(layout, level)?;
        self.leave();
        self.push("]")
    }

    fn write_json_members(
        &mut self,
        members: Members<'a>,
        layout: &Layout<'a>,
        level: usize,
    ) -> Outcome<()> {
        if members.len() == 0 {
            return self.push("{}");
        }
        self.enter()?;
        self.push("{")?;
        if layout.is_sorted {
            let sorted = self.sorted(members.iter().collect(), false)?;
            for (at, (key, value)) in sorted.into_iter().enumerate() {
                self.write_json_member(at, key, value, layout, level)?;
            }
        } else {
            for (at, (key, value)) in members.iter().enumerate() {
                self.write_json_member(at, key, value, layout, level)?;
            }
        }
        self.new_line(layout, level)?;
        self.leave();
        self.push("}")
    }

    fn write_json_member(
        &mut self,
        at: usize,
        key: Value<'a>,
        value: Value<'a>,
        layout: &Layout<'a>,
        level: usize,
    ) -> Outcome<()> {
        self.next_in_json(at, layout, level + 1)?;
        match key {
            Value::Str(text) | Value::Markup(text) => self.write_json_text(text, layout)?,
            Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) => {
                self.push("\"")?;
                self.write_json(key, layout, level)?;
                self.push("\"")?;
            }
            other => {
                let kind = other.kind();
                return failed(format!(
                    "keys must be str, int, float, bool or None, not {kind}"
                ));
            }
        }
        self.push(layout.key)?;
        self.write_json(value, layout, level + 1)
    }

    fn next_in_json(&mut self, at: usize, layout: &Layout<'a>, level: usize) -> Outcome<()> {
        if at > 0 {
            self.push(layout.item)?;
        }
        self.new_line(layout, level)
    }

    fn new_line(&mut self, layout: &Layout<'a>, level: usize) -> Outcome<()> {
        if let Some(indent) = layout.indent {
            self.push("\n")?;
            for _ in 0..level {
                self.push(indent)?;
            }
        }
        Ok(())
    }

    fn write_json_text(&mut self, text: &str, layout: &Layout<'a>) -> Outcome<()> {
        let is_plain = |byte: u8| PLAIN[byte as usize] && !(layout.is_ascii && byte >= 0x7f);
        let Some(first) = text.bytes().position(|byte| !is_plain(byte)) else {
            return self.push_quoted(text);
        };
        self.push("\"")?;
        let mut copied = 0;
        for (at, byte) in text.bytes().enumerate().skip(first) {
            // Where a character was escaped, the rest of its bytes was as well.
            if is_plain(byte) || at < copied {
                continue;
            }
            let character = text[at..].chars().next().unwrap_or_default();
            self.push(&text[copied..at])?;
            self.push_escaped(character)?;
            copied = at + character.len_utf8();
        }
        self.push(&text[copied..])?;
        self.push("\"")
    }

    fn push_escaped(&mut self, character: char) -> Outcome<()> {
        self.push(match character {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\u{8}' => "\\b",
            '\u{c}' => "\\f",
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    self.push_format(format_args!("\\u{unit:04x}"))?;
                }
                return Ok(());
            }
        })
    }
}

fn float(number: f64) -> String {
    match number {
        number if number.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "Infinity".to_owned(),
        f64::NEG_INFINITY => "-Infinity".to_owned(),
        number => repr::float(number),
    }
}
