//! Derives a component's manifest, or completes an author's, from the types and doc comments.

mod docs;
mod exported_packages;
mod program;

use tool_hub_manifest::{
    ArgumentName, ComponentClaim, ExportName, Function, FunctionName, Input, Manifest, Members,
    Output, ToolName, ValueType, Version,
};

use crate::approval::claims;
use crate::component::exports::{CallableExport, Exports};
use crate::component::wit;
use crate::error::HostError;
use crate::values::descriptions::has_member;
use crate::values::types::{Label, Type, snake};
use crate::values::{reply_kind, schema};

pub use crate::component::custom_section::{append_section, section};
pub use crate::component::sbom::{BuildTool, Sbom, SbomInterpreter, UnreadableSbom};
pub use docs::{CONTRACT, Docs, PACKAGES, WitPackage, WitSource, resolved};
pub use exported_packages::exported_packages;
pub use program::{ImportedInterface, ProgramWorld, program_component};

/// The manifest of somebody else's component, from its WIT and, where it carries any, its
/// doc comments. It asks for nothing: what the component imports beyond pure computation
/// meets refusals.
///
/// # Errors
/// When the bytes are no valid component, or a name in it cannot be offered to agents.
pub fn derive_manifest(component: &[u8], name: ToolName) -> Result<Manifest, HostError> {
    let manifest = Manifest::new(name, Version::new(0, 0, 0));
    complete_manifest(manifest, component, None)
}

/// Finishes an author's manifest: adds the functions, exports, inputs, outputs and
/// descriptions that are missing, from the component's types and from `docs`, or from the
/// docs that the component itself carries. What the author wrote stays as it is.
///
/// # Errors
/// When the bytes are no valid component, a name in it cannot be offered to agents, or the
/// author's claims and the component disagree.
pub fn complete_manifest(
    author: Manifest,
    component: &[u8],
    docs: Option<&Docs>,
) -> Result<Manifest, HostError> {
    let decoded = wit::decode(component)?;
    let exports = Exports::of_world(&decoded.resolve, decoded.world);
    let carried;
    let docs = match docs {
        Some(docs) => docs,
        None => {
            carried = Docs::of_section(decoded.docs.as_deref());
            &carried
        }
    };
    let mut manifest = author;
    manifest.component = Some(ComponentClaim::of(component));
    if manifest.description.is_empty() {
        manifest.description = docs.world().unwrap_or_default().to_owned();
    }
    let mut names = vec![None; exports.callable.len()];
    let mut refusals = Vec::new();
    for (name, function) in &manifest.functions {
        match claims::index(name, function, &exports) {
            Ok(index) => names[index] = Some(name.clone()),
            Err(refusal) => refusals.push(refusal),
        }
    }
    for (export, name) in exports.callable.iter().zip(names) {
        let name = match name {
            Some(name) => name,
            None => free_name(&manifest, &export.name)?,
        };
        let function = manifest.functions.entry(name).or_default();
        complete(function, export, docs)?;
    }
    refusals.extend(claims::check(&manifest, &exports).1);
    refusals.dedup();
    if refusals.is_empty() {
        Ok(manifest)
    } else {
        Err(HostError::Disagreement { refusals })
    }
}

/// The name under which a function is offered that the author did not name: its own, or
/// with its interface in front where that is taken.
fn free_name(manifest: &Manifest, export: &ExportName) -> Result<FunctionName, HostError> {
    let own = snake(export.function());
    let interface = export.interface().map(|interface| {
        let path = interface.split('@').next().unwrap_or(interface);
        let last = path.rsplit(['/', ':']).next().unwrap_or(path);
        format!("{}_{own}", snake(last))
    });
    let taken = |name: &FunctionName| manifest.functions.contains_key(name);
    for candidate in [Some(own), interface].into_iter().flatten() {
        let name: FunctionName = candidate.parse().map_err(|error| HostError::Name {
            name: export.to_string(),
            reason: format!("{error}"),
        })?;
        if !taken(&name) {
            return Ok(name);
        }
    }
    Err(HostError::Name {
        name: export.to_string(),
        reason: "another function has the same name for agents".into(),
    })
}

fn complete(
    function: &mut Function,
    export: &CallableExport<()>,
    docs: &Docs,
) -> Result<(), HostError> {
    function.export.get_or_insert_with(|| export.name.clone());
    let labels = export.signature.labels();
    if function.description.is_empty() {
        let comment = docs.function(&export.name).unwrap_or_default();
        function.description = use_json_names(comment, &labels);
    }
    let mut written = std::mem::take(&mut function.inputs);
    for field in &export.signature.parameters {
        let name: ArgumentName = field.label.json.parse().map_err(|error| HostError::Name {
            name: format!("{}: {}", export.name, field.label.wit),
            reason: format!("{error}"),
        })?;
        let is_audio = docs.is_audio(&export.name, &field.label.wit);
        let mut input = written.shift_remove(&name).unwrap_or_else(|| Input {
            value_type: match schema::value_type(&field.ty) {
                ValueType::Image if is_audio => ValueType::Audio,
                value_type => value_type,
            },
            description: String::new(),
            optional: false,
            examples: Vec::new(),
            members: Members::default(),
        });
        // Authors need not say what the component says.
        input.optional |= matches!(field.ty, Type::Option(_));
        if input.description.is_empty() {
            let comment = docs.parameter(&export.name, &field.label.wit);
            input.description = use_json_names(&comment.unwrap_or_default(), &labels);
        }
        let members = docs.members(&export.name, &field.label.wit);
        complete_members(&mut input.members, members, &field.ty, &labels);
        function.inputs.insert(name, input);
    }
    // What is left names no parameter; the check that follows says so.
    function.inputs.extend(written);
    if function.output.is_none() {
        function.output = claims::output_type(&export.signature).map(|value_type| Output {
            value_type,
            description: String::new(),
            members: Members::default(),
        });
    }
    // Only a result with a schema has a place for descriptions of its members.
    if let (Some(output), Some(ty)) = (
        &mut function.output,
        reply_kind::structured(&export.signature),
    ) {
        let members = docs.answered(&export.name);
        complete_members(&mut output.members, members, ty, &labels);
    }
    Ok(())
}

/// Adds the comments on members that the author does not describe. Sources that are not those of
/// the component may name members that do not exist.
fn complete_members(
    members: &mut Members,
    comments: Option<&Members>,
    ty: &Type,
    labels: &[&Label],
) {
    for (place, comment) in comments.into_iter().flatten() {
        if !members.contains_key(place) && has_member(ty, place) {
            members.insert(place.clone(), use_json_names(comment, labels));
        }
    }
}

/// Comments speak of `longest-side`, agents write `longest_side`: names in backticks are
/// spelled as agents spell them.
fn use_json_names(comment: &str, labels: &[&Label]) -> String {
    let mut text = comment.to_owned();
    for label in labels.iter().filter(|label| label.wit != label.json) {
        let from = format!("`{}`", label.wit);
        text = text.replace(&from, &format!("`{}`", label.json));
    }
    text
}
