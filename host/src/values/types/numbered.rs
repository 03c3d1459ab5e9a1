//! Makes labels, fields and cases with numbers for names, for the types of tests and fuzz targets.

use crate::values::types::{Case, Field, Label, Type};

/// `name-0`, `name-1`, …
pub(crate) fn label(index: usize) -> Label {
    Label {
        wit: format!("name-{index}"),
        json: format!("name_{index}"),
    }
}

pub(crate) fn labels(count: usize) -> Vec<Label> {
    (0..count).map(label).collect()
}

pub(crate) fn fields(types: Vec<Type>) -> Vec<Field> {
    let fields = types.into_iter().enumerate().map(|(index, ty)| Field {
        label: label(index),
        ty,
    });
    fields.collect()
}

pub(crate) fn cases(types: Vec<Option<Type>>) -> Vec<Case> {
    let cases = types.into_iter().enumerate().map(|(index, ty)| Case {
        label: label(index),
        ty,
    });
    cases.collect()
}
