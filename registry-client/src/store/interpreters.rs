//! Reads and writes the interpreters of tools: one file, and one copy in memory, for many tools.

use tool_hub_manifest::{Digest, Interpreter, Manifest, Pin, Verified};

use super::{Store, StoreError, blob};
use crate::limits::COMPONENT_BYTES_MAX;

impl Store {
    /// The interpreter with `digest`, whose bytes are hashed; `None` when it is not there. One that
    /// is damaged is set aside.
    pub(crate) fn interpreter(&self, digest: Digest) -> Result<Option<Interpreter>, StoreError> {
        if let Some(known) = self.interpreters.get(digest) {
            return Ok(Some(known));
        }
        let bytes = match blob::read(&self.layout, digest, COMPONENT_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(StoreError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let interpreter = Interpreter::hashed(bytes);
        if interpreter.digest() != digest {
            return blob::set_aside(&self.layout, digest, interpreter.digest()).and_then(Err);
        }
        self.interpreters.add(&interpreter);
        Ok(Some(interpreter))
    }

    /// The interpreter that a manifest names. Of what is no manifest, whoever verifies it tells.
    pub(super) fn interpreter_named_by(
        &self,
        manifest: &[u8],
    ) -> Result<Option<Interpreter>, StoreError> {
        let Some(digest) = named_by(manifest) else {
            return Ok(None);
        };
        match self.interpreter(digest)? {
            Some(interpreter) => Ok(Some(interpreter)),
            None => Err(StoreError::Missing { digest }),
        }
    }

    /// The digest of the code that runs the tool `pin`: of the interpreter that its manifest names,
    /// or else of its component.
    pub fn code_digest(&self, pin: &Pin) -> Digest {
        let interpreter = self.manifest(pin.manifest).and_then(|it| it.interpreter);
        interpreter.map_or(pin.component, |claim| claim.sha256)
    }

    pub(super) fn put_interpreter(&self, verified: &Verified) -> Result<(), StoreError> {
        let Some(interpreter) = verified.interpreter() else {
            return Ok(());
        };
        blob::write(&self.layout, interpreter.digest(), interpreter.component())?;
        self.interpreters.add(interpreter);
        Ok(())
    }
}

fn named_by(manifest: &[u8]) -> Option<Digest> {
    let manifest = Manifest::from_bytes(manifest).ok()?;
    manifest.interpreter.map(|claim| claim.sha256)
}
