//! The description of a route: method, path and needed access.
//! Tests and documents are made from the list of all routes.

use axum::routing::MethodFilter;

/// One route of the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Route {
    /// The method; a GET route also answers HEAD.
    pub method: RouteMethod,
    /// The path, with its variable parts in braces: `/api/{kinds}/{owner}/{name}/tree/{*rest}`.
    pub path: String,
    /// The access that the route needs.
    pub access: Access,
}

/// The methods that routes have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RouteMethod {
    /// Also HEAD.
    Get,
    /// `POST`.
    Post,
    /// `PUT`.
    Put,
    /// `DELETE`.
    Delete,
}

impl RouteMethod {
    /// The method as requests spell it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }

    pub(super) fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Put => MethodFilter::PUT,
            Self::Delete => MethodFilter::DELETE,
        }
    }
}

/// The access that a route needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// Everyone, with or without a token.
    Anyone,
    /// Everyone with a valid token.
    SignedIn,
    /// Everyone with a token that may write; what the body names is checked when it is read.
    SignedInToWrite,
    /// Those who may read the repository in the path.
    ReadRepository,
    /// Those who may write to the repository in the path.
    WriteRepository,
    /// Those who may write to the repository in the path, and its trusted publishers.
    PublishToRepository,
    /// Whoever holds a secret address that was made for one upload.
    HoldsTicket,
    /// Those who may change the settings of the repository in the path.
    ManageRepository,
}
