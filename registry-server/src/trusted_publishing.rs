//! Trusted publishing: verifies the identity tokens of build services, and finds their publisher.
//!
//! A token is a JSON Web Token that a build service signs for one job. It is taken if its issuer is
//! one of those that the operator named, if it is made for this registry, and if it was not taken
//! before. The names of its claims are those of the build service; what they say is one
//! [`BuildIdentity`], which is held against the publishers of a repository.

mod build_identity;
mod claims;
mod fault;
mod key_set;
mod key_source;
mod matching;
mod publisher_terms;
mod verifier;

pub(crate) use build_identity::BuildIdentity;
pub(crate) use fault::TokenFault;
pub(crate) use matching::{other_owner, publisher_attested, publisher_of};
pub(crate) use publisher_terms::PublisherTerms;
pub(crate) use verifier::IdentityVerifier;
