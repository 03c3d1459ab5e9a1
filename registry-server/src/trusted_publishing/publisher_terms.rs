//! Checks what an owner says of a new publisher, so that a mistyped one is refused at once.

use crate::config::BuildService;

/// The claims that a publisher has to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PublisherTerms {
    pub(crate) project: String,
    pub(crate) workflow: String,
    /// Empty for any, and for none.
    pub(crate) environment: String,
    pub(crate) owner_id: Option<String>,
}

/// Longest name of a project, a workflow or an environment.
const NAME_BYTES_MAX: usize = 255;
/// Most digits of an owner's number.
const DIGITS_MAX: usize = 20;

impl PublisherTerms {
    /// The rule that they break at this build service, if any.
    pub(crate) fn fault(&self, service: BuildService) -> Option<&'static str> {
        let segments: Vec<&str> = self.project.split('/').collect();
        let are_named = segments.iter().all(|segment| is_segment(segment));
        let is_long = |text: &str| text.len() > NAME_BYTES_MAX;
        let is_file = self.workflow.ends_with(".yml") || self.workflow.ends_with(".yaml");
        let path: Vec<&str> = self.workflow.split('/').collect();
        if is_long(&self.project) || is_long(&self.workflow) || is_long(&self.environment) {
            return Some("a name is longer than 255 bytes");
        }
        if !are_named || segments.len() < 2 {
            return Some("the repository has to be OWNER/NAME, as the build service names it");
        }
        if service == BuildService::GitHub && segments.len() != 2 {
            return Some("a repository on GitHub is OWNER/NAME");
        }
        if !is_file || !path.iter().all(|part| is_segment(part)) {
            return Some("the workflow has to be a file that ends in .yml or .yaml");
        }
        if service == BuildService::GitHub && path.len() != 1 {
            return Some("the workflow is named without .github/workflows/");
        }
        if self.environment.chars().any(char::is_control) {
            return Some("the environment must not hold control characters");
        }
        let is_number = |id: &String| {
            (1..=DIGITS_MAX).contains(&id.len()) && id.bytes().all(|it| it.is_ascii_digit())
        };
        if !self.owner_id.as_ref().is_none_or(is_number) {
            return Some("the owner's id has to be a number");
        }
        None
    }
}

fn is_segment(text: &str) -> bool {
    let is_named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !text.is_empty() && text != "." && text != ".." && text.chars().all(is_named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(service: BuildService, project: &str, workflow: &str, is_fine: bool) {
        let terms = PublisherTerms {
            project: project.to_owned(),
            workflow: workflow.to_owned(),
            environment: String::new(),
            owner_id: Some("65".to_owned()),
        };
        let fault = terms.fault(service);
        assert_eq!(fault.is_none(), is_fine, "{project} {workflow}: {fault:?}");
    }

    #[test]
    fn each_build_service_has_its_names() {
        let (github, gitlab) = (BuildService::GitHub, BuildService::GitLab);
        check(github, "acme/forecast", "release.yml", true);
        check(gitlab, "acme/tools/forecast", "ci/release.yaml", true);
        check(gitlab, "acme/forecast", ".gitlab-ci.yml", true);
        check(github, "acme/tools/forecast", "release.yml", false);
        check(
            github,
            "acme/forecast",
            ".github/workflows/release.yml",
            false,
        );
        check(github, "acme", "release.yml", false);
        check(github, "acme/*", "release.yml", false);
        check(github, "acme/..", "release.yml", false);
        check(github, "acme/forecast", "release", false);
        check(github, "acme/forecast", "a@b.yml", false);
        check(gitlab, "acme/forecast", "/ci.yml", false);
    }

    #[test]
    fn an_owner_is_a_number() {
        for (id, is_fine) in [("0", true), ("", false), ("acme", false), ("1 ", false)] {
            let terms = PublisherTerms {
                project: "acme/forecast".to_owned(),
                workflow: "release.yml".to_owned(),
                environment: "release".to_owned(),
                owner_id: Some(id.to_owned()),
            };
            assert_eq!(terms.fault(BuildService::GitHub).is_none(), is_fine, "{id}");
        }
    }
}
