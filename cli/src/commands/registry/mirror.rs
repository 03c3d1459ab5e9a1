//! `tool registry mirror`: copies what another registry published, once or again and again.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tool_hub_registry_server::{
    LogKey, MirrorReport, MirrorSource, Registry, RegistryError, RepositoryPattern, Untaken,
};
use tool_hub_toolbox::byte_size::ByteSize;
use url::Url;

use crate::log::{LogFormat, Logging};
use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::terminal::signals::stop_requested;

/// Arguments of `tool registry mirror`.
#[derive(Debug, Args)]
pub(crate) struct Mirror {
    /// The registry to mirror, by its URL
    #[arg(value_name = "URL")]
    upstream: Url,

    /// The repos to mirror, as owner/name or 'owner/*'; may be given again; takes owner/name where
    /// the registry keeps no log, as the Hub [default: all of which its log speaks]
    #[arg(long, value_name = "REPO")]
    only: Vec<RepositoryPattern>,

    /// The key that signs the registry's log, as its /api/log/key says it [default: the first that
    /// is seen]
    #[arg(long, value_name = "KEY")]
    log_key: Option<LogKey>,

    /// Stop after one look, and say by the exit code whether all was taken
    #[arg(long, conflicts_with = "interval")]
    once: bool,

    /// The seconds from one look to the next
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    interval: u32,

    /// The form of events on standard error; TOOL_HUB_LOG=info adds to the warnings
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    log_format: LogFormat,
}

impl Mirror {
    /// With `--once` the command says itself what happened; else it is logged, as by a server.
    pub(super) fn logging(&self) -> Logging {
        Logging {
            format: self.log_format,
            events: (!self.once).then_some("warn"),
        }
    }

    pub(super) async fn execute(
        &self,
        registry: Registry,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let mut source = MirrorSource::all(self.upstream.clone());
        source.only.clone_from(&self.only);
        source.log_key.clone_from(&self.log_key);
        let outcome = match self.once {
            true => once(&registry, &source, printer).await,
            false => self.follow(&registry, &source, printer).await,
        };
        registry.close().await;
        outcome.map(|()| ExitCode::SUCCESS)
    }

    /// Looks again and again. What fails is tried again; what can only be mended by the operator
    /// ends it.
    async fn follow(
        &self,
        registry: &Registry,
        source: &MirrorSource,
        printer: &Printer,
    ) -> anyhow::Result<()> {
        let mut stop = std::pin::pin!(stop_requested());
        loop {
            let looked = tokio::select! {
                () = &mut stop => return Ok(()),
                looked = registry.mirror(source) => looked,
            };
            match looked {
                Ok(report) if report.new_records > 0 || report.versions > 0 => {
                    say(&report, printer)?;
                }
                Ok(_) => {}
                Err(
                    error @ (RegistryError::Upstream { .. } | RegistryError::UpstreamLog { .. }),
                ) => {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        "nothing was mirrored"
                    );
                }
                Err(error) => return Err(error.into()),
            }
            tokio::select! {
                () = &mut stop => return Ok(()),
                () = tokio::time::sleep(Duration::from_secs(self.interval.into())) => {}
            }
        }
    }
}

async fn once(registry: &Registry, source: &MirrorSource, printer: &Printer) -> anyhow::Result<()> {
    let report = registry.mirror(source).await?;
    say(&report, printer)?;
    match report.refused.len() {
        0 => Ok(()),
        refused => Err(Problem::refused(format!(
            "{} of {} contradicts its log or its manifest or cannot be copied, and was not taken",
            counted(refused, "version"),
            source.upstream
        ))
        .hint("what was taken is served; tell whoever runs the registry that is mirrored")
        .into()),
    }
}

fn say(report: &MirrorReport, printer: &Printer) -> anyhow::Result<()> {
    let lines =
        |untaken: &[Untaken]| -> Vec<String> { untaken.iter().map(ToString::to_string).collect() };
    let (missing, refused) = (lines(&report.missing), lines(&report.refused));
    if printer.wants_json() {
        printer.json(&json!({
            "records": report.records,
            "new_records": report.new_records,
            "versions": report.versions,
            "files": report.files,
            "bytes": report.bytes,
            "missing": missing,
            "refused": refused,
        }))?;
        return Ok(());
    }
    let count = |number: u64, what| counted(usize::try_from(number).unwrap_or(usize::MAX), what);
    let log = report.records.map_or_else(String::new, |records| {
        let records = count(records, "record");
        format!(
            "; the log has {records}, {} of them new",
            report.new_records
        )
    });
    printer.data(&format!(
        "{} new, {} fetched with {}{log}",
        count(report.versions, "version"),
        count(report.files, "file"),
        ByteSize(report.bytes),
    ))?;
    for line in &missing {
        printer.note(&format!("not there any more: {line}"));
    }
    for line in &refused {
        printer.warning(&format!("refused: {line}"));
    }
    Ok(())
}
