//! Values as Python's `str` and `repr` write them.

use std::fmt::Write as _;

use crate::error::Outcome;
use crate::render::Renderer;
use crate::value::{Function, Members, Part, Value};

impl<'a> Renderer<'a> {
    /// As `str` writes it, which is how it is printed.
    #[inline]
    pub(crate) fn write_text(&mut self, value: Value<'a>) -> Outcome<()> {
        match value {
            Value::Str(text) | Value::Markup(text) => self.push(text),
            Value::Undefined(_) => Ok(()),
            other => self.write_repr(other),
        }
    }

    pub(crate) fn write_repr(&mut self, value: Value<'a>) -> Outcome<()> {
        self.charge(1)?;
        match value {
            Value::Undefined(_) => self.push("Undefined"),
            Value::None => self.push("None"),
            Value::Bool(true) => self.push("True"),
            Value::Bool(false) => self.push("False"),
            Value::Int(number) => self.write_integer(number),
            Value::Float(number) => self.push(&float(number)),
            Value::Str(text) => self.write_quoted(text),
            Value::Markup(text) => {
                self.push("Markup(")?;
                self.write_quoted(text)?;
                self.push(")")
            }
            Value::List(items) => self.write_items("[", items.iter(), "]"),
            Value::Tuple([only]) => self.write_items("(", [*only].into_iter(), ",)"),
            Value::Tuple(items) => self.write_items("(", items.iter().copied(), ")"),
            Value::Dict(members) => self.write_members(members),
            other => self.write_object(other),
        }
    }

    fn write_object(&mut self, value: Value<'a>) -> Outcome<()> {
        match value {
            Value::View(view) => {
                let members = view.members.iter();
                match view.part {
                    Part::Keys => self.write_items("dict_keys([", members.map(|it| it.0), "])"),
                    Part::Values => self.write_items("dict_values([", members.map(|it| it.1), "])"),
                    Part::Items => {
                        self.push("dict_items([")?;
                        for (at, (key, value)) in members.enumerate() {
                            self.push(if at > 0 { ", " } else { "" })?;
                            self.write_items("(", [*key, *value].into_iter(), ")")?;
                        }
                        self.push("])")
                    }
                }
            }
            Value::Range(range) => {
                let (start, stop) = (range.start, range.stop);
                self.push(&match range.step {
                    1 => format!("range({start}, {stop})"),
                    step => format!("range({start}, {stop}, {step})"),
                })
            }
            Value::Namespace(namespace) => {
                let members = namespace.members.get();
                let pairs = self
                    .memory
                    .filled(members.len(), |at| (members[at].0, members[at].1.get()))?;
                self.push("<Namespace ")?;
                self.write_members(Members::Values(pairs))?;
                self.push(">")
            }
            Value::Loop(turns) => {
                let length = self.loop_length(turns)?;
                self.push(&format!("<LoopContext {}/{length}>", turns.index.get()))
            }
            Value::Macro(closure) => match &closure.definition.name {
                Some(name) => {
                    self.push("<Macro ")?;
                    self.write_quoted(name)?;
                    self.push(">")
                }
                None => self.push("<Macro anonymous>"),
            },
            Value::Function(Function::Range) => self.push("<class 'range'>"),
            Value::Function(_) => self.push("<function>"),
            other => self.push(&format!("<{} object>", other.kind())),
        }
    }

    fn write_items(
        &mut self,
        open: &str,
        items: impl Iterator<Item = Value<'a>>,
        close: &str,
    ) -> Outcome<()> {
        self.enter()?;
        self.push(open)?;
        for (at, item) in items.enumerate() {
            if at > 0 {
                self.push(", ")?;
            }
            self.write_repr(item)?;
        }
        self.leave();
        self.push(close)
    }

    fn write_members(&mut self, members: Members<'a>) -> Outcome<()> {
        self.enter()?;
        self.push("{")?;
        for (at, (key, value)) in members.iter().enumerate() {
            if at > 0 {
                self.push(", ")?;
            }
            self.write_repr(key)?;
            self.push(": ")?;
            self.write_repr(value)?;
        }
        self.leave();
        self.push("}")
    }

    pub(crate) fn write_integer(&mut self, number: i128) -> Outcome<()> {
        match i64::try_from(number) {
            Ok(number) => self.push_format(format_args!("{number}")),
            Err(_) => self.push_format(format_args!("{number}")),
        }
    }

    /// A text in quotes, double ones where it has single ones and no double ones.
    fn write_quoted(&mut self, text: &str) -> Outcome<()> {
        let quote = match text.contains('\'') && !text.contains('"') {
            true => "\"",
            false => "'",
        };
        self.push(quote)?;
        let mut copied = 0;
        for (at, character) in text.char_indices() {
            let is_plain = match character {
                ' '..='~' => character != '\\' && !quote.starts_with(character),
                '\0'..='\u{7f}' => false,
                other => is_printable(other),
            };
            if !is_plain {
                self.push(&text[copied..at])?;
                self.push(&escaped(character))?;
                copied = at + character.len_utf8();
            }
        }
        self.push(&text[copied..])?;
        self.push(quote)
    }
}

fn is_printable(character: char) -> bool {
    // Only at the beginning are combining characters taken for unprintable.
    let mut text = [0; 8];
    text[0] = b'a';
    let length = 1 + character.encode_utf8(&mut text[1..]).len();
    std::str::from_utf8(&text[..length]).is_ok_and(|text| text.escape_debug().count() == 2)
}

fn escaped(character: char) -> String {
    match character {
        '\\' | '\'' | '"' => format!("\\{character}"),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        other => match u32::from(other) {
            code @ 0..=0xff => format!("\\x{code:02x}"),
            code @ 0..=0xffff => format!("\\u{code:04x}"),
            code => format!("\\U{code:08x}"),
        },
    }
}

/// A float as `repr` writes it: the shortest text that is read as the same, with an exponent
/// below 1e-4 and from 1e16 on.
pub(crate) fn float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let magnitude = number.abs();
    let mut text = String::new();
    // Writing to a text does not fail.
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
        let _ = write!(text, "{number:e}");
        if let Some((digits, exponent)) = text.split_once('e') {
            let exponent: i32 = exponent.parse().unwrap_or(0);
            let sign = if exponent < 0 { '-' } else { '+' };
            return format!("{digits}e{sign}{:02}", exponent.abs());
        }
    } else {
        let _ = write!(text, "{number:?}");
    }
    text
}
