//! `tool inspect`: fetches a tool and shows its claims next to its real imports and exports.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_toolbox::inspection_report::Detail;
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::package::{Fetched, FetchedFrom, Subject};
use tool_hub_toolbox::provenance::Provenance;
use tool_hub_toolbox::target::{self, Target};

use crate::consent::capability_flags::CapabilityFlags;
use crate::consent::grant_flags;
use crate::consent::inspection_report::{inspection_report, wanted_detail};
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;
use crate::toolbox::fetching;

/// Arguments of `tool inspect`.
#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// owner/name, owner/name@version, a path to a component, package or project, or the name
    /// of a tool of the toolbox
    tool: Subject,

    #[command(flatten)]
    asked: CapabilityFlags,
}

impl Inspect {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        self.check_flags(config)?;
        let target = Target::of(&self.tool, &config.settings)?;
        let (subject, endpoint) = (&target.subject, &target.endpoint);
        let asked = self.asked.capabilities();
        let fetched = fetching::fetch(subject, asked, endpoint, session).await?;
        // Includes the toolbox's overrides, as `tool load` does.
        let key = target.key(&fetched);
        let toolbox = OpenToolbox::open(&config.settings)?;
        let overrides = target::entry(&fetched, &key, &toolbox).overrides();
        let approved = toolbox.last_approved(&key);
        let are_approved = approved.is_some_and(|before| before.overrides == overrides);
        let inspection = tool_hub_host::inspect(&fetched.verified)?.with_overrides(overrides);
        if !inspection.overrides.is_empty() && !are_approved {
            printer.warning("you have not approved the texts for agents in toolbox.toml");
        }
        let provenance = Provenance::of(&fetched, &config.settings, printer).await;
        if printer.wants_json() {
            printer.json(&json!({
                "origin": origin(&fetched, provenance.published.as_deref()),
                "digest": inspection.approval_digest,
                "inspection": grant_flags::inspection_json(&inspection)?,
                "overrides_approved": are_approved || inspection.overrides.is_empty(),
            }))?;
        } else {
            let detail = wanted_detail(printer);
            printer.data(&inspection_report(&provenance, &inspection, detail))?;
            if detail == Detail::Decision {
                printer.hint("imports, digests and whole descriptions are shown with --verbose");
            }
            if inspection.refusals.is_empty() && inspection.offers_something() {
                printer.hint(&format!(
                    "load it with: tool load {}{} --approve {}",
                    target.named(&fetched),
                    self.asked.flags(),
                    inspection.approval_digest
                ));
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Refuses the flags for anything but a bare component, the only tool without a manifest to say
    /// what it asks for.
    fn check_flags(&self, config: &Config) -> anyhow::Result<()> {
        let is_component = match &self.tool {
            Subject::Path(path) => !config.settings.place(path).is_dir(),
            Subject::Reference(..) => false,
        };
        if is_component || self.asked == CapabilityFlags::default() {
            return Ok(());
        }
        Err(
            Problem::user("`tool inspect` grants nothing and approves nothing")
                .hint("a tool with a manifest asks for what its manifest says; use: tool load")
                .into(),
        )
    }
}

fn origin(fetched: &Fetched, published: Option<&str>) -> serde_json::Value {
    match &fetched.origin {
        FetchedFrom::Registry {
            endpoint, resolved, ..
        } => json!({
            "endpoint": endpoint,
            "repo": resolved.repo,
            "commit": resolved.commit,
            "version": resolved.version,
            "publisher": resolved.repo.owner(),
            "published": published,
        }),
        FetchedFrom::File { path } => json!({ "path": path }),
        FetchedFrom::Approved(source) => json!(source),
    }
}
