//! Fetches the tools that a tool depends on: by the rules for any tool, from the same registry.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;

use tool_hub_manifest::{
    DEPENDENCIES_IN_TREE_MAX, DEPENDENCY_DEPTH_MAX, DependencyRequest, Manifest, RepoId, ToolName,
    Version,
};
use url::Url;

use crate::error::Error;
use crate::fetch_options::FetchOptions;
use crate::fetched::Fetched;
use crate::registry_fetch::{Watchers, from_registry};
use crate::settings::Settings;

/// Fetches into `fetched`, which is from the registry at `endpoint` or uses its tools, all that it
/// depends on.
///
/// # Errors
/// [`Error::Dependency`] with the first that cannot be had, [`Error::DependencyCycle`] and
/// [`Error::TooManyDependencies`].
pub(crate) async fn fetch(
    fetched: &mut Fetched,
    options: &FetchOptions,
    endpoint: &Url,
    settings: &Settings,
    watchers: Watchers<'_>,
) -> Result<(), Error> {
    let mut tree = Tree {
        endpoint,
        settings,
        watchers,
        known: HashMap::new(),
        count: 0,
    };
    let mut path = vec![step_of(fetched)];
    let manifest = fetched.verified.manifest();
    fetched.dependencies = tree.all(manifest, options, &mut path).await?;
    Ok(())
}

/// All that an author's tool with `manifest` depends on, from the registry at `endpoint`.
///
/// # Errors
/// The errors of [`Subject::fetch`](crate::subject::Subject::fetch).
pub async fn of_manifest(
    manifest: &Manifest,
    options: &FetchOptions,
    endpoint: &Url,
    settings: &Settings,
    watchers: Watchers<'_>,
) -> Result<BTreeMap<ToolName, Fetched>, Error> {
    let mut tree = Tree {
        endpoint,
        settings,
        watchers,
        known: HashMap::new(),
        count: 0,
    };
    let mut path = vec![(None, manifest.version.clone())];
    tree.all(manifest, options, &mut path).await
}

/// A tool on the way from the one that a person named: its repo, where it has one, and version.
type Step = (Option<RepoId>, Version);

/// The fetch of all that one tool depends on, which fetches what those depend on.
type Fetching<'a> =
    Pin<Box<dyn Future<Output = Result<BTreeMap<ToolName, Fetched>, Error>> + Send + 'a>>;

struct Tree<'a> {
    endpoint: &'a Url,
    settings: &'a Settings,
    watchers: Watchers<'a>,
    /// The tools that were fetched, by repo and requirement: each is asked for once.
    known: HashMap<String, Fetched>,
    count: usize,
}

impl Tree<'_> {
    /// Fetches what the tool with `manifest`, the last of `path`, depends on.
    fn all<'a>(
        &'a mut self,
        manifest: &'a Manifest,
        options: &'a FetchOptions,
        path: &'a mut Vec<Step>,
    ) -> Fetching<'a> {
        Box::pin(async move {
            let mut all = BTreeMap::new();
            for (name, request) in &manifest.dependencies {
                let (name, of) = (name.clone(), manifest.name.clone());
                self.count += 1;
                if self.count > DEPENDENCIES_IN_TREE_MAX || path.len() > DEPENDENCY_DEPTH_MAX {
                    return Err(Error::TooManyDependencies { name, of });
                }
                let options = options.of_dependency(&name, &request.repo);
                let found = self.one(request, &options).await;
                let mut found = found.map_err(|source| Error::Dependency {
                    name: name.clone(),
                    of,
                    source: Box::new(source),
                })?;
                let step = step_of(&found);
                let is_known = path.contains(&step);
                path.push(step);
                if is_known {
                    return Err(Error::DependencyCycle { path: shown(path) });
                }
                let manifest = found.verified.manifest();
                found.dependencies = self.all(manifest, &options, path).await?;
                path.pop();
                all.insert(name, found);
            }
            Ok(all)
        })
    }

    async fn one(
        &mut self,
        request: &DependencyRequest,
        options: &FetchOptions,
    ) -> Result<Fetched, Error> {
        let reference = request.reference();
        // The version in use may be taken although it was yanked.
        let known_as = format!("{reference} {:?}", options.allowed_yanks);
        if let Some(known) = self.known.get(&known_as) {
            return Ok(known.clone());
        }
        let (endpoint, settings) = (self.endpoint, self.settings);
        let found = from_registry(&reference, options, endpoint, settings, self.watchers);
        let found = found.await?;
        self.known.insert(known_as, found.clone());
        Ok(found)
    }
}

fn step_of(fetched: &Fetched) -> Step {
    let source = fetched.origin.source();
    let repo = source.repo().map(|(_, repo)| repo.clone());
    (repo, fetched.verified.manifest().version.clone())
}

fn shown(path: &[Step]) -> String {
    let steps = path.iter().map(|(repo, version)| match repo {
        Some(repo) => format!("{repo} {version}"),
        None => version.to_string(),
    });
    steps.collect::<Vec<_>>().join(" → ")
}
