//! Gives a guest the streams and futures of its arguments, made of lists and values.

use futures::future::ready;
use wasmtime::component::{FutureReader, StreamReader, Type as EngineType, Val};
use wasmtime::{Error, Store};

use crate::call::state::CallState;
use crate::call::stop::Stop;
use crate::call::streamed::item::{Item, with_item};
use crate::call::streamed::places::each;

/// Puts streams and futures into `value`, which has type `ty`, in the place of what they hold.
pub(crate) fn give(
    store: &mut Store<CallState>,
    value: &mut Val,
    ty: &EngineType,
) -> wasmtime::Result<()> {
    each(value, ty, &mut |value, ty| {
        *value = match ty {
            EngineType::Stream(stream) => with_item!(
                stream.ty(), T => self::stream::<T>(store, value)?, else return Err(mismatch())
            ),
            EngineType::Future(future) => with_item!(
                future.ty(), T => self::future::<T>(store, value)?, else return Err(mismatch())
            ),
            _ => return Err(mismatch()),
        };
        Ok(())
    })
}

fn stream<T: Item>(store: &mut Store<CallState>, value: &Val) -> wasmtime::Result<Val> {
    let Val::List(values) = value else {
        return Err(mismatch());
    };
    let items: Option<Vec<T>> = values.iter().map(T::of).collect();
    let reader = StreamReader::new(&mut *store, items.ok_or_else(mismatch)?)?;
    reader.try_into_stream_any(store).map(Val::Stream)
}

fn future<T: Item>(store: &mut Store<CallState>, value: &Val) -> wasmtime::Result<Val> {
    let item = T::of(value).ok_or_else(mismatch)?;
    let reader = FutureReader::new(&mut *store, ready(Ok::<_, Error>(item)))?;
    reader.try_into_future_any(store).map(Val::Future)
}

/// Types of functions that may be called, and values of arguments, are checked before.
fn mismatch() -> Error {
    Stop::StreamType.into()
}
