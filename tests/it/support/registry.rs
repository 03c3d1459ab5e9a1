//! A registry in a process of its own, on a free port of the loopback address.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use super::Home;

/// A running registry with its own directory. It ends when it goes out of scope.
pub(crate) struct RegistryProcess {
    child: Child,
    operator: Home,
    url: String,
}

impl RegistryProcess {
    /// Starts an empty registry.
    pub(crate) fn start() -> Self {
        let operator = Home::new();
        let mut child = operator
            .command(["registry", "serve", "--listen", "127.0.0.1:0", "--quiet"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the registry starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout)
            .read_line(&mut line)
            .expect("the registry says where it is");
        let url = line.trim().to_owned();
        assert!(url.starts_with("http://127.0.0.1:"), "{url}");
        Self {
            child,
            operator,
            url,
        }
    }

    /// Its URL.
    pub(crate) fn url(&self) -> &str {
        &self.url
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
        Home::new().with("HF_ENDPOINT", &self.url)
    }

    /// A person who is a user of this registry and has logged in.
    pub(crate) fn member(&self, name: &str) -> Home {
        let token = self.user(name);
        let home = self.visitor();
        home.run_with_input("login --token-stdin", &token).ok();
        home
    }
}

impl Drop for RegistryProcess {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
