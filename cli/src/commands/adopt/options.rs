//! The options of `tool adopt`.

use clap::Args;
use tool_hub_manifest::Digest;
use tool_hub_toolbox::Settings;

use super::shelf::Shelf;
use crate::adopt::AdoptedForm;
use crate::commands::connect::server_name;
use crate::connect::Scope;
use crate::consent::approval::{ApprovalFlags, Terminal};

/// The options and the client of `tool adopt`.
#[derive(Debug, Args)]
pub(crate) struct AdoptOptions {
    /// Look only at the configurations of this client [default: all that `tool connect` knows]
    pub(super) client: Option<String>,

    /// Take over only the server of this name
    #[arg(long, value_name = "NAME")]
    pub(super) server: Option<String>,

    /// Make this of each server without asking [default: asks]
    #[arg(long = "as", value_enum, requires = "server")]
    pub(super) r#as: Option<AdoptedForm>,

    /// Only your own configurations, or only the project's [default: both]
    #[arg(long, value_enum)]
    pub(super) scope: Option<Scope>,

    /// Where the shelf is, whose tools stand for well-known servers: a directory of projects and
    /// packages, or an owner on the registry
    #[arg(long, value_name = "DIR|OWNER")]
    pub(super) shelf: Option<Shelf>,

    /// The name of the entry that starts `tool serve`
    #[arg(long, default_value = "tool-hub", value_parser = server_name)]
    pub(super) name: String,

    /// Agree without asking to the start of a process, by the digest that is shown for it
    #[arg(long, value_name = "DIGEST", requires = "as")]
    pub(super) start: Option<Digest>,

    /// Show what would be done and change nothing; with --as show also the tool, which is made for
    /// this
    #[arg(long)]
    pub(super) dry_run: bool,

    /// Give back what was taken over: the entries as they were, without the tools
    #[arg(long, conflicts_with_all = ["as", "shelf", "start"])]
    pub(super) undo: bool,

    /// With --undo: remove the tools that nothing else needs without asking
    #[arg(long, short, requires = "undo")]
    pub(super) yes: bool,

    #[command(flatten)]
    pub(super) approval: ApprovalFlags,
}

impl AdoptOptions {
    /// Resolves its paths: the tools of a user's own toolbox are loaded as from its directory.
    pub(super) fn place(&mut self, settings: &Settings) {
        if let Some(Shelf::Directory(directory)) = &mut self.shelf {
            *directory = settings.place(directory);
        }
        let rights = &mut self.approval.rights;
        let directories = rights.directories.iter_mut().map(|(.., path)| path);
        for path in directories.chain(&mut rights.insisted) {
            *path = settings.place(path);
        }
    }

    /// True if nothing is to be done: neither at a terminal nor by flags.
    pub(super) fn wants_a_plan(&self) -> bool {
        self.r#as.is_none() && (self.dry_run || Terminal::open().is_none())
    }
}
