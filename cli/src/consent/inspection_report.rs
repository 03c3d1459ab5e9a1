//! Formats an inspection for people, naming the flags that grant its rights and show all of it.

use tool_hub_host::Inspection;
use tool_hub_toolbox::inspection_report::{self, Advice, Detail};
use tool_hub_toolbox::provenance::Provenance;

use crate::consent::grant_flags;
use crate::terminal::escape::escape_line;
use crate::terminal::printer::Printer;

/// The extent that the command line asks for.
pub(crate) fn wanted_detail(printer: &Printer) -> Detail {
    match printer.is_verbose() {
        true => Detail::Everything,
        false => Detail::Decision,
    }
}

/// The report, with the flags that grant what the tool asks for.
pub(crate) fn inspection_report(
    from: &Provenance,
    inspection: &Inspection,
    detail: Detail,
) -> String {
    let flags = inspection.capabilities.iter();
    let flags: Vec<String> = flags
        .map(|asked| escape_line(&grant_flags::flag(&asked.grant)))
        .collect();
    let grant = (!flags.is_empty()).then(|| format!("grant with {}", flags.join(" ")));
    let advice = Advice {
        more: "see --verbose",
        grant: grant.as_deref(),
    };
    inspection_report::inspection_report(from, inspection, detail, advice)
}
