//! Finds for each import of a component the tool of its manifest's dependencies that exports it.

use std::collections::BTreeMap;

use semver::{Version, VersionReq};
use tool_hub_manifest::{ExportName, Manifest, ToolName};

use crate::component::exports::{Import, is_of_a_tool};
use crate::error::refusal::Refusal;
use crate::values::types::Signature;

/// A tool that another depends on, as far as it is linked.
pub(crate) struct Dependency {
    version: Version,
    functions: Vec<(ExportName, Signature)>,
}

impl Dependency {
    /// The tool of `version` that exports `functions`.
    pub(crate) fn new<'a>(
        version: &Version,
        functions: impl Iterator<Item = (&'a ExportName, &'a Signature)>,
    ) -> Self {
        Self {
            version: version.clone(),
            functions: functions
                .map(|(export, signature)| (export.clone(), signature.clone()))
                .collect(),
        }
    }

    /// The interface of this tool that an import of `wanted` may be linked to: that very one, or
    /// one of a compatible version.
    fn interface(&self, wanted: &str) -> Option<&str> {
        let interfaces = self.functions.iter();
        let mut interfaces = interfaces.filter_map(|(export, _)| export.interface());
        interfaces.find(|interface| is_compatible(interface, wanted))
    }
}

/// An import and the functions that it is linked to.
pub(crate) struct Link {
    /// The interface, as the component that imports it calls it.
    pub(crate) import: String,
    /// The tool that has it, by the importing tool's name for it.
    pub(crate) dependency: ToolName,
    /// For each function of the import its name and its export in the dependency.
    pub(crate) functions: Vec<(String, ExportName)>,
}

/// Links what `imports` can have from `dependencies`. A dependency that the manifest does not
/// declare or that is missing, has another version, or is not imported, is refused.
pub(crate) fn links(
    manifest: &Manifest,
    imports: &[Import],
    dependencies: &BTreeMap<ToolName, Dependency>,
) -> (Vec<Link>, Vec<Refusal>) {
    let (mut links, mut refusals) = (Vec::new(), Vec::new());
    for import in imports.iter().filter(|it| is_of_a_tool(&it.name)) {
        let mut found = dependencies.iter().filter_map(|(name, dependency)| {
            let interface = dependency.interface(&import.name)?;
            Some((name, dependency, interface))
        });
        let Some((name, dependency, interface)) = found.next() else {
            continue;
        };
        if let Some((other, ..)) = found.next() {
            let reason = format!("exports `{}`, and `{name}` does too", import.name);
            refusals.push(refusal(other, reason));
        }
        let functions = linked_functions(import, dependency, interface).unwrap_or_else(|reason| {
            refusals.push(refusal(name, reason));
            Vec::new()
        });
        links.push(Link {
            import: import.name.clone(),
            dependency: name.clone(),
            functions,
        });
    }
    for (name, request) in &manifest.dependencies {
        let is_imported = links.iter().any(|link: &Link| link.dependency == *name);
        let reason = match dependencies.get(name) {
            None => "is not at hand".to_owned(),
            Some(it) if !request.version.matches(&it.version) => {
                format!(
                    "is version {}, but it asks for {}",
                    it.version, request.version
                )
            }
            Some(_) if !is_imported => {
                "is not used: the component imports no interface that it exports".to_owned()
            }
            Some(_) => continue,
        };
        refusals.push(refusal(name, reason));
    }
    let undeclared = dependencies.keys();
    let undeclared = undeclared.filter(|name| !manifest.dependencies.contains_key(*name));
    refusals.extend(undeclared.map(|name| refusal(name, "is not in its manifest".to_owned())));
    (links, refusals)
}

fn refusal(dependency: &ToolName, reason: String) -> Refusal {
    Refusal::Dependency {
        dependency: dependency.clone(),
        reason,
    }
}

/// The functions of `import`, each with its export in the `interface` of `dependency`; an error
/// where one cannot be called.
fn linked_functions(
    import: &Import,
    dependency: &Dependency,
    interface: &str,
) -> Result<Vec<(String, ExportName)>, String> {
    let mut functions = Vec::new();
    for (function, wanted) in import.functions.iter().zip(&import.signatures) {
        let wanted = wanted.as_ref().map_err(|reason| {
            format!(
                "cannot be called by `{function}` of `{}`: {reason}",
                import.name
            )
        })?;
        let mut exports = dependency.functions.iter();
        let found = exports.find(|(export, _)| {
            export.interface() == Some(interface) && export.function() == function
        });
        let Some((export, actual)) = found else {
            return Err(format!("has no function `{function}` in `{interface}`"));
        };
        if wanted.is_async || actual.is_async {
            return Err(format!(
                "has a stream, a future or an async function in `{function}`, which no other tool can call"
            ));
        }
        if wanted != actual {
            return Err(format!(
                "has other types in `{function}` of `{interface}` than the component imports"
            ));
        }
        functions.push((function.clone(), export.clone()));
    }
    Ok(functions)
}

/// True if `exported` is the interface `wanted`, or the same of a version that is compatible.
fn is_compatible(exported: &str, wanted: &str) -> bool {
    if exported == wanted {
        return true;
    }
    let (Some((exported, has)), Some((wanted, needs))) =
        (exported.split_once('@'), wanted.split_once('@'))
    else {
        return false;
    };
    let requirement = VersionReq::parse(&format!("^{needs}"));
    let has = Version::parse(has);
    exported == wanted && matches!((requirement, has), (Ok(needs), Ok(has)) if needs.matches(&has))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_of_compatible_versions_are_linked() {
        for (exported, wanted, expect) in [
            ("a:b/c", "a:b/c", true),
            ("a:b/c@1.2.0", "a:b/c@1.2.0", true),
            ("a:b/c@1.3.0", "a:b/c@1.2.0", true),
            ("a:b/c@1.2.0", "a:b/c@1.3.0", false),
            ("a:b/c@2.0.0", "a:b/c@1.2.0", false),
            ("a:b/c@0.3.0", "a:b/c@0.2.0", false),
            ("a:b/d@1.2.0", "a:b/c@1.2.0", false),
            ("a:b/c@1.2.0", "a:b/c", false),
        ] {
            assert_eq!(
                is_compatible(exported, wanted),
                expect,
                "{exported} {wanted}"
            );
        }
    }
}
