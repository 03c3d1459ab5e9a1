//! Tells from a component's bytes which engine runs it: one task for each call, or many.
//! The component model's async, which WASI 0.3 uses, has an engine of its own, made for the first
//! component that needs it. Code and calls of all other components are as if there were none.

use wasmparser::{
    CanonicalFunction as Canonical, CanonicalOption, ComponentDefinedType, ComponentType,
    ComponentTypeDeclaration, InstanceTypeDeclaration, Parser, Payload, WasmFeatures,
};

use crate::component::features::features;

/// An engine of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EngineKind {
    /// One task for each call.
    SingleTask,
    /// A call may have tasks that wait for each other, streams and futures.
    MultiTask,
}

impl EngineKind {
    /// The engine that `component` needs. Bytes that cannot be read are refused later, when they
    /// are validated.
    pub(crate) fn of(component: &[u8]) -> Self {
        let mut payloads = Parser::new(0).parse_all(component);
        match payloads.any(|payload| payload.is_ok_and(|payload| needs_tasks(&payload))) {
            true => Self::MultiTask,
            false => Self::SingleTask,
        }
    }

    /// The features that a component for this engine may use. Tasks that block on a stack of their
    /// own are off: without them no call has more stacks than its component has instances.
    pub(crate) fn features(self) -> WasmFeatures {
        match self {
            Self::SingleTask => features(),
            Self::MultiTask => features() | WasmFeatures::CM_ASYNC,
        }
    }
}

fn needs_tasks(payload: &Payload<'_>) -> bool {
    match payload {
        Payload::ComponentImportSection(section) => {
            let mut imports = section.clone().into_iter().flatten();
            imports.any(|import| is_wasi_3(import.name.name))
        }
        Payload::ComponentTypeSection(section) => {
            let mut types = section.clone().into_iter().flatten();
            types.any(|ty| has_async(&ty))
        }
        Payload::ComponentCanonicalSection(section) => {
            let mut functions = section.clone().into_iter().flatten();
            functions.any(|function| !is_single_task(&function))
        }
        _ => false,
    }
}

fn is_wasi_3(import: &str) -> bool {
    let version = import.split_once('@').map(|(_, version)| version);
    import.starts_with("wasi:") && version.is_some_and(|version| version.starts_with("0.3."))
}

/// Readers refuse types that nest too deep.
fn has_async(ty: &ComponentType<'_>) -> bool {
    match ty {
        ComponentType::Func(function) => function.async_,
        ComponentType::Defined(defined) => matches!(
            defined,
            ComponentDefinedType::Future(_) | ComponentDefinedType::Stream(_)
        ),
        ComponentType::Component(parts) => parts.iter().any(|part| match part {
            ComponentTypeDeclaration::Type(ty) => has_async(ty),
            _ => false,
        }),
        ComponentType::Instance(parts) => parts.iter().any(|part| match part {
            InstanceTypeDeclaration::Type(ty) => has_async(ty),
            _ => false,
        }),
        ComponentType::Resource { .. } => false,
    }
}

/// True for what the component model had before its async.
fn is_single_task(function: &Canonical) -> bool {
    let all_synchronous = |options: &[CanonicalOption]| {
        let mut options = options.iter();
        !options.any(|option| {
            matches!(
                option,
                CanonicalOption::Async | CanonicalOption::Callback(_)
            )
        })
    };
    match function {
        Canonical::Lift { options, .. } | Canonical::Lower { options, .. } => {
            all_synchronous(options)
        }
        Canonical::ResourceNew { .. }
        | Canonical::ResourceDrop { .. }
        | Canonical::ResourceRep { .. } => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &str, expect: EngineKind) {
        let component = wat::parse_str(format!("(component {content})")).unwrap();
        assert_eq!(EngineKind::of(&component), expect, "{content}");
    }

    #[test]
    fn only_what_needs_tasks_gets_them() {
        check("", EngineKind::SingleTask);
        let import = |version: &str| {
            format!(
                r#"(import "wasi:random/random@{version}" (instance
                    (export "get-random-u64" (func (result u64)))))"#
            )
        };
        check(&import("0.2.0"), EngineKind::SingleTask);
        check(&import("0.3.0"), EngineKind::MultiTask);
        let plain = r#"(core module $m (func (export "run"))) (core instance $i (instantiate $m))"#;
        let lifted = |ty: &str| {
            format!(r#"{plain} (func (export "run") {ty} (canon lift (core func $i "run")))"#)
        };
        check(&lifted(""), EngineKind::SingleTask);
        check(&lifted("async"), EngineKind::MultiTask);
        check(
            "(core func (canon waitable-set.new))",
            EngineKind::MultiTask,
        );
        check("(type (stream u8))", EngineKind::MultiTask);
        check("(component (type (future)))", EngineKind::MultiTask);
        check(
            r#"(type (instance (export "run" (func async))))"#,
            EngineKind::MultiTask,
        );
    }

    #[test]
    fn bytes_that_cannot_be_read_need_nothing() {
        assert_eq!(
            EngineKind::of(b"\0asm\x0d\0\x01\0\xff"),
            EngineKind::SingleTask
        );
        assert_eq!(EngineKind::of(b""), EngineKind::SingleTask);
    }
}
