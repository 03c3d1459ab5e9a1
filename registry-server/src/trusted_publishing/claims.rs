//! Reads the claims of each build service's tokens into one identity.

use serde_json::{Map, Value};

use super::build_identity::BuildIdentity;
use super::fault::TokenFault;
use crate::config::BuildService;

/// Longest text of a claim that is used.
const CLAIM_BYTES_MAX: usize = 1024;
/// GitHub's events whose jobs have the rights of the repository and may run on what somebody else
/// sent: a pull request from a fork, or what such a request left behind.
const UNTRUSTED_EVENTS: [&str; 2] = ["pull_request_target", "workflow_run"];
/// GitLab's sources of pipelines that run what a merge request brings. Such a pipeline may run in
/// the project with the files of a fork, and before GitLab 18.2.2 its token named the project.
const UNTRUSTED_SOURCES: [&str; 2] = ["merge_request_event", "external_pull_request_event"];

/// The claims of a token whose signature was verified.
pub(super) struct Claims<'a> {
    pub(super) issuer: &'a str,
    pub(super) members: &'a Map<String, Value>,
    pub(super) jti: String,
    pub(super) expires_ms: i64,
}

impl Claims<'_> {
    /// The identity that the claims of this build service say.
    pub(super) fn identity(self, service: BuildService) -> Result<BuildIdentity, TokenFault> {
        match service {
            BuildService::GitHub => self.of_github(),
            BuildService::GitLab => self.of_gitlab(),
        }
    }

    /// The workflow that runs is `job_workflow_ref`, which differs from `workflow_ref` where one
    /// calls another. It has to be a file of the repository itself, at the commit or reference
    /// that the job runs for.
    fn of_github(self) -> Result<BuildIdentity, TokenFault> {
        let event = self.text("event_name")?;
        if UNTRUSTED_EVENTS.contains(&event) {
            return Err(TokenFault::UntrustedEvent(event.to_owned()));
        }
        let project = self.text("repository")?;
        let begin = format!("{project}/.github/workflows/");
        let workflow = self.workflow("job_workflow_ref", &begin, ["ref", "sha"])?;
        if workflow.contains('/') {
            return Err(TokenFault::Claim("job_workflow_ref"));
        }
        Ok(self.with(project, self.text("repository_owner_id")?, workflow))
    }

    /// GitLab's `ci_config_ref_uri` is `HOST/PROJECT//FILE@REF`.
    fn of_gitlab(self) -> Result<BuildIdentity, TokenFault> {
        // Old servers do not say it.
        if let Ok(source) = self.text("pipeline_source")
            && UNTRUSTED_SOURCES.contains(&source)
        {
            return Err(TokenFault::UntrustedEvent(source.to_owned()));
        }
        let project = self.text("project_path")?;
        let host = self.issuer.split_once("://").map_or("", |(_, host)| host);
        let begin = format!("{}/{project}//", host.trim_end_matches('/'));
        let workflow = self.workflow("ci_config_ref_uri", &begin, ["ref_path", "sha"])?;
        Ok(self.with(project, self.text("namespace_id")?, workflow))
    }

    fn with(&self, project: &str, owner_id: &str, workflow: &str) -> BuildIdentity {
        let optional = |name| self.text(name).ok().map(str::to_owned);
        BuildIdentity {
            issuer: self.issuer.to_owned(),
            project: project.to_owned(),
            owner_id: owner_id.to_owned(),
            workflow: workflow.to_owned(),
            environment: optional("environment"),
            commit: optional("sha"),
            jti: self.jti.clone(),
            expires_ms: self.expires_ms,
        }
    }

    /// The file in a claim that begins with `begin` and ends with `@` and one of these other
    /// claims. A name may itself hold an `@`, so both ends are compared whole.
    fn workflow(
        &self,
        claim: &'static str,
        begin: &str,
        references: [&'static str; 2],
    ) -> Result<&str, TokenFault> {
        let text = self.text(claim)?;
        let fault = TokenFault::Claim(claim);
        let file = text.strip_prefix(begin).ok_or(fault.clone())?;
        let found = references.into_iter().find_map(|name| {
            let reference = self.text(name).ok()?;
            file.strip_suffix(reference)?.strip_suffix('@')
        });
        found.filter(|file| !file.is_empty()).ok_or(fault)
    }

    /// A claim that is a text without control characters.
    fn text(&self, name: &'static str) -> Result<&str, TokenFault> {
        let text = self.members.get(name).and_then(Value::as_str);
        text.filter(|text| !text.is_empty() && text.len() <= CLAIM_BYTES_MAX)
            .filter(|text| !text.chars().any(char::is_control))
            .ok_or(TokenFault::Claim(name))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn github() -> Value {
        json!({
            "event_name": "push",
            "repository": "Acme/forecast",
            "repository_owner_id": "65",
            "job_workflow_ref": "Acme/forecast/.github/workflows/release.yml@refs/tags/v1@2",
            "ref": "refs/tags/v1@2",
            "sha": "0123456789abcdef",
            "environment": "release",
        })
    }

    fn gitlab() -> Value {
        json!({
            "project_path": "acme/tools/forecast",
            "namespace_id": "72",
            "ci_config_ref_uri": "git.example.com/acme/tools/forecast//ci/release.yml@refs/heads/main",
            "ref_path": "refs/heads/main",
            "pipeline_source": "push",
            "sha": "0123456789abcdef",
        })
    }

    fn read(service: BuildService, claims: &Value) -> Result<BuildIdentity, TokenFault> {
        let claims = Claims {
            issuer: "https://git.example.com",
            members: claims.as_object().unwrap(),
            jti: "1".to_owned(),
            expires_ms: 0,
        };
        claims.identity(service)
    }

    #[track_caller]
    fn check(service: BuildService, mut claims: Value, change: Value, fault: TokenFault) {
        for (name, value) in change.as_object().unwrap() {
            claims[name] = value.clone();
        }
        assert_eq!(read(service, &claims), Err(fault), "{claims}");
    }

    #[test]
    fn the_names_of_each_build_service_are_read() {
        let identity = read(BuildService::GitHub, &github()).unwrap();
        let shown = "release.yml of Acme/forecast in the environment release at 0123456789ab by https://git.example.com";
        assert_eq!(identity.to_string(), shown);
        assert_eq!(identity.owner_id, "65");
        let identity = read(BuildService::GitLab, &gitlab()).unwrap();
        let shown =
            "ci/release.yml of acme/tools/forecast at 0123456789ab by https://git.example.com";
        assert_eq!(identity.to_string(), shown);
        assert_eq!(identity.owner_id, "72");
    }

    #[test]
    fn a_job_without_a_reference_names_its_commit() {
        let mut claims = github();
        claims["ref"] = json!("");
        claims["job_workflow_ref"] =
            json!("Acme/forecast/.github/workflows/release.yml@0123456789abcdef");
        let identity = read(BuildService::GitHub, &claims).unwrap();
        assert_eq!(identity.workflow, "release.yml");
    }

    #[test]
    fn a_workflow_of_elsewhere_is_no_workflow_of_the_repository() {
        let (github_fault, gitlab_fault) = (
            TokenFault::Claim("job_workflow_ref"),
            TokenFault::Claim("ci_config_ref_uri"),
        );
        for elsewhere in [
            "evil/forecast/.github/workflows/release.yml@refs/tags/v1@2",
            "Acme/forecast/.github/workflows/release.yml@refs/heads/evil",
            "Acme/forecast/.github/workflows/sub/release.yml@refs/tags/v1@2",
            "Acme/forecast/.github/workflows/@refs/tags/v1@2",
            "Acme/forecast/.github/workflows/release.yml",
            "x/Acme/forecast/.github/workflows/release.yml@refs/tags/v1@2",
        ] {
            let change = json!({ "job_workflow_ref": elsewhere });
            check(BuildService::GitHub, github(), change, github_fault.clone());
        }
        for elsewhere in [
            "evil.example.com/acme/tools/forecast//ci/release.yml@refs/heads/main",
            "git.example.com/acme/tools//forecast//ci/release.yml@refs/heads/main",
            "git.example.com/acme/tools/forecast//ci/release.yml@refs/heads/evil",
        ] {
            let change = json!({ "ci_config_ref_uri": elsewhere });
            check(BuildService::GitLab, gitlab(), change, gitlab_fault.clone());
        }
    }

    #[test]
    fn jobs_that_strangers_start_are_refused() {
        for event in UNTRUSTED_EVENTS {
            let fault = TokenFault::UntrustedEvent(event.to_owned());
            let change = json!({ "event_name": event });
            check(BuildService::GitHub, github(), change, fault);
        }
        for source in UNTRUSTED_SOURCES {
            let fault = TokenFault::UntrustedEvent(source.to_owned());
            let change = json!({ "pipeline_source": source });
            check(BuildService::GitLab, gitlab(), change, fault);
        }
    }

    #[test]
    fn claims_of_other_forms_are_refused() {
        let github_claims = [
            "event_name",
            "repository",
            "repository_owner_id",
            "job_workflow_ref",
        ];
        for name in github_claims {
            for value in [
                json!(null),
                json!(""),
                json!(7),
                json!(["a"]),
                json!("a\nb"),
            ] {
                let change = json!({ name: value });
                let fault = TokenFault::Claim(name);
                check(BuildService::GitHub, github(), change, fault);
            }
        }
    }
}
