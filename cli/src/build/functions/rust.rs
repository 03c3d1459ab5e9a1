//! Generates the Rust crate that exports a project's plain functions from a component.
//! The functions are a crate of their own.

use std::path::Path;

use anyhow::Context as _;
use toml_edit::DocumentMut;
use tool_hub_agent::definition::interface::{Interface, Operation, Parameter, TypeKind, WitType};
use tool_hub_source::{Definition, RustSignature, RustType, Signature};

use super::plain::{GeneratedSource, Plain, quoted};
use crate::files;
use crate::scaffold::{Names, rust_ident, rust_type, upper_camel};
use crate::terminal::problem::Problem;

const TEMPLATE: &str = include_str!("../../../templates/functions/glue.rs");
const MANIFEST: &str = include_str!("../../../templates/functions/glue.toml");

/// The dependency that reads and writes JSON text, for functions that take or return it.
const JSON: &str = "serde_json = \"1\"\n";

/// The manifest of cargo.
pub(crate) const CARGO_MANIFEST: &str = "Cargo.toml";

pub(super) fn source(
    plain: Plain<'_>,
    directory: &Path,
    names: &Names,
) -> anyhow::Result<Vec<GeneratedSource>> {
    let crate_of = Crate {
        interface: plain.interface,
    };
    let pairs = plain.definitions.iter().zip(&plain.interface.operations);
    let functions: Vec<String> = pairs
        .filter_map(|(definition, operation)| match &definition.signature {
            Signature::Rust(signature) => Some(crate_of.function(definition, signature, operation)),
            _ => None,
        })
        .collect();
    let functions = functions.join("\n");
    let text = TEMPLATE
        .replace("{{file}}", plain.file)
        .replace("{{wit_module}}", &names.module())
        .replace("{{functions}}", functions.trim_end());
    let mut manifest = MANIFEST
        .replace("{{package}}", &quoted(&package(directory)?))
        .replace("{{path}}", &quoted(&directory.to_string_lossy()));
    if functions.contains("serde_json::") {
        manifest = manifest.replace("wit-bindgen =", &format!("{JSON}wit-bindgen ="));
    }
    Ok(vec![("lib.rs", text), (CARGO_MANIFEST, manifest)])
}

/// The name of the project's crate, which holds the functions.
fn package(directory: &Path) -> anyhow::Result<String> {
    let path = directory.join(CARGO_MANIFEST);
    let text = files::read_if_present(&path)?.ok_or_else(|| {
        Problem::user("functions in Rust are a crate, and there is no Cargo.toml beside tool.toml")
            .hint("make a project that has one with: tool new NAME --from FILE.rs")
    })?;
    let failed = || format!("{} cannot be read", path.display());
    let manifest: DocumentMut = text.parse().with_context(failed)?;
    let name = manifest
        .get("package")
        .and_then(|package| package.get("name"));
    let name = name.and_then(|name| name.as_str());
    Ok(name
        .ok_or_else(|| Problem::user(format!("{} names no package", path.display())))?
        .to_owned())
}

struct Crate<'a> {
    interface: &'a Interface,
}

impl Crate<'_> {
    fn function(
        &self,
        definition: &Definition,
        signature: &RustSignature,
        operation: &Operation,
    ) -> String {
        let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
        let pairs = signature.parameters.iter().zip(&operation.parameters);
        for (index, (rust, parameter)) in pairs.enumerate() {
            let name = format!("a{index}");
            parameters.push(format!("{name}: {}", rust_type(&parameter.value)));
            arguments.push(self.taken(&name, rust, &parameter.value));
        }
        let fallible = match signature.is_fallible {
            true => ".map_err(said)?",
            false => "",
        };
        format!(
            "    fn {}({}) -> Result<{}, String> {{\n        let answer = plain::{}({}){fallible};\n        Ok({})\n    }}\n",
            rust_ident(&operation.wit),
            parameters.join(", "),
            rust_type(&operation.output),
            raw(&definition.name),
            arguments.join(", "),
            self.returned("answer", &signature.output, &operation.output)
        )
    }

    /// The expression for an argument of the function, made of the component's `value`.
    fn taken(&self, value: &str, rust: &RustType, wit: &WitType) -> String {
        match (rust, wit) {
            (_, WitType::Json) => format!("serde_json::from_str(&{value}).map_err(said)?"),
            (RustType::Reference(inner), _) => format!("&{}", self.taken(value, inner, wit)),
            (RustType::Integer(_), _) => format!("{value}.try_into().map_err(said)?"),
            (RustType::Float(name), _) => format!("{value} as {name}"),
            (RustType::List(inner), WitType::List(item)) => {
                list(value, &self.taken("it", inner, item))
            }
            (RustType::Option(inner), WitType::Option(item)) => match &**inner {
                RustType::Reference(_) => format!("{value}.as_deref()"),
                inner => option(value, &self.taken("it", inner, item)),
            },
            (RustType::Tuple(items), WitType::Tuple(wits)) => {
                let pairs = items.iter().zip(wits).enumerate();
                let items =
                    pairs.map(|(at, (rust, wit))| self.taken(&format!("it.{at}"), rust, wit) + ",");
                tuple(value, items)
            }
            (RustType::Struct(name, members), WitType::Named(wit)) => {
                let fields = members
                    .iter()
                    .zip(self.fields(wit))
                    .map(|((name, rust), field)| {
                        let value = format!("it.{}", rust_ident(&field.wit));
                        format!(
                            "{}: {}, ",
                            raw(name),
                            self.taken(&value, rust, &field.value)
                        )
                    });
                let fields: String = fields.collect();
                format!("{{ let it = {value}; plain::{name} {{ {fields}}} }}")
            }
            (RustType::Enum(name, variants), WitType::Named(wit)) => {
                let arms = variants.iter().map(|(variant, value)| {
                    let case = upper_camel(&value.replace('_', "-"));
                    format!("{}::{case} => plain::{name}::{variant}, ", upper_camel(wit))
                });
                format!("match {value} {{ {}}}", arms.collect::<String>())
            }
            (RustType::Enum(name, variants), _) => {
                let arms = variants.iter().map(|(variant, value)| {
                    format!("{} => plain::{name}::{variant}, ", quoted(value))
                });
                let arms: String = arms.collect();
                format!(
                    "match {value}.as_str() {{ {arms}other => return Err(format!(\"`{{other}}` is none of the values\")), }}"
                )
            }
            _ => value.to_owned(),
        }
    }

    /// The component's value, of what the function returns.
    fn returned(&self, value: &str, rust: &RustType, wit: &WitType) -> String {
        match (rust, wit) {
            (RustType::Nothing, _) => "String::from(\"null\")".to_owned(),
            (_, WitType::Json) => format!("serde_json::to_string(&{value}).map_err(said)?"),
            (RustType::Text, _) => format!("String::from({value})"),
            (RustType::Integer(_), _) => format!("{value}.try_into().map_err(said)?"),
            (RustType::Float(_), _) => format!("f64::from({value})"),
            (RustType::List(inner), WitType::List(item)) => {
                list(value, &self.returned("it", inner, item))
            }
            (RustType::Option(inner), WitType::Option(item)) => {
                option(value, &self.returned("it", inner, item))
            }
            (RustType::Tuple(items), WitType::Tuple(wits)) => {
                let pairs = items.iter().zip(wits).enumerate();
                let items = pairs
                    .map(|(at, (rust, wit))| self.returned(&format!("it.{at}"), rust, wit) + ",");
                tuple(value, items)
            }
            (RustType::Struct(_, members), WitType::Named(wit)) => {
                let fields = members
                    .iter()
                    .zip(self.fields(wit))
                    .map(|((name, rust), field)| {
                        let value = format!("it.{}", raw(name));
                        let returned = self.returned(&value, rust, &field.value);
                        format!("{}: {returned}, ", rust_ident(&field.wit))
                    });
                let fields: String = fields.collect();
                format!("{{ let it = {value}; {} {{ {fields}}} }}", upper_camel(wit))
            }
            (RustType::Enum(name, variants), wit) => {
                let arms = variants.iter().map(|(variant, value)| {
                    let case = match wit {
                        WitType::Named(wit) => {
                            let case = upper_camel(&value.replace('_', "-"));
                            format!("{}::{case}", upper_camel(wit))
                        }
                        _ => format!("String::from({})", quoted(value)),
                    };
                    format!("plain::{name}::{variant} => {case}, ")
                });
                format!("match {value} {{ {}}}", arms.collect::<String>())
            }
            _ => value.to_owned(),
        }
    }

    fn fields(&self, name: &str) -> &[Parameter] {
        let mut definitions = self.interface.definitions.iter();
        match definitions
            .find(|known| known.wit == name)
            .map(|known| &known.kind)
        {
            Some(TypeKind::Record(fields)) => fields,
            _ => &[],
        }
    }
}

fn list(value: &str, item: &str) -> String {
    match item {
        "it" => value.to_owned(),
        item => {
            format!("{value}.into_iter().map(|it| Ok({item})).collect::<Result<Vec<_>, String>>()?")
        }
    }
}

fn option(value: &str, inner: &str) -> String {
    match inner {
        "it" => value.to_owned(),
        inner => format!("match {value} {{ Some(it) => Some({inner}), None => None }}"),
    }
}

fn tuple(value: &str, items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    format!("{{ let it = {value}; ({}) }}", items.join(" "))
}

/// An identifier of the author's, written as a raw one if it is a keyword.
fn raw(name: &str) -> String {
    match rust_ident(name) == name {
        true => name.to_owned(),
        false => format!("r#{name}"),
    }
}
