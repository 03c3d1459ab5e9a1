//! `GET …/tree/{rev}[/{path}]`: lists the files and directories of a revision, in pages.

use std::collections::HashMap;

use http::header::LINK;

use super::{json, target};
use crate::access::{Call, ReadRepository};
use crate::history::{Blobs, Depth, ListingRange, list_directory};
use crate::http::{Refusal, Reply, Rows, next_link};
use crate::names::decode;
use crate::wire::EntryRow;

/// The files and directories of a revision.
#[utoipa::path(
    get,
    path = "/api/{kinds}/{owner}/{name}/tree/{revision}/{path}",
    params(
        ("recursive" = Option<bool>, Query, description = "With everything below each directory."),
        ("expand" = Option<bool>, Query, description = "With the last commit of each."),
        ("limit" = Option<u32>, Query, description = "Most entries of a page."),
        ("cursor" = Option<String>, Query, description = "From the `Link` of the page before."),
    ),
    responses(
        (status = 200, description = "A page of entries", body = Vec<EntryRow>),
    ),
)]
pub(crate) async fn list(mut call: Call<ReadRepository>) -> Reply {
    call.take_turn_to_list().await?;
    let target = target::find(&call.registry, &call.admitted).await?;
    let query = call.query();
    let limits = call.registry.limits();
    // Python encodes the whole path as one segment, the others do not.
    let path = decode(&target.rest.join("/")).unwrap_or_default();
    let path = path.trim_matches('/');
    let expand = query.is_on("expand");
    let page_max = query.count(
        "limit",
        if expand {
            limits.tree_expanded_page_max
        } else {
            limits.tree_page_max
        },
    );
    let depth = if query.is_on("recursive") {
        Depth::All
    } else {
        Depth::One
    };
    let range = ListingRange {
        depth,
        after: query.first("cursor"),
        limit: page_max + 1,
        blobs: Blobs::Wanted,
    };

    let database = call.registry.database();
    let repository = &call.admitted.repository.id;
    let entries = list_directory(database, repository, &target.commit, path, range).await?;
    let mut entries = entries.ok_or_else(|| Refusal::entry_not_found(path))?;
    let more = entries.len() > page_max;
    entries.truncate(page_max);
    let last = if expand {
        target
            .last_changes(&call.registry, &call.admitted, &entries)
            .await?
    } else {
        HashMap::new()
    };
    let row = |entry| EntryRow::new(entry, last.get(&entry.path));
    let mut response = json(Rows(|| entries.iter().map(row)));
    if more
        && let Some(last) = entries.last()
        && let Some(link) = next_link(&call.base, &call.parts, "cursor", &last.path)
    {
        response.headers_mut().insert(LINK, link);
    }
    Ok(response)
}
