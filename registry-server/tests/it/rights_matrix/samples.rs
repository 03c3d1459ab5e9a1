//! One repeatable request for every route, and its answer to those who are let in.

use tool_hub_registry_server::Route;

use super::expectation::{Answer, answer};
use super::{State, Target};

/// A request of a route. In paths and bodies `ID` is the repository, `OWNER` its owner, and `N`
/// differs each time.
#[derive(Debug)]
pub(super) struct Sample {
    method: &'static str,
    route: &'static str,
    pub(super) path: &'static str,
    pub(super) body: Body,
    pub(super) named: Named,
    /// The answer to those who are let in.
    then: (u16, &'static str),
    /// The same at the former address of a repository.
    then_moved: Option<u16>,
    pub(super) deletes: bool,
}

#[derive(Debug)]
pub(super) enum Body {
    None,
    Json(&'static str),
    Commit,
}

/// The place in which a request names its repository.
#[derive(Debug)]
pub(super) enum Named {
    InPath,
    /// An id that can name none.
    WithoutOwner,
    /// In the body, as one that is to be made.
    New,
    /// In the body, perhaps with a name that it is to have.
    InBody {
        to: Option<&'static str>,
    },
}

impl Sample {
    pub(super) fn is_of(&self, route: &Route) -> bool {
        self.method == route.method.word() && self.route == route.path
    }

    pub(super) fn admitted(&self, target: &Target) -> Answer {
        match self.then_moved {
            Some(status) if target.state == State::MovedPrivate => answer(status, ""),
            _ => answer(self.then.0, self.then.1),
        }
    }
}

fn get(route: &'static str, path: &'static str) -> Sample {
    sample("GET", route, path, Body::None, (200, ""))
}

/// An address of a file; a moved repository redirects there.
fn bytes(route: &'static str, path: &'static str) -> Sample {
    Sample {
        then_moved: Some(307),
        ..get(route, path)
    }
}

fn send(method: &'static str, route: &'static str, path: &'static str, body: Body) -> Sample {
    sample(method, route, path, body, (200, ""))
}

fn sample(
    method: &'static str,
    route: &'static str,
    path: &'static str,
    body: Body,
    then: (u16, &'static str),
) -> Sample {
    Sample {
        method,
        route,
        path,
        body,
        named: Named::InPath,
        then,
        then_moved: None,
        deletes: false,
    }
}

#[rustfmt::skip]
pub(super) fn samples() -> Vec<Sample> {
    const GONE: (u16, &str) = (404, "RevisionNotFound");
    let json = Body::Json;
    vec![
        get("/health", "/health"),
        get("/health/live", "/health/live"),
        get("/health/ready", "/health/ready"),
        get("/.well-known/openapi.json", "/.well-known/openapi.json"),
        get("/api/whoami-v2", "/api/whoami-v2"),
        get("/api/users/{user}/overview", "/api/users/alice/overview"),
        get("/api/organizations/{organisation}/overview", "/api/organizations/acme/overview"),
        get("/api/settings/repositories", "/api/settings/repositories"),
        get("/api/organizations/{organisation}/settings/repositories", "/api/organizations/acme/settings/repositories"),
        send("POST", "/api/validate-yaml", "/api/validate-yaml", json(r#"{"content":""}"#)),
        sample("PUT", "/api/lfs/object", "/api/lfs/object?ticket=N", Body::None, (403, "")),
        sample("PUT", "/api/lfs/part", "/api/lfs/part?ticket=N&number=1", Body::None, (403, "")),
        sample("POST", "/api/lfs/complete", "/api/lfs/complete?ticket=N", Body::None, (403, "")),
        Sample { named: Named::New, ..send("POST", "/api/repos/create", "/api/repos/create", json(r#"{"name":"OWNER/new-N"}"#)) },
        Sample { named: Named::InBody { to: None }, deletes: true, ..send("DELETE", "/api/repos/delete", "/api/repos/delete", json(r#"{"name":"ID"}"#)) },
        Sample { named: Named::InBody { to: Some("taken") }, then: (409, ""), ..send("POST", "/api/repos/move", "/api/repos/move", json(r#"{"fromRepo":"ID","toRepo":"OWNER/taken","type":"model"}"#)) },
        sample("POST", "/api/trusted-publishing/token", "/api/trusted-publishing/token", json(r#"{"token":"x","repo":"ID"}"#), (403, "")),
        sample("DELETE", "/api/trusted-publishing/token", "/api/trusted-publishing/token", Body::None, (403, "")),
        get("/api/log/key", "/api/log/key"),
        get("/api/log/checkpoint", "/api/log/checkpoint"),
        sample("GET", "/api/log/tile/{*rest}", "/api/log/tile/9/000", Body::None, (404, "EntryNotFound")),
        get("/api/{kinds}", "/api/models"),
        Sample { named: Named::WithoutOwner, ..get("/api/{kinds}/{owner}", "/api/models/OWNER") },
        get("/api/{kinds}/{owner}/{name}", "/api/models/ID"),
        get("/api/{kinds}/{owner}/{name}/revision/{*rest}", "/api/datasets/ID/revision/main"),
        get("/api/{kinds}/{owner}/{name}/auth-check", "/api/spaces/ID/auth-check"),
        get("/api/{kinds}/{owner}/{name}/auth-check/write", "/api/kernels/ID/auth-check/write"),
        send("PUT", "/api/{kinds}/{owner}/{name}/settings", "/api/models/ID/settings", json("{}")),
        get("/api/{kinds}/{owner}/{name}/publishers", "/api/models/ID/publishers"),
        sample("POST", "/api/{kinds}/{owner}/{name}/publishers", "/api/models/ID/publishers", json(r#"{"issuer":"x","repository":"a/b","workflow":"c.yml"}"#), (400, "")),
        send("PUT", "/api/{kinds}/{owner}/{name}/publishers", "/api/models/ID/publishers", json(r#"{"only":false}"#)),
        sample("DELETE", "/api/{kinds}/{owner}/{name}/publishers/{*rest}", "/api/models/ID/publishers/N", Body::None, (404, "EntryNotFound")),
        sample("GET", "/api/{kinds}/{owner}/{name}/tool", "/api/models/ID/tool", Body::None, (404, "EntryNotFound")),
        get("/api/{kinds}/{owner}/{name}/log", "/api/models/ID/log?version=1.0.0"),
        sample("GET", "/api/{kinds}/{owner}/{name}/provenance/{*rest}", "/api/models/ID/provenance/main", Body::None, (404, "EntryNotFound")),
        get("/api/{kinds}/{owner}/{name}/tree/{*rest}", "/api/models/ID/tree/main"),
        send("POST", "/api/{kinds}/{owner}/{name}/paths-info/{*rest}", "/api/models/ID/paths-info/main", json(r#"{"paths":["a"]}"#)),
        get("/api/{kinds}/{owner}/{name}/refs", "/api/models/ID/refs"),
        get("/api/{kinds}/{owner}/{name}/commits/{*rest}", "/api/models/ID/commits/main"),
        send("POST", "/api/{kinds}/{owner}/{name}/branch/{*rest}", "/api/models/ID/branch/N", json("{}")),
        sample("DELETE", "/api/{kinds}/{owner}/{name}/branch/{*rest}", "/api/models/ID/branch/not-N", Body::None, GONE),
        send("POST", "/api/{kinds}/{owner}/{name}/tag/{*rest}", "/api/models/ID/tag/main", json(r#"{"tag":"N"}"#)),
        sample("DELETE", "/api/{kinds}/{owner}/{name}/tag/{*rest}", "/api/models/ID/tag/not-N", Body::None, GONE),
        get("/api/{kinds}/{owner}/{name}/compare/{*rest}", "/api/models/ID/compare/main"),
        get("/api/{kinds}/{owner}/{name}/discussions", "/api/models/ID/discussions"),
        send("POST", "/api/{kinds}/{owner}/{name}/discussions", "/api/models/ID/discussions", json(r#"{"title":"x"}"#)),
        sample("GET", "/api/{kinds}/{owner}/{name}/discussions/{number}", "/api/models/ID/discussions/999999", Body::None, (404, "")),
        sample("POST", "/api/{kinds}/{owner}/{name}/super-squash/{*rest}", "/api/models/ID/super-squash/not-N", Body::Json(r#"{"message":"x"}"#), GONE),
        send("POST", "/api/{kinds}/{owner}/{name}/preupload/{*rest}", "/api/models/ID/preupload/main", json(r#"{"files":[]}"#)),
        send("POST", "/api/{kinds}/{owner}/{name}/commit/{*rest}", "/api/models/ID/commit/main", Body::Commit),
        send("POST", "/{owner}/{name}/info/lfs/objects/batch", "/ID.git/info/lfs/objects/batch", json(r#"{"operation":"upload","objects":[]}"#)),
        sample("POST", "/{owner}/{name}/info/lfs/objects/verify", "/ID.git/info/lfs/objects/verify", json(r#"{"oid":"","size":1}"#), (404, "")),
        bytes("/{owner}/{name}/resolve/{*rest}", "/ID/resolve/main/a"),
        bytes("/{owner}/{name}/raw/{*rest}", "/ID/raw/main/a"),
        send("POST", "/datasets/{owner}/{name}/info/lfs/objects/batch", "/datasets/ID.git/info/lfs/objects/batch", json(r#"{"operation":"upload","objects":[]}"#)),
        sample("POST", "/datasets/{owner}/{name}/info/lfs/objects/verify", "/datasets/ID.git/info/lfs/objects/verify", json(r#"{"oid":"","size":1}"#), (404, "")),
        bytes("/datasets/{owner}/{name}/resolve/{*rest}", "/datasets/ID/resolve/main/a"),
        bytes("/datasets/{owner}/{name}/raw/{*rest}", "/datasets/ID/raw/main/a"),
        send("POST", "/spaces/{owner}/{name}/info/lfs/objects/batch", "/spaces/ID.git/info/lfs/objects/batch", json(r#"{"operation":"upload","objects":[]}"#)),
        sample("POST", "/spaces/{owner}/{name}/info/lfs/objects/verify", "/spaces/ID.git/info/lfs/objects/verify", json(r#"{"oid":"","size":1}"#), (404, "")),
        bytes("/spaces/{owner}/{name}/resolve/{*rest}", "/spaces/ID/resolve/main/a"),
        bytes("/spaces/{owner}/{name}/raw/{*rest}", "/spaces/ID/raw/main/a"),
        send("POST", "/kernels/{owner}/{name}/info/lfs/objects/batch", "/kernels/ID.git/info/lfs/objects/batch", json(r#"{"operation":"upload","objects":[]}"#)),
        sample("POST", "/kernels/{owner}/{name}/info/lfs/objects/verify", "/kernels/ID.git/info/lfs/objects/verify", json(r#"{"oid":"","size":1}"#), (404, "")),
        bytes("/kernels/{owner}/{name}/resolve/{*rest}", "/kernels/ID/resolve/main/a"),
        bytes("/kernels/{owner}/{name}/raw/{*rest}", "/kernels/ID/raw/main/a"),
    ]
}
