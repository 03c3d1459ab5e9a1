//! `tool bundle`: writes tools into one file, which `tool load` verifies without a network.

pub(crate) mod listing;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_manifest::Digest;
use tool_hub_toolbox::bundle::making;
use tool_hub_toolbox::bundle::origin::EXTENSION;
use tool_hub_toolbox::open_toolbox::{Member, OpenToolbox};
use tool_hub_toolbox::registry_fetch::Watchers;

use crate::files;
use crate::session::Session;
use crate::terminal::phrases::counted;
use crate::terminal::problem::Problem;
use crate::terminal::progress::Bars;

/// Arguments of `tool bundle`.
#[derive(Debug, Args)]
pub(crate) struct Bundle {
    /// The file to write, whose name ends in .tools
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// The toolbox's names of the tools [default: all that are of a registry]
    names: Vec<String>,
}

impl Bundle {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let settings = &config.settings;
        let path: PathBuf = settings.place(&self.output).components().collect();
        if !path.to_string_lossy().ends_with(EXTENSION) {
            let what = format!("the name of a bundle ends in {EXTENSION}");
            return Err(Problem::user(what)
                .hint(format!("write: tool bundle -o tools{EXTENSION}"))
                .into());
        }
        let toolbox = OpenToolbox::open(settings)?;
        let members = self.packable(&toolbox, session)?;
        let bars = Bars::start(printer);
        let watchers = Watchers {
            progress: &bars,
            notices: printer,
        };
        let packed = Box::pin(making::pack(&members, &path, settings, watchers)).await?;
        bars.finish();
        files::write(&path, &packed.bytes)?;
        let digest = Digest::of(&packed.bytes);
        if printer.wants_json() {
            let tools = packed.tools.iter();
            printer.json(&json!({
                "path": path,
                "digest": digest,
                "bytes": packed.bytes.len(),
                "tools": tools.map(listing::tool_json).collect::<Vec<_>>(),
            }))?;
        } else {
            let tools = counted(packed.tools.len(), "tool");
            printer.note(&format!("wrote {tools} to {}, {digest}", path.display()));
            printer.hint("whoever gets it compares the digest, and loads it with: tool load FILE");
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The tools that are of a registry. Where others are named, that is a mistake.
    fn packable<'a>(
        &self,
        toolbox: &'a OpenToolbox,
        session: &Session,
    ) -> anyhow::Result<Vec<Member<'a>>> {
        let members = toolbox.usable(&self.names, &session.printer)?;
        let is_published = |it: &Member<'_>| it.locked.source.repo().is_some();
        let (published, others): (Vec<_>, Vec<_>) = members.into_iter().partition(is_published);
        if let Some(other) = others.first() {
            let what = format!(
                "`{}` is of no registry, and cannot be in a bundle",
                other.key
            );
            if !self.names.is_empty() {
                return Err(Problem::user(what)
                    .hint("publish it first, or carry its package and load that by its path")
                    .into());
            }
            let keys: Vec<&str> = others.iter().map(|it| it.key.as_str()).collect();
            session.printer.note(&format!(
                "left out, because they are of no registry: {}",
                keys.join(", ")
            ));
        }
        Ok(published)
    }
}
