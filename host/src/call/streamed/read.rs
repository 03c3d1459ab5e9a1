//! Reads the streams and futures of a guest's result to their end, into lists and values.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::channel::oneshot;
use futures::future::join_all;
use wasmtime::component::{
    FutureAny, FutureConsumer, Source, StreamAny, StreamConsumer, StreamResult, Type as EngineType,
    Val,
};
use wasmtime::{Store, StoreContextMut};

use crate::call::state::CallState;
use crate::call::stop::Stop;
use crate::call::streamed::item::{Item, with_item};
use crate::call::streamed::places::each;

/// The items that were read, not yet made a `Val`: that takes many times their memory.
type Unread = Box<dyn FnOnce() -> Val + Send>;

/// The most items that are taken at once.
const ITEMS_AT_ONCE: usize = 64 << 10;

/// Puts the items of streams and the values of futures in their places in `value`, which has type
/// `ty`. All are read at once, in whichever order the guest writes them, while its tasks go on.
///
/// # Errors
/// When the guest traps, writes more than `transfer_bytes` or ends a future without a value.
pub(crate) async fn read(
    store: &mut Store<CallState>,
    value: &mut Val,
    ty: &EngineType,
) -> wasmtime::Result<()> {
    let mut ends = Vec::new();
    each(value, ty, &mut |value, ty| {
        let (ended, end) = oneshot::channel();
        ends.push(end);
        match (ty, &*value) {
            (EngineType::Stream(stream), Val::Stream(any)) => with_item!(
                stream.ty(), T => collect::<T>(store, any, ended), else Err(Stop::StreamType.into())
            ),
            (EngineType::Future(future), Val::Future(any)) => with_item!(
                future.ty(), T => wait::<T>(store, any, ended), else Err(Stop::StreamType.into())
            ),
            _ => Err(Stop::StreamType.into()),
        }
    })?;
    let ended = store.run_concurrent(async |_| join_all(ends).await).await?;
    let mut values = ended.into_iter();
    each(value, ty, &mut |value, _| {
        // An end that is dropped is that of a future without a value.
        let unread = values.next().and_then(Result::ok).ok_or(Stop::NoValue)?;
        *value = unread();
        Ok(())
    })
}

fn collect<T: Item>(
    store: &mut Store<CallState>,
    any: &StreamAny,
    ended: oneshot::Sender<Unread>,
) -> wasmtime::Result<()> {
    let reader = any.clone().try_into_stream_reader::<T>()?;
    reader.pipe(
        store,
        Collector {
            items: Vec::new(),
            ended: Some(ended),
        },
    )
}

fn wait<T: Item>(
    store: &mut Store<CallState>,
    any: &FutureAny,
    ended: oneshot::Sender<Unread>,
) -> wasmtime::Result<()> {
    let reader = any.clone().try_into_future_reader::<T>()?;
    let waiter = Waiter::<T> {
        ended: Some(ended),
        item: None,
    };
    reader.pipe(store, waiter)
}

/// Collects the items of a stream. It is dropped when the stream has ended.
struct Collector<T: Item> {
    items: Vec<T>,
    ended: Option<oneshot::Sender<Unread>>,
}

impl<T: Item> StreamConsumer<CallState> for Collector<T> {
    type Item = T;

    fn poll_consume(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        mut store: StoreContextMut<'_, CallState>,
        mut source: Source<'_, T>,
        _: bool,
    ) -> Poll<wasmtime::Result<StreamResult>> {
        let count = source.remaining(&mut store).min(ITEMS_AT_ONCE);
        let mut items = Vec::with_capacity(count);
        take(&mut store, |store| source.read(store, &mut items))?;
        let bytes = items.iter().map(|item| size_of::<Val>() + item.bytes());
        count_bytes(&mut store, bytes.sum())?;
        self.get_mut().items.append(&mut items);
        Poll::Ready(Ok(StreamResult::Completed))
    }
}

impl<T: Item> Drop for Collector<T> {
    fn drop(&mut self) {
        let items = std::mem::take(&mut self.items);
        if let Some(ended) = self.ended.take() {
            let values = move || Val::List(items.into_iter().map(T::into_val).collect());
            // Nobody waits for it if the call was stopped.
            let _ = ended.send(Box::new(values));
        }
    }
}

/// Waits for the value of a future.
struct Waiter<T: Item> {
    item: Option<T>,
    ended: Option<oneshot::Sender<Unread>>,
}

impl<T: Item> FutureConsumer<CallState> for Waiter<T> {
    type Item = T;

    fn poll_consume(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        mut store: StoreContextMut<'_, CallState>,
        mut source: Source<'_, T>,
        _: bool,
    ) -> Poll<wasmtime::Result<()>> {
        let this = self.get_mut();
        take(&mut store, |store| source.read(store, &mut this.item))?;
        if let (Some(item), Some(ended)) = (this.item.take(), this.ended.take()) {
            count_bytes(&mut store, size_of::<Val>() + item.bytes())?;
            let _ = ended.send(Box::new(move || item.into_val()));
        }
        Poll::Ready(Ok(()))
    }
}

/// Reads with `read`, which may take as much as is left of the call's limit. So items that are
/// small in the guest's memory and long in the host's do not go beyond it.
fn take(
    store: &mut StoreContextMut<'_, CallState>,
    read: impl FnOnce(&mut StoreContextMut<'_, CallState>) -> wasmtime::Result<()>,
) -> wasmtime::Result<()> {
    let max = transfer_bytes(store);
    let left = max.saturating_sub(store.data().streamed_bytes);
    store.set_hostcall_fuel(left);
    let done = read(store);
    store.set_hostcall_fuel(max);
    done
}

/// Counts `bytes` that a guest wrote, against the call's limit.
fn count_bytes(store: &mut StoreContextMut<'_, CallState>, bytes: usize) -> Result<(), Stop> {
    let max = transfer_bytes(store);
    let streamed = &mut store.data_mut().streamed_bytes;
    *streamed = streamed.saturating_add(bytes);
    match *streamed <= max {
        true => Ok(()),
        false => Err(Stop::Streamed),
    }
}

fn transfer_bytes(store: &StoreContextMut<'_, CallState>) -> usize {
    let max = store.data().record.limits.transfer_bytes;
    usize::try_from(max).unwrap_or(usize::MAX)
}
