//! The `Snapshot` of an interpreter's memory: what the preparation of a program changed in it.

use wasmtime::Store;
use wasmtime::component::{ComponentExportIndex, Instance, WasmList};

use crate::call::state::CallState;
use crate::component::contract_exports::ContractExport;

const PAGE_BYTES: usize = 64 << 10;
/// The memory is compared in pieces of so many bytes, and changed in such pieces: most have either
/// no changes or many.
const PIECE_BYTES: usize = 64;
/// More changes than this are not kept: it takes less time to prepare the program again.
const CHANGES_BYTES_MAX: usize = 16 << 20;
/// The contract leaves the beginning of the memory to whoever gives access to it.
const SKIPPED_BYTES: usize = PIECE_BYTES;

/// A copy of a memory. It goes back to the system when it is dropped: an allocator would keep
/// some of its megabytes.
#[cfg(target_os = "linux")]
type MemoryCopy = memmap2::MmapMut;
#[cfg(not(target_os = "linux"))]
type MemoryCopy = Vec<u8>;

/// The differences between two states of a memory.
pub(super) struct Snapshot {
    /// The pages that it has more.
    pages: u32,
    /// Sequences of offset, length and bytes, as the contract's `restore` takes them.
    changes: Vec<u8>,
}

/// The exports that give access to the memory of an interpreter.
pub(super) struct MemoryAccess {
    size: ComponentExportIndex,
    grow: ComponentExportIndex,
    read: ComponentExportIndex,
    restore: ComponentExportIndex,
}

impl MemoryAccess {
    /// The exports that `find` finds, if they are all there.
    pub(super) fn new(
        find: impl Fn(ContractExport) -> Option<ComponentExportIndex>,
    ) -> Option<Self> {
        Some(Self {
            size: find(ContractExport::MemorySize)?,
            grow: find(ContractExport::GrowMemory)?,
            read: find(ContractExport::ReadMemory)?,
            restore: find(ContractExport::RestoreMemory)?,
        })
    }

    /// A copy of the whole memory; `None` if it is longer than the host takes from a guest.
    pub(super) async fn copy(
        &self,
        store: &mut Store<CallState>,
        instance: &Instance,
    ) -> wasmtime::Result<Option<MemoryCopy>> {
        let list = self.whole(store, instance).await?;
        let copy = list.map(|list| copied(list.as_le_slice(&*store)));
        Ok(copy.transpose()?)
    }

    /// The differences from `before`; `None` if they are too long to be kept.
    pub(super) async fn changes_since(
        &self,
        before: &[u8],
        store: &mut Store<CallState>,
        instance: &Instance,
    ) -> wasmtime::Result<Option<Snapshot>> {
        let Some(list) = self.whole(store, instance).await? else {
            return Ok(None);
        };
        let after = list.as_le_slice(&*store);
        let changes = changes(before, after);
        let more = after.len().saturating_sub(before.len());
        let pages = u32::try_from(more / PAGE_BYTES).unwrap_or(u32::MAX);
        Ok(changes.map(|changes| Snapshot { pages, changes }))
    }

    /// Makes the memory of a fresh instance what it was when the snapshot was taken.
    pub(super) async fn restore(
        &self,
        snapshot: &Snapshot,
        store: &mut Store<CallState>,
        instance: &Instance,
    ) -> wasmtime::Result<()> {
        if snapshot.pages > 0 {
            let grow = instance.get_typed_func::<(u32,), ()>(&mut *store, self.grow)?;
            grow.call_async(&mut *store, (snapshot.pages,)).await?;
        }
        let restore = instance.get_typed_func::<(&[u8],), ()>(&mut *store, self.restore)?;
        restore.call_async(store, (&snapshot.changes,)).await
    }

    async fn whole(
        &self,
        store: &mut Store<CallState>,
        instance: &Instance,
    ) -> wasmtime::Result<Option<WasmList<u8>>> {
        let size = instance.get_typed_func::<(), (u32,)>(&mut *store, self.size)?;
        let (pages,) = size.call_async(&mut *store, ()).await?;
        let bytes = pages.saturating_mul(PAGE_BYTES as u32);
        // Each of the two readings may take a third of what one call may hand over.
        if u64::from(bytes) > store.data().record.limits.transfer_bytes / 3 {
            return Ok(None);
        }
        let read =
            instance.get_typed_func::<(u32, u32), (WasmList<u8>,)>(&mut *store, self.read)?;
        let (list,) = read.call_async(store, (0, bytes)).await?;
        Ok(Some(list))
    }
}

#[cfg(target_os = "linux")]
fn copied(memory: &[u8]) -> std::io::Result<MemoryCopy> {
    let mut copy = memmap2::MmapMut::map_anon(memory.len())?;
    copy.copy_from_slice(memory);
    Ok(copy)
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere the system may refuse")]
fn copied(memory: &[u8]) -> std::io::Result<MemoryCopy> {
    Ok(memory.to_vec())
}

/// The pieces of `after` that differ from those of `before`, behind which there are zeros.
fn changes(before: &[u8], after: &[u8]) -> Option<Vec<u8>> {
    const ZEROS: [u8; PIECE_BYTES] = [0; PIECE_BYTES];
    let mut changes = Vec::new();
    // The index of the latest change's length in `changes`, and the offset at which it ends.
    let mut open: Option<(usize, usize)> = None;
    for (index, piece) in after.chunks_exact(PIECE_BYTES).enumerate() {
        let at = index * PIECE_BYTES;
        let old = before.get(at..at + PIECE_BYTES).unwrap_or(&ZEROS);
        if at < SKIPPED_BYTES || piece == old {
            continue;
        }
        if changes.len() > CHANGES_BYTES_MAX {
            return None;
        }
        let length = match open {
            Some((length, end)) if end == at => length,
            _ => {
                changes.extend_from_slice(&u32::try_from(at).ok()?.to_le_bytes());
                changes.extend_from_slice(&[0; 4]);
                changes.len() - 4
            }
        };
        changes.extend_from_slice(piece);
        let bytes = u32::try_from(changes.len() - length - 4).ok()?;
        changes[length..length + 4].copy_from_slice(&bytes.to_le_bytes());
        open = Some((length, at + PIECE_BYTES));
    }
    Some(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `memory` with the changes, as an interpreter makes them.
    fn changed(mut memory: Vec<u8>, mut changes: &[u8]) -> Vec<u8> {
        while !changes.is_empty() {
            let number = |at: usize| {
                let bytes: [u8; 4] = changes[at..at + 4].try_into().unwrap();
                u32::from_le_bytes(bytes) as usize
            };
            let (offset, length) = (number(0), number(4));
            memory[offset..offset + length].copy_from_slice(&changes[8..8 + length]);
            changes = &changes[8 + length..];
        }
        memory
    }

    #[test]
    fn changes_make_one_memory_of_the_other() {
        let before: Vec<u8> = (0..PAGE_BYTES).map(|at| at as u8).collect();
        let mut after = before.clone();
        after.resize(2 * PAGE_BYTES, 0);
        for at in [
            64,
            65,
            130,
            4000,
            PAGE_BYTES - 1,
            PAGE_BYTES,
            2 * PAGE_BYTES - 1,
        ] {
            after[at] ^= 0x55;
        }
        let found = changes(&before, &after).unwrap();
        // Pieces side by side are one change: 64 to 192, 3968, and the two around the old end.
        assert_eq!(found.len(), 4 * 8 + 6 * PIECE_BYTES);
        let mut fresh = before.clone();
        fresh.resize(2 * PAGE_BYTES, 0);
        assert_eq!(changed(fresh, &found), after);
        assert!(changes(&before, &before).unwrap().is_empty());
    }
}
