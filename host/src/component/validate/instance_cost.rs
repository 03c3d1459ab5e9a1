//! Counts what a component's instances cost the validator, and refuses too much beforehand.
//! The validator compares their types part by part, and a few kilobytes can instantiate a type of a
//! million parts a thousand times.

use std::collections::HashMap;

use wasmparser::component_types::{
    ComponentAnyTypeId, ComponentCoreModuleTypeId, ComponentDefinedType, ComponentEntityType,
    ComponentValType,
};
use wasmparser::types::TypesRef;
use wasmparser::{ComponentInstance, Instance, Payload, Validator};

use crate::component::scan;
use crate::component::validate::rejection::Rejection;

/// The parts of the types of all instances together. A Python component has 7,000.
const PARTS_MAX: u64 = 1_000_000;

/// The cost of the instances so far.
#[derive(Default)]
pub(super) struct InstanceCost {
    parts: u64,
    known: HashMap<ComponentAnyTypeId, u64>,
}

impl InstanceCost {
    /// Adds the instances that `payload` makes, before `validator` sees it.
    pub(super) fn add(
        &mut self,
        payload: &Payload<'_>,
        validator: &Validator,
    ) -> Result<(), Rejection> {
        let Some(types) = validator.types(0) else {
            return Ok(());
        };
        match payload {
            Payload::ComponentInstanceSection(section) => {
                for instance in section.clone() {
                    // What is out of bounds is the validator's to refuse.
                    if let ComponentInstance::Instantiate {
                        component_index, ..
                    } = instance?
                        && component_index < types.component_count()
                    {
                        let component = types.component_at(component_index);
                        self.count(|cost| cost.parts_of(types, component.into()))?;
                    }
                }
            }
            Payload::InstanceSection(section) => {
                for instance in section.clone() {
                    if let Instance::Instantiate { module_index, .. } = instance?
                        && module_index < types.module_count()
                    {
                        let module = types.module_at(module_index);
                        self.count(|_| module_parts(types, module))?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn count(&mut self, parts: impl FnOnce(&mut Self) -> u64) -> Result<(), Rejection> {
        let parts = parts(self);
        self.parts = self.parts.saturating_add(parts);
        Ok(scan::check(
            "parts in the types of its instances",
            self.parts,
            PARTS_MAX,
        )?)
    }

    /// The parts of a type and of the types it names, counted each time that they are named.
    fn parts_of(&mut self, types: TypesRef<'_>, id: ComponentAnyTypeId) -> u64 {
        if let Some(parts) = self.known.get(&id) {
            return *parts;
        }
        let mut parts = 1_u64;
        let mut add = |more: u64| parts = parts.saturating_add(more);
        match id {
            ComponentAnyTypeId::Resource(_) => {}
            ComponentAnyTypeId::Defined(id) => {
                for value in members(&types[id]) {
                    add(self.value(types, value));
                }
            }
            ComponentAnyTypeId::Func(id) => {
                let function = &types[id];
                let parameters = function.params.iter().map(|(_, parameter)| parameter);
                for value in parameters.chain(&function.result) {
                    add(self.value(types, *value));
                }
            }
            ComponentAnyTypeId::Instance(id) => {
                for item in types[id].exports.values() {
                    add(self.entity(types, item.ty));
                }
            }
            ComponentAnyTypeId::Component(id) => {
                let component = &types[id];
                for item in component.imports.values().chain(component.exports.values()) {
                    add(self.entity(types, item.ty));
                }
            }
        }
        self.known.insert(id, parts);
        parts
    }

    fn entity(&mut self, types: TypesRef<'_>, entity: ComponentEntityType) -> u64 {
        match entity {
            ComponentEntityType::Module(id) => module_parts(types, id),
            ComponentEntityType::Func(id) => self.parts_of(types, id.into()),
            ComponentEntityType::Value(value) => self.value(types, value),
            ComponentEntityType::Type { created, .. } => self.parts_of(types, created),
            ComponentEntityType::Instance(id) => self.parts_of(types, id.into()),
            ComponentEntityType::Component(id) => self.parts_of(types, id.into()),
        }
    }

    fn value(&mut self, types: TypesRef<'_>, value: ComponentValType) -> u64 {
        match value {
            ComponentValType::Primitive(_) => 1,
            ComponentValType::Type(id) => self.parts_of(types, id.into()),
        }
    }
}

fn module_parts(types: TypesRef<'_>, id: ComponentCoreModuleTypeId) -> u64 {
    let module = &types[id];
    (module.imports.len() + module.exports.len()) as u64
}

/// The types that a type names.
fn members(defined: &ComponentDefinedType) -> Vec<ComponentValType> {
    use ComponentDefinedType as Defined;
    match defined {
        Defined::Record(record) => record.fields.values().copied().collect(),
        Defined::Variant(variant) => variant.cases.values().filter_map(|case| case.ty).collect(),
        Defined::Tuple(tuple) => tuple.types.to_vec(),
        Defined::List { element, .. } | Defined::FixedLengthList { element, .. } => vec![*element],
        Defined::Map { key, value, .. } => vec![*key, *value],
        Defined::Option { ty, .. } => vec![*ty],
        Defined::Result { ok, err, .. } => ok.iter().chain(err).copied().collect(),
        Defined::Future { ty, .. } | Defined::Stream { ty, .. } => ty.iter().copied().collect(),
        Defined::Primitive(_)
        | Defined::Flags(_)
        | Defined::Enum(_)
        | Defined::Own(_)
        | Defined::Borrow(_) => Vec::new(),
    }
}
