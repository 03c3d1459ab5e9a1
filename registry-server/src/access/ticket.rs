//! Upload tickets: makes and checks the secret addresses to which LFS clients send files.
//! They need no token there.

use http::StatusCode;
use http::request::Parts;

use super::admission::Admission;
use super::caller::Visitor;
use super::role::{Role, role_in};
use super::route::Access;
use super::secret_hash::hash;
use crate::clock;
use crate::database::uploads::Upload;
use crate::error::RegistryError;
use crate::http::{Query, Refusal};
use crate::random;
use crate::registry::Registry;

/// The parameter with the secret. It is in the query, which is not logged.
const TICKET: &str = "ticket";

/// Whoever holds a ticket for one upload, which somebody who may write to a repository was given.
#[derive(Clone, Copy)]
pub(crate) struct HoldsTicket;

impl Admission for HoldsTicket {
    type Admitted = Upload;
    const ACCESS: Access = Access::HoldsTicket;

    async fn admit(registry: &Registry, _: Visitor, parts: &Parts) -> Result<Upload, Refusal> {
        let query = Query::of(parts);
        let secret = query.first(TICKET).unwrap_or_default();
        let database = registry.database();
        let found = database
            .valid_upload(&hash(secret), clock::now_ms())
            .await?;
        // Who may no longer write must not go on with what was begun.
        if let Some(upload) = found
            && role_in(database, &upload.account, &upload.owner).await? >= Role::Write
        {
            return Ok(upload);
        }
        Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "this upload address is not valid or has expired; ask the LFS batch for a new one",
        ))
    }
}

/// A new secret as a query, and the form in which it is stored.
pub(crate) fn new_ticket() -> Result<(String, String), RegistryError> {
    let secret = data_encoding::HEXLOWER.encode(&random::bytes::<32>()?);
    Ok((format!("{TICKET}={secret}"), hash(&secret)))
}
