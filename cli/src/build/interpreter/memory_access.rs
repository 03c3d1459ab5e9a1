//! Adds `interpreter-memory` of the contract to an interpreter's component: access to its memory.
//!
//! A language's toolchain does not give a component access to its own memory as a whole, so the
//! sections are appended to the finished component: a small module, and its functions as exports.

use std::ops::Range;

use anyhow::{Context as _, bail};
use wasm_encoder::{
    Alias, CanonicalFunctionSection, CanonicalOption, ComponentAliasSection, ComponentExportKind,
    ComponentExportSection, ComponentInstanceSection, ComponentSection as _, ComponentTypeSection,
    ComponentValType, ExportKind, InstanceSection, ModuleArg, PrimitiveValType, RawSection,
};
use wasmparser::{
    CanonicalFunction, ComponentAlias, ComponentExternalKind, ComponentInstance, ComponentTypeRef,
    ExternalKind, Parser, Payload,
};

pub(super) const MODULE: &str = include_str!("memory.wat");
/// The interface of interpreters, in any version.
const INTERPRETER: &str = "tool-hub:tool/interpreter@";
const INTERFACE: &str = "tool-hub:tool/interpreter-memory@0.1.0";
/// The section of a component that holds a core module.
const CORE_MODULE_SECTION: u8 = 1;
/// The section of a component that holds another one.
const COMPONENT_SECTION: u8 = 4;

/// The number of things of each kind at the top of a component, which is the index of the next.
#[derive(Debug, Default)]
struct Counts {
    core_modules: u32,
    core_instances: u32,
    core_functions: u32,
    core_memories: u32,
    types: u32,
    functions: u32,
    instances: u32,
    /// The places of the components within it.
    components: Vec<Range<usize>>,
    /// The indices of those of which instances are made, and of their instances.
    instantiated: Vec<(u32, u32)>,
    /// True if it exports the interface of interpreters.
    is_interpreter: bool,
}

/// The component with the interface, for the first memory that it has, or that the component within
/// it has which is the interpreter.
pub(super) fn add(component: &[u8]) -> anyhow::Result<Vec<u8>> {
    let counts = Counts::of(component)?;
    if counts.core_memories > 0 {
        return with_access(component, &counts);
    }
    let found = counts.components.iter().enumerate();
    let mut found = found
        .filter(|(_, range)| !range.is_empty())
        .map(|(index, range)| {
            let within = Counts::of(&component[range.clone()])?;
            Ok((index as u32, range, within))
        });
    let Some((index, range, within)) = found
        .find(|it: &anyhow::Result<_>| it.as_ref().map_or(true, |(_, _, it)| it.is_interpreter))
        .transpose()?
    else {
        bail!("the component has no memory");
    };
    let inner = with_access(&component[range.clone()], &within)?;
    let mut out = component[..start_of_section(component, range)?].to_vec();
    RawSection {
        id: COMPONENT_SECTION,
        data: &inner,
    }
    .append_to_component(&mut out);
    out.extend_from_slice(&component[range.end..]);

    let kind = ComponentExportKind::Instance;
    let mut instances = counts.instantiated.iter();
    let instance = instances.find_map(|(of, instance)| (*of == index).then_some(*instance));
    let mut aliases = ComponentAliasSection::new();
    aliases.alias(Alias::InstanceExport {
        instance: instance.context("the component within is not instantiated")?,
        kind,
        name: INTERFACE,
    });
    aliases.append_to_component(&mut out);
    let mut exports = ComponentExportSection::new();
    exports.export(INTERFACE, kind, counts.instances, None);
    exports.append_to_component(&mut out);
    Ok(out)
}

/// The place of the section of which `range` holds the contents. Before those stand the section's
/// kind and their length in LEB128.
fn start_of_section(component: &[u8], range: &Range<usize>) -> anyhow::Result<usize> {
    let digits = (usize::BITS - range.len().leading_zeros())
        .div_ceil(7)
        .max(1) as usize;
    let start = range.start.checked_sub(digits + 1);
    let start = start.filter(|start| component[*start] == COMPONENT_SECTION);
    start.context("the section of the component within has a length of another form")
}

/// The component with the interface, for the first memory that it has.
fn with_access(component: &[u8], counts: &Counts) -> anyhow::Result<Vec<u8>> {
    let mut out = component.to_vec();
    let module = wat::parse_str(MODULE).context("the module for access to a memory")?;
    RawSection {
        id: CORE_MODULE_SECTION,
        data: &module,
    }
    .append_to_component(&mut out);

    let (main, access) = (counts.core_instances, counts.core_instances + 1);
    let mut core_instances = InstanceSection::new();
    core_instances.export_items([("memory", ExportKind::Memory, 0)]);
    core_instances.instantiate(counts.core_modules, [("main", ModuleArg::Instance(main))]);
    core_instances.append_to_component(&mut out);

    let names = ["size", "grow", "read", "restore", "after-read", "room"];
    let mut aliases = ComponentAliasSection::new();
    for name in names {
        aliases.alias(Alias::CoreInstanceExport {
            instance: access,
            kind: ExportKind::Func,
            name,
        });
    }
    aliases.append_to_component(&mut out);
    let core = |name| {
        let index = names.iter().position(|known| *known == name);
        counts.core_functions + index.map_or(0, |index| index as u32)
    };

    let number = ComponentValType::Primitive(PrimitiveValType::U32);
    let bytes = ComponentValType::Type(counts.types);
    let mut types = ComponentTypeSection::new();
    types.defined_type().list(PrimitiveValType::U8);
    let none: [(&str, ComponentValType); 0] = [];
    types.function().params(none).result(Some(number));
    types.function().params([("pages", number)]).result(None);
    let range = [("offset", number), ("length", number)];
    types.function().params(range).result(Some(bytes));
    types.function().params([("changes", bytes)]).result(None);
    types.append_to_component(&mut out);

    let memory = CanonicalOption::Memory(0);
    let read = [memory, CanonicalOption::PostReturn(core("after-read"))];
    let restore = [memory, CanonicalOption::Realloc(core("room"))];
    let mut lifted = CanonicalFunctionSection::new();
    lifted.lift(core("size"), counts.types + 1, []);
    lifted.lift(core("grow"), counts.types + 2, []);
    lifted.lift(core("read"), counts.types + 3, read);
    lifted.lift(core("restore"), counts.types + 4, restore);
    lifted.append_to_component(&mut out);

    let functions = ["size", "grow", "read", "restore"].into_iter().enumerate();
    let functions = functions.map(|(index, name)| {
        let index = counts.functions + index as u32;
        (name, ComponentExportKind::Func, index)
    });
    let mut instances = ComponentInstanceSection::new();
    instances.export_items(functions.collect::<Vec<_>>());
    instances.append_to_component(&mut out);

    let mut exports = ComponentExportSection::new();
    let kind = ComponentExportKind::Instance;
    exports.export(INTERFACE, kind, counts.instances, None);
    exports.append_to_component(&mut out);
    Ok(out)
}

impl Counts {
    fn of(component: &[u8]) -> anyhow::Result<Self> {
        let mut counts = Self::default();
        let mut depth = 0_u32;
        for payload in Parser::new(0).parse_all(component) {
            let payload = payload?;
            match &payload {
                Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                    if depth == 0 && matches!(payload, Payload::ModuleSection { .. }) {
                        counts.core_modules += 1;
                    }
                    if depth == 0
                        && let Payload::ComponentSection {
                            unchecked_range, ..
                        } = &payload
                    {
                        counts.components.push(unchecked_range.clone());
                    }
                    depth += 1;
                }
                Payload::End(_) => depth = depth.saturating_sub(1),
                _ if depth == 0 => counts.add(payload)?,
                _ => {}
            }
        }
        Ok(counts)
    }

    fn add(&mut self, payload: Payload<'_>) -> anyhow::Result<()> {
        match payload {
            Payload::InstanceSection(section) => self.core_instances += section.count(),
            Payload::ComponentInstanceSection(section) => {
                for instance in section {
                    if let ComponentInstance::Instantiate {
                        component_index, ..
                    } = instance?
                    {
                        self.instantiated.push((component_index, self.instances));
                    }
                    self.instances += 1;
                }
            }
            Payload::ComponentTypeSection(section) => self.types += section.count(),
            Payload::ComponentAliasSection(section) => {
                for alias in section {
                    match alias? {
                        ComponentAlias::CoreInstanceExport { kind, .. } => match kind {
                            ExternalKind::Func => self.core_functions += 1,
                            ExternalKind::Memory => self.core_memories += 1,
                            _ => {}
                        },
                        ComponentAlias::InstanceExport { kind, .. } => self.named(kind),
                        ComponentAlias::Outer { kind, .. } => {
                            use wasmparser::ComponentOuterAliasKind::{CoreModule, Type};
                            self.core_modules += u32::from(kind == CoreModule);
                            self.types += u32::from(kind == Type);
                        }
                    }
                }
            }
            Payload::ComponentCanonicalSection(section) => {
                for function in section {
                    match function? {
                        CanonicalFunction::Lift { .. } => self.functions += 1,
                        _ => self.core_functions += 1,
                    }
                }
            }
            Payload::ComponentImportSection(section) => {
                for import in section {
                    self.named(match import?.ty {
                        ComponentTypeRef::Module(_) => ComponentExternalKind::Module,
                        ComponentTypeRef::Func(_) => ComponentExternalKind::Func,
                        ComponentTypeRef::Type(_) => ComponentExternalKind::Type,
                        ComponentTypeRef::Instance(_) => ComponentExternalKind::Instance,
                        ComponentTypeRef::Component(_) => ComponentExternalKind::Component,
                        ComponentTypeRef::Value(_) => ComponentExternalKind::Value,
                    });
                }
            }
            // An export gives its item one more index.
            Payload::ComponentExportSection(section) => {
                for export in section {
                    let export = export?;
                    self.is_interpreter |= export.name.name.starts_with(INTERPRETER);
                    self.named(export.kind);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn named(&mut self, kind: ComponentExternalKind) {
        match kind {
            ComponentExternalKind::Module => self.core_modules += 1,
            ComponentExternalKind::Func => self.functions += 1,
            ComponentExternalKind::Type => self.types += 1,
            ComponentExternalKind::Instance => self.instances += 1,
            // One that is not within the component has no place in it.
            ComponentExternalKind::Component => self.components.push(0..0),
            ComponentExternalKind::Value => {}
        }
    }
}
