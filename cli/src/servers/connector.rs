//! The command's connector to MCP servers: this program closes cages, and drift is told on stderr.

use tool_hub_mcp_client::{Connector, ServerNotice, Surroundings};

use crate::cage_process;
use crate::consent::difference;
use crate::session::Session;
use crate::terminal::printer::Printer;

/// The settings that servers are started with.
///
/// # Errors
/// When this program cannot be found.
pub(crate) fn surroundings() -> anyhow::Result<Surroundings> {
    Ok(Surroundings {
        launcher: cage_process::launcher()?,
        scratch: std::env::temp_dir(),
    })
}

/// The connector of the command.
///
/// # Errors
/// As [`surroundings`].
pub(crate) fn connector(session: &Session) -> anyhow::Result<Connector> {
    let printer = session.printer;
    Ok(Connector::new(surroundings()?, move |notice| {
        tell(&notice, &printer);
    }))
}

fn tell(notice: &ServerNotice<'_>, printer: &Printer) {
    let ServerNotice::Drifted {
        name,
        changes,
        added,
        ..
    } = notice
    else {
        return;
    };
    printer.warning(&format!(
        "the server `{name}` is not what you approved; what changed is refused:"
    ));
    difference::show(changes, printer);
    if !added.is_empty() {
        printer.note(&format!(
            "not offered, as nobody approved it: {}",
            added.join(", ")
        ));
    }
    printer.hint(&format!(
        "look at it and approve it with: tool update {name}"
    ));
}
