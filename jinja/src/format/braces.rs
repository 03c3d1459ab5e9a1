//! The method `format` of texts.

use crate::error::{Outcome, failed};
use crate::html;
use crate::methods;
use crate::render::{Args, Renderer};
use crate::value::Value;

use super::Layout;

/// How fields that have no number are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbering {
    Unknown,
    Automatic(usize),
    Manual,
}

struct Fields<'a> {
    /// What it is a format of.
    like: Value<'a>,
    args: Args<'a>,
    numbering: Numbering,
}

impl<'a> Renderer<'a> {
    /// `format.format(…)`; `like` is the format as a value.
    pub(crate) fn braces(
        &mut self,
        like: Value<'a>,
        format: &'a str,
        args: Args<'a>,
    ) -> Outcome<Value<'a>> {
        let mut fields = Fields {
            like,
            args,
            numbering: Numbering::Unknown,
        };
        let text = self.text(|it| it.write_fields(format, &mut fields, 2))?;
        Ok(like.like(text))
    }

    /// Writes `format`, whose fields may have fields `levels` deep.
    fn write_fields(
        &mut self,
        format: &'a str,
        fields: &mut Fields<'a>,
        levels: usize,
    ) -> Outcome<()> {
        let Some(levels) = levels.checked_sub(1) else {
            return failed("Max string recursion exceeded");
        };
        let mut rest = format;
        while let Some(at) = rest.find(['{', '}']) {
            self.charge(1)?;
            self.push(&rest[..at])?;
            let brace = &rest[at..at + 1];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                self.push(brace)?;
                rest = after;
            } else if brace == "}" {
                return failed("Single '}' encountered in format string");
            } else {
                let Some(end) = end_of_field(rest) else {
                    return failed("expected '}' before end of string");
                };
                self.write_field(&rest[..end], fields, levels)?;
                rest = &rest[end + 1..];
            }
        }
        self.push(rest)
    }

    fn write_field(
        &mut self,
        field: &'a str,
        fields: &mut Fields<'a>,
        levels: usize,
    ) -> Outcome<()> {
        let (name, spec) = split_field(field);
        let (name, conversion) = match name.split_once('!') {
            Some((name, conversion)) => (name, Some(conversion)),
            None => (name, None),
        };
        let mut value = self.field_value(name, fields)?;
        match conversion {
            None => {}
            Some("s") => value = Value::Str(self.text_of(value)?),
            Some("r" | "a") => value = Value::Str(self.text(|it| it.write_repr(value))?),
            Some(_) => return failed("Unknown conversion specifier"),
        }
        let spec = match spec.contains(['{', '}']) {
            true => self.text(|it| it.write_fields(spec, fields, levels))?,
            false => spec,
        };
        let text = self.laid_out(value, spec)?;
        match (fields.like, value) {
            (Value::Markup(_), Value::Markup(_)) => self.push(&text),
            (Value::Markup(_), _) => html::write_escaped(self, &text),
            _ => self.push(&text),
        }
    }

    /// The value that `name.attribute[item]` stands for.
    fn field_value(&mut self, name: &'a str, fields: &mut Fields<'a>) -> Outcome<Value<'a>> {
        let end = name.find(['.', '[']).unwrap_or(name.len());
        let (first, mut rest) = name.split_at(end);
        let mut value = self.first_value(first, fields)?;
        while !rest.is_empty() {
            self.charge(1)?;
            if let Some(after) = rest.strip_prefix('.') {
                let end = after.find(['.', '[']).unwrap_or(after.len());
                let (name, after) = after.split_at(end);
                value = self.attribute(value, name, methods::find(name))?;
                rest = after;
            } else if let Some((item, after)) =
                rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
            {
                let key = match item.parse::<u32>() {
                    Ok(index) => Value::Int(index.into()),
                    Err(_) => Value::Str(item),
                };
                value = self.item(value, key)?;
                rest = after;
            } else {
                return failed("Only '.' or '[' may follow ']' in format field specifier");
            }
        }
        Ok(value)
    }

    fn first_value(&mut self, name: &str, fields: &mut Fields<'a>) -> Outcome<Value<'a>> {
        let index = match (name.parse::<usize>(), fields.numbering) {
            (Ok(index), Numbering::Unknown | Numbering::Manual) => {
                fields.numbering = Numbering::Manual;
                index
            }
            (Err(_), Numbering::Unknown) if name.is_empty() => {
                fields.numbering = Numbering::Automatic(1);
                0
            }
            (Err(_), Numbering::Automatic(next)) if name.is_empty() => {
                fields.numbering = Numbering::Automatic(next + 1);
                next
            }
            (Err(_), _) if !name.is_empty() => {
                let mut keywords = fields.args.keywords.iter();
                return match keywords.find(|(known, _)| *known == name) {
                    Some((_, value)) => Ok(*value),
                    None => failed(format!("KeyError: '{name}'")),
                };
            }
            _ => {
                return failed("cannot switch between manual and automatic field numbering");
            }
        };
        match fields.args.positional.get(index) {
            Some(value) => Ok(*value),
            None => failed(format!(
                "Replacement index {index} out of range for positional args tuple"
            )),
        }
    }

    fn laid_out(&mut self, value: Value<'a>, spec: &str) -> Outcome<String> {
        if spec.is_empty() {
            return Ok(self.text_of(value)?.to_owned());
        }
        let mut layout = read(spec)?;
        layout.check()?;
        let kind = layout.kind;
        match value {
            Value::Str(text) | Value::Markup(text) => {
                if !matches!(kind, None | Some('s'))
                    || layout.sign.is_some()
                    || layout.align == Some('=')
                    || layout.grouping.is_some()
                    || layout.is_alternate
                {
                    return failed("the layout is not one of a text");
                }
                Ok(layout.text(text))
            }
            Value::Float(number) => match kind {
                None | Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%') => layout.float(number),
                Some('n') => {
                    layout.kind = Some('g');
                    layout.float(number)
                }
                _ => failed("the layout is not one of a float"),
            },
            other => match (other.as_integer(), kind) {
                (Some(number), Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%')) => {
                    layout.float(number as f64)
                }
                (Some(_), _) if layout.precision.is_some() => {
                    failed("Precision not allowed in integer format specifier")
                }
                (Some(code), Some('c')) => {
                    match u32::try_from(code).ok().and_then(char::from_u32) {
                        Some(character) => Ok(layout.padded(&character.to_string(), '<')),
                        None => failed("%c arg not in range(0x110000)"),
                    }
                }
                (Some(number), None | Some('b' | 'd' | 'o' | 'x' | 'X' | 'n')) => {
                    layout.integer(number)
                }
                _ => failed(format!(
                    "unsupported format string passed to {}.__format__",
                    other.kind()
                )),
            },
        }
    }
}

/// Where a field ends that may have fields itself.
fn end_of_field(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// What a field names, and how that is laid out.
fn split_field(field: &str) -> (&str, &str) {
    let mut in_brackets = false;
    for (at, byte) in field.bytes().enumerate() {
        match byte {
            b'[' => in_brackets = true,
            b']' => in_brackets = false,
            b':' if !in_brackets => return (&field[..at], &field[at + 1..]),
            _ => {}
        }
    }
    (field, "")
}

/// Reads `[[fill]align][sign][#][0][width][,][.precision][kind]`.
fn read(spec: &str) -> Outcome<Layout> {
    let mut layout = Layout::default();
    let is_align = |it: &char| "<>=^".contains(*it);
    let mut rest = spec;
    let mut characters = spec.chars();
    let (first, second) = (characters.next(), characters.next());
    if let (Some(filling), Some(align)) = (first, second.filter(is_align)) {
        (layout.filling, layout.align) = (filling, Some(align));
        rest = &rest[filling.len_utf8() + 1..];
    } else if let Some(align) = first.filter(is_align) {
        layout.align = Some(align);
        rest = &rest[1..];
    }
    if let Some(sign) = rest.chars().next().filter(|it| "+- ".contains(*it)) {
        layout.sign = Some(sign);
        rest = &rest[1..];
    }
    if let Some(after) = rest.strip_prefix('#') {
        layout.is_alternate = true;
        rest = after;
    }
    if let (Some(after), None) = (rest.strip_prefix('0'), layout.align) {
        (layout.filling, layout.align) = ('0', Some('='));
        rest = after;
    }
    (layout.width, rest) = number(rest)?;
    if let Some(separator) = rest.chars().next().filter(|it| ",_".contains(*it)) {
        layout.grouping = Some(separator);
        rest = &rest[1..];
    }
    if let Some(after) = rest.strip_prefix('.') {
        if !after.starts_with(|it: char| it.is_ascii_digit()) {
            return failed("Format specifier missing precision");
        }
        let (precision, after) = number(after)?;
        (layout.precision, rest) = (Some(precision), after);
    }
    layout.kind = rest.chars().next();
    if rest.chars().count() > 1 {
        return failed("Invalid format specifier");
    }
    Ok(layout)
}

fn number(text: &str) -> Outcome<(usize, &str)> {
    let digits = text
        .find(|it: char| !it.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(digits);
    match digits.parse() {
        Ok(number) => Ok((number, rest)),
        Err(_) if digits.is_empty() => Ok((0, rest)),
        Err(_) => failed("Too many decimal digits in format string"),
    }
}
