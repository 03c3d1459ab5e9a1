//! Lists of JSON Schema keywords: those of numbers, strings, arrays and objects, and annotations.

/// Keywords that say nothing about whether a value is valid.
pub(crate) const ANNOTATIONS: [&str; 6] = [
    "default",
    "examples",
    "readOnly",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
];

/// The keywords of numbers.
pub(crate) const OF_NUMBERS: [&str; 5] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];

/// The keywords of strings.
pub(crate) const OF_TEXTS: [&str; 4] = ["minLength", "maxLength", "format", "pattern"];

/// The keywords of arrays.
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

/// The keywords of objects.
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
