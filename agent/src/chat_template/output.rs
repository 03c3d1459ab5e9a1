//! What a template prints, up to a limit.

use std::io::{self, Write};

use super::TemplateError;

pub(super) struct Output {
    bytes: Vec<u8>,
    max: usize,
    is_full: bool,
}

impl Output {
    pub(super) fn new(max: usize) -> Self {
        Self {
            bytes: Vec::new(),
            max,
            is_full: false,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    pub(super) fn too_much(&self) -> TemplateError {
        TemplateError::TooMuch {
            limit: "printed_bytes",
            value: self.max,
        }
    }

    pub(super) fn into_text(self) -> Result<String, TemplateError> {
        String::from_utf8(self.bytes).map_err(|error| TemplateError::Failed {
            line: None,
            message: error.to_string(),
        })
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.max {
            self.is_full = true;
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
