//! Looks up environment variables by the caller's function; this crate reads no environment.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The variable that names the user's home directory.
pub const HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

/// Looks variables up. The values of granted variables are looked up whenever a tool is loaded.
///
/// ```
/// use tool_hub_toolbox::variables::Variables;
///
/// let variables = Variables::new(|name| (name == "HOME").then(|| "/home/ada".into()));
/// assert_eq!(variables.text("HOME").as_deref(), Some("/home/ada"));
/// assert_eq!(variables.text("HF_TOKEN"), None);
/// ```
#[derive(Clone)]
pub struct Variables(Arc<Lookup>);

type Lookup = dyn Fn(&str) -> Option<OsString> + Send + Sync;

impl Variables {
    /// The variables that `lookup` finds by their names.
    pub fn new(lookup: impl Fn(&str) -> Option<OsString> + Send + Sync + 'static) -> Self {
        Self(Arc::new(lookup))
    }

    /// The value of a variable; none if it is unset, empty or no Unicode.
    pub fn text(&self, name: &str) -> Option<String> {
        let text = (self.0)(name)?.into_string().ok();
        text.filter(|value| !value.is_empty())
    }

    /// The directory that a variable names, below `working` where the path is relative and without
    /// the `.` that stands for that; none if it is unset, empty or no Unicode.
    pub(crate) fn directory(&self, name: &str, working: &Path) -> Option<PathBuf> {
        let path = working.join(self.text(name)?);
        Some(path.components().collect())
    }

    /// The value of a variable as it is; none if it is unset or empty.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        let path = (self.0)(name).filter(|value| !value.is_empty());
        path.map(PathBuf::from)
    }
}

impl fmt::Debug for Variables {
    /// Shows no variable: many are secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Variables")
    }
}
