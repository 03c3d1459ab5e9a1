//! Finds the toolbox and the places of clients' configurations of `tool connect` and `tool adopt`.

use std::path::{Path, PathBuf};

use tool_hub_toolbox::clients::ClientPlaces;
use tool_hub_toolbox::open_toolbox::OpenToolbox;

use crate::settings::config::Config;
use crate::terminal::problem::Problem;

use super::clients::Client;
use super::document::Document;
use super::scope::Scope;

/// The toolbox that is meant, and where configurations are.
pub(crate) struct Surroundings {
    pub(crate) toolbox: OpenToolbox,
    pub(crate) is_in_project: bool,
    pub(crate) project: PathBuf,
    pub(crate) places: ClientPlaces,
}

impl Surroundings {
    pub(crate) fn find(config: &Config) -> anyhow::Result<Self> {
        let toolbox = OpenToolbox::open(&config.settings)?;
        let is_in_project = toolbox.directory() != config.settings.user;
        let project: &Path = match is_in_project {
            true => toolbox.directory(),
            false => &config.settings.working,
        };
        Ok(Self {
            project: project.to_owned(),
            is_in_project,
            toolbox,
            places: config.settings.clients.clone(),
        })
    }

    /// Opens the configuration of `client` for `scope`, which it has to have.
    pub(crate) fn open(&self, client: &'static Client, scope: Scope) -> anyhow::Result<Document> {
        let file = client.file(scope, &self.places, &self.project);
        let file = file.ok_or_else(|| {
            Problem::user(format!(
                "{} has no configuration for the scope {}",
                client.title,
                scope.as_str()
            ))
        })?;
        Document::open(client, file)
    }
}
