//! Obtains consent to the start of an MCP server, which has to run before its tools can be read.

use tool_hub_manifest::{Digest, ServerDescription};
use tool_hub_manifest::{DirectoryGrant, DirectoryName, Grants, LockedTool, ServerStart};
use tool_hub_mcp_client::local_support;
use tool_hub_toolbox::inspection_report::start_lines;

use crate::consent::approval::Terminal;
use crate::consent::inspection_report::wanted_detail;
use crate::session::Session;
use crate::terminal::phrases;
use crate::terminal::problem::Problem;

/// The digest of `start` with `grants`, by which a flag agrees to it.
///
/// # Errors
/// When the grants cannot be written.
pub(crate) fn start_digest(start: &ServerStart, grants: &Grants) -> anyhow::Result<Digest> {
    Ok(start.digest(&serde_json::to_string(grants)?))
}

/// Fails unless somebody agrees to `start` with `grants`: a person at the terminal, a flag that
/// names the digest, or the approval of the same start as `before`.
///
/// # Errors
/// Refused when nobody does.
pub(crate) fn agreed(
    start: &ServerStart,
    grants: &Grants,
    before: Option<&LockedTool>,
    flag: Option<Digest>,
    session: &Session,
) -> anyhow::Result<()> {
    let printer = &session.printer;
    if is_approved(start, grants, before, session) {
        return Ok(());
    }
    let digest = start_digest(start, grants)?;
    let mut lines = vec!["Before its tools can be read, the server has to be started.".to_owned()];
    lines.extend(start_lines(start, wanted_detail(printer)));
    if let (ServerStart::Process(_), Some(bound)) = (start, local_support().task_bounds().first()) {
        lines.push(format!("  {bound}"));
    }
    lines.push(format!("  it may {}", may(grants)));
    lines.push(format!("  start      {digest}"));
    let report = lines.join("\n");
    match flag {
        Some(named) if named == digest => {
            printer.note(&report);
            return Ok(());
        }
        Some(named) => {
            printer.note(&report);
            return Err(Problem::refused(format!(
                "--start names {named}, but this start is {digest}; nothing was started"
            ))
            .hint("look at what is started, and name the digest that is shown")
            .into());
        }
        None => {}
    }
    let Some(mut terminal) = Terminal::open() else {
        printer.note(&report);
        return Err(Problem::refused(
            "the server has to be started before its tools can be read, and nobody is there to ask",
        )
        .hint(format!("agree to this start with: --start {digest}"))
        .into());
    };
    printer.before_a_question(&report);
    let question = match start {
        ServerStart::Process(_) => "Start it, to read its tools? Type yes to start it: ",
        ServerStart::Remote { .. } => "Ask it for its tools? Type yes to connect: ",
    };
    match terminal.ask(question)?.trim() {
        "yes" => Ok(()),
        _ => Err(
            Problem::refused("the server was not started; nothing was changed")
                .hint("only the whole word yes starts it")
                .into(),
        ),
    }
}

/// True if the same start was approved with at least these grants.
fn is_approved(
    start: &ServerStart,
    grants: &Grants,
    before: Option<&LockedTool>,
    session: &Session,
) -> bool {
    let Some(before) = before.filter(|before| before.grants == *grants) else {
        return false;
    };
    let verified = session.config.settings.open_store();
    let verified = verified
        .ok()
        .and_then(|store| store.get(&before.pin()).ok());
    let approved = verified.and_then(|it| ServerDescription::of(&it).ok());
    approved.is_some_and(|approved| approved.start == *start)
}

/// The rights in words.
fn may(grants: &Grants) -> String {
    let directory = |name: &DirectoryName, grant: &DirectoryGrant| {
        format!("{} {} as {name}", grant.access, grant.path.display())
    };
    phrases::rights(grants, false, directory)
}
