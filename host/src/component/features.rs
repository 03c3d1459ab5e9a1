//! The features of WebAssembly that a component may use.

/// The features that a component may use, as the validator names them. Everything that is
/// not listed is off: each feature is code that a stranger's bytes could reach.
pub(crate) fn features() -> wasmparser::WasmFeatures {
    use wasmparser::WasmFeatures as F;
    F::MUTABLE_GLOBAL
        | F::SATURATING_FLOAT_TO_INT
        | F::SIGN_EXTENSION
        | F::REFERENCE_TYPES
        | F::CALL_INDIRECT_OVERLONG
        | F::MULTI_VALUE
        | F::BULK_MEMORY
        | F::BULK_MEMORY_OPT
        | F::SIMD
        | F::FLOATS
        | F::EXTENDED_CONST
        | F::COMPONENT_MODEL
        | F::CM_MAP
        | F::CM_FIXED_LENGTH_LISTS
}
