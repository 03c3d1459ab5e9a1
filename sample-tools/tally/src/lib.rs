//! The component `tally`: counters in the storage that the host grants.

pub mod counter;

use bindings::exports::demo::tally::counters::{Guest, Total};
use bindings::wasi::keyvalue::store::{Bucket, Error, open};
use bindings::wasi::keyvalue::{atomics, batch};
use bindings::wasi::logging::logging::{Level, log};

#[allow(
    missing_docs,
    unsafe_code,
    unreachable_pub,
    reason = "generated from wit/world.wit, where the documentation is"
)]
mod bindings {
    wit_bindgen::generate!({
        path: "wit",
        world: "demo:tally/tally",
        generate_all,
    });
    use super::Tally;
    export!(Tally);
}

const BUCKET: &str = "counters";

/// The exports of the component.
struct Tally;

impl Guest for Tally {
    fn add(counter: String, amount: Option<u32>) -> Result<u64, String> {
        counter::check(&counter)?;
        let amount = amount.unwrap_or(1);
        let total = atomics::increment(&counters()?, &counter, amount.into()).map_err(say)?;
        let message = format!("{counter} grew by {amount} to {total}");
        log(Level::Info, "add", &message);
        Ok(total)
    }

    fn totals() -> Result<Vec<Total>, String> {
        let counters = counters()?;
        let mut totals = Vec::new();
        let mut cursor = None;
        loop {
            let page = counters.list_keys(cursor).map_err(say)?;
            let values = batch::get_many(&counters, &page.keys).map_err(say)?;
            totals.extend(values.into_iter().flatten().map(|(counter, value)| Total {
                total: counter::total(&value),
                counter,
            }));
            cursor = page.cursor;
            if cursor.is_none() {
                break;
            }
        }
        totals.sort_by(|one, other| one.counter.cmp(&other.counter));
        Ok(totals)
    }

    fn forget(counter: String) -> Result<bool, String> {
        counter::check(&counter)?;
        let counters = counters()?;
        let existed = counters.exists(&counter).map_err(say)?;
        counters.delete(&counter).map_err(say)?;
        log(Level::Info, "forget", &counter);
        Ok(existed)
    }
}

fn counters() -> Result<Bucket, String> {
    open(BUCKET).map_err(say)
}

fn say(error: Error) -> String {
    match error {
        Error::AccessDenied => "the counters have no place to be kept in".to_owned(),
        Error::NoSuchStore => "the host has no place for counters".to_owned(),
        Error::Other(reason) => reason,
    }
}
