//! Compiled code and the memory it lives in.

use memmap2::MmapMut;

/// The memory that compiled code was loaded into, where the engine does not own it. It has
/// to outlive every use of the code.
#[derive(Debug, Default)]
pub(crate) struct Code(
    #[expect(dead_code, reason = "it is there to be kept, the engine reads it")] Option<MmapMut>,
);

impl From<MmapMut> for Code {
    fn from(memory: MmapMut) -> Self {
        Self(Some(memory))
    }
}
