//! Counts the parts of a component's bytes, and refuses too many before anything expensive is done.
//! Compilers and decoders take time and memory out of proportion to hostile input.

use wasmparser::{Encoding, Parser, Payload};

use crate::error::HostError;

const COMPONENT_BYTES_MAX: u64 = 64 << 20;
const FUNCTIONS_MAX: u64 = 50_000;
/// Modules and components inside the component.
const NESTED_MAX: u64 = 100;
const DEPTH_MAX: u64 = 20;
/// Instances, of modules and components, at every level.
const INSTANCES_MAX: u64 = 1_000;
const TYPES_MAX: u64 = 100_000;
const IMPORTS_EXPORTS_MAX: u64 = 100_000;
/// The bytes of one function: optimisers are worse than linear in them.
const FUNCTION_BYTES_MAX: u64 = 2 << 20;

/// Counts what `bytes` are made of.
///
/// # Errors
/// When they are no component or too big in any respect.
pub(crate) fn scan(bytes: &[u8]) -> Result<(), HostError> {
    if bytes.starts_with(b"\x7fELF") {
        return Err(HostError::NotAComponent {
            found: "precompiled native code",
        });
    }
    if !bytes.starts_with(b"\0asm") {
        return Err(HostError::NotAComponent {
            found: "in another format",
        });
    }
    check("bytes", bytes.len() as u64, COMPONENT_BYTES_MAX)?;
    let mut count = ComponentCounts::default();
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(malformed)?;
        if let Payload::Version { encoding, .. } = payload
            && count.nested == 0
            && encoding == Encoding::Module
        {
            return Err(HostError::NotAComponent {
                found: "a core WebAssembly module",
            });
        }
        count.add(&payload)?;
    }
    Ok(())
}

pub(crate) fn malformed(error: wasmparser::BinaryReaderError) -> HostError {
    HostError::Malformed {
        reason: format!("{} at byte {}", error.message(), error.offset()),
    }
}

#[derive(Default)]
struct ComponentCounts {
    functions: u64,
    nested: u64,
    depth: u64,
    instances: u64,
    types: u64,
    imports_exports: u64,
}

impl ComponentCounts {
    fn add(&mut self, payload: &Payload<'_>) -> Result<(), HostError> {
        match payload {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                self.nested += 1;
                self.depth += 1;
                check("nested modules and components", self.nested, NESTED_MAX)?;
                check("levels of nesting", self.depth, DEPTH_MAX)?;
            }
            Payload::End(_) => self.depth = self.depth.saturating_sub(1),
            Payload::FunctionSection(section) => {
                self.functions += u64::from(section.count());
                check("functions", self.functions, FUNCTIONS_MAX)?;
            }
            Payload::CodeSectionEntry(body) => {
                let length = body.range().len() as u64;
                check("bytes in one function", length, FUNCTION_BYTES_MAX)?;
            }
            Payload::InstanceSection(section) => self.instances(section.count())?,
            Payload::ComponentInstanceSection(section) => self.instances(section.count())?,
            Payload::TypeSection(section) => self.types(section.count())?,
            Payload::CoreTypeSection(section) => self.types(section.count())?,
            Payload::ComponentTypeSection(section) => self.types(section.count())?,
            Payload::ComponentAliasSection(section) => self.externs(section.count())?,
            Payload::ImportSection(section) => self.externs(section.count())?,
            Payload::ExportSection(section) => self.externs(section.count())?,
            Payload::ComponentImportSection(section) => self.externs(section.count())?,
            Payload::ComponentExportSection(section) => self.externs(section.count())?,
            Payload::ComponentCanonicalSection(section) => {
                self.functions += u64::from(section.count());
                check("functions", self.functions, FUNCTIONS_MAX)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn instances(&mut self, count: u32) -> Result<(), HostError> {
        self.instances += u64::from(count);
        check("instances", self.instances, INSTANCES_MAX)
    }

    fn types(&mut self, count: u32) -> Result<(), HostError> {
        self.types += u64::from(count);
        check("types", self.types, TYPES_MAX)
    }

    fn externs(&mut self, count: u32) -> Result<(), HostError> {
        self.imports_exports += u64::from(count);
        check(
            "imports and exports",
            self.imports_exports,
            IMPORTS_EXPORTS_MAX,
        )
    }
}

pub(crate) fn check(what: &'static str, actual: u64, max: u64) -> Result<(), HostError> {
    if actual <= max {
        Ok(())
    } else {
        Err(HostError::TooBig { what, actual, max })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expect: &str) {
        let error = scan(bytes).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    }

    #[test]
    fn what_is_no_component_is_named() {
        check(b"", "in another format");
        check(b"<html>", "in another format");
        check(b"\x7fELF\x02", "precompiled native code");
        check(
            &wat::parse_str("(module)").unwrap(),
            "a core WebAssembly module",
        );
        check(b"\0asm\x0d\0\x01\0\xff", "not valid");
    }

    #[test]
    fn too_much_of_anything_is_refused_by_number() {
        let nested = "(component (component))".replace("(component)", &"(component)".repeat(101));
        check(&wat::parse_str(nested).unwrap(), "101 nested modules");
        let deep = "(component ".repeat(25) + &")".repeat(25);
        check(&wat::parse_str(deep).unwrap(), "21 levels of nesting");
        let functions = format!("(component (core module {}))", "(func)".repeat(50_001));
        check(&wat::parse_str(functions).unwrap(), "50001 functions");
    }
}
