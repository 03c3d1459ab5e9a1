//! Reads a directory whole and answers its entries as a stream.
//! WASI's own function keeps a thread of the process for each directory whose stream the guest does
//! not read to its end.

use wasmtime::StoreContextMut;
use wasmtime::component::{FutureReader, LinkerInstance, StreamReader};
use wasmtime_wasi::filesystem::WasiFilesystemView as _;
use wasmtime_wasi::p2::FsResult;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    HostDescriptor as Wasi, HostDirectoryEntryStream as Stream,
};
use wasmtime_wasi::p3::bindings::filesystem::types::{DirectoryEntry, ErrorCode};

use crate::call::state::CallState;
use crate::imports::directories::resolve::Fd;
use crate::imports::directories::wasi_3::codes;

type Answer = (
    StreamReader<DirectoryEntry>,
    FutureReader<Result<(), ErrorCode>>,
);

pub(super) fn add_to_linker(types: &mut LinkerInstance<'_, CallState>) -> wasmtime::Result<()> {
    types.func_wrap_async(
        "[method]descriptor.read-directory",
        |store, (fd,): (Fd,)| Box::new(async move { Ok((read(store, fd).await?,)) }),
    )
}

async fn read(mut store: StoreContextMut<'_, CallState>, fd: Fd) -> wasmtime::Result<Answer> {
    let mut entries = Vec::new();
    let ended = match store.data_mut().entries(fd, &mut entries).await {
        Ok(()) => Ok(()),
        Err(error) => Err(codes::code(error.downcast()?)),
    };
    let stream = StreamReader::new(&mut store, entries)?;
    let ended = FutureReader::new(&mut store, async move { wasmtime::error::Ok(ended) })?;
    Ok((stream, ended))
}

impl CallState {
    /// Adds the entries of a directory to `entries`, up to one that cannot be read.
    async fn entries(&mut self, fd: Fd, entries: &mut Vec<DirectoryEntry>) -> FsResult<()> {
        let mut files = self.filesystem();
        let listed = Wasi::read_directory(&mut files, fd).await?;
        let rep = listed.rep();
        let done = loop {
            let borrowed = wasmtime::component::Resource::new_borrow(rep);
            match Stream::read_directory_entry(&mut files, borrowed).await {
                Ok(Some(entry)) => entries.push(DirectoryEntry {
                    type_: codes::kind(entry.type_),
                    name: entry.name,
                }),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        Stream::drop(&mut files, listed).map_err(wasmtime_wasi::p2::FsError::trap)?;
        done
    }
}
