//! One file as a whole body.

use axum::body::Body;

use crate::content::Spooled;
use crate::http::{BodyReader, Refusal};
use crate::registry::Registry;

/// Reads a body of at most `bytes_max` bytes into a spool. A refused body is read to its end, as far as the limits allow.
pub(crate) async fn read_object(
    registry: &Registry,
    body: Body,
    bytes_max: u64,
) -> Result<Spooled, Refusal> {
    let limits = registry.limits();
    let mut reader = BodyReader::new(body, registry, bytes_max);
    let mut spool = registry.content().spool(limits.spool_memory_bytes_max);
    loop {
        match reader.next().await {
            Ok(Some(piece)) => spool.write(&piece).await?,
            Ok(None) => return Ok(spool.finish().await?),
            Err(refusal) => {
                reader.drain().await;
                return Err(refusal);
            }
        }
    }
}
