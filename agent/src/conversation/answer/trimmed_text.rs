//! Trims text that is emitted in pieces: space that may be its end is held back.

/// One of the texts of an answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Sink {
    has_begun: bool,
    /// True after a division: leading space of the next text is dropped.
    is_divided: bool,
    /// Space that belongs to the text if more of it comes.
    held: String,
}

impl Sink {
    /// Adds `text` to `out`, but for space that may be the end of all.
    pub(super) fn give(&mut self, text: &str, out: &mut String) {
        let text = match self.has_begun && !self.is_divided {
            true => text,
            false => text.trim_start(),
        };
        let inner = text.trim_end();
        if !inner.is_empty() {
            (self.has_begun, self.is_divided) = (true, false);
            out.push_str(&self.held);
            out.push_str(inner);
            self.held.clear();
        }
        if self.has_begun && !self.is_divided {
            self.held.push_str(&text[inner.len()..]);
        }
    }

    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Puts an empty line before what follows, whatever space is there.
    pub(super) fn divide(&mut self) {
        if self.has_begun {
            self.is_divided = true;
            "\n\n".clone_into(&mut self.held);
        }
    }
}
