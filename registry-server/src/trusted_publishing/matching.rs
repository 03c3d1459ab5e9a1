//! Finds the publisher of a repository that an identity is.

use tool_hub_manifest::SignerIdentity;
use url::Url;

use super::build_identity::BuildIdentity;
use crate::database::publishers::Publisher;

/// The publisher that an identity is. One that names the environment comes before one that does
/// not.
pub(crate) fn publisher_of<'a>(
    publishers: &'a [Publisher],
    identity: &BuildIdentity,
) -> Option<&'a Publisher> {
    let matching = publishers.iter().filter(|it| matches(it, identity));
    matching.min_by_key(|publisher| publisher.environment.is_empty())
}

/// The owner's number of a publisher which the identity would be if it had that number.
pub(crate) fn other_owner<'a>(
    publishers: &'a [Publisher],
    identity: &BuildIdentity,
) -> Option<&'a str> {
    let mut owners = publishers
        .iter()
        .filter_map(|it| Some((it, it.owner_id.as_deref()?)));
    let is_all = |(publisher, owner): &(&Publisher, &str)| {
        let with_it = BuildIdentity {
            owner_id: (*owner).to_owned(),
            ..identity.clone()
        };
        matches(publisher, &with_it)
    };
    owners.find(is_all).map(|(_, owner)| owner)
}

/// The publisher that made an attestation, by the name in its certificate: the address of the
/// workflow's file. That says neither the environment nor the owner's number.
pub(crate) fn publisher_attested<'a>(
    publishers: &'a [Publisher],
    identity: &SignerIdentity,
) -> Option<&'a Publisher> {
    let address: Url = identity.subject().parse().ok()?;
    let path = address.path();
    publishers.iter().find(|publisher| {
        let Publisher {
            project, workflow, ..
        } = publisher;
        let files = [
            format!("/{project}/.github/workflows/"),
            format!("/{project}//"),
        ];
        let is_file = |directory: &String| {
            let start = path.get(..directory.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(directory))
                && path[directory.len()..] == *workflow
        };
        identity.issuer() == Some(publisher.issuer.as_str()) && files.iter().any(is_file)
    })
}

/// Names of projects are the same in either case, at both build services, and so are those of
/// environments; files are not.
fn matches(publisher: &Publisher, identity: &BuildIdentity) -> bool {
    let owner = publisher.owner_id.as_ref();
    let environment = identity.environment.as_deref().unwrap_or_default();
    publisher.issuer == identity.issuer
        && publisher.project.eq_ignore_ascii_case(&identity.project)
        && publisher.workflow == identity.workflow
        && owner.is_none_or(|owner| *owner == identity.owner_id)
        && (publisher.environment.is_empty()
            || publisher.environment.eq_ignore_ascii_case(environment))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn publisher(environment: &str, owner_id: Option<&str>) -> Publisher {
        Publisher {
            id: environment.into(),
            issuer: "https://git.example.com".to_owned(),
            project: "acme/forecast".to_owned(),
            workflow: "release.yml".to_owned(),
            environment: environment.to_owned(),
            owner_id: owner_id.map(str::to_owned),
            added_by: "ada".to_owned(),
            created_ms: 0,
        }
    }

    fn identity() -> BuildIdentity {
        BuildIdentity {
            issuer: "https://git.example.com".to_owned(),
            project: "acme/forecast".to_owned(),
            owner_id: "65".to_owned(),
            workflow: "release.yml".to_owned(),
            environment: Some("release".to_owned()),
            commit: None,
            jti: "1".to_owned(),
            expires_ms: 0,
        }
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut BuildIdentity), expect: Option<&str>) {
        let mut identity = identity();
        change(&mut identity);
        let publishers = [publisher("release", Some("65"))];
        let found = publisher_of(&publishers, &identity);
        let found = found.map(|publisher| publisher.environment.as_str());
        assert_eq!(found, expect, "{identity}");
    }

    #[test]
    fn every_part_counts() {
        check(|_| (), Some("release"));
        check(
            |it| it.project = "Acme/Forecast".to_owned(),
            Some("release"),
        );
        check(
            |it| it.environment = Some("Release".to_owned()),
            Some("release"),
        );
        check(|it| it.issuer = "https://gitlab.com".to_owned(), None);
        check(|it| it.project = "acme/forecast2".to_owned(), None);
        check(|it| it.workflow = "Release.yml".to_owned(), None);
        check(|it| it.environment = Some("test".to_owned()), None);
        check(|it| it.environment = None, None);
        check(|it| it.owner_id = "66".to_owned(), None);
    }

    #[test]
    fn another_owner_is_told_only_where_all_else_is_right() {
        let publishers = [publisher("release", Some("65")), publisher("test", None)];
        let mut other = identity();
        other.owner_id = "66".to_owned();
        assert_eq!(other_owner(&publishers, &other), Some("65"));
        other.workflow = "test.yml".to_owned();
        assert_eq!(other_owner(&publishers, &other), None);
    }

    #[test]
    fn an_attestation_is_by_the_workflow_s_own_file() {
        let publishers = [publisher("release", Some("65"))];
        let found = |subject: &str, issuer: &str| {
            let root = tool_hub_manifest::KeyFingerprint::of(b"root");
            let issuer = Some(issuer.to_owned());
            let identity = SignerIdentity::new(subject.to_owned(), issuer, root).unwrap();
            publisher_attested(&publishers, &identity).is_some()
        };
        let issuer = "https://git.example.com";
        let github = "https://git.example.com/Acme/forecast/.github/workflows/release.yml";
        let gitlab = "https://git.example.com/acme/forecast//release.yml";
        assert!(found(github, issuer) && found(gitlab, issuer));
        assert!(!found(github, "https://evil.example.com"));
        for other in [
            "https://git.example.com/eve/acme/forecast/.github/workflows/release.yml",
            "https://git.example.com/acme/forecast/.github/workflows/Release.yml",
            "https://git.example.com/acme/forecast/.github/workflows/x/release.yml",
            "https://git.example.com/acme/forecast2//release.yml",
            "https://git.example.com/acme/forecast/release.yml",
            "ada@acme.example",
        ] {
            assert!(!found(other, issuer), "{other}");
        }
    }

    #[test]
    fn an_owner_that_was_not_seen_yet_may_be_any() {
        let publishers = [publisher("", None)];
        assert!(publisher_of(&publishers, &identity()).is_some());
    }

    #[test]
    fn the_one_with_the_environment_comes_first() {
        let publishers = [publisher("", None), publisher("release", None)];
        let found = publisher_of(&publishers, &identity()).unwrap();
        assert_eq!(found.environment, "release");
        let mut other = identity();
        other.environment = Some("test".to_owned());
        assert_eq!(publisher_of(&publishers, &other).unwrap().environment, "");
    }
}
