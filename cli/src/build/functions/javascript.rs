//! Generates the JavaScript module that calls a project's plain functions, with JSON on both sides.

use tool_hub_agent::definition::interface::{Interface, Operation, Parameter, TypeKind, WitType};
use tool_hub_source::Definition;

use super::plain::{GeneratedSource, Plain, cases, quoted};

const TEMPLATE: &str = include_str!("../../../templates/functions/glue.js");

/// The name of the module.
pub(crate) const MODULE: &str = "tool-functions.js";

/// The name by which it imports the project's file.
pub(crate) const PROJECT: &str = "tool-project";

pub(super) fn source(plain: Plain<'_>) -> anyhow::Result<GeneratedSource> {
    let pairs = plain.definitions.iter().zip(&plain.interface.operations);
    let module = Module {
        interface: plain.interface,
    };
    let functions: Vec<String> = pairs
        .map(|(definition, operation)| module.function(definition, operation))
        .collect();
    let text = TEMPLATE
        .replace("{{file}}", plain.file)
        .replace("{{path}}", &quoted(PROJECT))
        .replace("{{functions}}", functions.join("\n").trim_end());
    Ok((MODULE, text))
}

struct Module<'a> {
    interface: &'a Interface,
}

impl Module<'_> {
    fn function(&self, definition: &Definition, operation: &Operation) -> String {
        let names: Vec<String> = (0..operation.parameters.len())
            .map(|index| format!("a{index}"))
            .collect();
        let arguments = names.iter().zip(&operation.parameters);
        let required = definition.required();
        let arguments: Vec<String> = arguments
            .map(|(name, parameter)| {
                let taken = self.taken(name, &parameter.value);
                // A required parameter that may be empty is given `null`, and never `undefined`.
                let is_required = required.contains(&parameter.name.as_str());
                match (&parameter.value, is_required) {
                    (WitType::Option(_), true) => format!("{taken} ?? null"),
                    _ => taken,
                }
            })
            .collect();
        let answer = match definition.output {
            None => "asAny".to_owned(),
            Some(_) => format!("(it) => {}", self.returned("it", &operation.output)),
        };
        format!(
            "  {}({}) {{\n    return call(() => source.{}({}), {answer});\n  }},\n",
            quoted(&operation.wit),
            names.join(", "),
            definition.name,
            arguments.join(", ")
        )
    }

    /// The expression for an argument of the function, made of the `value` that came as JSON.
    fn taken(&self, value: &str, wit: &WitType) -> String {
        match wit {
            WitType::Json => format!("JSON.parse({value})"),
            WitType::Plain("string" | "bool") => value.to_owned(),
            // Large whole numbers come as texts, and so do those that JSON cannot write.
            WitType::Plain(_) => format!("Number({value})"),
            WitType::Option(inner) => {
                format!("maybe({value}, (it) => {})", self.taken("it", inner))
            }
            WitType::List(inner) => {
                format!("Array.from({value}, (it) => {})", self.taken("it", inner))
            }
            WitType::Tuple(items) => self.tuple(items, value, Self::taken),
            WitType::Named(name) => match self.fields(name) {
                None => value.to_owned(),
                Some(fields) => {
                    let fields = fields.iter().map(|field| {
                        let value = format!("{value}.{}", field_name(field));
                        format!(
                            "{}: {}",
                            quoted(&field.name),
                            self.taken(&value, &field.value)
                        )
                    });
                    format!("({{ {} }})", fields.collect::<Vec<_>>().join(", "))
                }
            },
            _ => value.to_owned(),
        }
    }

    /// The value to write as JSON, of what the function returns.
    fn returned(&self, value: &str, wit: &WitType) -> String {
        match wit {
            WitType::Json => format!("asJson({value})"),
            WitType::Plain("string") => format!("asText({value})"),
            WitType::Plain("bool") => format!("asTruth({value})"),
            WitType::Plain("s64" | "u64") => format!("asInteger({value})"),
            WitType::Plain(_) => format!("asNumber({value})"),
            WitType::Option(inner) => {
                format!("maybe({value}, (it) => {})", self.returned("it", inner))
            }
            WitType::List(inner) => {
                format!(
                    "Array.from({value}, (it) => {})",
                    self.returned("it", inner)
                )
            }
            WitType::Tuple(items) => self.tuple(items, value, Self::returned),
            WitType::Named(name) => match self.fields(name) {
                None => format!("asCase({value}, {})", cases(name, self.interface)),
                Some(fields) => {
                    let fields = fields.iter().map(|field| {
                        let value = format!("{value}[{}]", quoted(&field.name));
                        let name = field_name(field);
                        format!("{name}: {}", self.returned(&value, &field.value))
                    });
                    format!("({{ {} }})", fields.collect::<Vec<_>>().join(", "))
                }
            },
            _ => value.to_owned(),
        }
    }

    fn tuple(
        &self,
        items: &[WitType],
        value: &str,
        convert: impl Fn(&Self, &str, &WitType) -> String,
    ) -> String {
        let items = items.iter().enumerate();
        let items = items.map(|(index, item)| convert(self, &format!("{value}[{index}]"), item));
        format!("[{}]", items.collect::<Vec<_>>().join(", "))
    }

    /// The fields of a record; nothing for an enumeration.
    fn fields(&self, name: &str) -> Option<&[Parameter]> {
        match self.kind(name)? {
            TypeKind::Record(fields) => Some(fields),
            _ => None,
        }
    }

    fn kind(&self, name: &str) -> Option<&TypeKind> {
        let mut definitions = self.interface.definitions.iter();
        definitions
            .find(|known| known.wit == name)
            .map(|known| &known.kind)
    }
}

/// The name of a field of a record in JSON, as the host writes it.
fn field_name(field: &Parameter) -> String {
    field.wit.replace('-', "_")
}
