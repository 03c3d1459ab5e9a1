//! The options that every command takes: `--endpoint`, `--json`, `--quiet` and `--verbose`.

use clap::Args;
use url::Url;

/// The options that every command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct GlobalOptions {
    /// The registry's URL [env: HF_ENDPOINT] [default: the Hugging Face Hub]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) endpoint: Option<Url>,

    /// Print data as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Print no progress and no notes, only data and errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    /// Print more: all of an inspection, and what a tool writes while it is called
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
}
