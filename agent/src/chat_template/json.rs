//! JSON as Python's `json.dumps` writes it, which templates show to models byte for byte.

use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Error, Value};

use super::environment::invalid;
use super::generator::Generator;

/// The filter `tojson`, with the arguments and the defaults that chat templates know.
pub(super) fn tojson(value: &Value, options: Kwargs) -> Result<Value, Error> {
    let layout = Layout::read(&options)?;
    options.assert_all_used()?;
    let mut json = String::new();
    Writer {
        layout,
        out: &mut json,
    }
    .value(value, 0)?;
    Ok(Value::from(json))
}

struct Layout {
    /// What one level is indented by. Absent where all is in one line.
    indent: Option<String>,
    item: String,
    key: String,
    ascii: bool,
    sorted: bool,
}

impl Layout {
    fn read(options: &Kwargs) -> Result<Self, Error> {
        let indent = match options.get::<Option<Value>>("indent")? {
            None => None,
            Some(value) if value.is_none() => None,
            Some(value) => Some(match value.as_str() {
                Some(text) => text.to_owned(),
                None => " ".repeat(usize::try_from(i64::try_from(value)?.max(0)).unwrap_or(0)),
            }),
        };
        let (item, key) = match options.get::<Option<Value>>("separators")? {
            Some(value) if !value.is_none() => {
                let pair: Vec<String> = value.try_iter()?.map(|it| it.to_string()).collect();
                let [item, key] = <[String; 2]>::try_from(pair)
                    .map_err(|_| invalid("`separators` of `tojson` are two texts"))?;
                (item, key)
            }
            _ => {
                let item = if indent.is_some() { "," } else { ", " };
                (item.to_owned(), ": ".to_owned())
            }
        };
        Ok(Self {
            indent,
            item,
            key,
            ascii: options
                .get::<Option<bool>>("ensure_ascii")?
                .unwrap_or(false),
            sorted: options.get::<Option<bool>>("sort_keys")?.unwrap_or(false),
        })
    }
}

struct Writer<'a> {
    layout: Layout,
    out: &'a mut String,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value, depth: usize) -> Result<(), Error> {
        if value.downcast_object_ref::<Generator>().is_some() {
            return Err(invalid("Object of type generator is not JSON serializable"));
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
                        kind => return Err(invalid(format!("a key cannot be a {kind}"))),
                    }
                    let key_separator = writer.layout.key.clone();
                    writer.out.push_str(&key_separator);
                    writer.value(&value.get_item(&key)?, depth + 1)
                })?;
            }
            kind => return Err(invalid(format!("`tojson` cannot write an {kind} value"))),
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
        self.out.push(open);
        let mut is_empty = true;
        for item in items {
            if !is_empty {
                let separator = self.layout.item.clone();
                self.out.push_str(&separator);
            }
            is_empty = false;
            self.line(depth + 1);
            write(self, item)?;
        }
        if !is_empty {
            self.line(depth);
        }
        self.out.push(close);
        Ok(())
    }

    fn line(&mut self, depth: usize) {
        if let Some(indent) = &self.layout.indent {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n(indent.as_str(), depth));
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
