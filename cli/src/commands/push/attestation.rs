//! The attestations that `tool push --attestation` publishes: Sigstore bundles in files.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::de::IgnoredAny;
use tool_hub_registry_client::ATTESTATIONS_BYTES_MAX;
use tool_hub_toolbox::package_attestations::PackageAttestations;
use tool_hub_toolbox::settings::Settings;

use crate::files;
use crate::terminal::problem::Problem;

/// The content of `attestations.jsonl` with the bundles in the files at `paths`, each on a line.
pub(super) fn read(paths: &[PathBuf], settings: &Settings) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    for path in paths {
        let bundles = files::read_regular(&settings.place(path), ATTESTATIONS_BYTES_MAX)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        text.extend(lines(bundles, path)?);
    }
    Ok(text)
}

/// The bundles of a file: one that may be written over several lines, or one on each.
fn lines(mut bundles: Vec<u8>, path: &Path) -> anyhow::Result<Vec<u8>> {
    if serde_json::from_slice::<IgnoredAny>(&bundles).is_ok() {
        // No text in JSON has a line break in it, so each is between two words.
        for byte in &mut bundles {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    let lines = bundles.split(|byte| *byte == b'\n');
    let lines = lines
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty());
    let mut text = Vec::new();
    for line in lines {
        if let Err(error) = serde_json::from_slice::<IgnoredAny>(line) {
            let text = format!("{} is not a Sigstore bundle", path.display());
            return Err(Problem::user(text).caused_by(error).into());
        }
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    Ok(text)
}

/// Refuses to publish an attestation that nobody here can tell the publisher of: most likely it is
/// not the one that was meant.
pub(super) fn refuse_unverified(attestations: &PackageAttestations) -> anyhow::Result<()> {
    match attestations.unverified().first() {
        None => Ok(()),
        Some(why) => Err(Problem::refused("the attestation was not published")
            .caused_by(why.clone())
            .hint("trust the root of its certificate: tool key trust NAME FILE")
            .into()),
    }
}
