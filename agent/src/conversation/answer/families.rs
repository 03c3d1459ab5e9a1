//! The table of model families, with their answer formats and control tokens, and its lookups.
//! Its markers are used to read answers, and to break control tokens in untrusted text. A marker
//! that leads from a state to itself is dropped from the text.

mod argument_tags;
mod deepseek;
mod functionary;
mod gemma;
mod harmony;
mod kimi;
mod llama;
mod minimax;
mod mistral;
mod tagged;

use super::family::Family;

/// All families. The last one is used when no other matches; when several match a chat template,
/// the first one is used.
pub(super) static FAMILIES: [Family; 33] = [
    harmony::HARMONY,
    gemma::FUNCTIONGEMMA,
    gemma::GEMMA_4,
    kimi::KIMI_K2,
    kimi::KIMI_K3,
    deepseek::DEEPSEEK,
    deepseek::DEEPSEEK_V3_1,
    deepseek::DEEPSEEK_V3_2,
    minimax::MINIMAX_M2,
    minimax::MINIMAX_M3,
    argument_tags::LONGCAT,
    argument_tags::HUNYUAN,
    argument_tags::GLM_4_5,
    argument_tags::SEED_OSS,
    argument_tags::QWEN3_CODER,
    functionary::FUNCTIONARY_V3_2,
    functionary::FUNCTIONARY_V2,
    functionary::FUNCTIONARY_V3_1,
    mistral::MISTRAL,
    tagged::COMMAND_R,
    tagged::PHI_4,
    tagged::GRANITE,
    llama::LLAMA_PYTHONIC,
    tagged::NEMOTRON,
    tagged::APERTUS,
    tagged::INTERNLM2,
    tagged::LFM2,
    tagged::OLMO_3,
    tagged::GRANITE_20B,
    tagged::JAMBA,
    tagged::EXAONE,
    tagged::HERMES,
    llama::LLAMA_3,
];

/// The family of unknown models.
pub(super) static GENERIC: Family = tagged::GENERIC;

/// All families, with the generic one last.
pub(super) fn all() -> impl Iterator<Item = &'static Family> {
    FAMILIES.iter().chain([&GENERIC])
}

/// The family of that name.
pub(super) fn named(name: &str) -> Option<&'static Family> {
    all().find(|family| family.name == name)
}

/// The family whose form of calls a chat template prints.
pub(super) fn of_template(template: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| {
        let mut groups = family.found_by.iter();
        groups.any(|texts| texts.iter().all(|text| template.contains(text)))
    })
}

/// The control tokens of every family.
pub(crate) fn control_tokens() -> Vec<&'static str> {
    let mut tokens: Vec<&str> = all().flat_map(Family::control_tokens).collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// The control tokens of the family that the chat template belongs to.
pub(crate) fn control_tokens_of(template: &str) -> Vec<&'static str> {
    let family = of_template(template).into_iter();
    family.flat_map(Family::control_tokens).collect()
}
