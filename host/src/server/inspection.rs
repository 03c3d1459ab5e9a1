//! Inspects an MCP server: its description as a person reads it before approving.

use std::collections::BTreeMap;
use std::sync::Arc;

use tool_hub_manifest::{
    ExportName, Overrides, RefusedServerTool, ServerDescription, ServerPackage,
    ServerPackageRegistry, ServerStart, ServerTool, ValueType, Verified,
};

use crate::approval::inspection::Inspection;
use crate::approval::inspection::capability::capabilities_of_server;
use crate::component::function::{CallableFunction, NotCallable};
use crate::component::packages::{IncludedPackage, PackageRegistry};
use crate::error::HostError;

/// Reads the description of a server, as [`ServerDescription::package`] made a package of it. No
/// component is one, and [`inspect`](crate::inspect) takes no description: whoever calls this says
/// that a process will run, or that a service elsewhere answers.
///
/// # Errors
/// [`HostError::NotAServer`].
pub fn inspect_server(verified: &Verified) -> Result<Inspection, HostError> {
    let description = ServerDescription::of(verified)?;
    let (manifest, pin) = (verified.manifest(), verified.pin());
    let functions: Vec<CallableFunction> = description.tools.iter().filter_map(callable).collect();
    let not_callable = description.refused.iter().map(not_callable);
    let warnings = warnings(&description);
    let packages = packages(&description.start);
    Ok(Inspection {
        verified: verified.clone(),
        name: manifest.name.clone(),
        version: manifest.version.clone(),
        description: manifest.description.clone(),
        license: None,
        manifest_digest: pin.manifest,
        component_digest: pin.component,
        approval_digest: pin.digest(),
        component_bytes: verified.component().len() as u64,
        interpreter: None,
        packages,
        warnings,
        functions,
        not_callable: not_callable.collect(),
        prompts: false,
        resources: false,
        imports: Vec::new(),
        capabilities: capabilities_of_server(&manifest.capabilities),
        undeclared: Vec::new(),
        limits: manifest.limits,
        language: None,
        producers: Vec::new(),
        refusals: Vec::new(),
        overrides: Overrides::default(),
        dependencies: BTreeMap::new(),
        server: Some(Arc::new(description)),
    })
}

/// The functions of a server, for the tool that is loaded.
pub(crate) fn functions(description: &ServerDescription) -> Vec<CallableFunction> {
    description.tools.iter().filter_map(callable).collect()
}

fn callable(tool: &ServerTool) -> Option<CallableFunction> {
    let name = tool.function().ok()?;
    let kebab: Vec<&str> = name.as_str().split('_').collect();
    // A word of an export begins with a letter, which one of a function's name need not.
    let export = ExportName::top_level(&kebab.join("-")).or_else(|_| ExportName::top_level("tool"));
    Some(CallableFunction {
        export: export.ok()?,
        name,
        inputs: Vec::new(),
        output: tool
            .spec
            .output_schema
            .as_ref()
            .map(|_| tool_hub_manifest::Output {
                value_type: ValueType::Object,
                description: String::new(),
                members: tool_hub_manifest::Members::default(),
            }),
        confirm: None,
        spec: tool.spec.clone(),
    })
}

fn not_callable(tool: &RefusedServerTool) -> NotCallable {
    NotCallable {
        export: tool.name.clone(),
        reason: tool.reason.clone(),
    }
}

fn packages(start: &ServerStart) -> Vec<IncludedPackage> {
    let ServerStart::Process(process) = start else {
        return Vec::new();
    };
    let contents = process.packages.iter().flat_map(|it| &it.contents);
    let included = contents.map(|package: &ServerPackage| IncludedPackage {
        registry: match package.registry {
            ServerPackageRegistry::Npm => PackageRegistry::Npm,
            ServerPackageRegistry::Pypi => PackageRegistry::Pypi,
        },
        name: package.name.clone(),
        version: package.version.clone(),
        license: None,
        origin: None,
        hash: None,
    });
    included.collect()
}

fn warnings(description: &ServerDescription) -> Vec<String> {
    let mut warnings = Vec::new();
    let undescribed = description.tools.iter();
    let undescribed = undescribed.filter(|tool| tool.spec.description.trim().is_empty());
    warnings.extend(undescribed.map(|tool| {
        let name = &tool.spec.name;
        format!("function `{name}` has no description")
    }));
    let more = description.refused.len();
    if more > 0 {
        warnings.push(format!(
            "{more} of its tools cannot be offered: see --verbose"
        ));
    }
    let others = [
        (description.prompts, "prompts"),
        (description.resources, "resources"),
    ];
    for (_, what) in others.into_iter().filter(|(has, _)| *has) {
        warnings.push(format!("its {what} are not offered"));
    }
    warnings
}
