//! Reads the classes of which a framework's tools are: their methods, attributes and settings.

use serde_json::Value;
use tree_sitter::Node;

use crate::framework::Setting;
use crate::python::expression::Expression;
use crate::python::module::{Class, undecorated};
use crate::python::pydantic::{Schemas, Texts};
use crate::python::signature::{Kind, parameters};
use crate::python::source_file::SourceFile;
use crate::syntax::{children, text_of};

/// The most classes of a file that a class goes back to.
const BASES_MAX: usize = 8;

/// The whole name of the class of another module that `class` goes back to, if `is_wanted`.
pub(super) fn goes_back_to(
    file: &SourceFile<'_>,
    class: &Class,
    is_wanted: fn(&str, &str) -> bool,
) -> bool {
    fn find(
        file: &SourceFile<'_>,
        class: &Class,
        is_wanted: fn(&str, &str) -> bool,
        hops: usize,
    ) -> bool {
        hops <= BASES_MAX
            && class.bases.iter().any(|base| match file.scope.class(base) {
                Some(base) => find(file, base, is_wanted, hops + 1),
                None => file
                    .import(base)
                    .is_some_and(|(package, name)| is_wanted(&package, &name)),
            })
    }
    find(file, class, is_wanted, 0)
}

/// The class that is defined at `node`.
pub(super) fn class_at<'f>(file: &'f SourceFile<'_>, node: Node<'_>) -> Option<&'f Class> {
    let (name, _) = file.name_of(node);
    file.scope.class(&Expression::Name(name))
}

/// The method `name` of the class at `node`, of its own.
pub(super) fn method<'t>(file: &SourceFile<'_>, node: Node<'t>, name: &str) -> Option<Node<'t>> {
    let body = node.child_by_field_name("body")?;
    let statements = children(body).into_iter().map(undecorated);
    let mut methods = statements.filter(|it| it.kind() == "function_definition");
    methods.find(|it| {
        it.child_by_field_name("name")
            .is_some_and(|it| text_of(it, file.text) == name)
    })
}

/// The value of an attribute of a class, with a type or without.
pub(super) fn attribute<'c>(class: &'c Class, name: &str) -> Option<&'c Expression> {
    let assigned = class.assignments.iter().rev();
    let mut assigned = assigned.filter(|(known, _)| known == name);
    assigned.next().map(|(_, value)| value)
}

/// The parameters of `__init__` that whoever runs the tool has to say: those without a default, or
/// whose default is nothing. A parameter with another default keeps it.
pub(super) fn settings(file: &SourceFile<'_>, node: Node<'_>) -> Vec<Setting> {
    let (class, _) = file.name_of(node);
    let Some(init) = method(file, node, "__init__") else {
        return Vec::new();
    };
    let parameters = parameters(init, file.text).into_iter();
    let named = parameters.filter(|it| !matches!(it.kind, Kind::Rest | Kind::NamedRest));
    let unknown = named.filter(|parameter| match &parameter.default {
        None => true,
        Some(Expression::Constant(value)) if value.is_null() || value == "" => {
            let annotation = parameter
                .annotation
                .map(|(text, _)| Expression::of_text(text));
            annotation.is_none_or(|it| it.is_some_and(|it| is_said_as_text(file, &it)))
        }
        Some(_) => false,
    });
    unknown
        .map(|parameter| Setting {
            is_required: !parameter.has_default,
            parameter: parameter.name,
            class: class.clone(),
        })
        .collect()
}

/// True if a variable can hold a value of this type.
pub(super) fn is_said_as_text(file: &SourceFile<'_>, annotation: &Expression) -> bool {
    let found = Schemas::new(file.scope, Texts::Ignored).described(Some(annotation), None);
    let is_text = |schema: &Value| match &schema["type"] {
        Value::String(kind) => ["string", "integer", "number", "boolean"].contains(&kind.as_str()),
        _ => false,
    };
    found.is_ok_and(|found| {
        let choices = found.schema.get("anyOf").and_then(Value::as_array).cloned();
        is_text(&Value::Object(found.schema)) || choices.is_some_and(|all| all.iter().any(is_text))
    })
}
