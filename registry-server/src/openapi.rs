//! Builds the OpenAPI document from the controllers' own descriptions and the routes' access.

use bytes::Bytes;
use utoipa::OpenApi;
use utoipa::openapi::path::{
    HttpMethod, Operation, Parameter, ParameterBuilder, ParameterIn, PathItem,
};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{Components, ContentBuilder, Ref, Required, ResponseBuilder};

use crate::access::{Access, Route, RouteMethod};
use crate::controllers::openapi::Document;
use crate::controllers::{
    auth_check, branch_create, branch_delete, commit, commits, compare, discussions, health, lfs,
    log, not_found, openapi, overview, paths_info, preupload, provenance, publish_token,
    publishers, refs, repo_create, repo_delete, repo_info, repo_list, repo_move, repo_settings,
    repo_storage, resolve, super_squash, tag_create, tag_delete, tool, tree, validate_yaml, whoami,
};
use crate::http::ErrorBody;

/// The security schemes.
const TOKEN: &str = "token";
const TICKET: &str = "ticket";

/// All controllers. One that answers at several addresses describes itself at one of them.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "tool-hub registry",
        description = "A registry of tools that speaks the protocol of the Hugging Face Hub."
    ),
    components(schemas(ErrorBody)),
    paths(
        auth_check::read,
        auth_check::write,
        branch_create::create,
        branch_delete::delete,
        commit::create,
        commits::list,
        compare::show,
        discussions::create::open,
        discussions::list::list,
        discussions::show::show,
        health::live,
        health::ready,
        lfs::batch::batch,
        lfs::complete::finish,
        lfs::object::put,
        lfs::part::put,
        lfs::verify::check,
        log::checkpoint,
        log::key,
        log::tile,
        log::version,
        not_found::repository,
        openapi::show,
        overview::organisation,
        overview::user,
        paths_info::show,
        preupload::plan,
        provenance::show,
        publish_token::exchange,
        publish_token::revoke,
        publishers::add,
        publishers::change,
        publishers::list,
        publishers::remove,
        refs::list,
        repo_create::create,
        repo_delete::delete,
        repo_info::show_default,
        repo_info::show_revision,
        repo_list::list,
        repo_move::rename,
        repo_settings::update,
        repo_storage::of_organisation,
        repo_storage::own,
        resolve::download,
        super_squash::squash,
        tag_create::create,
        tag_delete::delete,
        tool::show,
        tree::list,
        validate_yaml::check,
        whoami::show,
    )
)]
struct Controllers;

/// The document of these routes. What no controller describes is left out.
pub(crate) fn document(routes: &[Route]) -> Document {
    let mut document = Controllers::openapi();
    let described = std::mem::take(&mut document.paths);
    for route in routes {
        let method = method(route.method);
        let own = described_at(&route.path);
        for (path, item) in &described.paths {
            let Some(end) = end_of(path, &own) else {
                continue;
            };
            if let Some(operation) = operation(item, route.method) {
                let start = route.path.split("{*").next().unwrap_or_default();
                for path in addresses(&format!("{start}{end}")) {
                    let operation = complete(operation.clone(), route, &path);
                    let methods = vec![method.clone()];
                    document.paths.add_path_operation(path, methods, operation);
                }
            }
        }
    }
    add_schemes(document.components.get_or_insert_default());
    // A document is a tree of texts, which can always be written.
    Document(Bytes::from(document.to_json().unwrap_or_default()))
}

/// The route under which a controller with several routes describes itself.
fn described_at(route: &str) -> String {
    if route == "/health" {
        return "/health/live".to_owned();
    }
    let prefixes = ["/datasets/{owner}", "/spaces/{owner}", "/kernels/{owner}"];
    let rest = prefixes.iter().find_map(|it| route.strip_prefix(it));
    let route = rest.map_or_else(|| route.to_owned(), |rest| format!("/{{owner}}{rest}"));
    route.replace("/raw/", "/resolve/")
}

/// The part of a described address in place of the route's `{*rest}`, if it is an address of the
/// route.
fn end_of<'a>(path: &'a str, route: &str) -> Option<&'a str> {
    match route.split_once("{*") {
        Some((start, _)) => path.strip_prefix(start).filter(|end| !end.is_empty()),
        None => (path == route).then_some(""),
    }
}

/// The addresses of a described path. That of a listing may end before `{path}`, for the root.
fn addresses(path: &str) -> Vec<String> {
    let root = path.strip_suffix("/{path}");
    let root = root.filter(|_| path.contains("/tree/"));
    root.into_iter().chain([path]).map(str::to_owned).collect()
}

fn operation(item: &PathItem, method: RouteMethod) -> Option<&Operation> {
    match method {
        RouteMethod::Get => item.get.as_ref(),
        RouteMethod::Post => item.post.as_ref(),
        RouteMethod::Put => item.put.as_ref(),
        RouteMethod::Delete => item.delete.as_ref(),
    }
}

/// Adds what the address and its access say.
fn complete(mut operation: Operation, route: &Route, path: &str) -> Operation {
    let id = format!("{}{path}", route.method.word().to_ascii_lowercase());
    operation.operation_id = Some(id.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
    operation.tags = None;
    let names = path.split('{').skip(1);
    let names = names.filter_map(|text| text.split_once('}'));
    let parameters = operation.parameters.get_or_insert_default();
    parameters.extend(names.map(|(name, _)| path_parameter(name).into()));
    operation.security = Some(security(route.access));
    let takes_body = operation.request_body.is_some();
    for (status, description) in refusals(route.access, takes_body) {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorBody")));
        let response = ResponseBuilder::new()
            .description(description)
            .content("application/json", content.build());
        let responses = &mut operation.responses.responses;
        responses
            .entry(status.to_owned())
            .or_insert_with(|| response.build().into());
    }
    operation
}

fn path_parameter(name: &str) -> Parameter {
    let text = ObjectBuilder::new().schema_type(Type::String);
    let (schema, description) = match name {
        "kinds" => (
            text.enum_values(Some(["models", "datasets", "spaces", "kernels"])),
            "The kind of repository.",
        ),
        "owner" => (text, "A user or an organisation."),
        "name" => (
            text,
            "The name of a repository; before `/info/lfs` it may end in `.git`.",
        ),
        "revision" => (
            text,
            "A branch, a tag, a full reference name or the id of a commit.",
        ),
        "revisions" => (
            text,
            "`old..new`, or one revision to compare with its parent.",
        ),
        "branch" => (text, "A branch, or `refs/pr/` and a number."),
        "path" => (text, "The path of a file or directory."),
        "number" => (text, "The number of a discussion."),
        "publisher" => (text, "The id of a trusted publisher."),
        _ => (text, "The name of an account."),
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(description))
        .schema(Some(schema))
        .build()
}

fn security(access: Access) -> Vec<SecurityRequirement> {
    let token = SecurityRequirement::new(TOKEN, [""; 0]);
    match access {
        Access::Anyone | Access::ReadRepository => vec![SecurityRequirement::default(), token],
        Access::HoldsTicket => vec![SecurityRequirement::new(TICKET, [""; 0])],
        Access::SignedIn
        | Access::SignedInToWrite
        | Access::WriteRepository
        | Access::PublishToRepository
        | Access::ManageRepository => vec![token],
    }
}

/// The refusals common to routes of this access, which no controller has to describe.
fn refusals(access: Access, takes_body: bool) -> Vec<(&'static str, &'static str)> {
    let mut refusals = vec![
        ("400", "The request is not understood"),
        ("401", "A token is needed, or this one is not valid"),
        (
            "403",
            "The caller, or the name by which the registry was addressed, is not let in",
        ),
        (
            "429",
            "Too many requests; `Retry-After` says how long to wait",
        ),
        ("500", "The registry failed"),
        ("503", "The registry is busy; try again"),
        ("507", "The registry has no space left"),
    ];
    if takes_body {
        refusals.push(("408", "The body did not arrive in time"));
        refusals.push(("413", "The body is too long"));
    }
    if matches!(
        access,
        Access::ReadRepository
            | Access::WriteRepository
            | Access::PublishToRepository
            | Access::ManageRepository
    ) {
        let missing = "There is no such repository, revision or file; `X-Error-Code` says which";
        refusals.push(("404", missing));
    }
    refusals
}

fn add_schemes(components: &mut Components) {
    let token = HttpBuilder::new().scheme(HttpAuthScheme::Bearer);
    let ticket = ApiKeyValue::with_description(TICKET, "From the answer of an LFS batch.");
    components.add_security_scheme(TOKEN, SecurityScheme::Http(token.build()));
    components.add_security_scheme(TICKET, SecurityScheme::ApiKey(ApiKey::Query(ticket)));
}

fn method(method: RouteMethod) -> HttpMethod {
    match method {
        RouteMethod::Get => HttpMethod::Get,
        RouteMethod::Post => HttpMethod::Post,
        RouteMethod::Put => HttpMethod::Put,
        RouteMethod::Delete => HttpMethod::Delete,
    }
}
