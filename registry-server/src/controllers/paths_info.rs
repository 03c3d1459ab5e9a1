//! `POST …/paths-info/{rev}`: shows the files and directories at the given paths.

use std::collections::HashMap;

use http::header::CONTENT_TYPE;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{json, target};
use crate::access::{Call, ReadRepository};
use crate::history::list_entries;
use crate::http::{List, Query, Refusal, Reply, Rows, too_many};
use crate::wire::EntryRow;

/// Paths of a revision.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PathsInfoRequest {
    #[schema(value_type = Vec<String>)]
    paths: List<String>,
    #[serde(default)]
    expand: bool,
}

/// The files and directories at these paths.
#[utoipa::path(
    post,
    path = "/api/{kinds}/{owner}/{name}/paths-info/{revision}",
    request_body(content(
        (PathsInfoRequest = "application/json"),
        (PathsInfoRequest = "application/x-www-form-urlencoded"),
    )),
    responses(
        (status = 200, description = "What is there; a path without anything is left out", body = Vec<EntryRow>),
    ),
)]
pub(crate) async fn show(mut call: Call<ReadRepository>) -> Reply {
    let target = target::find_whole(&call.registry, &call.admitted).await?;
    let (paths, expand) = read_request(&mut call).await?;
    let levels_max = call.registry.limits().path_levels_max;
    let levels: usize = paths.iter().map(|it| it.split('/').count()).sum();
    if levels > levels_max {
        return Err(Refusal::bad_request(format!(
            "the paths have {levels} components in total, and the limit is path_levels_max = {levels_max}; send fewer paths at once"
        )));
    }
    let database = call.registry.database();
    let repository = &call.admitted.repository.id;
    let entries = list_entries(database, repository, &target.commit, &paths).await?;
    let last = if expand {
        target
            .last_changes(&call.registry, &call.admitted, &entries)
            .await?
    } else {
        HashMap::new()
    };
    let row = |entry| EntryRow::new(entry, last.get(&entry.path));
    Ok(json(Rows(|| entries.iter().map(row))))
}

/// Python sends a form, the others send JSON.
async fn read_request(call: &mut Call<ReadRepository>) -> Result<(Vec<String>, bool), Refusal> {
    let paths_max = call.registry.limits().paths_max;
    let content_type = call
        .parts
        .headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if content_type.starts_with("application/x-www-form-urlencoded") {
        let bytes = call.list_bytes().await?;
        // Counted before parsing, which turns two bytes into fifty.
        let fields = bytes.iter().filter(|byte| **byte == b'&').count();
        if fields > paths_max {
            return Err(too_many(paths_max, "paths"));
        }
        let form = Query::parse(&bytes);
        let paths = form.all("paths").map(str::to_owned).collect();
        return Ok((paths, form.is_on("expand")));
    }
    let request: PathsInfoRequest = call.json_list().await?;
    Ok((request.paths.within(paths_max, "paths")?, request.expand))
}
