//! Generates a project that calls an API by its OpenAPI document, with functions in Python.
//! It has the right to reach the API's servers, with the methods in use.

mod endpoint;
mod manifest;
mod source;

use tool_hub_agent::definition::openapi::ApiFunctions;

use super::defined::DefinedFunctions;
use super::names::Names;
use super::template::Template;
pub(crate) use endpoint::{ApiServer, Endpoint};

/// The language of such a project.
const LANGUAGE: Template = Template::Python;

const MODULE: &str = include_str!("../../templates/openapi/openapi_client.py");
const WIT: [(&str, &str); 2] = [
    (
        "wit/deps/wasi-http/http.wit",
        include_str!("../build/wasi/http.wit"),
    ),
    (
        "wit/deps/wasi-io/io.wit",
        include_str!("../build/wasi/io.wit"),
    ),
];
const HTTP: &str = "    import wasi:http/outgoing-handler@0.2.0;\n";

/// An API's functions, and the servers that they call.
pub(crate) struct OpenApiProject {
    defined: DefinedFunctions,
    endpoints: Vec<Endpoint>,
    title: String,
    refused_schemes: Vec<String>,
}

impl OpenApiProject {
    /// The project for functions of the API `title`, of which each is called at its server.
    pub(crate) fn of(title: String, made: ApiFunctions, servers: Vec<ApiServer>) -> Self {
        let specs: Vec<_> = made.functions.iter().map(|it| it.spec.clone()).collect();
        let defined = DefinedFunctions::of_specs("OpenAPI", &specs, made.skipped);
        let endpoints = made.functions.into_iter().zip(servers);
        let endpoints = endpoints.map(|(function, server)| Endpoint { function, server });
        Self {
            defined: defined.with_replies(made.losses),
            endpoints: endpoints.collect(),
            title,
            refused_schemes: made.refused_schemes,
        }
    }

    pub(crate) fn defined(&self) -> &DefinedFunctions {
        &self.defined
    }

    /// The name of each function, with its method and its path.
    pub(crate) fn calls(&self) -> Vec<String> {
        let operations = self.defined.interface().operations.iter();
        let calls = operations
            .zip(&self.endpoints)
            .map(|(operation, endpoint)| {
                let function = &endpoint.function;
                format!("{}: {} {}", operation.name, function.method, function.path)
            });
        calls.collect()
    }

    /// The security schemes of the document that no request can carry.
    pub(crate) fn refused_schemes(&self) -> &[String] {
        &self.refused_schemes
    }

    /// The names of the credentials that the requests need.
    pub(crate) fn credentials(&self, names: &Names) -> Vec<String> {
        let credentials = manifest::credentials(&self.endpoints, names);
        credentials.into_iter().map(|it| it.name).collect()
    }

    /// The contents of the file at `path`; `text` is what it holds in a project that greets.
    pub(super) fn file(&self, path: &str, text: String, names: &Names) -> anyhow::Result<String> {
        if path == LANGUAGE.source() {
            return Ok(source::source(
                &self.title,
                self.defined.interface(),
                &self.endpoints,
                names,
            ));
        }
        let text = self.defined.file(path, text, names, LANGUAGE)?;
        Ok(match path {
            "wit/world.wit" => {
                text.replace("\nworld tool {\n", &format!("\nworld tool {{\n{HTTP}"))
            }
            "tool.toml" => {
                let removing = self.removing().collect();
                manifest::manifest(&text, &self.title, &self.endpoints, &removing, names)?
            }
            _ => text,
        })
    }

    /// The functions that remove something.
    fn removing(&self) -> impl Iterator<Item = &str> {
        let operations = self.defined.interface().operations.iter();
        let all = operations.zip(&self.endpoints);
        let removing = all.filter(|(_, endpoint)| endpoint.function.method == "DELETE");
        removing.map(|(operation, _)| operation.name.as_str())
    }

    /// The files that no other project has.
    pub(super) fn more_files(&self) -> Vec<(&'static str, String)> {
        let wit = WIT.map(|(path, text)| (path, text.to_owned()));
        let module = ("openapi_client.py", MODULE.to_owned());
        [module].into_iter().chain(wit).collect()
    }
}
