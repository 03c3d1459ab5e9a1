//! Throws away what was typed at a terminal before a question was shown.

use std::io::{self, Stdin};

/// Discards what was typed and not yet read.
///
/// # Errors
/// When the system does not do it. Nothing may be asked then: what was typed before could be taken
/// for consent.
#[cfg(unix)]
pub(crate) fn discard(input: &Stdin) -> io::Result<()> {
    Ok(rustix::termios::tcflush(
        input,
        rustix::termios::QueueSelector::IFlush,
    )?)
}

/// Discards what was typed and not yet read.
///
/// # Errors
/// When the system does not do it. Nothing may be asked then: what was typed before could be taken
/// for consent.
#[cfg(windows)]
#[expect(unsafe_code, reason = "the console has no other way to do it")]
pub(crate) fn discard(input: &Stdin) -> io::Result<()> {
    use std::os::windows::io::AsRawHandle as _;

    use windows_sys::Win32::System::Console::FlushConsoleInputBuffer;
    // SAFETY: the handle is open as long as `input` is borrowed, and the function only reads it.
    match unsafe { FlushConsoleInputBuffer(input.as_raw_handle()) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Refuses, because it is not known how other systems do it.
///
/// # Errors
/// Always.
#[cfg(not(any(unix, windows)))]
pub(crate) fn discard(_: &Stdin) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
