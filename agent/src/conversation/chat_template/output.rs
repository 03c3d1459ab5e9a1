//! Collects the text that a template prints, up to a limit.

use std::io::{self, Write};

use super::error::TemplateError;
use super::limits::PRINTED_BYTES_MAX;

#[derive(Default)]
pub(super) struct Output(Vec<u8>);

impl Output {
    pub(super) fn into_text(self) -> Result<String, TemplateError> {
        String::from_utf8(self.0).map_err(|error| TemplateError::Failed {
            line: None,
            message: error.to_string(),
        })
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > PRINTED_BYTES_MAX {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
