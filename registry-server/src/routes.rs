//! The routers of the registry and its metrics: all routes, their controllers and needed access.

use axum::middleware::from_fn_with_state;
use axum::{Extension, Router};
use http::StatusCode;

use crate::access::{
    Anyone, HoldsTicket, ManageRepository, Probe, PublishToRepository, ReadRepository, Route,
    RouteMethod, Routes, SignedIn, SignedInToWrite, WriteRepository,
};
use crate::controllers::{
    auth_check, branch_create, branch_delete, commit, commits, compare, discussions, health, lfs,
    log, metrics, not_found, openapi, overview, paths_info, preupload, provenance, publish_token,
    publishers, refs, repo_create, repo_delete, repo_info, repo_list, repo_move, repo_settings,
    repo_storage, resolve, super_squash, tag_create, tag_delete, tool, tree, validate_yaml, whoami,
};
use crate::http::{Hosts, Refusal, with_request_id};
use crate::openapi::document;
use crate::registry::Registry;

const GET: RouteMethod = RouteMethod::Get;
const POST: RouteMethod = RouteMethod::Post;
const PUT: RouteMethod = RouteMethod::Put;
const DELETE: RouteMethod = RouteMethod::Delete;

/// The segments before an id in the address of a file; models have none.
const WEB_PREFIXES: [&str; 4] = ["", "/datasets", "/spaces", "/kernels"];

pub(crate) fn router(registry: Registry, hosts: Hosts) -> Router {
    let routes = files(api());
    let document = document(routes.list());
    routes
        .otherwise(Anyone, not_found::route)
        .into_router()
        .method_not_allowed_fallback(method_not_allowed)
        .layer(Extension(document))
        .layer(Extension(hosts))
        .layer(from_fn_with_state(registry.clone(), with_request_id))
        .with_state(registry)
}

/// The routes for the operator only, on an address of their own.
pub(crate) fn metrics_router(registry: Registry) -> Router {
    #[rustfmt::skip]
    let routes = Routes::new()
        .on(GET,    "/metrics",                                                   Probe,            metrics::show)
        .on(GET,    "/health/live",                                               Probe,            health::live)
        .on(GET,    "/health/ready",                                              Probe,            health::ready);
    routes
        .otherwise(Anyone, not_found::route)
        .into_router()
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(registry)
}

/// Every route a registry answers, with the access it needs. Metrics are on an address of their own
/// and not among them.
#[must_use]
pub fn routes() -> Vec<Route> {
    files(api()).into_list()
}

#[rustfmt::skip]
fn api() -> Routes {
    Routes::new()
        .on(GET,    "/health",                                                    Probe,            health::live)
        .on(GET,    "/health/live",                                               Probe,            health::live)
        .on(GET,    "/health/ready",                                              Probe,            health::ready)
        .on(GET,    "/.well-known/openapi.json",                                  Anyone,           openapi::show)
        .on(GET,    "/api/whoami-v2",                                             SignedIn,         whoami::show)
        .on(GET,    "/api/users/{user}/overview",                                 Anyone,           overview::user)
        .on(GET,    "/api/organizations/{organisation}/overview",                 Anyone,           overview::organisation)
        .on(GET,    "/api/settings/repositories",                                 SignedIn,         repo_storage::own)
        .on(GET,    "/api/organizations/{organisation}/settings/repositories",    SignedIn,         repo_storage::of_organisation)
        .on(POST,   "/api/validate-yaml",                                         Anyone,           validate_yaml::check)
        .on(PUT,    "/api/lfs/object",                                            HoldsTicket,      lfs::object::put)
        .on(PUT,    "/api/lfs/part",                                              HoldsTicket,      lfs::part::put)
        .on(POST,   "/api/lfs/complete",                                          HoldsTicket,      lfs::complete::finish)
        .on(POST,   "/api/repos/create",                                          SignedInToWrite,  repo_create::create)
        .on(DELETE, "/api/repos/delete",                                          SignedInToWrite,  repo_delete::delete)
        .on(POST,   "/api/repos/move",                                            SignedInToWrite,  repo_move::rename)
        .on(POST,   "/api/trusted-publishing/token",                              Anyone,           publish_token::exchange)
        .on(DELETE, "/api/trusted-publishing/token",                              SignedIn,         publish_token::revoke)
        .on(GET,    "/api/log/key",                                               Anyone,           log::key)
        .on(GET,    "/api/log/checkpoint",                                        Anyone,           log::checkpoint)
        .on(GET,    "/api/log/tile/{*rest}",                                      Anyone,           log::tile)
        .on(GET,    "/api/{kinds}",                                               Anyone,           repo_list::list)
        .on(GET,    "/api/{kinds}/{owner}",                                       Anyone,           not_found::repository)
        .on(GET,    "/api/{kinds}/{owner}/{name}",                                ReadRepository,   repo_info::show_default)
        .on(GET,    "/api/{kinds}/{owner}/{name}/revision/{*rest}",               ReadRepository,   repo_info::show_revision)
        .on(GET,    "/api/{kinds}/{owner}/{name}/auth-check",                     ReadRepository,   auth_check::read)
        .on(GET,    "/api/{kinds}/{owner}/{name}/auth-check/write",               PublishToRepository, auth_check::write)
        .on(PUT,    "/api/{kinds}/{owner}/{name}/settings",                       ManageRepository, repo_settings::update)
        .on(GET,    "/api/{kinds}/{owner}/{name}/publishers",                     ManageRepository, publishers::list)
        .on(POST,   "/api/{kinds}/{owner}/{name}/publishers",                     ManageRepository, publishers::add)
        .on(PUT,    "/api/{kinds}/{owner}/{name}/publishers",                     ManageRepository, publishers::change)
        .on(DELETE, "/api/{kinds}/{owner}/{name}/publishers/{*rest}",             ManageRepository, publishers::remove)
        .on(GET,    "/api/{kinds}/{owner}/{name}/tool",                           ReadRepository,   tool::show)
        .on(GET,    "/api/{kinds}/{owner}/{name}/log",                            ReadRepository,   log::version)
        .on(GET,    "/api/{kinds}/{owner}/{name}/provenance/{*rest}",             ReadRepository,   provenance::show)
        .on(GET,    "/api/{kinds}/{owner}/{name}/tree/{*rest}",                   ReadRepository,   tree::list)
        .on(POST,   "/api/{kinds}/{owner}/{name}/paths-info/{*rest}",             ReadRepository,   paths_info::show)
        .on(GET,    "/api/{kinds}/{owner}/{name}/refs",                           ReadRepository,   refs::list)
        .on(GET,    "/api/{kinds}/{owner}/{name}/commits/{*rest}",                ReadRepository,   commits::list)
        .on(GET,    "/api/{kinds}/{owner}/{name}/compare/{*rest}",                ReadRepository,   compare::show)
        .on(GET,    "/api/{kinds}/{owner}/{name}/discussions",                    ReadRepository,   discussions::list::list)
        .on(POST,   "/api/{kinds}/{owner}/{name}/discussions",                    WriteRepository,  discussions::create::open)
        .on(GET,    "/api/{kinds}/{owner}/{name}/discussions/{number}",           ReadRepository,   discussions::show::show)
        .on(POST,   "/api/{kinds}/{owner}/{name}/branch/{*rest}",                 WriteRepository,  branch_create::create)
        .on(DELETE, "/api/{kinds}/{owner}/{name}/branch/{*rest}",                 WriteRepository,  branch_delete::delete)
        .on(POST,   "/api/{kinds}/{owner}/{name}/tag/{*rest}",                    PublishToRepository, tag_create::create)
        .on(DELETE, "/api/{kinds}/{owner}/{name}/tag/{*rest}",                    WriteRepository,  tag_delete::delete)
        .on(POST,   "/api/{kinds}/{owner}/{name}/super-squash/{*rest}",           WriteRepository,  super_squash::squash)
        .on(POST,   "/api/{kinds}/{owner}/{name}/preupload/{*rest}",              PublishToRepository, preupload::plan)
        .on(POST,   "/api/{kinds}/{owner}/{name}/commit/{*rest}",                 PublishToRepository, commit::create)
}

/// The addresses of files, and of LFS. `raw` gives what git has, `resolve` the file; they differ
/// for LFS files only.
fn files(mut routes: Routes) -> Routes {
    for prefix in WEB_PREFIXES {
        // The name ends in `.git` here.
        let objects = format!("{prefix}/{{owner}}/{{name}}/info/lfs/objects");
        let (batch, verify) = (format!("{objects}/batch"), format!("{objects}/verify"));
        routes = routes
            .on(POST, &batch, PublishToRepository, lfs::batch::batch)
            .on(POST, &verify, PublishToRepository, lfs::verify::check);
        for verb in ["resolve", "raw"] {
            let path = format!("{prefix}/{{owner}}/{{name}}/{verb}/{{*rest}}");
            routes = routes.on(GET, &path, ReadRepository, resolve::download);
        }
    }
    routes
}

async fn method_not_allowed() -> Refusal {
    Refusal::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "this address does not take this method",
    )
}
