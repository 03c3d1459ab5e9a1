//! The `Interpreter` that runs a tool's program: its hashed bytes, and a manifest's claim of them.

use std::sync::{Arc, Weak};

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::digest::bare_hex;

/// The interpreter that a manifest names, where the tool's component holds a program for one
/// instead of code. Many tools have the same interpreter, which is kept and compiled once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterpreterClaim {
    /// The digest of the interpreter's component.
    #[serde(with = "bare_hex")]
    pub sha256: Digest,
    /// The size of the interpreter's component.
    pub bytes: u64,
}

/// The bytes of an interpreter's component, which were hashed. Cloning is cheap; the bytes are
/// shared.
#[derive(Clone)]
pub struct Interpreter {
    digest: Digest,
    component: Arc<Vec<u8>>,
}

impl Interpreter {
    /// Hashes the bytes of a component.
    pub fn hashed(component: Vec<u8>) -> Self {
        Self {
            digest: Digest::of(&component),
            component: Arc::new(component),
        }
    }

    /// The digest of its bytes.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The bytes of its component.
    pub fn component(&self) -> &[u8] {
        &self.component
    }

    /// The interpreter, without keeping it in memory.
    pub fn downgrade(&self) -> WeakInterpreter {
        WeakInterpreter {
            digest: self.digest,
            component: Arc::downgrade(&self.component),
        }
    }

    /// The claim that fits it.
    pub fn claim(&self) -> InterpreterClaim {
        InterpreterClaim {
            sha256: self.digest,
            bytes: self.component.len() as u64,
        }
    }
}

/// An interpreter as long as somebody else keeps it in memory.
#[derive(Debug, Clone)]
pub struct WeakInterpreter {
    digest: Digest,
    component: Weak<Vec<u8>>,
}

impl WeakInterpreter {
    /// The interpreter, if it is still in memory.
    pub fn upgrade(&self) -> Option<Interpreter> {
        Some(Interpreter {
            digest: self.digest,
            component: self.component.upgrade()?,
        })
    }
}

impl PartialEq for Interpreter {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl Eq for Interpreter {}

impl std::fmt::Debug for Interpreter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interpreter")
            .field("digest", &self.digest)
            .field("bytes", &self.component.len())
            .finish()
    }
}
