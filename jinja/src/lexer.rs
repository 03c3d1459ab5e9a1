//! A template's source as tokens: texts as they are printed, and what stands in tags.

use std::borrow::Cow;

use crate::error::{Error, Outcome};
use crate::literal;
use crate::text::{is_space, trim_end, trim_start};

/// What a template's source is made of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token<'s> {
    /// What is printed as it stands, less the white space that tags take away.
    Text(&'s str),
    StatementBegin,
    StatementEnd,
    PrintBegin,
    PrintEnd,
    Name(&'s str),
    String(Cow<'s, str>),
    Int(i64),
    Float(f64),
    Operator(&'static str),
    End,
}

/// A token and the line it stands in.
pub(crate) type Placed<'s> = (Token<'s>, u32);

/// The tokens of `source`, which has no other line breaks than `\n`.
pub(crate) fn tokens(source: &str) -> Outcome<Vec<Placed<'_>>> {
    let mut lexer = Lexer {
        rest: source,
        line: 1,
        begins_line: true,
        tokens: Vec::with_capacity(source.len() / 6),
    };
    while lexer.next_tag()? {}
    lexer.tokens.push((Token::End, lexer.line));
    Ok(lexer.tokens)
}

pub(crate) fn syntax<T>(line: u32, message: impl Into<String>) -> Outcome<T> {
    Err(Box::new(Error::Syntax {
        line: line as usize,
        message: message.into(),
    }))
}

struct Lexer<'s> {
    rest: &'s str,
    line: u32,
    /// Whether the last tag took the end of its line with it.
    begins_line: bool,
    tokens: Vec<Placed<'s>>,
}

impl<'s> Lexer<'s> {
    /// Reads the text before the next tag and the tag; false at the end.
    fn next_tag(&mut self) -> Outcome<bool> {
        let Some(start) = next_opening(self.rest) else {
            let text = self.advance(self.rest.len());
            self.push_text(text, self.line);
            return Ok(false);
        };
        let line = self.line;
        let kind = self.rest.as_bytes()[start + 1];
        let inside = &self.rest[start + 2..];
        let sign = sign(inside);
        let text = self.kept(&self.rest[..start], sign, kind == b'{');
        self.push_text(text, line);
        if kind == b'%'
            && let Some(length) = raw_opening(inside)
        {
            self.advance(start + 2 + length);
            self.raw()?;
            return Ok(true);
        }
        self.advance(start + 2 + usize::from(sign.is_some()));
        match kind {
            b'#' => self.comment()?,
            b'%' => {
                self.push(Token::StatementBegin);
                self.inside("%}")?;
            }
            _ => {
                self.push(Token::PrintBegin);
                self.inside("}}")?;
            }
        }
        Ok(true)
    }

    fn push(&mut self, token: Token<'s>) {
        self.tokens.push((token, self.line));
    }

    fn push_text(&mut self, text: &'s str, line: u32) {
        if !text.is_empty() {
            self.tokens.push((Token::Text(text), line));
        }
    }

    /// Takes `length` bytes, and counts their lines.
    fn advance(&mut self, length: usize) -> &'s str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.bytes().filter(|byte| *byte == b'\n').count() as u32;
        self.rest = rest;
        taken
    }

    /// What a tag leaves of the text before it.
    fn kept(&self, text: &'s str, sign: Option<u8>, is_print: bool) -> &'s str {
        match sign {
            Some(b'-') => trim_end(text),
            None if !is_print => {
                let line = text.rfind('\n').map_or(0, |at| at + 1);
                let is_whole = line > 0 || self.begins_line;
                let is_blank = trim_start(&text[line..]).is_empty();
                if is_whole && is_blank {
                    &text[..line]
                } else {
                    text
                }
            }
            _ => text,
        }
    }

    /// Takes what ends a tag, `length` bytes in, and the white space that goes with it.
    fn close(&mut self, sign: Option<u8>, length: usize, takes_newline: bool) {
        let after = &self.rest[length..];
        let space = match sign {
            Some(b'-') => after.len() - trim_start(after).len(),
            None if takes_newline => usize::from(after.starts_with('\n')),
            _ => 0,
        };
        let taken = self.advance(length + space);
        self.begins_line = taken.ends_with('\n');
    }

    fn comment(&mut self) -> Outcome<()> {
        let Some(end) = self.rest.find("#}") else {
            return syntax(self.line, "a comment has no end");
        };
        let sign = sign_before(&self.rest[..end]);
        self.close(sign, end + 2, true);
        Ok(())
    }

    fn raw(&mut self) -> Outcome<()> {
        self.begins_line = false;
        let mut from = 0;
        while let Some(found) = self.rest[from..].find("{%") {
            let start = from + found;
            let inside = &self.rest[start + 2..];
            if let Some((sign, length)) = tag_named(inside, "endraw") {
                let text = self.kept(&self.rest[..start], self::sign(inside), false);
                self.push_text(text, self.line);
                self.close(sign, start + 2 + length, true);
                return Ok(());
            }
            from = start + 2;
        }
        syntax(self.line, "a raw block has no end")
    }

    /// The tokens of a tag up to what closes it.
    fn inside(&mut self, closing: &'static str) -> Outcome<()> {
        let mut open: Vec<&'static str> = Vec::new();
        loop {
            let space = self.rest.len() - trim_start(self.rest).len();
            self.advance(space);
            if self.rest.is_empty() {
                return Ok(());
            }
            if open.is_empty() && self.is_closed(closing) {
                return Ok(());
            }
            self.token(&mut open)?;
        }
    }

    fn is_closed(&mut self, closing: &'static str) -> bool {
        let is_statement = closing == "%}";
        let sign = sign(self.rest).filter(|sign| is_statement || *sign == b'-');
        let length = usize::from(sign.is_some());
        if !self.rest[length..].starts_with(closing) {
            return false;
        }
        self.push(match is_statement {
            true => Token::StatementEnd,
            false => Token::PrintEnd,
        });
        self.close(sign, length + 2, is_statement);
        true
    }

    fn token(&mut self, open: &mut Vec<&'static str>) -> Outcome<()> {
        let first = self.rest.as_bytes()[0];
        if first.is_ascii_digit() {
            return self.number();
        }
        if first == b'"' || first == b'\'' {
            return self.string();
        }
        if let Some(operator) = operator(self.rest.as_bytes()) {
            self.balance(operator, open)?;
            self.push(Token::Operator(operator));
            self.advance(operator.len());
            return Ok(());
        }
        let is_name = |it: char| it.is_alphanumeric() || it == '_';
        let length = self.rest.find(|it| !is_name(it));
        match length.unwrap_or(self.rest.len()) {
            0 => {
                let what = self.rest.chars().next().unwrap_or_default();
                syntax(self.line, format!("unexpected character {what:?}"))
            }
            length => {
                let name = self.advance(length);
                self.push(Token::Name(name));
                Ok(())
            }
        }
    }

    fn balance(&self, operator: &str, open: &mut Vec<&'static str>) -> Outcome<()> {
        let closing = match operator {
            "(" => ")",
            "[" => "]",
            "{" => "}",
            ")" | "]" | "}" => {
                return match open.pop() {
                    Some(expected) if expected == operator => Ok(()),
                    Some(expected) => {
                        let message = format!("unexpected '{operator}', expected '{expected}'");
                        syntax(self.line, message)
                    }
                    None => syntax(self.line, format!("unexpected '{operator}'")),
                };
            }
            _ => return Ok(()),
        };
        open.push(closing);
        Ok(())
    }

    fn number(&mut self) -> Outcome<()> {
        let follows_dot = matches!(self.tokens.last(), Some((Token::Operator("."), _)));
        if !follows_dot && let Some(length) = literal::float_length(self.rest) {
            let digits = self.advance(length).replace('_', "");
            self.push(Token::Float(digits.parse().unwrap_or(f64::NAN)));
            return Ok(());
        }
        let (length, value) = literal::integer(self.rest);
        let Some(value) = value else {
            return syntax(self.line, "an integer is too large");
        };
        self.advance(length);
        self.push(Token::Int(value));
        Ok(())
    }

    fn string(&mut self) -> Outcome<()> {
        let Some(length) = literal::string_length(self.rest) else {
            return syntax(self.line, "a text has no end");
        };
        let line = self.line;
        let quoted = self.advance(length);
        match literal::unescaped(&quoted[1..length - 1]) {
            Ok(text) => self.tokens.push((Token::String(text), line)),
            Err(why) => return syntax(line, why),
        }
        Ok(())
    }
}

/// The operator that a text begins with.
fn operator(text: &[u8]) -> Option<&'static str> {
    Some(match text {
        [b'*', b'*', ..] => "**",
        [b'/', b'/', ..] => "//",
        [b'=', b'=', ..] => "==",
        [b'!', b'=', ..] => "!=",
        [b'>', b'=', ..] => ">=",
        [b'<', b'=', ..] => "<=",
        [b'+', ..] => "+",
        [b'-', ..] => "-",
        [b'/', ..] => "/",
        [b'*', ..] => "*",
        [b'%', ..] => "%",
        [b'~', ..] => "~",
        [b'[', ..] => "[",
        [b']', ..] => "]",
        [b'(', ..] => "(",
        [b')', ..] => ")",
        [b'{', ..] => "{",
        [b'}', ..] => "}",
        [b'>', ..] => ">",
        [b'<', ..] => "<",
        [b'=', ..] => "=",
        [b'.', ..] => ".",
        [b':', ..] => ":",
        [b'|', ..] => "|",
        [b',', ..] => ",",
        [b';', ..] => ";",
        _ => return None,
    })
}

/// Where the next tag begins.
fn next_opening(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find('{')?;
        if matches!(text.as_bytes().get(at + 1), Some(b'{' | b'%' | b'#')) {
            return Some(at);
        }
        from = at + 1;
    }
}

fn sign(text: &str) -> Option<u8> {
    let first = text.as_bytes().first();
    first.copied().filter(|it| matches!(it, b'-' | b'+'))
}

fn sign_before(text: &str) -> Option<u8> {
    let last = text.as_bytes().last();
    last.copied().filter(|it| matches!(it, b'-' | b'+'))
}

/// The sign before the end, and the length, of a statement that is no more than `name`, given what
/// follows its `{%`.
fn tag_named(inside: &str, name: &str) -> Option<(Option<u8>, usize)> {
    let after = &inside[usize::from(sign(inside).is_some())..];
    let after = trim_start(trim_start(after).strip_prefix(name)?);
    let sign = sign(after);
    let after = after[usize::from(sign.is_some())..].strip_prefix("%}")?;
    Some((sign, inside.len() - after.len()))
}

/// The length of `raw %}` and the white space that it takes away, given what follows `{%`.
fn raw_opening(inside: &str) -> Option<usize> {
    let (sign, length) = tag_named(inside, "raw")?;
    match sign {
        None => Some(length),
        Some(b'-') => {
            let space = inside[length..].chars().take_while(|it| is_space(*it));
            Some(length + space.map(char::len_utf8).sum::<usize>())
        }
        Some(_) => None,
    }
}
