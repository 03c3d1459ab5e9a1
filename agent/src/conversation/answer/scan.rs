//! Where a value in a text that is still being written ends, without reading anything twice.

/// The deepest that brackets may stand in one another.
pub(super) const DEPTH_MAX: usize = 64;

/// The delimiters of strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    /// `"`, as in JSON.
    Double,
    /// `"` or `'`, as in Python.
    Either,
    /// A marker, in which nothing is escaped.
    Marker(&'static str),
}

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scanned {
    /// The value ends here.
    Complete(usize),
    /// There is no such value; seen here.
    Broken(usize),
    /// More text is needed.
    Open,
}

/// A match of the text with the markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    Marker,
    Beginning,
    Nothing,
}

/// A value that is being looked at.
#[derive(Debug)]
pub(super) struct Scan {
    quotes: Quotes,
    /// The offset at which the value begins.
    pub(super) start: usize,
    at: usize,
    /// The brackets that are to come.
    closers: Vec<u8>,
    /// The delimiter that ends the current string, and true if its next character is escaped.
    string: Option<u8>,
    is_escaped: bool,
}

impl Scan {
    pub(super) fn new(quotes: Quotes, start: usize) -> Self {
        Self {
            quotes,
            start,
            at: start,
            closers: Vec::new(),
            string: None,
            is_escaped: false,
        }
    }

    /// The offset of the first byte that was not scanned.
    pub(super) fn seen(&self) -> usize {
        self.at
    }

    /// The text has lost its first bytes.
    pub(super) fn shift(&mut self, bytes: usize) {
        self.start -= bytes;
        self.at -= bytes;
    }

    /// Looks at what of `text` is new. `marker` says what stands at the beginning of a text: a
    /// marker outside of a string ends what is no value then.
    pub(super) fn step(&mut self, text: &str, marker: impl Fn(&str) -> Seen) -> Scanned {
        let bytes = text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            let is_done = match (self.string, self.quotes) {
                (Some(_), Quotes::Marker(quote)) => match self.leave_marked(text, quote) {
                    Some(is_done) => is_done,
                    None => return Scanned::Open,
                },
                (Some(closer), _) => self.in_string(byte, closer),
                (None, Quotes::Marker(quote)) if byte == quote.as_bytes()[0] => {
                    let rest = &text[self.at..];
                    if rest.starts_with(quote) {
                        self.string = Some(byte);
                        self.at += quote.len();
                        continue;
                    }
                    if quote.starts_with(rest) {
                        return Scanned::Open;
                    }
                    match marker(rest) {
                        Seen::Marker => return Scanned::Broken(self.at),
                        Seen::Beginning => return Scanned::Open,
                        Seen::Nothing => self.at += 1,
                    }
                    false
                }
                (None, _) => match self.outside(byte, text, &marker) {
                    Ok(is_done) => is_done,
                    Err(scanned) => return scanned,
                },
            };
            if is_done {
                return Scanned::Complete(self.at);
            }
        }
        Scanned::Open
    }

    /// Returns true when the value is complete.
    fn in_string(&mut self, byte: u8, closer: u8) -> bool {
        self.at += 1;
        if self.is_escaped {
            self.is_escaped = false;
        } else if byte == b'\\' {
            self.is_escaped = true;
        } else if byte == closer {
            self.string = None;
            return self.closers.is_empty();
        }
        false
    }

    fn leave_marked(&mut self, text: &str, quote: &str) -> Option<bool> {
        let rest = &text[self.at..];
        if let Some(found) = rest.find(quote) {
            self.at += found + quote.len();
            self.string = None;
            return Some(self.closers.is_empty());
        }
        // The end of the text may be the beginning of the quote.
        let kept = (1..quote.len()).rev().find(|kept| {
            rest.len() >= *kept && rest.as_bytes().ends_with(&quote.as_bytes()[..*kept])
        });
        self.at = text.len() - kept.unwrap_or(0);
        None
    }

    /// Returns true when the value is complete.
    fn outside(
        &mut self,
        byte: u8,
        text: &str,
        marker: &impl Fn(&str) -> Seen,
    ) -> Result<bool, Scanned> {
        if text.is_char_boundary(self.at) {
            match marker(&text[self.at..]) {
                Seen::Marker => return Err(Scanned::Broken(self.at)),
                Seen::Beginning => return Err(Scanned::Open),
                Seen::Nothing => {}
            }
        }
        match byte {
            b'{' => self.open(b'}')?,
            b'[' => self.open(b']')?,
            b'(' => self.open(b')')?,
            b'}' | b']' | b')' => {
                if self.closers.pop() != Some(byte) {
                    return Err(Scanned::Broken(self.at));
                }
                self.at += 1;
                return Ok(self.closers.is_empty());
            }
            b'"' if !matches!(self.quotes, Quotes::Marker(_)) => self.string = Some(byte),
            b'\'' if self.quotes == Quotes::Either => self.string = Some(byte),
            // What is called by a name before its brackets.
            _ if self.closers.is_empty() && !is_name(byte) => {
                return Err(Scanned::Broken(self.at));
            }
            _ => {}
        }
        self.at += 1;
        Ok(false)
    }

    fn open(&mut self, closer: u8) -> Result<(), Scanned> {
        if self.closers.len() == DEPTH_MAX {
            return Err(Scanned::Broken(self.at));
        }
        self.closers.push(closer);
        Ok(())
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}
