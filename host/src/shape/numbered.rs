//! Shapes made up by numbers, for tests and fuzz targets: names do not matter to them.

use super::{Case, Field, Label, Shape};

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

pub(crate) fn fields(shapes: Vec<Shape>) -> Vec<Field> {
    let fields = shapes.into_iter().enumerate().map(|(index, shape)| Field {
        label: label(index),
        shape,
    });
    fields.collect()
}

pub(crate) fn cases(shapes: Vec<Option<Shape>>) -> Vec<Case> {
    let cases = shapes.into_iter().enumerate().map(|(index, shape)| Case {
        label: label(index),
        shape,
    });
    cases.collect()
}
