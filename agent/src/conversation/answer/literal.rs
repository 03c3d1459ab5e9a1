//! Reads values that are not JSON: Python literals and calls, and objects with unquoted names.

use serde_json::{Map, Number, Value};

use super::scan::{DEPTH_MAX, Quotes};
use crate::conversation::message::ToolCall;

/// The reason why a text is not a value.
pub(super) type ParseError = &'static str;

/// Parses the whole of `text` as a value.
pub(super) fn value(text: &str, quotes: Quotes) -> Result<Value, ParseError> {
    let mut reader = Reader::new(text, quotes);
    let value = reader.value()?;
    reader.end()?;
    Ok(value)
}

/// Parses the whole of `text` as a call or a list of calls.
pub(super) fn calls(text: &str) -> Result<Vec<ToolCall>, ParseError> {
    let mut reader = Reader::new(text, Quotes::Either);
    let mut calls = Vec::new();
    if reader.takes("[") {
        while !reader.takes("]") {
            calls.push(reader.call()?);
            reader.comma("]")?;
        }
    } else {
        calls.push(reader.call()?);
    }
    reader.end()?;
    Ok(calls)
}

struct Reader<'a> {
    rest: &'a str,
    quotes: Quotes,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, quotes: Quotes) -> Self {
        Self {
            rest: text,
            quotes,
            depth: 0,
        }
    }

    /// Reads `text` if it comes next, and tells if it did.
    fn takes(&mut self, text: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn end(&mut self) -> Result<(), ParseError> {
        match self.rest.trim() {
            "" => Ok(()),
            _ => Err("there is text after the value"),
        }
    }

    /// A comma, unless `closer` comes next.
    fn comma(&mut self, closer: &str) -> Result<(), ParseError> {
        let is_next = self.rest.trim_start().starts_with(closer);
        match self.takes(",") || is_next {
            true => Ok(()),
            false => Err("expected a comma between two values"),
        }
    }

    fn word(&mut self) -> &'a str {
        let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+' | '$'));
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn call(&mut self) -> Result<ToolCall, ParseError> {
        self.rest = self.rest.trim_start();
        let name = self.word().to_owned();
        if name.is_empty() || !self.takes("(") {
            return Err("expected a name and arguments in parentheses");
        }
        let mut arguments = Map::new();
        while !self.takes(")") {
            self.rest = self.rest.trim_start();
            let argument = self.word().to_owned();
            if argument.is_empty() || !self.takes("=") {
                return Err("expected an argument's name and `=`");
            }
            arguments.insert(argument, self.value()?);
            self.comma(")")?;
        }
        Ok(ToolCall {
            id: None,
            name,
            arguments,
        })
    }

    fn value(&mut self) -> Result<Value, ParseError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err("values are nested too deep");
        }
        let value = if self.takes("{") {
            self.object()?
        } else if self.takes("[") {
            self.list("]")?
        } else if self.takes("(") {
            self.list(")")?
        } else if let Some(text) = self.string()? {
            Value::String(text)
        } else {
            self.bare()?
        };
        self.depth -= 1;
        Ok(value)
    }

    fn list(&mut self, closer: &str) -> Result<Value, ParseError> {
        let mut values = Vec::new();
        while !self.takes(closer) {
            values.push(self.value()?);
            self.comma(closer)?;
        }
        Ok(Value::Array(values))
    }

    fn object(&mut self) -> Result<Value, ParseError> {
        let mut members = Map::new();
        while !self.takes("}") {
            let name = match self.string()? {
                Some(name) => name,
                None => self.word().to_owned(),
            };
            if name.is_empty() || !self.takes(":") {
                return Err("expected a member's name and `:`");
            }
            members.insert(name, self.value()?);
            self.comma("}")?;
        }
        Ok(Value::Object(members))
    }

    /// A string, where one comes next.
    fn string(&mut self) -> Result<Option<String>, ParseError> {
        let marked = match self.quotes {
            Quotes::Marker(quote) => self.takes(quote).then_some(quote),
            _ => None,
        };
        if let Some(quote) = marked {
            let (text, rest) = self
                .rest
                .split_once(quote)
                .ok_or("a string is not closed")?;
            self.rest = rest;
            Ok(Some(text.to_owned()))
        } else if self.takes("'") {
            self.escaped('\'').map(Some)
        } else if self.takes("\"") {
            self.escaped('"').map(Some)
        } else {
            Ok(None)
        }
    }

    /// The rest of a string that `closer` ends.
    fn escaped(&mut self, closer: char) -> Result<String, ParseError> {
        let mut text = String::new();
        let mut characters = self.rest.chars();
        while let Some(character) = characters.next() {
            match character {
                '\\' => match characters.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('b') => text.push('\u{8}'),
                    Some('f') => text.push('\u{c}'),
                    Some('u') => text.push(unicode(&mut characters)?),
                    Some('\n') => {}
                    Some(other @ ('\\' | '\'' | '"' | '/')) => text.push(other),
                    Some(other) => text.extend(['\\', other]),
                    None => break,
                },
                _ if character == closer => {
                    self.rest = characters.as_str();
                    return Ok(text);
                }
                _ => text.push(character),
            }
        }
        Err("a string is not closed")
    }

    /// A number or one of a few words.
    fn bare(&mut self) -> Result<Value, ParseError> {
        let word = self.word();
        let value = match word {
            "" => return Err("a value is missing"),
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" => Value::Null,
            _ => match number(word) {
                Some(number) => Value::Number(number),
                // Where strings have quotes of their own, a word is a slip of the model.
                None if matches!(self.quotes, Quotes::Marker(_)) => word.into(),
                None => return Err("expected a value, found a word without quotes"),
            },
        };
        Ok(value)
    }
}

/// A number in the forms that JSON and Python share.
fn number(word: &str) -> Option<Number> {
    serde_json::from_str(word.strip_prefix('+').unwrap_or(word)).ok()
}

/// The character of four hexadecimal digits, or of two such groups.
fn unicode(characters: &mut std::str::Chars<'_>) -> Result<char, ParseError> {
    const WRONG: ParseError = "a string has an invalid escape";
    let first = digits(characters).ok_or(WRONG)?;
    if let Some(character) = char::from_u32(first) {
        return Ok(character);
    }
    let is_second = characters.next() == Some('\\') && characters.next() == Some('u');
    let second = digits(characters).filter(|_| is_second).ok_or(WRONG)?;
    let low = second.checked_sub(0xDC00).filter(|low| *low < 0x400);
    let high = first.checked_sub(0xD800).filter(|high| *high < 0x400);
    let (high, low) = high.zip(low).ok_or(WRONG)?;
    char::from_u32(0x10000 + (high << 10) + low).ok_or(WRONG)
}

fn digits(characters: &mut std::str::Chars<'_>) -> Option<u32> {
    (0..4).try_fold(0, |number, _| {
        Some(number * 16 + characters.next()?.to_digit(16)?)
    })
}
