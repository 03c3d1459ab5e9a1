//! Reads one file that is a whole request body into a spool, within its owner's quota.

use axum::body::Body;

use crate::content::{Spool, SpooledFile};
use crate::http::{BodyReader, Refusal};
use crate::quota::Room;
use crate::registry::Registry;

/// Reads a body of at most `bytes_max` bytes into a spool, as far as its owner has room. A refused
/// body is read to its end, as far as the limits allow.
pub(crate) async fn read_object(
    registry: &Registry,
    body: Body,
    bytes_max: u64,
    room: &mut Room,
) -> Result<SpooledFile, Refusal> {
    let limits = registry.limits();
    let mut reader = BodyReader::new(body, registry, bytes_max);
    let mut spool = registry.content().spool(limits.spool_memory_bytes_max);
    match write(&mut reader, &mut spool, room).await {
        Ok(()) => Ok(spool.finish().await?),
        Err(refusal) => {
            // Frees the spool and the quota for others before the rest is read and thrown away.
            drop((spool, std::mem::take(room)));
            reader.drain().await;
            Err(refusal)
        }
    }
}

async fn write(
    reader: &mut BodyReader<'_>,
    spool: &mut Spool,
    room: &mut Room,
) -> Result<(), Refusal> {
    while let Some(piece) = reader.next().await? {
        room.admit(piece.len() as u64)?;
        spool.write(&piece).await?;
    }
    Ok(())
}
