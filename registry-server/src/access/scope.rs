//! The scopes a route can ask for. Each admits a request and yields the proof that it did.

use std::future::Future;

use http::StatusCode;
use http::request::Parts;

use super::caller::{Caller, TokenRole, Visitor};
use super::standing::{Standing, standing_in};
use crate::database::repositories::Repository;
use crate::http::{NotFound, Refusal};
use crate::names::{Address, RepositoryId};
use crate::registry::Registry;

/// A kind of access. What it admits can be had in no other way, so a controller cannot forget to ask.
pub(crate) trait Scope: Copy + Send + Sync + 'static {
    /// What the controller gets to work with.
    type Admitted: Send;

    /// Lets the request in, or says why not.
    fn admit(
        registry: &Registry,
        visitor: Visitor,
        parts: &Parts,
    ) -> impl Future<Output = Result<Self::Admitted, Refusal>> + Send;
}

/// Everyone, with or without a token.
#[derive(Clone, Copy)]
pub(crate) struct Anyone;

/// Everyone with a valid token.
#[derive(Clone, Copy)]
pub(crate) struct SignedIn;

/// Everyone with a token that may write. Where to is decided by the controller, because the body says it.
#[derive(Clone, Copy)]
pub(crate) struct SignedInToWrite;

/// Those who may read the repository in the path.
#[derive(Clone, Copy)]
pub(crate) struct ReadRepository;

/// Those who may write to the repository in the path.
#[derive(Clone, Copy)]
pub(crate) struct WriteRepository;

/// Those who may change the settings of the repository in the path, move and delete it.
#[derive(Clone, Copy)]
pub(crate) struct ManageRepository;

/// A repository somebody may read.
pub(crate) struct Reader {
    pub(crate) repository: Repository,
    pub(crate) address: Address,
    /// The path used an id the repository had before it was moved.
    pub(crate) moved: bool,
}

/// A repository somebody may write to.
pub(crate) struct Writer {
    pub(crate) caller: Caller,
    pub(crate) repository: Repository,
    pub(crate) address: Address,
}

impl Scope for Anyone {
    type Admitted = Visitor;

    async fn admit(_: &Registry, visitor: Visitor, _: &Parts) -> Result<Visitor, Refusal> {
        Ok(visitor)
    }
}

impl Scope for SignedIn {
    type Admitted = Caller;

    async fn admit(_: &Registry, visitor: Visitor, _: &Parts) -> Result<Caller, Refusal> {
        signed_in(visitor)
    }
}

impl Scope for SignedInToWrite {
    type Admitted = Caller;

    async fn admit(_: &Registry, visitor: Visitor, _: &Parts) -> Result<Caller, Refusal> {
        let caller = signed_in(visitor)?;
        token_writes(&caller)?;
        Ok(caller)
    }
}

impl Scope for ReadRepository {
    type Admitted = Reader;

    async fn admit(
        registry: &Registry,
        visitor: Visitor,
        parts: &Parts,
    ) -> Result<Reader, Refusal> {
        let Some(address) = Address::from_path(parts.uri.path()) else {
            return Err(repo_not_found(&visitor));
        };
        let (repository, moved, _) = find_readable(registry, &visitor, &address.id).await?;
        Ok(Reader {
            repository,
            address,
            moved,
        })
    }
}

impl Scope for WriteRepository {
    type Admitted = Writer;

    async fn admit(
        registry: &Registry,
        visitor: Visitor,
        parts: &Parts,
    ) -> Result<Writer, Refusal> {
        admit_at_path(registry, visitor, parts, Standing::Writes).await
    }
}

impl Scope for ManageRepository {
    type Admitted = Writer;

    async fn admit(
        registry: &Registry,
        visitor: Visitor,
        parts: &Parts,
    ) -> Result<Writer, Refusal> {
        admit_at_path(registry, visitor, parts, Standing::Manages).await
    }
}

/// Admits a caller to manage a repository that the body of a request names.
pub(crate) async fn admit_to_manage(
    registry: &Registry,
    caller: &Caller,
    id: &RepositoryId,
) -> Result<Repository, Refusal> {
    let visitor = Visitor::Known(Box::new(caller.clone()));
    let (repository, _, standing) = find_readable(registry, &visitor, id).await?;
    require(caller, standing, Standing::Manages)?;
    Ok(repository)
}

/// A repository that does not exist and one that may not be seen get the same answer: 401 for strangers, who may have forgotten
/// to sign in, and 404 for those who did.
pub(crate) fn repo_not_found(visitor: &Visitor) -> Refusal {
    let status = match visitor {
        Visitor::Anonymous => StatusCode::UNAUTHORIZED,
        Visitor::Known(_) => StatusCode::NOT_FOUND,
    };
    Refusal::new(status, "Repository not found").code(NotFound::Repository)
}

async fn admit_at_path(
    registry: &Registry,
    visitor: Visitor,
    parts: &Parts,
    needed: Standing,
) -> Result<Writer, Refusal> {
    let Some(address) = Address::from_path(parts.uri.path()) else {
        return Err(repo_not_found(&visitor));
    };
    let (repository, _, standing) = find_readable(registry, &visitor, &address.id).await?;
    let caller = signed_in(visitor)?;
    require(&caller, standing, needed)?;
    Ok(Writer {
        caller,
        repository,
        address,
    })
}

async fn find_readable(
    registry: &Registry,
    visitor: &Visitor,
    id: &RepositoryId,
) -> Result<(Repository, bool, Standing), Refusal> {
    let database = registry.database();
    let (repository, moved) = match database.repository(id).await? {
        Some(repository) => (repository, false),
        None => match database.moved_repository(id).await? {
            Some(repository) => (repository, true),
            None => return Err(repo_not_found(visitor)),
        },
    };
    let standing = match visitor.caller() {
        Some(caller) => standing_in(database, &caller.account.id, &repository.owner).await?,
        None => Standing::Stranger,
    };
    if repository.private && standing < Standing::Reads {
        return Err(repo_not_found(visitor));
    }
    Ok((repository, moved, standing))
}

fn signed_in(visitor: Visitor) -> Result<Caller, Refusal> {
    match visitor {
        Visitor::Known(caller) => Ok(*caller),
        Visitor::Anonymous => Err(Refusal::new(
            StatusCode::UNAUTHORIZED,
            "a token is needed: send Authorization: Bearer hf_…",
        )),
    }
}

fn token_writes(caller: &Caller) -> Result<(), Refusal> {
    match caller.role() {
        TokenRole::Write => Ok(()),
        TokenRole::Read => Err(Refusal::forbidden(
            "this token may only read; use one with the role write",
        )),
    }
}

fn require(caller: &Caller, standing: Standing, needed: Standing) -> Result<(), Refusal> {
    token_writes(caller)?;
    if standing < needed {
        return Err(Refusal::forbidden(
            "you have no right to change this repository",
        ));
    }
    Ok(())
}
