//! Validates a whole component with the features that it may use, and bounds its functions' size.
//! It reads every instruction, so it also counts what compilers take long over in one function.

mod instance_cost;
mod rejection;

use wasmparser::{
    FuncValidator, FuncValidatorAllocations, FunctionBody, Operator, Parser, ValidPayload,
    Validator, ValidatorResources, WasmFeatures,
};

use crate::component::engine_kind::EngineKind;
use crate::component::scan;
use crate::component::validate::instance_cost::InstanceCost;
use crate::component::validate::rejection::Rejection;
use crate::error::HostError;

/// Blocks, loops and conditions in one function. Of those the biggest interpreters have 4,000.
const BLOCKS_MAX: u64 = 20_000;
/// Variables of one function, parameters included.
const VARIABLES_MAX: u64 = 10_000;
/// The targets of all jump tables of one function.
const JUMPS_MAX: u64 = 100_000;

/// Validates `component`; where that fails, finds out which feature is missing.
///
/// # Errors
/// When it is not valid, needs a feature that is off here, or has a function that is too big
/// in any respect.
pub(crate) fn validate(component: &[u8]) -> Result<(), HostError> {
    let features = EngineKind::of(component).features();
    let error = match with(features, component) {
        Ok(()) => return Ok(()),
        Err(Rejection::TooBig(error)) => return Err(error),
        Err(Rejection::Invalid(error)) => error,
    };
    // All features at once first: what is invalid in any case is validated only twice.
    if with(features | WasmFeatures::all(), component).is_ok() {
        for (feature, flags) in MISSING {
            if with(features | flags, component).is_ok() {
                return Err(HostError::NeedsFeature { feature });
            }
        }
    }
    Err(scan::malformed(error))
}

/// Validates one function after the other as they come, in the memory of one.
fn with(features: WasmFeatures, component: &[u8]) -> Result<(), Rejection> {
    let mut validator = Validator::new_with_features(features);
    let mut parser = Parser::new(0);
    parser.set_features(features);
    let mut memory = FuncValidatorAllocations::default();
    let mut cost = InstanceCost::default();
    for payload in parser.parse_all(component) {
        let payload = payload?;
        cost.add(&payload, &validator)?;
        if let ValidPayload::Func(function, body) = validator.payload(&payload)? {
            let mut validator = function.into_validator(memory);
            check(&mut validator, &body)?;
            memory = validator.into_allocations();
        }
    }
    Ok(())
}

fn check(
    validator: &mut FuncValidator<ValidatorResources>,
    body: &FunctionBody<'_>,
) -> Result<(), Rejection> {
    validator.read_locals(&mut body.get_binary_reader())?;
    let variables = validator.len_locals().into();
    scan::check("variables in one function", variables, VARIABLES_MAX)?;
    let (mut blocks, mut jumps) = (0, 0);
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        let (operator, offset) = operators.read_with_offset()?;
        match &operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => {
                blocks += 1;
                scan::check("blocks in one function", blocks, BLOCKS_MAX)?;
            }
            Operator::BrTable { targets } => {
                jumps += u64::from(targets.len());
                scan::check("jumps in the tables of one function", jumps, JUMPS_MAX)?;
            }
            _ => {}
        }
        validator.op(offset, &operator)?;
    }
    operators.finish()?;
    Ok(())
}

/// Features that components may have been built with, by their usual names. A later entry
/// may include an earlier one.
const MISSING: [(&str, WasmFeatures); 15] = [
    ("threads", WasmFeatures::THREADS),
    ("memory64", WasmFeatures::MEMORY64),
    ("multi-memory", WasmFeatures::MULTI_MEMORY),
    ("tail calls", WasmFeatures::TAIL_CALL),
    ("relaxed SIMD", WasmFeatures::RELAXED_SIMD),
    ("externref", WasmFeatures::GC_TYPES),
    (
        "exceptions",
        WasmFeatures::EXCEPTIONS.union(WasmFeatures::GC_TYPES),
    ),
    (
        "legacy exceptions",
        WasmFeatures::LEGACY_EXCEPTIONS.union(WasmFeatures::GC_TYPES),
    ),
    (
        "function references",
        WasmFeatures::FUNCTION_REFERENCES.union(WasmFeatures::GC_TYPES),
    ),
    (
        "GC",
        WasmFeatures::GC
            .union(WasmFeatures::GC_TYPES)
            .union(WasmFeatures::FUNCTION_REFERENCES),
    ),
    (
        "async functions with a stack of their own",
        WasmFeatures::CM_ASYNC_STACKFUL,
    ),
    ("more async built-ins", WasmFeatures::CM_MORE_ASYNC_BUILTINS),
    ("component-model threads", WasmFeatures::CM_THREADING),
    ("error contexts", WasmFeatures::CM_ERROR_CONTEXT),
    ("several features that are off here", WasmFeatures::all()),
];
