//! Implements `wasi:keyvalue`, by which guests use the storage granted to their tool.

use wasmtime::component::{HasSelf, Linker, Resource};
use wasmtime_wasi::ResourceTableError;

use crate::approval::denial::Denial;
use crate::call::audit;
use crate::call::state::CallState;
use crate::storage::{self, Entry, OpenStorage, Storage, StorageError};

mod bindings {
    wasmtime::component::bindgen!({
        inline: "
            package tool-hub:host;
            world keyvalue {
                import wasi:keyvalue/store@0.2.0-draft;
                import wasi:keyvalue/atomics@0.2.0-draft;
                import wasi:keyvalue/batch@0.2.0-draft;
            }
        ",
        path: "../wit",
        imports: { default: async | trappable },
        with: { "wasi:keyvalue/store.bucket": super::Bucket },
        require_store_data_send: true,
    });
}
use bindings::wasi::keyvalue::{atomics, batch, store};
use store::{Error, KeyResponse};

/// An open bucket of a call.
#[derive(Debug, Clone)]
#[expect(
    unreachable_pub,
    reason = "the generated bindings hand it on as public"
)]
pub struct Bucket(String);

/// The result of a function that guests import: an error in it does not end the call.
type ImportResult<T> = wasmtime::Result<Result<T, Error>>;

/// Offers the interfaces to guests.
pub(crate) fn add_to_linker(linker: &mut Linker<CallState>) -> wasmtime::Result<()> {
    store::add_to_linker::<_, HasSelf<CallState>>(linker, |state| state)?;
    atomics::add_to_linker::<_, HasSelf<CallState>>(linker, |state| state)?;
    batch::add_to_linker::<_, HasSelf<CallState>>(linker, |state| state)
}

impl CallState {
    /// Runs `operation` on a bucket of the tool's storage.
    async fn in_bucket<T: Send + 'static>(
        &mut self,
        bucket: &Resource<Bucket>,
        operation: impl FnOnce(&mut OpenStorage<'_>, &str) -> Result<T, StorageError> + Send + 'static,
    ) -> ImportResult<T> {
        let Bucket(name) = self.table().get(bucket)?.clone();
        let Some(storage) = self.policy.storage.clone() else {
            return Ok(Err(Error::AccessDenied));
        };
        self.record.counts.storage_operations.add(1);
        Ok(run(&storage, move |open| operation(open, &name)).await)
    }
}

async fn run<T: Send + 'static>(
    storage: &Storage,
    operation: impl FnOnce(&mut OpenStorage<'_>) -> Result<T, StorageError> + Send + 'static,
) -> Result<T, Error> {
    let done = storage.run(operation).await;
    done.map_err(|error| Error::Other(error.to_string()))
}

impl store::Host for CallState {
    async fn open(&mut self, identifier: String) -> ImportResult<Resource<Bucket>> {
        if self.policy.storage.is_none() {
            let denial = Denial::storage(&self.policy.tool, &self.policy.asked);
            self.record.denials.add(denial);
            return Ok(Err(Error::AccessDenied));
        }
        if let Err(error) = storage::check_name(&identifier) {
            return Ok(Err(Error::Other(error.to_string())));
        }
        let bucket = self.record.secrets.masked(&identifier);
        audit::opened(&self.policy.tool.name, &bucket);
        Ok(Ok(self.table().push(Bucket(identifier))?))
    }
}

impl store::HostBucket for CallState {
    async fn get(
        &mut self,
        bucket: Resource<Bucket>,
        key: String,
    ) -> ImportResult<Option<Vec<u8>>> {
        self.in_bucket(&bucket, move |open, bucket| open.get(bucket, &key))
            .await
    }

    async fn set(
        &mut self,
        bucket: Resource<Bucket>,
        key: String,
        value: Vec<u8>,
    ) -> ImportResult<()> {
        let max = self.record.limits.storage_bytes;
        let entries = [(key, value)];
        self.in_bucket(&bucket, move |open, bucket| open.set(bucket, &entries, max))
            .await
    }

    async fn delete(&mut self, bucket: Resource<Bucket>, key: String) -> ImportResult<()> {
        self.in_bucket(&bucket, move |open, bucket| open.delete(bucket, &[key]))
            .await
    }

    async fn exists(&mut self, bucket: Resource<Bucket>, key: String) -> ImportResult<bool> {
        self.in_bucket(&bucket, move |open, bucket| open.exists(bucket, &key))
            .await
    }

    async fn list_keys(
        &mut self,
        bucket: Resource<Bucket>,
        cursor: Option<u64>,
    ) -> ImportResult<KeyResponse> {
        self.in_bucket(&bucket, move |open, bucket| {
            let (keys, cursor) = open.keys(bucket, cursor)?;
            Ok(KeyResponse { keys, cursor })
        })
        .await
    }

    async fn drop(&mut self, bucket: Resource<Bucket>) -> wasmtime::Result<()> {
        let dropped: Result<Bucket, ResourceTableError> = self.table().delete(bucket);
        dropped.map(drop).map_err(Into::into)
    }
}

impl atomics::Host for CallState {
    async fn increment(
        &mut self,
        bucket: Resource<Bucket>,
        key: String,
        delta: u64,
    ) -> ImportResult<u64> {
        let max = self.record.limits.storage_bytes;
        self.in_bucket(&bucket, move |open, bucket| {
            open.increment(bucket, &key, delta, max)
        })
        .await
    }
}

impl batch::Host for CallState {
    async fn get_many(
        &mut self,
        bucket: Resource<Bucket>,
        keys: Vec<String>,
    ) -> ImportResult<Vec<Option<Entry>>> {
        let max = self.record.limits.storage_bytes;
        self.in_bucket(&bucket, move |open, bucket| {
            open.get_many(bucket, keys, max)
        })
        .await
    }

    async fn set_many(
        &mut self,
        bucket: Resource<Bucket>,
        entries: Vec<Entry>,
    ) -> ImportResult<()> {
        let max = self.record.limits.storage_bytes;
        self.in_bucket(&bucket, move |open, bucket| open.set(bucket, &entries, max))
            .await
    }

    async fn delete_many(
        &mut self,
        bucket: Resource<Bucket>,
        keys: Vec<String>,
    ) -> ImportResult<()> {
        self.in_bucket(&bucket, move |open, bucket| open.delete(bucket, &keys))
            .await
    }
}
