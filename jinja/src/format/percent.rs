//! The operator `%` of texts.

use crate::error::{Outcome, failed};
use crate::html;
use crate::number;
use crate::render::Renderer;
use crate::value::{Members, Value};

use super::Layout;

/// What is laid out, one value after the other or by name.
struct Given<'a> {
    values: &'a [Value<'a>],
    members: Option<Members<'a>>,
    taken: usize,
    /// Whether all of them have to be used.
    is_counted: bool,
}

impl<'a> Given<'a> {
    fn next(&mut self) -> Outcome<Value<'a>> {
        let Some(value) = self.values.get(self.taken) else {
            return failed("not enough arguments for format string");
        };
        self.taken += 1;
        Ok(*value)
    }
}

impl<'a> Renderer<'a> {
    /// `format % given`; `like` is the format as a value.
    pub(crate) fn percent(
        &mut self,
        like: Value<'a>,
        format: &'a str,
        given: Value<'a>,
    ) -> Outcome<Value<'a>> {
        let mut given = Given {
            values: match given {
                Value::Tuple(values) => values,
                other => self.memory.slice(&[other])?,
            },
            members: match given {
                Value::Dict(members) => Some(members),
                _ => None,
            },
            taken: 0,
            is_counted: !matches!(
                given,
                Value::Dict(_) | Value::List(_) | Value::Range(_) | Value::Undefined(_)
            ),
        };
        let text = self.text(|it| {
            let mut rest = format;
            while let Some((before, after)) = rest.split_once('%') {
                it.push(before)?;
                rest = it.percent_item(like, after, &mut given)?;
            }
            it.push(rest)
        })?;
        if given.is_counted && given.taken < given.values.len() {
            return failed("not all arguments converted during string formatting");
        }
        Ok(like.like(text))
    }

    /// Writes one value as `rest`, which follows a `%`, says, and returns what comes next.
    fn percent_item(
        &mut self,
        like: Value<'a>,
        rest: &'a str,
        given: &mut Given<'a>,
    ) -> Outcome<&'a str> {
        self.charge(1)?;
        let mut rest = rest;
        let mut named = None;
        if let Some(after) = rest.strip_prefix('(') {
            let Some(end) = closing(after) else {
                return failed("incomplete format key");
            };
            let Some(members) = given.members else {
                return failed("format requires a mapping");
            };
            let name = &after[..end];
            rest = &after[end + 1..];
            match self.member(members, name)? {
                Some(value) => named = Some(value),
                None => return failed(format!("KeyError: '{name}'")),
            }
        }
        let mut layout = Layout::default();
        let (mut is_left, mut is_zero) = (false, false);
        let flags = rest.find(|it| !"#0- +".contains(it)).unwrap_or(rest.len());
        for flag in rest[..flags].chars() {
            match flag {
                '#' => layout.is_alternate = true,
                '0' => is_zero = true,
                '-' => is_left = true,
                '+' => layout.sign = Some('+'),
                _ => layout.sign = layout.sign.or(Some(' ')),
            }
        }
        rest = &rest[flags..];
        let (width, after) = self.percent_number(rest, given)?;
        is_left |= width < 0;
        layout.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
        rest = after;
        if let Some(after) = rest.strip_prefix('.') {
            let (precision, after) = self.percent_number(after, given)?;
            layout.precision = Some(usize::try_from(precision.max(0)).unwrap_or(usize::MAX));
            rest = after;
        }
        layout.check()?;
        rest = rest.strip_prefix(['h', 'l', 'L']).unwrap_or(rest);
        let Some(kind) = rest.chars().next() else {
            return failed("incomplete format");
        };
        rest = &rest[kind.len_utf8()..];
        if kind == '%' {
            self.push("%")?;
            return Ok(rest);
        }
        layout.align = Some(if is_left { '<' } else { '>' });
        if is_zero && !is_left && !"sracr".contains(kind) {
            (layout.align, layout.filling) = (Some('='), '0');
        }
        let value = match named {
            Some(value) => value,
            None => given.next()?,
        };
        let text = self.percent_text(kind, layout, value)?;
        match (like, value) {
            (Value::Markup(_), Value::Markup(_) | Value::Int(_) | Value::Float(_)) => {
                self.push(&text)?;
            }
            (Value::Markup(_), _) => html::write_escaped(self, &text)?,
            _ => self.push(&text)?,
        }
        Ok(rest)
    }

    /// A width or a precision, which may be the next value.
    fn percent_number(&mut self, rest: &'a str, given: &mut Given<'a>) -> Outcome<(i128, &'a str)> {
        if let Some(after) = rest.strip_prefix('*') {
            return match given.next()?.as_integer() {
                Some(number) => Ok((number, after)),
                None => failed("* wants int"),
            };
        }
        let digits = rest
            .find(|it: char| !it.is_ascii_digit())
            .unwrap_or(rest.len());
        let (digits, after) = rest.split_at(digits);
        match digits.parse() {
            Ok(number) => Ok((number, after)),
            Err(_) if digits.is_empty() => Ok((0, after)),
            Err(_) => failed("width too big"),
        }
    }

    fn percent_text(&mut self, kind: char, layout: Layout, value: Value<'a>) -> Outcome<String> {
        let mut layout = layout;
        match kind {
            's' => {
                let text = self.text_of(value)?;
                Ok(layout.text(text))
            }
            'r' | 'a' => {
                let text = self.text(|it| it.write_repr(value))?;
                Ok(layout.text(text))
            }
            'c' => match value {
                Value::Str(text) | Value::Markup(text) if text.chars().count() == 1 => {
                    Ok(layout.text(text))
                }
                Value::Int(_) | Value::Bool(_) => {
                    let code = value.as_integer().unwrap_or(0);
                    let code = u32::try_from(code).ok().and_then(char::from_u32);
                    match code {
                        Some(character) => Ok(layout.text(&character.to_string())),
                        None => failed("%c arg not in range(0x110000)"),
                    }
                }
                _ => failed("%c requires int or char"),
            },
            'd' | 'i' | 'u' => match value {
                Value::Float(number) => match number::truncated(number) {
                    Some(number) => exact(&layout, number),
                    None => failed("cannot convert float to integer"),
                },
                other => match other.as_integer() {
                    Some(number) => exact(&layout, number),
                    None => {
                        let kind = other.kind();
                        failed(format!("%d format: a real number is required, not {kind}"))
                    }
                },
            },
            'o' | 'x' | 'X' => match value.as_integer() {
                Some(number) => {
                    layout.kind = Some(kind);
                    exact(&layout, number)
                }
                None => {
                    let found = value.kind();
                    failed(format!(
                        "%{kind} format: an integer is required, not {found}"
                    ))
                }
            },
            'e' | 'E' | 'f' | 'F' | 'g' | 'G' => match value.as_float() {
                Some(number) => {
                    layout.kind = Some(kind);
                    layout.float(number)
                }
                None => failed(format!("must be real number, not {}", value.kind())),
            },
            other => failed(format!("unsupported format character '{other}'")),
        }
    }
}

/// An integer with at least as many digits as the precision says.
fn exact(layout: &Layout, number: i128) -> Outcome<String> {
    let Some(precision) = layout.precision else {
        return layout.integer(number);
    };
    let inner = Layout {
        width: precision + usize::from(number < 0 || layout.sign.is_some()),
        filling: '0',
        align: Some('='),
        ..*layout
    };
    let text = inner.integer(number)?;
    Ok(layout.padded(&text, '>'))
}

/// Where a key ends that may have parentheses itself.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}
