//! Generates the Python module that calls a framework's tools, and modules that stand in for it.

use std::collections::BTreeSet;

use tool_hub_agent::definition::interface::Operation;
use tool_hub_source::{Definition, Framework, FrameworkTool};

use super::plain::{GeneratedSource, Plain, quoted, without_ending};
use super::python_values::{given, identifier};

const TEMPLATE: &str = include_str!("../../../templates/frameworks/glue.py");
/// What all frameworks need.
const COMMON: [GeneratedModule; 2] = [
    (
        "tool_hub_frameworks.py",
        include_str!("../../../templates/frameworks/tool_hub_frameworks.py"),
    ),
    (
        "tool_hub_pydantic.py",
        include_str!("../../../templates/frameworks/tool_hub_pydantic.py"),
    ),
];

/// A module that stands in for others: its file, and its source.
type GeneratedModule = (&'static str, &'static str);

/// The module that stands in for a framework.
fn stand_in(framework: Framework) -> GeneratedModule {
    match framework {
        Framework::LangChain => (
            "tool_hub_langchain.py",
            include_str!("../../../templates/frameworks/tool_hub_langchain.py"),
        ),
        Framework::LlamaIndex => (
            "tool_hub_llama_index.py",
            include_str!("../../../templates/frameworks/tool_hub_llama_index.py"),
        ),
        Framework::OpenAiAgents => (
            "tool_hub_openai_agents.py",
            include_str!("../../../templates/frameworks/tool_hub_openai_agents.py"),
        ),
        Framework::Smolagents => (
            "tool_hub_smolagents.py",
            include_str!("../../../templates/frameworks/tool_hub_smolagents.py"),
        ),
        _ => (
            "tool_hub_fastmcp.py",
            include_str!("../../../templates/frameworks/tool_hub_fastmcp.py"),
        ),
    }
}

pub(super) fn sources(plain: Plain<'_>) -> Vec<GeneratedSource> {
    let tools = plain.definitions.iter();
    let tools = tools.filter_map(|it| Some((it, it.tool.as_ref()?)));
    let pairs: Vec<_> = tools.zip(&plain.interface.operations).collect();
    let frameworks: BTreeSet<Framework> = pairs.iter().map(|((_, it), _)| it.framework).collect();
    let modules: Vec<GeneratedModule> = frameworks.into_iter().map(stand_in).collect();
    let imports: Vec<String> = modules
        .iter()
        .map(|(file, _)| format!("import {}  # noqa: F401", without_ending(file)))
        .collect();
    let functions: Vec<String> = pairs
        .iter()
        .map(|((definition, _), operation)| function(definition, operation, plain))
        .collect();
    let objects: Vec<String> = pairs
        .iter()
        .map(|((definition, tool), _)| {
            format!("    {}: {},\n", quoted(&definition.name), object(tool))
        })
        .collect();
    let exports: Vec<String> = pairs
        .iter()
        .map(|(_, it)| format!("{}: {}", quoted(&it.wit), identifier(&it.wit)))
        .collect();
    let module = without_ending(plain.file).replace('/', ".");
    let is_name = |part: &str| part.chars().all(|c| c.is_alphanumeric() || c == '_');
    // The packages around a module become part of the program where something names them.
    let parts = match module.contains('.') && module.split('.').all(is_name) {
        true => format!("import {module}  # noqa: F401\n\n"),
        false => String::new(),
    };
    let text = TEMPLATE
        .replace("{{parts}}", &parts)
        .replace("{{module}}", plain.file)
        .replace("{{module_text}}", &quoted(&module))
        .replace("{{imports}}", &imports.join("\n"))
        .replace("{{tools}}", &objects.concat())
        .replace("{{functions}}", functions.join("\n\n").trim_end())
        .replace("{{exports}}", &format!("{{{}}}", exports.join(", ")));
    let modules = COMMON.into_iter().chain(modules);
    let modules = modules.map(|(file, text)| (file, text.to_owned()));
    modules.chain([("tool_functions.py", text)]).collect()
}

/// The modules that list and call the tools for frameworks that are in modules of a package.
pub(super) fn package_modules() -> Vec<GeneratedSource> {
    let frameworks = [
        Framework::LangChain,
        Framework::LlamaIndex,
        Framework::OpenAiAgents,
        Framework::Smolagents,
    ];
    let modules = frameworks.map(stand_in).into_iter().chain([
        (
            "tool_hub_listing.py",
            include_str!("../../../templates/frameworks/tool_hub_listing.py"),
        ),
        (
            "tool_hub_package.py",
            include_str!("../../../templates/frameworks/tool_hub_package.py"),
        ),
    ]);
    let modules = modules.map(|(file, text)| (file, text.to_owned()));
    server_modules().into_iter().chain(modules).collect()
}

/// The modules that run a server, and stand in for what it is made with.
pub(super) fn server_modules() -> Vec<GeneratedSource> {
    let modules = COMMON.into_iter().chain([
        stand_in(Framework::FastMcp),
        (
            "tool_hub_schema.py",
            include_str!("../../../templates/frameworks/tool_hub_schema.py"),
        ),
        (
            "tool_hub_program.py",
            include_str!("../../../templates/frameworks/tool_hub_program.py"),
        ),
        (
            "tool_hub_server.py",
            include_str!("../../../templates/frameworks/tool_hub_server.py"),
        ),
    ]);
    modules
        .map(|(file, text)| (file, text.to_owned()))
        .collect()
}

/// What is called, and with which variables it is made.
fn object(tool: &FrameworkTool) -> String {
    let settings = tool.settings.iter().map(|setting| {
        let is_required = match setting.is_required {
            true => "True",
            false => "False",
        };
        let (parameter, variable) = (quoted(&setting.parameter), quoted(&setting.variable()));
        format!("({parameter}, {variable}, {is_required})")
    });
    let settings: Vec<String> = settings.collect();
    match &tool.method {
        None => format!("Tool(source.{})", tool.object),
        Some(method) => format!(
            "Tool(source.{}, {}, [{}])",
            tool.object,
            quoted(method),
            settings.join(", ")
        ),
    }
}

fn function(definition: &Definition, operation: &Operation, plain: Plain<'_>) -> String {
    let (parameters, given) = given(definition, operation, plain.interface);
    format!(
        "def {}({parameters}):\n    given = {{\n{given}    }}\n    return TOOLS[{}].call(given)\n",
        identifier(&operation.wit),
        quoted(&definition.name)
    )
}
