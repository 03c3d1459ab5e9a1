//! Generates the JavaScript module that calls a project's plain functions, with JSON on both sides.

use tool_hub_agent::definition::interface::{Interface, Operation, Parameter, TypeKind, WitType};
use tool_hub_source::{Definition, Framework, FrameworkTool};

use super::node_stand_ins::MODULES;
use super::plain::{GeneratedSource, Plain, cases, quoted};

const TEMPLATE: &str = include_str!("../../../templates/functions/glue.js");

/// The name of the module.
pub(crate) const MODULE: &str = "tool-functions.js";

/// The name by which it imports the project's file.
pub(crate) const PROJECT: &str = "tool-project";

/// The package that glue imports what stands in for frameworks from.
pub(crate) const STAND_IN: &str = "tool-framework";

/// The packages of frameworks, each with the directory or file that stands in for it.
pub(crate) const STAND_INS: [(&str, &str); 4] = [
    ("@modelcontextprotocol/sdk", "mcp-sdk"),
    ("@modelcontextprotocol/server", "mcp-sdk/server/mcp.js"),
    ("ai", "ai.js"),
    (STAND_IN, "framework.js"),
];

/// What stands in for frameworks.
pub(super) fn stand_ins() -> Vec<GeneratedSource> {
    const SERVER: &str = include_str!("../../../templates/frameworks/mcp-sdk/server/mcp.js");
    const TRANSPORT: &str = include_str!("../../../templates/frameworks/mcp-sdk/transport.js");
    let files = [
        ("ai.js", include_str!("../../../templates/frameworks/ai.js")),
        (
            "framework.js",
            include_str!("../../../templates/frameworks/framework.js"),
        ),
        ("mcp-sdk/server/index.js", SERVER),
        ("mcp-sdk/server/mcp.js", SERVER),
        ("mcp-sdk/server/sse.js", TRANSPORT),
        ("mcp-sdk/server/stdio.js", TRANSPORT),
        ("mcp-sdk/server/streamableHttp.js", TRANSPORT),
        (
            "mcp-sdk/types.js",
            include_str!("../../../templates/frameworks/mcp-sdk/types.js"),
        ),
    ];
    files.map(|(path, text)| (path, text.to_owned())).into()
}

/// The modules of packages that a server runs with others in place of: transports, and parts of
/// Node.
pub(super) fn server_modules() -> Vec<GeneratedSource> {
    MODULES
        .iter()
        .map(|(_, path, text)| (*path, (*text).to_owned()))
        .collect()
}

pub(super) fn source(plain: Plain<'_>) -> anyhow::Result<GeneratedSource> {
    let pairs = plain.definitions.iter().zip(&plain.interface.operations);
    let module = Module {
        interface: plain.interface,
    };
    let functions: Vec<String> = pairs
        .map(|(definition, operation)| module.function(definition, operation))
        .collect();
    let has_tools = plain.definitions.iter().any(|it| it.tool.is_some());
    let imports = match has_tools {
        true => format!("import {{ run, TOOLS }} from {};", quoted(STAND_IN)),
        false => String::new(),
    };
    let text = TEMPLATE
        .replace("{{imports}}", &imports)
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
        if let Some(tool) = &definition.tool {
            return self.tool(tool, operation, (&names, &arguments));
        }
        format!(
            "  {}({}) {{\n    return call(() => source.{}({}), {answer});\n  }},\n",
            quoted(&operation.wit),
            names.join(", "),
            definition.name,
            arguments.join(", ")
        )
    }

    /// The function that calls a framework's tool, with its arguments by their names.
    fn tool(
        &self,
        tool: &FrameworkTool,
        operation: &Operation,
        (names, arguments): (&[String], &[String]),
    ) -> String {
        let parameters = operation.parameters.iter().zip(arguments);
        let given: Vec<String> = parameters
            .map(|(parameter, value)| format!("{}: {value}", quoted(&parameter.name)))
            .collect();
        let (names, given) = (names.join(", "), given.join(", "));
        let called = match tool.framework {
            Framework::VercelAi => format!("source.{}", tool.object),
            _ => format!("TOOLS[{}]", quoted(&tool.object)),
        };
        format!(
            "  {}({names}) {{\n    return call(() => run({called}, {{ {given} }}), asAny);\n  }},\n",
            quoted(&operation.wit)
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
