//! A small registry for tests, which speaks the Hub's protocol and plays tricks when told to.
//! It is on a loopback port, and speaks as much as a client needs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use data_encoding::BASE64;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tool_hub_manifest::Digest;
use url::Url;

/// The only token that the registry accepts; a canary everywhere else.
pub(crate) const TOKEN: &str = "hf_canary0123456789";

const BODY_BYTES_MAX: usize = 256 << 20;

type Files = BTreeMap<String, Vec<u8>>;
type Trick = Box<dyn Fn(&Seen) -> Option<Response> + Send + Sync>;

/// One request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

#[derive(Default)]
pub(crate) struct Repo {
    pub(crate) private: bool,
    pub(crate) head: Option<String>,
    pub(crate) tags: BTreeMap<String, String>,
    /// The branches, except `main`.
    pub(crate) branches: BTreeMap<String, String>,
    pub(crate) commits: BTreeMap<String, Files>,
}

#[derive(Default)]
pub(crate) struct World {
    pub(crate) repos: BTreeMap<String, Repo>,
    seen: Vec<Seen>,
    trick: Option<Trick>,
}

/// The running registry; it stops when dropped.
pub(crate) struct Registry {
    url: Url,
    world: Arc<Mutex<World>>,
    task: JoinHandle<()>,
}

impl Registry {
    pub(crate) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let world = Arc::new(Mutex::new(World::default()));
        let app = axum::Router::new()
            .fallback(answer)
            .with_state(world.clone());
        let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self {
            url: url.parse().unwrap(),
            world,
            task,
        }
    }

    pub(crate) fn url(&self) -> Url {
        self.url.clone()
    }

    /// Answers every request for which `trick` has an answer with that one.
    pub(crate) fn trick(&self, trick: impl Fn(&Seen) -> Option<Response> + Send + Sync + 'static) {
        self.world.lock().unwrap().trick = Some(Box::new(trick));
    }

    pub(crate) fn honest(&self) {
        self.world.lock().unwrap().trick = None;
    }

    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        change(&mut self.world.lock().unwrap())
    }

    /// The requests since the last time, and forgets them.
    pub(crate) fn take_seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.world.lock().unwrap().seen)
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(State(world): State<Arc<Mutex<World>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let seen = Seen {
        method: parts.method,
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or("").to_owned(),
        headers: parts.headers,
        body: to_bytes(body, BODY_BYTES_MAX).await.unwrap_or_default(),
    };
    let mut world = world.lock().unwrap();
    world.seen.push(seen.clone());
    if let Some(trick) = &world.trick
        && let Some(response) = trick(&seen)
    {
        return response;
    }
    let honest = world.answer(&seen);
    honest.unwrap_or_else(|no| refusal(no.status, no.code, no.message))
}

impl World {
    fn answer(&mut self, seen: &Seen) -> Result<Response, Refusal> {
        let authorization = seen.headers.get("authorization");
        let signed_in = authorization.is_some_and(|it| it == &format!("Bearer {TOKEN}"));
        if authorization.is_some() && !signed_in {
            return Err(refuse(
                401,
                "",
                "Invalid credentials in Authorization header",
            ));
        }
        let path: Vec<&str> = seen.path.trim_matches('/').split('/').collect();
        match (seen.method.as_str(), path.as_slice()) {
            ("GET", ["api", "whoami-v2"]) if signed_in => Ok(ok(json!({
                "type": "user", "name": "alice", "fullname": "Alice",
                "orgs": [{"name": "acme"}],
                "auth": {"type": "access_token", "accessToken": {"role": "write"}},
            }))),
            ("GET", ["api", "whoami-v2"]) => Err(refuse(401, "", "Who are you?")),
            ("GET", ["api", "models"]) => Ok(ok(self.search(&seen.query))),
            ("POST", ["api", "repos", "create"]) if signed_in => self.create(&seen.body),
            ("GET", ["api", "models", owner, name]) => {
                let repo = self.repo(owner, name, signed_in)?;
                Ok(ok(
                    json!({"id": format!("{owner}/{name}"), "private": repo.private}),
                ))
            }
            ("GET", ["api", "models", owner, name, "revision", revision]) => {
                let commit = self.repo(owner, name, signed_in)?.commit(revision)?;
                Ok(ok(json!({"id": format!("{owner}/{name}"), "sha": commit})))
            }
            ("GET", ["api", "models", owner, name, "refs"]) => {
                Ok(ok(self.repo(owner, name, signed_in)?.refs()))
            }
            ("POST", ["api", "models", owner, name, "paths-info", revision]) => {
                let repo = self.repo(owner, name, signed_in)?;
                Ok(ok(repo.paths(&repo.commit(revision)?, &seen.body)))
            }
            ("GET", [owner, name, "resolve", revision, file]) => {
                let repo = self.repo(owner, name, signed_in)?;
                let commit = repo.commit(revision)?;
                let content = repo.commits[&commit].get(*file);
                let content = content.ok_or_else(|| refuse(404, "EntryNotFound", "no file"))?;
                let headers = [("x-repo-commit", commit), ("etag", "\"abc\"".to_owned())];
                Ok((headers, content.clone()).into_response())
            }
            ("POST", ["api", "models", _, _, "preupload", _]) if signed_in => {
                let asked: Value = serde_json::from_slice(&seen.body).unwrap();
                let files: Vec<_> = asked["files"].as_array().unwrap().iter().collect();
                let modes = files.iter().map(|file| {
                    json!({"path": file["path"], "uploadMode": "regular", "shouldIgnore": false})
                });
                Ok(ok(json!({"files": modes.collect::<Vec<_>>()})))
            }
            ("POST", ["api", "models", owner, name, "commit", "main"]) if signed_in => {
                self.repo_mut(owner, name)?.make_commit(&seen.body)
            }
            ("POST", ["api", "models", owner, name, "tag", revision]) if signed_in => {
                self.repo_mut(owner, name)?.make_tag(revision, &seen.body)
            }
            _ => Err(refuse(404, "", "no such route")),
        }
    }

    fn repo(&self, owner: &str, name: &str, signed_in: bool) -> Result<&Repo, Refusal> {
        let found = self.repos.get(&format!("{owner}/{name}"));
        found
            .filter(|repo| signed_in || !repo.private)
            .ok_or_else(|| {
                let status = if signed_in { 404 } else { 401 };
                refuse(status, "RepoNotFound", "Repository not found")
            })
    }

    fn repo_mut(&mut self, owner: &str, name: &str) -> Result<&mut Repo, Refusal> {
        self.repos
            .get_mut(&format!("{owner}/{name}"))
            .ok_or_else(|| refuse(404, "RepoNotFound", "Repository not found"))
    }

    fn create(&mut self, body: &[u8]) -> Result<Response, Refusal> {
        let asked: Value = serde_json::from_slice(body).unwrap();
        let owner = asked["organization"].as_str().unwrap_or("alice");
        if owner != "alice" {
            return Err(refuse(403, "", "You have no right to create repos there"));
        }
        let id = format!("{owner}/{}", asked["name"].as_str().unwrap());
        let mut repo = Repo {
            private: asked["private"].as_bool().unwrap_or(false),
            ..Repo::default()
        };
        repo.add(BTreeMap::from([(".gitattributes".to_owned(), vec![])]));
        self.repos.insert(id.clone(), repo);
        Ok(ok(
            json!({"url": format!("http://registry/{id}"), "name": id}),
        ))
    }

    fn search(&self, query: &str) -> Value {
        let repos = self.repos.iter().filter(|(_, repo)| !repo.private);
        let found = repos.map(|(id, _)| {
            json!({
                "_id": "0", "id": id, "likes": 2, "downloads": 7, "private": false,
                "tags": ["tool-hub", "asked:".to_owned() + query],
                "lastModified": "2026-11-20T23:00:00.000Z",
                "cardData": {"description": "Counts \u{1b}[2Jwords."},
            })
        });
        found.collect()
    }
}

impl Repo {
    /// Adds a commit on the default branch.
    pub(crate) fn add(&mut self, files: Files) -> String {
        let id = format!("{:040x}", 0xc0ffee + self.commits.len());
        self.commits.insert(id.clone(), files);
        self.head = Some(id.clone());
        id
    }

    fn commit(&self, revision: &str) -> Result<String, Refusal> {
        let named = match revision {
            "main" => self.head.clone(),
            _ => self.tags.get(revision).cloned(),
        };
        let known = || {
            self.commits
                .contains_key(revision)
                .then(|| revision.to_owned())
        };
        named
            .or_else(known)
            .ok_or_else(|| refuse(404, "RevisionNotFound", "Invalid rev id"))
    }

    fn refs(&self) -> Value {
        let reference = |kind: &str, name: &str, commit: &str| json!({"name": name, "ref": format!("refs/{kind}/{name}"), "targetCommit": commit});
        let head = self
            .head
            .iter()
            .map(|head| reference("heads", "main", head));
        let others = self.branches.iter();
        let branches = head.chain(others.map(|(name, commit)| reference("heads", name, commit)));
        let tags = self
            .tags
            .iter()
            .map(|(tag, commit)| reference("tags", tag, commit));
        json!({
            "branches": branches.collect::<Vec<_>>(),
            "tags": tags.collect::<Vec<_>>(),
            "converts": [],
        })
    }

    fn paths(&self, commit: &str, body: &[u8]) -> Value {
        let asked = url::form_urlencoded::parse(body).filter(|(key, _)| key == "paths");
        let listed = asked.filter_map(|(_, path)| {
            let content = self.commits[commit].get(path.as_ref())?;
            let mut entry = json!({"type": "file", "path": path, "size": content.len(), "oid": ""});
            if path.ends_with(".wasm") {
                let digest = Digest::of(content).hex();
                entry["lfs"] = json!({"oid": digest, "sha256": digest, "size": content.len()});
            }
            Some(entry)
        });
        listed.collect()
    }

    fn make_commit(&mut self, body: &[u8]) -> Result<Response, Refusal> {
        let lines: Vec<Value> = body
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect();
        let parent = lines[0]["value"]["parentCommit"].as_str();
        if parent != self.head.as_deref() {
            return Err(refuse(
                412,
                "",
                "The branch was updated since you opened this page.",
            ));
        }
        let mut files = parent.map_or_else(Files::new, |it| self.commits[it].clone());
        for line in &lines[1..] {
            let value = &line["value"];
            if line["key"] == "deletedFile" {
                files.remove(value["path"].as_str().unwrap());
                continue;
            }
            assert_eq!(line["key"], "file");
            let content = BASE64.decode(value["content"].as_str().unwrap().as_bytes());
            files.insert(value["path"].as_str().unwrap().to_owned(), content.unwrap());
        }
        let id = self.add(files);
        Ok(ok(
            json!({"success": true, "commitOid": id, "commitUrl": "http://registry/c"}),
        ))
    }

    fn make_tag(&mut self, revision: &str, body: &[u8]) -> Result<Response, Refusal> {
        let asked: Value = serde_json::from_slice(body).unwrap();
        let tag = asked["tag"].as_str().unwrap().to_owned();
        let commit = self.commit(revision)?;
        if self.tags.contains_key(&tag) {
            return Err(refuse(409, "", "Tag reference exists already"));
        }
        self.tags.insert(tag, commit);
        Ok(StatusCode::OK.into_response())
    }
}

pub(crate) fn ok(body: Value) -> Response {
    axum::Json(body).into_response()
}

/// A refusal on its way out of the honest part.
struct Refusal {
    status: u16,
    code: &'static str,
    message: &'static str,
}

fn refuse(status: u16, code: &'static str, message: &'static str) -> Refusal {
    Refusal {
        status,
        code,
        message,
    }
}

pub(crate) fn refusal(status: u16, code: &str, message: &str) -> Response {
    let headers = [
        ("x-error-code", code),
        ("x-error-message", message),
        ("x-request-id", "req-1"),
    ];
    let body = axum::Json(json!({"error": message}));
    let status = StatusCode::from_u16(status).unwrap();
    (status, headers, body).into_response()
}

pub(crate) fn redirect(status: u16, to: &str) -> Response {
    let response = Response::builder().status(status).header("location", to);
    response.body(Body::empty()).unwrap()
}
