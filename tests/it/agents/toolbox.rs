//! A toolbox of every sample tool and a server of it, which all tests of a process share.
//! Compiling the tools takes longer than everything else.

use std::sync::{Arc, Mutex, PoisonError};

use crate::support::loading::load;
use crate::support::{Home, Server, guests};

/// What clients of the server show.
pub(super) const TOKEN: &str = "a-token-of-our-own";

/// A user with a toolbox, and a server of that toolbox over HTTP.
pub(super) struct Served {
    pub(super) user: Home,
    pub(super) server: Server,
}

static SHARED: Mutex<Option<Arc<Served>>> = Mutex::new(None);

/// The toolbox, made when it is first asked for.
pub(super) fn served() -> Arc<Served> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(shared.get_or_insert_with(|| Arc::new(Served::new())))
}

/// Ends the server and removes the toolbox; what is static is never dropped.
pub(crate) fn put_away() {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    drop(shared.take());
}

impl Served {
    fn new() -> Self {
        // Clients start servers without this variable, so the usual directories it is.
        let user = Home::new().with("TOOL_HUB_HOME", "");
        std::fs::create_dir(user.work().join("my-notes")).expect("a directory");
        let samples = guests::RUST
            .into_iter()
            .chain([guests::PYTHON[0], guests::JAVASCRIPT[0]]);
        for tool in samples {
            let project = guests::built(tool);
            load(&user, &project.to_string_lossy(), granted(tool));
        }
        let worker = wat::parse_str(include_str!("worker.wat")).expect("a component");
        user.write("worker.wasm", worker);
        load(&user, "worker.wasm", &[]);

        user.write_private("token", format!("{TOKEN}\n"));
        let serve = "serve --http --listen 127.0.0.1:0 --token-file token --audit calls.jsonl";
        let server = Server::start(user.command(serve.split(' ')));
        Self { user, server }
    }
}

/// The network is granted to nobody, so that a refusal can be seen.
fn granted(tool: &str) -> &'static [&'static str] {
    match tool {
        "notes" => &["--allow-dir", "notes=my-notes"],
        "tally" => &["--allow-storage"],
        _ => &[],
    }
}
