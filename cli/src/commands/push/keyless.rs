//! `tool push --keyless`: signs as the identity of a token, by the services of a Sigstore.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;
use tool_hub_manifest::Verified;
use tool_hub_registry_client::{IdentityToken, SignatureFiles};
use tool_hub_toolbox::keyless::{AUDIENCE, Sigstore};
use tool_hub_toolbox::package_signature::PackageSignature;
use tool_hub_toolbox::signing_keys::SigningKeys;

use super::job_identity::{GivenIdentities, JobIdentity};
use crate::session::Session;
use crate::terminal::problem::Problem;

/// The flags of a keyless signature.
#[derive(Debug, Args)]
pub(super) struct KeylessFlags {
    /// Sign it as the job or person whom an identity token for `sigstore` names, with a
    /// certificate of minutes by a Sigstore and an entry in its log
    #[arg(long, conflicts_with = "sign")]
    keyless: bool,

    /// The Sigstore that --keyless signs with: a client's trust configuration, JSON with its root
    /// and the addresses of its services
    #[arg(long, value_name = "FILE", requires = "keyless")]
    trust_config: Option<PathBuf>,
}

/// The Sigstore and the identity of a keyless signature that is to be made.
pub(super) struct KeylessSigner {
    sigstore: Sigstore,
    identity: JobIdentity,
}

impl KeylessFlags {
    pub(super) fn is_wanted(&self) -> bool {
        self.keyless
    }

    /// The signer, if one is wanted: its configuration and, as far as it is here, its token are
    /// checked, and nothing is asked for.
    pub(super) fn signer(
        &self,
        given: &mut GivenIdentities,
        session: &Session,
    ) -> anyhow::Result<Option<KeylessSigner>> {
        if !self.keyless {
            return Ok(None);
        }
        let Some(file) = &self.trust_config else {
            let text =
                "--keyless needs the trust configuration of a Sigstore, and none is built in";
            return Err(Problem::user(text)
                .hint("name it with --trust-config FILE: the file that `model_signing sign sigstore --trust_config` takes, with `trustedRoot` and `signingConfig`")
                .into());
        };
        let sigstore = Sigstore::read(&session.config.settings.place(file))?;
        let identity = match given.signs.take() {
            Some(identity) => identity,
            None => JobIdentity::to_sign()?.ok_or_else(|| no_identity(given))?,
        };
        if let JobIdentity::Token { token, place } = &identity {
            check(token, place)?;
        }
        Ok(Some(KeylessSigner { sigstore, identity }))
    }
}

impl KeylessSigner {
    /// Signs `package`, its card and attestations. The result is verified.
    pub(super) async fn sign(
        &self,
        package: &Verified,
        card: &[u8],
        attestations: Option<Vec<u8>>,
        session: &Session,
    ) -> anyhow::Result<(SignatureFiles, PackageSignature)> {
        let token = self.identity.token(AUDIENCE, session).await?;
        check(&token, self.identity.place())?;
        let signed = self.sigstore.sign(package, (card, attestations), &token);
        let (files, signer) = signed.await?;
        let keys = SigningKeys::read(&session.config.settings)?;
        Ok((files, PackageSignature::verified(signer, &keys)))
    }

    /// The error of a push whose only token is the one that signs.
    pub(super) fn publishes_nothing(&self) -> anyhow::Error {
        let text = format!(
            "the identity token in {} is for `{AUDIENCE}`: it signs, and publishes nothing",
            self.identity.place()
        );
        Problem::user(text)
            .hint(
                "give a second one, for the registry: --identity-token FILE, or TOOL_HUB_ID_TOKEN",
            )
            .hint("or publish with a token of yours: tool login")
            .into()
    }
}

fn no_identity(given: &GivenIdentities) -> anyhow::Error {
    let text = format!("there is no identity token for `{AUDIENCE}`, and --keyless signs as one");
    let mut problem = Problem::user(text);
    if let Some(other) = &given.publishes {
        problem = problem.hint(format!(
            "the one in {} is for `{}`: one that signs and one that publishes are two tokens",
            other.place(),
            other.audiences().join("`, `")
        ));
    }
    problem
        .hint("give it in a file with --identity-token, in SIGSTORE_ID_TOKEN (GitLab: `aud: sigstore`), or let GitHub's job have `id-token: write`")
        .into()
}

/// Refuses a token that no Sigstore would take, before anything is asked for.
fn check(token: &IdentityToken, place: &str) -> anyhow::Result<()> {
    let refused = |text: String, hint: &str| Err(Problem::user(text).hint(hint).into());
    let Some(claims) = token.claims() else {
        let text = format!("{place} holds no identity token: it is not a JSON Web Token");
        return refused(
            text,
            "see that it holds the token of the build service alone",
        );
    };
    if !claims.audiences.iter().any(|it| it == AUDIENCE) {
        let found = claims.audiences.join("`, `");
        let text = format!("the identity token in {place} is for `{found}`, expected `{AUDIENCE}`");
        return refused(
            text,
            "have the build service make one with the audience `sigstore`",
        );
    }
    let is_over = |it: SystemTime| it <= SystemTime::now();
    if claims.expires.is_some_and(is_over) {
        let text = format!("the identity token in {place} has expired");
        return refused(
            text,
            "have the build service make another one right before the push",
        );
    }
    Ok(())
}
