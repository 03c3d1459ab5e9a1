//! The settings and the printer of one run of the command, which its functions are given.

use crate::settings::config::Config;
use crate::terminal::printer::Printer;

/// Made once in `main`. A function that needs only one of the two takes that one.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) config: Config,
    pub(crate) printer: Printer,
}
