//! A registry in a process of its own, on a free port of the loopback address.

use std::path::Path;

use super::{Home, Server};

/// A running registry with its own directory. It ends when it goes out of scope.
pub(crate) struct RegistryProcess {
    server: Server,
    operator: Home,
}

impl RegistryProcess {
    /// Starts an empty registry.
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// Like `start`, with more flags for `tool registry serve`.
    pub(crate) fn start_with(flags: &[&str]) -> Self {
        Self::serve(Home::new(), flags)
    }

    /// Starts a registry with what `backup` of another holds.
    pub(crate) fn restored(backup: &Path) -> Self {
        let operator = Home::new();
        let backup = backup.to_string_lossy();
        operator.run(["registry", "restore", &backup]).ok();
        Self::serve(operator, &[])
    }

    /// Serves the registry that `operator` has, a mirror for example.
    pub(crate) fn serve(operator: Home, flags: &[&str]) -> Self {
        let serve = ["registry", "serve", "--listen", "127.0.0.1:0", "--quiet"];
        Self {
            server: Server::start(operator.command([&serve, flags].concat())),
            operator,
        }
    }

    /// Its URL.
    pub(crate) fn url(&self) -> &str {
        self.server.url()
    }

    /// The person who runs it.
    pub(crate) fn operator(&self) -> &Home {
        &self.operator
    }

    /// Adds a user and gives a token that may write.
    pub(crate) fn user(&self, name: &str) -> String {
        self.operator.run(["registry", "user", "add", name]).ok();
        let token = self
            .operator
            .run(["registry", "token", "create", name, "--quiet"])
            .ok();
        token.trim().to_owned()
    }

    /// A person who knows this registry and has no token for it.
    pub(crate) fn visitor(&self) -> Home {
        Home::new().with("HF_ENDPOINT", self.url())
    }

    /// A person who is a user of this registry and has logged in.
    pub(crate) fn member(&self, name: &str) -> Home {
        self.signed_in(&self.user(name))
    }

    /// A person who has logged in with a token.
    pub(crate) fn signed_in(&self, token: &str) -> Home {
        let home = self.visitor();
        home.run_with_input("login --token-stdin", token).ok();
        home
    }
}
