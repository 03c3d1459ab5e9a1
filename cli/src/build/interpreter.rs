//! Keeps the interpreters that projects of one language share, and gives them access to a memory.

mod memory_access;

use serde_json::Value;
use tool_hub_manifest::{Digest, Interpreter};

use super::project::built;
use crate::files;
use crate::session::Session;

/// An interpreter that is kept among the toolchains.
pub(super) struct KeptInterpreter<'a> {
    /// The beginning of its file's name.
    pub(super) name: &'a str,
    /// The language of the programs that it runs.
    pub(super) language: &'a str,
    /// All that it is made of.
    pub(super) sources: &'a Value,
}

impl KeptInterpreter<'_> {
    /// The interpreter of an earlier build from the same sources, or the one that `making` makes,
    /// with access to its memory. Its bytes may differ from build to build, so it is built once:
    /// tools share what has the same digest.
    pub(super) async fn obtain(
        self,
        making: impl Future<Output = anyhow::Result<Vec<u8>>>,
        session: &Session,
    ) -> anyhow::Result<Interpreter> {
        let Self {
            name,
            language,
            sources,
        } = self;
        let all = format!("{}{sources}", memory_access::MODULE);
        let key = Digest::of(all.as_bytes());
        let toolchains = &session.config.settings.toolchains;
        let file = toolchains.join(format!("{name}-{}.wasm", &key.hex()[..16]));
        if file.is_file() {
            return Ok(Interpreter::hashed(built(&file)?));
        }
        session.printer.note(&format!(
            "building the interpreter that all tools in {language} share, once"
        ));
        let bytes = memory_access::add(&making.await?)?;
        match files::write_new(&file, &bytes) {
            // Another process was first, with other bytes: all take those.
            Err(_) if file.is_file() => Ok(Interpreter::hashed(built(&file)?)),
            written => {
                written?;
                Ok(Interpreter::hashed(bytes))
            }
        }
    }
}
