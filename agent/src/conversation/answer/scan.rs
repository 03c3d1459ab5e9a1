//! Finds where a value ends in unfinished text, by brackets and `Quotes`, reading nothing twice.

/// The deepest nesting of brackets.
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
pub(super) enum ScanResult {
    /// The value ends here.
    Complete(usize),
    /// The text is not such a value, as this offset shows.
    Broken(usize),
    /// More text is needed.
    Open,
}

/// A match of the text with the markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookahead {
    Marker,
    Beginning,
    Nothing,
}

/// A scan for the end of a value.
#[derive(Debug)]
pub(super) struct Scan {
    quotes: Quotes,
    /// The offset at which the value begins.
    pub(super) start: usize,
    at: usize,
    /// The closing brackets that are still expected.
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

    /// Scans the new part of `text`. `marker` tells what a text begins with: a marker outside of
    /// strings ends the scan.
    pub(super) fn step(&mut self, text: &str, marker: impl Fn(&str) -> Lookahead) -> ScanResult {
        let bytes = text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            let is_done = match (self.string, self.quotes) {
                (Some(_), Quotes::Marker(quote)) => match self.leave_marked(text, quote) {
                    Some(is_done) => is_done,
                    None => return ScanResult::Open,
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
                        return ScanResult::Open;
                    }
                    match marker(rest) {
                        Lookahead::Marker => return ScanResult::Broken(self.at),
                        Lookahead::Beginning => return ScanResult::Open,
                        Lookahead::Nothing => self.at += 1,
                    }
                    false
                }
                (None, _) => match self.outside(byte, text, &marker) {
                    Ok(is_done) => is_done,
                    Err(scanned) => return scanned,
                },
            };
            if is_done {
                return ScanResult::Complete(self.at);
            }
        }
        ScanResult::Open
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
        marker: &impl Fn(&str) -> Lookahead,
    ) -> Result<bool, ScanResult> {
        if text.is_char_boundary(self.at) {
            match marker(&text[self.at..]) {
                Lookahead::Marker => return Err(ScanResult::Broken(self.at)),
                Lookahead::Beginning => return Err(ScanResult::Open),
                Lookahead::Nothing => {}
            }
        }
        match byte {
            b'{' => self.open(b'}')?,
            b'[' => self.open(b']')?,
            b'(' => self.open(b')')?,
            b'}' | b']' | b')' => {
                if self.closers.pop() != Some(byte) {
                    return Err(ScanResult::Broken(self.at));
                }
                self.at += 1;
                return Ok(self.closers.is_empty());
            }
            b'"' if !matches!(self.quotes, Quotes::Marker(_)) => self.string = Some(byte),
            b'\'' if self.quotes == Quotes::Either => self.string = Some(byte),
            // Before its brackets, a value has nothing but a name, as in a call.
            _ if self.closers.is_empty() && !is_name(byte) => {
                return Err(ScanResult::Broken(self.at));
            }
            _ => {}
        }
        self.at += 1;
        Ok(false)
    }

    fn open(&mut self, closer: u8) -> Result<(), ScanResult> {
        if self.closers.len() == DEPTH_MAX {
            return Err(ScanResult::Broken(self.at));
        }
        self.closers.push(closer);
        Ok(())
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}
