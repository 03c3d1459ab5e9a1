//! The terms of a tool: everything about it that a person approves, as one value, and what is
//! different between two of them.

mod compare;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use tool_hub_manifest::{
    Capabilities, FunctionName, Icon, LimitRequest, Manifest, Overrides, Pin, Source, ToolName,
    Version,
};

use crate::{CallableFunction, InspectedImport, Inspection, NotCallable};

/// Everything that a person approves of a tool. A version that is to take the place of an
/// approved one is held against it with [`Terms::changes`].
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    source: Source,
    signer: Option<String>,
    pin: Pin,
    name: ToolName,
    version: Version,
    description: String,
    license: Option<String>,
    icon: Option<Icon>,
    capabilities: Capabilities,
    limits: LimitRequest,
    imports: Vec<InspectedImport>,
    functions: Vec<CallableFunction>,
    /// The sample calls of each function, as JSON.
    examples: BTreeMap<FunctionName, String>,
    not_callable: Vec<NotCallable>,
    prompts: bool,
    resources: bool,
    overrides: Overrides,
}

/// One thing in which two [`Terms`] differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The thing that differs: `variable API_KEY`, `add: description`. Texts are the tool's own,
    /// unescaped.
    pub what: String,
    /// Its approved value, where there was one.
    pub before: Option<String>,
    /// Its present value, where there is one.
    pub after: Option<String>,
    /// The weight of the difference.
    pub kind: ChangeKind,
}

/// The weight of a change. Among several changes the greatest decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// The tool asks for less.
    Less,
    /// A newer version has another number, and is another commit.
    Newer,
    /// Other code stands behind the same words.
    Code,
    /// Something that nobody approved: a person has to.
    Beyond,
}

impl Inspection {
    /// The terms that a person approves with this tool from `source`, with a verified signature
    /// of `signer` if it has one.
    pub fn terms(&self, source: Source, signer: Option<String>) -> Terms {
        // Every field is named: one that is new has to be approved, or follow from the others.
        let Self {
            verified,
            name,
            version,
            description,
            license,
            manifest_digest: _,
            component_digest: _,
            approval_digest: _,
            component_bytes: _,
            functions,
            not_callable,
            prompts,
            resources,
            imports,
            capabilities: _,
            undeclared: _,
            limits,
            // These two are the component's word for how it was made, and go with its code.
            language: _,
            producers: _,
            warnings: _,
            refusals: _,
            overrides,
        } = self;
        let Manifest {
            schema: _,
            name: _,
            version: _,
            description: _,
            license: _,
            icon,
            build: _,
            component: _,
            functions: claims,
            capabilities,
            limits: _,
        } = verified.manifest();
        let examples = claims.iter().filter_map(|(name, claim)| {
            let json = serde_json::to_string(&claim.examples).ok()?;
            (!claim.examples.is_empty()).then(|| (name.clone(), json))
        });
        Terms {
            source,
            signer,
            pin: *verified.pin(),
            name: name.clone(),
            version: version.clone(),
            description: description.clone(),
            license: license.clone(),
            icon: icon.clone(),
            capabilities: capabilities.clone(),
            limits: *limits,
            imports: imports.clone(),
            functions: functions.clone(),
            examples: examples.collect(),
            not_callable: not_callable.clone(),
            prompts: *prompts,
            resources: *resources,
            overrides: overrides.clone(),
        }
    }
}

impl Change {
    /// The greatest kind among `changes`; none where nothing is different.
    pub fn greatest(changes: &[Self]) -> Option<ChangeKind> {
        changes.iter().map(|change| change.kind).max()
    }
}

/// Written like any difference: a line with `-` for what was, one with `+` for what is.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = &self.what;
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => write!(f, "- {what}: {before}\n+ {what}: {after}"),
            (Some(before), None) => write!(f, "- {what}: {before}"),
            (None, Some(after)) => write!(f, "+ {what}: {after}"),
            (None, None) => write!(f, "{what}"),
        }
    }
}
