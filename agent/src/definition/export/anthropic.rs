//! Writes definitions for Anthropic's Messages API: `{"name", "description", "input_schema"}`.

use serde_json::{Map, Value};
use tool_hub_manifest::FunctionSpec;

use super::object::object;
use crate::definition::loss::LossKind;
use crate::definition::report::Report;

const NAME_RULE: &str = "1 to 128 of A-Z, a-z, 0-9, `_` and `-`";
const ROOT_KEYWORDS_REFUSED: [&str; 3] = ["oneOf", "allOf", "anyOf"];

pub(super) fn definition(spec: &FunctionSpec, report: &mut Report<'_>) -> Map<String, Value> {
    report.check_name(128, b"_-", NAME_RULE);
    report.check_root(&spec.input_schema, &ROOT_KEYWORDS_REFUSED);
    report.add_title_and_annotations(spec);
    if spec.output_schema.is_some() {
        report.add(LossKind::OutputSchema);
    }
    object([
        ("name", spec.name.clone().into()),
        ("description", spec.description.clone().into()),
        ("input_schema", spec.input_schema.clone()),
    ])
}
