//! The command of componentize-qjs, which makes components of JavaScript, and its pinned packages.

use std::path::Path;

use crate::build::process;
use crate::build::project::Project;
use crate::build::toolchain::{NPM_CI, Toolchain};
use crate::session::Session;

/// jco's back end by itself: jco brings eight times as much, none of which is used here.
pub(super) const COMPONENTIZE_QJS: Toolchain<'_> = Toolchain {
    name: "componentize-qjs-0.4.5",
    lock: &[
        ("package.json", include_str!("package.json")),
        ("package-lock.json", include_str!("package-lock.json")),
    ],
    install: &NPM_CI,
};

/// A run of componentize-qjs.
pub(super) struct Componentize<'a> {
    pub(super) wit: &'a Path,
    pub(super) world: &'a str,
    /// The module that it makes a component of.
    pub(super) js: &'a Path,
}

impl Componentize<'_> {
    /// Makes the component `output`.
    pub(super) async fn run(
        &self,
        project: Project<'_>,
        toolchain: &Path,
        output: &Path,
        session: &Session,
    ) -> anyhow::Result<()> {
        let mut building = project.command(toolchain.join(".bin/componentize-qjs"));
        building
            .arg("--wit")
            .arg(self.wit)
            .arg("--js")
            .arg(self.js)
            .args(["--world", self.world, "--sync", "--output"])
            .arg(output)
            .current_dir(project.scratch);
        let doing = "building with componentize-qjs";
        process::run(doing, &mut building, &session.printer).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_package_of_the_toolchain_is_named_by_a_hash() {
        let (_, lock) = COMPONENTIZE_QJS.lock[1];
        let lock: Value = serde_json::from_str(lock).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        assert!(packages.len() > 2);
        for (place, package) in packages.iter().filter(|(place, _)| !place.is_empty()) {
            let hash = package["integrity"].as_str().unwrap_or_default();
            assert!(hash.starts_with("sha512-"), "{place}: {hash:?}");
            let elsewhere = ["resolved", "link"].map(|key| package.get(key));
            assert_eq!(elsewhere, [None, None], "{place}");
        }
    }

    #[test]
    fn no_package_runs_a_script() {
        assert_eq!(COMPONENTIZE_QJS.install, NPM_CI);
        assert!(NPM_CI.contains(&"--ignore-scripts"));
        assert_eq!(NPM_CI[..2], ["npm", "ci"], "which takes what the lock says");
    }
}
