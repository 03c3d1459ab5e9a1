//! The expected answer to a request, from the access that its route declares.

use tool_hub_registry_server::Access;

use super::callers::{Caller, Role, Token};
use super::samples::{Named, Sample};
use super::{State, Target};

/// A status and the code that clients tell kinds of "not found" apart by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) code: String,
}

pub(super) fn answer(status: u16, code: &str) -> Answer {
    Answer {
        status,
        code: code.to_owned(),
    }
}

pub(super) fn expected(
    access: Access,
    sample: &Sample,
    caller: &Caller,
    target: &Target,
) -> Answer {
    refused(access, sample, caller, target).unwrap_or_else(|| match sample.named {
        Named::WithoutOwner => not_found(caller),
        _ => sample.admitted(target),
    })
}

/// The refusal, if there should be one.
fn refused(access: Access, sample: &Sample, caller: &Caller, target: &Target) -> Option<Answer> {
    if caller.token == Token::Refused {
        return Some(answer(401, ""));
    }
    match access {
        // The samples have no valid ticket, and say so in their answers; LFS tests valid ones.
        Access::Anyone | Access::HoldsTicket => None,
        Access::SignedIn => (caller.token == Token::Absent).then(|| answer(401, "")),
        Access::SignedInToWrite => writes_at_all(caller).or_else(|| body(sample, caller, target)),
        Access::ReadRepository => sees(caller, target),
        Access::WriteRepository | Access::PublishToRepository => {
            sees(caller, target).or_else(|| changes(caller, target, Role::Writes))
        }
        Access::ManageRepository => {
            sees(caller, target).or_else(|| changes(caller, target, Role::Manages))
        }
        other => panic!("say here whom {other:?} lets in"),
    }
}

/// Refuses whoever may not know of the repository.
fn sees(caller: &Caller, target: &Target) -> Option<Answer> {
    let standing = match caller.reaches(target.owner, target.name_now()) {
        true => caller.standing(target.owner),
        false => Role::Stranger,
    };
    let visible = match target.state {
        State::Public => true,
        State::Private | State::MovedPrivate => standing >= Role::Reads,
        State::Missing => false,
    };
    (!visible).then(|| not_found(caller))
}

fn changes(caller: &Caller, target: &Target, needed: Role) -> Option<Answer> {
    let reaches = caller.reaches(target.owner, target.name_now());
    writes_at_all(caller)
        .or_else(|| (!reaches || caller.standing(target.owner) < needed).then(|| answer(403, "")))
}

fn writes_at_all(caller: &Caller) -> Option<Answer> {
    match caller.token {
        Token::Good { writes: true, .. } => None,
        Token::Good { writes: false, .. } => Some(answer(403, "")),
        Token::Absent | Token::Refused => Some(answer(401, "")),
    }
}

/// For routes whose body names the repository.
fn body(sample: &Sample, caller: &Caller, target: &Target) -> Option<Answer> {
    match sample.named {
        Named::InPath | Named::WithoutOwner => None,
        Named::New => {
            let may = caller.standing(target.owner) >= Role::Writes
                && caller.reaches(target.owner, "new-");
            (!may).then(|| answer(403, ""))
        }
        Named::InBody { to } => sees(caller, target)
            .or_else(|| changes(caller, target, Role::Manages))
            .or_else(|| {
                to.filter(|to| !caller.reaches(target.owner, to))
                    .map(|_| answer(403, ""))
            }),
    }
}

fn not_found(caller: &Caller) -> Answer {
    let status = if caller.token == Token::Absent {
        401
    } else {
        404
    };
    answer(status, "RepoNotFound")
}
