//! Checks who may use a route: anyone, token holders, or those with rights in a repository.
//! A controller gets the proof of the check as its argument.

use std::future::Future;

use http::StatusCode;
use http::request::Parts;

use super::caller::{Caller, Visitor};
use super::role::{Role, role_in};
use super::route::Access;
use crate::database::change_detection::Version;
use crate::database::keys::AccountKey;
use crate::database::repositories::Repository;
use crate::http::{NotFound, Refusal};
use crate::names::{Address, RepositoryId};
use crate::registry::Registry;
use crate::roles::TokenRole;

/// A check that a request passes before its controller runs. The proof that it yields can be had in
/// no other way, so a controller cannot forget the check.
pub(crate) trait Admission: Copy + Send + Sync + 'static {
    /// The proof of admission that the controller works with.
    type Admitted: Send;

    /// The name of this access in the list of routes.
    const ACCESS: Access;

    /// True if requests count against the rate limits, and their `Host` has to be a name of the
    /// registry.
    const METERED: bool = true;

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

/// Everyone, as often as they like: for the health checks of orchestrators, which take "too many
/// requests" for a dead server.
#[derive(Clone, Copy)]
pub(crate) struct Probe;

/// Everyone with a valid token.
#[derive(Clone, Copy)]
pub(crate) struct SignedIn;

/// Everyone with a token that may write. Where to is decided by the controller, because the body
/// says it.
#[derive(Clone, Copy)]
pub(crate) struct SignedInToWrite;

/// Those who may read the repository in the path.
#[derive(Clone, Copy)]
pub(crate) struct ReadRepository;

/// Those who may write to the repository in the path.
#[derive(Clone, Copy)]
pub(crate) struct WriteRepository;

/// Those who may write to the repository in the path, and its trusted publishers.
#[derive(Clone, Copy)]
pub(crate) struct PublishToRepository;

/// Those who may change the settings of the repository in the path, move and delete it.
#[derive(Clone, Copy)]
pub(crate) struct ManageRepository;

/// The work that a request does in a repository. The token of a trusted publisher is for the first
/// only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    Publish,
    Change,
}

/// A repository somebody may read.
pub(crate) struct Reader {
    pub(crate) repository: Repository,
    pub(crate) address: Address,
    /// The path used an id the repository had before it was moved.
    pub(crate) moved: bool,
    /// The state of the database at admission; the answer shows this state or a later one.
    pub(crate) version: Option<Version>,
    /// True if the visitor may write to it, by a token that is not of a trusted publisher.
    pub(crate) may_write: bool,
}

/// A repository somebody may write to.
pub(crate) struct Writer {
    pub(crate) caller: Caller,
    pub(crate) repository: Repository,
    pub(crate) address: Address,
}

impl Admission for Anyone {
    type Admitted = Visitor;
    const ACCESS: Access = Access::Anyone;

    async fn admit(_: &Registry, visitor: Visitor, _: &Parts) -> Result<Visitor, Refusal> {
        Ok(visitor)
    }
}

impl Admission for Probe {
    type Admitted = ();
    const ACCESS: Access = Access::Anyone;
    const METERED: bool = false;

    async fn admit(_: &Registry, _: Visitor, _: &Parts) -> Result<(), Refusal> {
        Ok(())
    }
}

impl Admission for SignedIn {
    type Admitted = Caller;
    const ACCESS: Access = Access::SignedIn;

    async fn admit(_: &Registry, visitor: Visitor, _: &Parts) -> Result<Caller, Refusal> {
        signed_in(visitor)
    }
}

impl Admission for SignedInToWrite {
    type Admitted = Caller;
    const ACCESS: Access = Access::SignedInToWrite;

    async fn admit(registry: &Registry, visitor: Visitor, _: &Parts) -> Result<Caller, Refusal> {
        refuse_in_mirror(registry).await?;
        let caller = signed_in(visitor)?;
        token_writes(&caller, Work::Change)?;
        Ok(caller)
    }
}

impl Admission for ReadRepository {
    type Admitted = Reader;
    const ACCESS: Access = Access::ReadRepository;

    async fn admit(
        registry: &Registry,
        visitor: Visitor,
        parts: &Parts,
    ) -> Result<Reader, Refusal> {
        let Some(address) = Address::from_path(parts.uri.path()) else {
            return Err(repo_not_found(&visitor));
        };
        let version = registry.database().version().await;
        let (repository, moved, role) =
            find_readable(registry, &visitor, &address.id, version).await?;
        let may_write = visitor.caller().is_some_and(|caller| {
            require_role(caller, &repository, role, Role::Write, Work::Change).is_ok()
        });
        Ok(Reader {
            repository,
            address,
            moved,
            version,
            may_write,
        })
    }
}

impl Admission for WriteRepository {
    type Admitted = Writer;
    const ACCESS: Access = Access::WriteRepository;

    async fn admit(
        registry: &Registry,
        visitor: Visitor,
        parts: &Parts,
    ) -> Result<Writer, Refusal> {
        admit_at_path(registry, visitor, parts, Role::Write, Work::Change).await
    }
}

impl Admission for PublishToRepository {
    type Admitted = Writer;
    const ACCESS: Access = Access::PublishToRepository;

    async fn admit(
        registry: &Registry,
        visitor: Visitor,
        parts: &Parts,
    ) -> Result<Writer, Refusal> {
        admit_at_path(registry, visitor, parts, Role::Write, Work::Publish).await
    }
}

impl Admission for ManageRepository {
    type Admitted = Writer;
    const ACCESS: Access = Access::ManageRepository;

    async fn admit(
        registry: &Registry,
        visitor: Visitor,
        parts: &Parts,
    ) -> Result<Writer, Refusal> {
        admit_at_path(registry, visitor, parts, Role::Admin, Work::Change).await
    }
}

/// Admits a caller to manage a repository that the body of a request names.
pub(crate) async fn admit_to_manage(
    registry: &Registry,
    caller: &Caller,
    id: &RepositoryId,
) -> Result<Repository, Refusal> {
    let visitor = Visitor::SignedIn(Box::new(caller.clone()));
    let (repository, _, role) = find_readable(registry, &visitor, id, None).await?;
    require_role(caller, &repository, role, Role::Admin, Work::Change)?;
    Ok(repository)
}

/// A repository that does not exist and one that may not be seen get the same answer: 401 for
/// strangers, who may have forgotten to sign in, and 404 for those who did.
pub(crate) fn repo_not_found(visitor: &Visitor) -> Refusal {
    let status = match visitor {
        Visitor::Anonymous => StatusCode::UNAUTHORIZED,
        Visitor::SignedIn(_) => StatusCode::NOT_FOUND,
    };
    Refusal::new(status, "Repository not found").code(NotFound::Repository)
}

async fn admit_at_path(
    registry: &Registry,
    visitor: Visitor,
    parts: &Parts,
    needed: Role,
    work: Work,
) -> Result<Writer, Refusal> {
    refuse_in_mirror(registry).await?;
    let Some(address) = Address::from_path(parts.uri.path()) else {
        return Err(repo_not_found(&visitor));
    };
    let (repository, _, role) = find_readable(registry, &visitor, &address.id, None).await?;
    let caller = signed_in(visitor)?;
    require_role(&caller, &repository, role, needed, work)?;
    Ok(Writer {
        caller,
        repository,
        address,
    })
}

/// Finds what an id names and the role of the visitor in it.
///
/// Whoever may not see a repository must not learn that it is there from how long the answer takes,
/// so both ways to a refusal make the same three queries to the database.
async fn find_readable(
    registry: &Registry,
    visitor: &Visitor,
    id: &RepositoryId,
    version: Option<Version>,
) -> Result<(Repository, bool, Role), Refusal> {
    let database = registry.database();
    let present = registry.query_cache().repository(version, id).await?;
    let moved = present.is_none();
    let found = match present {
        Some(repository) => Some(repository),
        None => database.moved_repository(id).await?,
    };
    let role = match visitor.caller() {
        Some(caller) => {
            // Where the repository is absent or outside the token's scope, an account that owns
            // nothing is asked about, so that the queries are the same.
            let reached = found.as_ref().filter(|found| caller.reaches(found));
            let nobody = AccountKey::NONE;
            let owner = reached.map_or(&nobody, |found| &found.owner);
            role_in(database, &caller.account.id, owner).await?
        }
        None => Role::Stranger,
    };
    let Some(repository) = found else {
        return Err(repo_not_found(visitor));
    };
    if repository.private && role < Role::Read {
        if !moved {
            database.moved_repository(id).await?;
        }
        return Err(repo_not_found(visitor));
    }
    Ok((repository, moved, role))
}

/// A mirror has what its upstream published, and nothing else.
async fn refuse_in_mirror(registry: &Registry) -> Result<(), Refusal> {
    match registry.database().mirror().await? {
        None => Ok(()),
        Some(mirror) => Err(Refusal::forbidden(format!(
            "this registry is a mirror and takes no changes: make them at {}",
            mirror.upstream
        ))),
    }
}

fn signed_in(visitor: Visitor) -> Result<Caller, Refusal> {
    match visitor {
        Visitor::SignedIn(caller) => Ok(*caller),
        Visitor::Anonymous => Err(Refusal::new(
            StatusCode::UNAUTHORIZED,
            "a token is needed: send Authorization: Bearer hf_…",
        )),
    }
}

fn token_writes(caller: &Caller, work: Work) -> Result<(), Refusal> {
    match caller.role() {
        TokenRole::Write if work == Work::Change && caller.publishes_to().is_some() => {
            Err(Refusal::forbidden(
                "this token is of a trusted publisher, which may publish versions and nothing else",
            ))
        }
        TokenRole::Write => Ok(()),
        TokenRole::Read => Err(Refusal::forbidden(
            "this token may only read; use one with the role write",
        )),
    }
}

fn require_role(
    caller: &Caller,
    repository: &Repository,
    role: Role,
    needed: Role,
    work: Work,
) -> Result<(), Refusal> {
    token_writes(caller, work)?;
    if !caller.reaches(repository) {
        return Err(limited_to_others());
    }
    if role < needed {
        return Err(Refusal::forbidden(
            "you have no right to change this repository",
        ));
    }
    Ok(())
}

/// Refuses a token that is limited to other repositories. Only for ids that the caller may know of.
pub(crate) fn require_token_covers(
    caller: &Caller,
    owner: &str,
    name: &str,
) -> Result<(), Refusal> {
    if caller.scope().covers(owner, name) {
        return Ok(());
    }
    Err(limited_to_others())
}

fn limited_to_others() -> Refusal {
    Refusal::forbidden("this token is limited to other repositories")
}
