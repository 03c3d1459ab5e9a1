//! Hands the toolbox's warnings to the embedder, as text that is safe to print.

use tool_hub_agent::characters::escape_line;
use tool_hub_toolbox::notices::{Notice, Notices};

/// The function that an embedder gave for warnings.
pub(crate) struct Warnings(pub(crate) Box<dyn Fn(String) + Send + Sync>);

impl Notices for Warnings {
    fn notice(&self, notice: &Notice<'_>) {
        if notice.is_warning() {
            // A name or path in it may be a stranger's.
            (self.0)(escape_line(&notice.to_string()));
        }
    }
}
