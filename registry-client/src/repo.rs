//! A repo's name today, and who may see it, as its registry says.

use serde::Deserialize;
use tool_hub_manifest::RepoId;

use crate::visibility::Visibility;
use crate::{Act, Client, ClientError, refusal};

#[derive(Deserialize)]
struct RepoAnswer {
    id: String,
    #[serde(default)]
    private: bool,
}

impl Client {
    /// Asks who may see `repo`, and refuses one that has another name today: registries go on
    /// answering to the old name, and the new one may belong to another owner.
    pub(crate) async fn visibility(&self, repo: &RepoId) -> Result<Visibility, ClientError> {
        let act = Act::Describe(repo.clone());
        let mut url = self.wire().about(repo, &[]);
        url.set_query(Some("expand=private"));
        let answer: RepoAnswer = self.wire().get(&act, url).await?;
        // Names on the Hub keep the case they were given, and are found in any.
        if !answer.id.eq_ignore_ascii_case(repo.as_str()) {
            let now = answer.id.parse().map_err(|_| {
                refusal::nonsense(&act, "it gives the repo a name that is not a repo's")
            })?;
            return Err(ClientError::RepoMoved {
                repo: repo.clone(),
                now,
            });
        }
        Ok(if answer.private {
            Visibility::Private
        } else {
            Visibility::Public
        })
    }
}
