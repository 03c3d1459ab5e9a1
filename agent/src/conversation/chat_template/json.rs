//! The filter `tojson`, which writes JSON byte for byte as Python's `json.dumps` does.

use std::sync::Arc;

use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Error, State, Value};

use super::error::failed;
use super::generator::Generator;
use super::value_limits::affordable;

/// The filter `tojson`, with the arguments and the defaults that chat templates know.
pub(super) fn tojson(state: &State, value: &Value, options: Kwargs) -> Result<Value, Error> {
    let layout = Layout::read(state, &options)?;
    options.assert_all_used()?;
    let mut writer = Writer {
        state,
        layout,
        out: String::new(),
    };
    writer.value(value, 0)?;
    Ok(Value::from(writer.out))
}

struct Layout {
    /// The indentation of one level. `None` for JSON on one line.
    indent: Option<Arc<str>>,
    item_separator: Arc<str>,
    key_separator: Arc<str>,
    ascii: bool,
    sorted: bool,
}

impl Layout {
    fn read(state: &State, options: &Kwargs) -> Result<Self, Error> {
        let given = |name| {
            let value = options.get::<Option<Value>>(name)?;
            Ok::<_, Error>(value.filter(|value| !value.is_none()))
        };
        let indent = match given("indent")? {
            None => None,
            Some(value) => Some(match value.to_str() {
                Some(text) => text,
                None => {
                    let width = usize::try_from(i64::try_from(value)?.max(0)).unwrap_or(0);
                    affordable(state, width)?;
                    " ".repeat(width).into()
                }
            }),
        };
        let (item_separator, key_separator) = match given("separators")? {
            Some(pair) => {
                let separator = |at| pair.get_item_by_index(at)?.to_str().ok_or_else(two_texts);
                (separator(0)?, separator(1)?)
            }
            None => {
                let item_separator = if indent.is_some() { "," } else { ", " };
                (item_separator.into(), ": ".into())
            }
        };
        let is_set = |name| Ok::<_, Error>(given(name)?.is_some_and(|value| value.is_true()));
        Ok(Self {
            indent,
            item_separator,
            key_separator,
            ascii: is_set("ensure_ascii")?,
            sorted: is_set("sort_keys")?,
        })
    }
}

fn two_texts() -> Error {
    failed("expected two texts in `separators`")
}

struct Writer<'a> {
    state: &'a State<'a, 'a>,
    layout: Layout,
    out: String,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value, depth: usize) -> Result<(), Error> {
        if value.downcast_object_ref::<Generator>().is_some() {
            return Err(failed("Object of type generator is not JSON serializable"));
        }
        match value.kind() {
            ValueKind::None => self.out.push_str("null"),
            ValueKind::Bool => self
                .out
                .push_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::Number => self.number(value),
            ValueKind::String => self.string(value.as_str().unwrap_or_default()),
            ValueKind::Seq | ValueKind::Iterable => {
                let items = value.try_iter()?;
                self.items('[', ']', items, depth, |writer, item| {
                    writer.value(&item, depth + 1)
                })?;
            }
            ValueKind::Map => {
                let mut keys: Vec<Value> = value.try_iter()?.collect();
                if self.layout.sorted {
                    keys.sort_by_cached_key(ToString::to_string);
                }
                self.items('{', '}', keys, depth, |writer, key| {
                    match key.kind() {
                        ValueKind::String => writer.string(key.as_str().unwrap_or_default()),
                        ValueKind::Bool | ValueKind::None | ValueKind::Number => {
                            writer.out.push('"');
                            writer.value(&key, depth)?;
                            writer.out.push('"');
                        }
                        kind => return Err(failed(format!("a key cannot be a {kind}"))),
                    }
                    writer.out.push_str(&writer.layout.key_separator);
                    writer.value(&value.get_item(&key)?, depth + 1)
                })?;
            }
            kind => return Err(failed(format!("`tojson` cannot write an {kind} value"))),
        }
        Ok(())
    }

    fn items<T>(
        &mut self,
        open: char,
        close: char,
        items: impl IntoIterator<Item = T>,
        depth: usize,
        mut write: impl FnMut(&mut Self, T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let layout = &self.layout;
        // Separators and indentation may be long, and are repeated.
        let between = layout.item_separator.len().max(layout.key_separator.len());
        let indented = layout.indent.as_ref().map_or(0, |it| it.len()) * (depth + 2);
        self.out.push(open);
        let mut is_empty = true;
        for item in items {
            if !is_empty {
                self.out.push_str(&self.layout.item_separator);
            }
            is_empty = false;
            affordable(self.state, self.out.len() + between + indented)?;
            self.break_line(depth + 1);
            write(self, item)?;
        }
        if !is_empty {
            self.break_line(depth);
        }
        self.out.push(close);
        Ok(())
    }

    fn break_line(&mut self, depth: usize) {
        if let Some(indent) = &self.layout.indent {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n(&**indent, depth));
        }
    }

    fn number(&mut self, value: &Value) {
        match f64::try_from(value.clone()) {
            Ok(number) if !value.is_integer() => self.out.push_str(&float(number)),
            _ => self.out.push_str(&value.to_string()),
        }
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for character in text.chars() {
            match character {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                '\0'..='\u{1f}' => self.escape(u16::try_from(u32::from(character)).unwrap_or(0)),
                character if self.layout.ascii && !character.is_ascii() => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        self.escape(*unit);
                    }
                }
                character => self.out.push(character),
            }
        }
        self.out.push('"');
    }

    fn escape(&mut self, unit: u16) {
        self.out.push_str(&format!("\\u{unit:04x}"));
    }
}

/// A float as `repr` writes it: the shortest text that is read as the same, with an exponent
/// below 1e-4 and from 1e16 on.
fn float(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .to_owned();
    }
    let scientific = format!("{number:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if number != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    format!("{number:?}")
}
