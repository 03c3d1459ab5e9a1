//! Keywords of JSON Schema, by what they speak of.

/// Keywords that say nothing about whether a value is valid.
pub(crate) const ANNOTATIONS: [&str; 6] = [
    "default",
    "examples",
    "readOnly",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
];

/// What is said of numbers alone.
pub(crate) const OF_NUMBERS: [&str; 5] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];

/// What is said of strings alone.
pub(crate) const OF_TEXTS: [&str; 4] = ["minLength", "maxLength", "format", "pattern"];

/// What is said of arrays alone.
pub(crate) const OF_ARRAYS: [&str; 9] = [
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
];

/// What is said of objects alone.
pub(crate) const OF_OBJECTS: [&str; 10] = [
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
];
