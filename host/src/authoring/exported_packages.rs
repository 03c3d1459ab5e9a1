//! Writes the WIT of a component's exported interfaces, for a tool that wants to import them.

use std::collections::BTreeMap;

use wit_component::{OutputToString, WitPrinter};
use wit_parser::PackageId;

use crate::component::exports::is_of_a_tool;
use crate::component::wit;
use crate::error::HostError;

/// The packages that the interfaces of `component` are in, each by its directory below `wit/deps`
/// with its text. Those of WASI and of the contract are left out.
///
/// # Errors
/// When the bytes are no valid component, or its interfaces cannot be written as WIT.
pub fn exported_packages(component: &[u8]) -> Result<BTreeMap<String, String>, HostError> {
    let decoded = wit::decode(component)?;
    let resolve = &decoded.resolve;
    let own = resolve.worlds[decoded.world].package;
    let packages = resolve.packages.iter();
    let of_tools = packages.filter(|(id, package)| {
        Some(*id) != own
            && is_of_a_tool(&format!(
                "{}:{}/",
                package.name.namespace, package.name.name
            ))
    });
    let written = of_tools.map(|(id, package)| {
        let name = &package.name;
        let version = name.version.as_ref().map(|version| format!("-{version}"));
        let directory = format!(
            "{}-{}{}",
            name.namespace,
            name.name,
            version.unwrap_or_default()
        );
        Ok((directory, text(resolve, id)?))
    });
    written.collect()
}

fn text(resolve: &wit_parser::Resolve, package: PackageId) -> Result<String, HostError> {
    let mut printer = WitPrinter::new(OutputToString::default());
    let printed = printer.print(resolve, package, &[]);
    printed.map_err(|error| HostError::Malformed {
        reason: format!("its interface cannot be written as WIT: {error:#}"),
    })?;
    Ok(String::from(printer.output))
}
