//! Splits a commit body into lines, with the base64 content of files taken out of them.

/// An event of the scanner.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event<'a> {
    /// A piece of the base64 at `value.content`.
    Content(&'a [u8]),
    /// A complete line whose `value.content` is replaced by an empty string.
    Line { json: Vec<u8>, has_content: bool },
}

/// The reason why a body was refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ScanError {
    #[error("a line is longer than {bytes_max} bytes without its content")]
    LineTooLong { bytes_max: usize },
    #[error("a line is not one JSON object")]
    NotAnObject,
    #[error("a line has more than one content")]
    TwoContents,
    #[error("the content of a file holds a character that is not base64")]
    NotBase64,
}

/// Deepest nesting a line needs is two; unknown extra fields may have a little more.
const DEPTH_MAX: usize = 8;

/// Reads a body in pieces of any size.
///
/// It understands just enough JSON to know which string is `value.content`; everything else is
/// checked by the JSON parser that gets the line afterwards.
pub(super) struct Scanner {
    line: Vec<u8>,
    line_bytes_max: usize,
    containers: Vec<Container>,
    /// The keys at the first two levels that lead to where the scanner is.
    keys: [Vec<u8>; 2],
    text: Text,
    has_content: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    ObjectBeforeKey,
    ObjectAfterKey,
    Array,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    Outside,
    /// In a key that started at this offset of the line.
    Key {
        start: usize,
        escaped: bool,
    },
    Value {
        escaped: bool,
    },
    Content {
        escaped: bool,
    },
}

impl Scanner {
    pub(super) fn new(line_bytes_max: usize) -> Self {
        Self {
            line: Vec::new(),
            line_bytes_max,
            containers: Vec::new(),
            keys: [Vec::new(), Vec::new()],
            text: Text::Outside,
            has_content: false,
        }
    }

    /// Takes bytes from the front of `input` until something was found or all are used up.
    pub(super) fn next<'a>(
        &mut self,
        input: &mut &'a [u8],
    ) -> Result<Option<Event<'a>>, ScanError> {
        while let Some(&byte) = input.first() {
            if let Text::Content { escaped } = self.text {
                match self.content(input, byte, escaped)? {
                    Some(event) => return Ok(Some(event)),
                    None => continue,
                }
            }
            *input = &input[1..];
            if byte == b'\n' {
                if let Some(line) = self.end_line()? {
                    return Ok(Some(line));
                }
                continue;
            }
            self.push(byte)?;
            self.step(byte)?;
        }
        Ok(None)
    }

    /// Ends the body; the last line needs no line break.
    pub(super) fn finish(&mut self) -> Result<Option<Event<'static>>, ScanError> {
        self.end_line()
    }

    fn content<'a>(
        &mut self,
        input: &mut &'a [u8],
        byte: u8,
        escaped: bool,
    ) -> Result<Option<Event<'a>>, ScanError> {
        if escaped {
            self.text = Text::Content { escaped: false };
            let found = match byte {
                // Some encoders write a slash as \/ and wrap base64 with line breaks.
                b'/' => Some(Event::Content(&input[..1])),
                b'n' | b'r' => None,
                _ => return Err(ScanError::NotBase64),
            };
            *input = &input[1..];
            return Ok(found);
        }
        let run = input
            .iter()
            .position(|b| matches!(b, b'"' | b'\\' | b'\n'))
            .unwrap_or(input.len());
        if run > 0 {
            let (content, rest) = input.split_at(run);
            *input = rest;
            return Ok(Some(Event::Content(content)));
        }
        *input = &input[1..];
        match byte {
            b'"' => {
                self.push(b'"')?;
                self.text = Text::Outside;
            }
            b'\\' => self.text = Text::Content { escaped: true },
            _ => return Err(ScanError::NotAnObject),
        }
        Ok(None)
    }

    fn step(&mut self, byte: u8) -> Result<(), ScanError> {
        match self.text {
            Text::Outside => self.step_outside(byte)?,
            Text::Key {
                start,
                escaped: false,
            } if byte == b'"' => {
                let depth = self.containers.len();
                if (1..=2).contains(&depth) {
                    self.keys[depth - 1] = self.line[start..self.line.len() - 1].to_vec();
                }
                self.text = Text::Outside;
            }
            Text::Key { start, escaped } => {
                self.text = Text::Key {
                    start,
                    escaped: !escaped && byte == b'\\',
                }
            }
            Text::Value { escaped: false } if byte == b'"' => self.text = Text::Outside,
            Text::Value { escaped } => {
                self.text = Text::Value {
                    escaped: !escaped && byte == b'\\',
                }
            }
            Text::Content { .. } => {}
        }
        Ok(())
    }

    fn step_outside(&mut self, byte: u8) -> Result<(), ScanError> {
        match byte {
            b'{' => self.open(Container::ObjectBeforeKey),
            b'[' => self.open(Container::Array),
            b'}' | b']' => self
                .containers
                .pop()
                .map(|_| ())
                .ok_or(ScanError::NotAnObject),
            b':' => self.replace(Container::ObjectBeforeKey, Container::ObjectAfterKey),
            b',' => self.replace(Container::ObjectAfterKey, Container::ObjectBeforeKey),
            b'"' => self.open_text(),
            _ => Ok(()),
        }
    }

    fn open(&mut self, container: Container) -> Result<(), ScanError> {
        if self.containers.len() == DEPTH_MAX
            || (self.containers.is_empty()
                && self
                    .line
                    .iter()
                    .filter(|b| !b.is_ascii_whitespace())
                    .count()
                    > 1)
        {
            return Err(ScanError::NotAnObject);
        }
        self.containers.push(container);
        Ok(())
    }

    fn replace(&mut self, from: Container, to: Container) -> Result<(), ScanError> {
        if let Some(container) = self.containers.last_mut()
            && *container == from
        {
            *container = to;
        }
        Ok(())
    }

    fn open_text(&mut self) -> Result<(), ScanError> {
        self.text = match self.containers.last() {
            None => return Err(ScanError::NotAnObject),
            Some(Container::ObjectBeforeKey) => Text::Key {
                start: self.line.len(),
                escaped: false,
            },
            Some(_) if self.at_content() => {
                if self.has_content {
                    return Err(ScanError::TwoContents);
                }
                self.has_content = true;
                Text::Content { escaped: false }
            }
            Some(_) => Text::Value { escaped: false },
        };
        Ok(())
    }

    fn at_content(&self) -> bool {
        self.containers == [Container::ObjectAfterKey; 2]
            && self.keys[0] == b"value"
            && self.keys[1] == b"content"
    }

    fn push(&mut self, byte: u8) -> Result<(), ScanError> {
        if self.line.len() == self.line_bytes_max {
            return Err(ScanError::LineTooLong {
                bytes_max: self.line_bytes_max,
            });
        }
        self.line.push(byte);
        Ok(())
    }

    fn end_line(&mut self) -> Result<Option<Event<'static>>, ScanError> {
        if self.text != Text::Outside || !self.containers.is_empty() {
            return Err(ScanError::NotAnObject);
        }
        let json = std::mem::take(&mut self.line);
        let has_content = std::mem::take(&mut self.has_content);
        if json.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        Ok(Some(Event::Line { json, has_content }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line as `json|content`, and the same for every way of cutting the body into pieces.
    #[track_caller]
    fn check(body: &str, expect: Result<&[&str], ScanError>) {
        for size in [1, 2, 3, 7, body.len().max(1)] {
            let got = scan(body.as_bytes(), size);
            let expect = expect
                .as_ref()
                .map(|lines| lines.iter().map(|line| (*line).to_owned()).collect());
            assert_eq!(
                got.as_ref(),
                expect.as_ref().map_err(|error| *error),
                "{body:?} in pieces of {size}"
            );
        }
    }

    fn scan(body: &[u8], size: usize) -> Result<Vec<String>, ScanError> {
        let mut scanner = Scanner::new(100);
        let mut lines = Vec::new();
        let mut content = String::new();
        let mut take = |event: Event<'_>| match event {
            Event::Content(piece) => content.push_str(std::str::from_utf8(piece).unwrap()),
            Event::Line { json, has_content } => {
                let content = std::mem::take(&mut content);
                let mark = if has_content { "|" } else { "" };
                lines.push(format!(
                    "{}{mark}{content}",
                    String::from_utf8(json).unwrap()
                ));
            }
        };
        for mut piece in body.chunks(size) {
            while let Some(event) = scanner.next(&mut piece)? {
                take(event);
            }
        }
        if let Some(event) = scanner.finish()? {
            take(event);
        }
        Ok(lines)
    }

    #[test]
    fn lines_and_contents() {
        check("", Ok(&[]));
        check("\n \n", Ok(&[]));
        check(
            r#"{"key":"header","value":{"summary":"a"}}"#,
            Ok(&[r#"{"key":"header","value":{"summary":"a"}}"#]),
        );
        check(
            "{\"key\":\"file\",\"value\":{\"content\":\"QUJD\",\"path\":\"a\"}}\n{\"a\":1}\n",
            Ok(&[
                r#"{"key":"file","value":{"content":"","path":"a"}}|QUJD"#,
                r#"{"a":1}"#,
            ]),
        );
        check(
            r#"{"value":{"path":"a","content":""},"key":"file"}"#,
            Ok(&[r#"{"value":{"path":"a","content":""},"key":"file"}|"#]),
        );
        check(
            r#"{"value":{"content":"a\/b\nc"}}"#,
            Ok(&[r#"{"value":{"content":""}}|a/bc"#]),
        );
        check(
            r#"{ "value" : { "content" : "QQ==" } }"#,
            Ok(&[r#"{ "value" : { "content" : "" } }|QQ=="#]),
        );
    }

    #[test]
    fn only_value_content_is_content() {
        check(r#"{"content":"QQ=="}"#, Ok(&[r#"{"content":"QQ=="}"#]));
        check(
            r#"{"other":{"content":"QQ=="}}"#,
            Ok(&[r#"{"other":{"content":"QQ=="}}"#]),
        );
        check(
            r#"{"value":{"x":{"content":"QQ=="}}}"#,
            Ok(&[r#"{"value":{"x":{"content":"QQ=="}}}"#]),
        );
        check(
            r#"{"value":["content","QQ=="]}"#,
            Ok(&[r#"{"value":["content","QQ=="]}"#]),
        );
        check(
            r#"{"value":{"path":"\"content\":\"x"}}"#,
            Ok(&[r#"{"value":{"path":"\"content\":\"x"}}"#]),
        );
        check(
            r#"{"value":{"content\\":"x"}}"#,
            Ok(&[r#"{"value":{"content\\":"x"}}"#]),
        );
    }

    #[test]
    fn refused_bodies() {
        check("{\"a\":\"b\n\"}", Err(ScanError::NotAnObject));
        check("{\"a\":1", Err(ScanError::NotAnObject));
        check("}", Err(ScanError::NotAnObject));
        check("\"text\"", Err(ScanError::NotAnObject));
        check("{}{}", Err(ScanError::NotAnObject));
        check(
            r#"{"value":{"content":"a\u0041"}}"#,
            Err(ScanError::NotBase64),
        );
        check(
            r#"{"value":{"content":"a","content":"b"}}"#,
            Err(ScanError::TwoContents),
        );
        check(&"[".repeat(50), Err(ScanError::NotAnObject));
        check(
            &format!("{{\"a\":\"{}\"}}", "x".repeat(100)),
            Err(ScanError::LineTooLong { bytes_max: 100 }),
        );
    }
}
