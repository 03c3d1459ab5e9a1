//! Fetches one package of PyPI and unpacks it, to read its files. Nothing of it runs.

use std::path::{Path, PathBuf};

use tokio::process::Command;

use super::packages::INSTALLED;
use super::requirement::is_package;
use super::resolution::{PURE, run_pip};
use crate::build::walk::Walk;
use crate::files;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// A package that was unpacked into a directory.
pub(crate) struct UnpackedPackage {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The license, as an SPDX expression.
    pub(crate) license: Option<String>,
    /// The texts of licenses, by their names.
    pub(crate) license_texts: Vec<(String, String)>,
    /// Its modules, as paths in the directory.
    pub(crate) modules: Vec<String>,
    /// The packages that it needs, as requirements.
    pub(crate) needs: Vec<String>,
    /// The programs that it installs: their names, and the functions that they call, such as
    /// `module:function`.
    pub(crate) programs: Vec<(String, String)>,
}

impl UnpackedPackage {
    /// Unpacks the wheel of the package that `requirement` names, without what it depends on, into
    /// `directory`. What it depends on is written to `requirements.txt` there.
    ///
    /// # Errors
    /// When it is no package of a registry, has no wheel in pure Python, or cannot be fetched.
    pub(crate) async fn fetch(
        requirement: &str,
        directory: &Path,
        printer: &Printer,
    ) -> anyhow::Result<Self> {
        if !is_package(requirement) || requirement.contains([';', '[', ' ']) {
            return Err(
                Problem::user(format!("`{requirement}` is not a package of PyPI"))
                    .hint("write its name, or its name and version: pypi:PACKAGE==1.2.3")
                    .into(),
            );
        }
        let pip = |more: &[&str]| {
            let mut pip = Command::new("python3");
            pip.args(["-m", "pip", "install", "--no-deps"])
                .args(PURE)
                .args(more)
                .arg("--target")
                .arg(directory)
                .arg(requirement)
                // Never the user's working directory, from which `python3 -m` imports first.
                .current_dir(directory);
            pip
        };
        run_pip("fetching the package with pip", pip, printer).await?;
        Self::read(directory)
    }

    fn read(directory: &Path) -> anyhow::Result<Self> {
        let is_text = |path: &str, place: &Path| {
            !place.is_symlink()
                && (place.is_dir() || path.ends_with(".py") || path.contains(".dist-info/"))
        };
        let mut walk = Walk::new(directory, INSTALLED);
        let found = walk.files(directory, &is_text)?;
        let (records, modules): (Vec<_>, Vec<_>) = found
            .into_iter()
            .partition(|(path, _)| path.contains(".dist-info/"));
        let mut text_of = |wanted: &dyn Fn(&str) -> bool| -> anyhow::Result<Vec<(String, String)>> {
            let wanted = records.iter().filter(|(path, _)| wanted(path));
            let texts = wanted.map(|(path, place): &(String, PathBuf)| {
                let name = path.rsplit('/').next().unwrap_or(path).to_owned();
                Ok((
                    name,
                    String::from_utf8_lossy(&walk.read(place)?).into_owned(),
                ))
            });
            texts.collect()
        };
        let metadata = text_of(&|path| path.ends_with("/METADATA"))?;
        let entries = text_of(&|path| path.ends_with("/entry_points.txt"))?;
        let entries = entries.into_iter().next().unwrap_or_default().1;
        let license_texts = text_of(&|path| {
            let name = path
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .to_ascii_uppercase();
            ["LICENSE", "LICENCE", "COPYING", "NOTICE"]
                .iter()
                .any(|beginning| name.starts_with(beginning))
        })?;
        let (_, metadata) = metadata.into_iter().next().unwrap_or_default();
        let head = metadata.split("\n\n").next().unwrap_or_default();
        let fields = || head.lines().filter_map(|line| line.split_once(": "));
        let field = |wanted: &str| {
            let mut fields = fields();
            let found = fields.find(|(name, _)| *name == wanted);
            found.map(|(_, text)| text.to_owned())
        };
        let needed = fields().filter(|(name, text)| {
            *name == "Requires-Dist" && !text.contains("extra ==") && is_package(text)
        });
        let needed: Vec<&str> = needed.map(|(_, text)| text).collect();
        files::write(
            &directory.join("requirements.txt"),
            needed.join("\n").as_bytes(),
        )?;
        Ok(Self {
            name: field("Name").unwrap_or_default(),
            version: field("Version").unwrap_or_default(),
            license: field("License-Expression"),
            license_texts,
            modules: modules.into_iter().map(|(path, _)| path).collect(),
            needs: needed.into_iter().map(str::to_owned).collect(),
            programs: programs(&entries),
        })
    }
}

/// The programs in the text of `entry_points.txt`.
fn programs(entries: &str) -> Vec<(String, String)> {
    let mut is_programs = false;
    let mut found = Vec::new();
    for line in entries.lines().map(str::trim) {
        if line.starts_with('[') {
            is_programs = line == "[console_scripts]";
        } else if let (true, Some((name, called))) = (is_programs, line.split_once('=')) {
            let called = called.split('[').next().unwrap_or_default();
            found.push((name.trim().to_owned(), called.trim().to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_those_of_the_console() {
        let text = "[console_scripts]\na-b = a.b:main [x]\nc=c:run\n\n[gui_scripts]\nd = d:main\n";
        let expect = [("a-b", "a.b:main"), ("c", "c:run")];
        let expect = expect.map(|(name, called)| (name.to_owned(), called.to_owned()));
        assert_eq!(programs(text), expect);
    }
}
