//! Refuses a file that has more functions than are read.

use crate::error::SourceError;
use crate::limits::FUNCTIONS_MAX;

/// Refuses more functions than are read.
pub(crate) fn check_function_count(count: usize) -> Result<(), SourceError> {
    match count > FUNCTIONS_MAX {
        true => Err(SourceError::TooMany { count }),
        false => Ok(()),
    }
}
