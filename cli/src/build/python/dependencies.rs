//! Reads the names of the packages that a Python project depends on.
//! They are in `pyproject.toml`, `requirements.txt` and the block at the top of a script (PEP 723).

use std::path::Path;

use toml_edit::{DocumentMut, Item};

use super::requirement::is_package;
use crate::files;
use crate::terminal::problem::Problem;

const PROJECT: &str = "pyproject.toml";
pub(super) const REQUIREMENTS: &str = "requirements.txt";
/// The line that begins the block of a script.
const SCRIPT_BLOCK: &str = "# /// script";

/// The requirements of the project in `directory`, whose functions are in the file `script`, as
/// pip reads them (PEP 508). There are none where no file names any.
///
/// # Errors
/// When a file cannot be read, or a requirement is something other than a package of a registry.
pub(super) fn requirements(directory: &Path, script: Option<&str>) -> anyhow::Result<Vec<String>> {
    let mut all = Vec::new();
    let mut add = |file: &str, found: Vec<String>| -> anyhow::Result<()> {
        for requirement in found {
            check(file, &requirement)?;
            all.push(requirement);
        }
        Ok(())
    };
    if let Some(text) = files::read_if_present(&directory.join(PROJECT))? {
        add(PROJECT, of_project(&text)?)?;
    }
    if let Some(text) = files::read_if_present(&directory.join(REQUIREMENTS))? {
        add(REQUIREMENTS, of_requirements(&text))?;
    }
    if let Some(script) = script {
        add(script, block_requirements(directory, script)?)?;
    }
    Ok(all)
}

/// The requirements in the block at the top of `script`.
///
/// # Errors
/// When it cannot be read, or is not TOML.
pub(super) fn block_requirements(directory: &Path, script: &str) -> anyhow::Result<Vec<String>> {
    let text = files::read_if_present(&directory.join(script))?;
    match text.and_then(|text| block_of(&text)) {
        Some(block) => dependencies(script, &block, &["dependencies"]),
        None => Ok(Vec::new()),
    }
}

fn of_project(text: &str) -> anyhow::Result<Vec<String>> {
    let found = dependencies(PROJECT, text, &["project", "dependencies"])?;
    if found.is_empty() && text.contains("[tool.poetry.dependencies]") {
        return Err(
            Problem::user(format!("{PROJECT} names its dependencies for poetry"))
                .hint("name them as `dependencies` in [project], which poetry 2 reads too")
                .into(),
        );
    }
    Ok(found)
}

/// The texts of the array at `path` in a document of TOML.
fn dependencies(file: &str, text: &str, path: &[&str]) -> anyhow::Result<Vec<String>> {
    let document: DocumentMut = text
        .parse()
        .map_err(|error| Problem::user(format!("{file} is not TOML")).caused_by(error))?;
    let mut place = Some(document.as_item());
    for key in path {
        place = place.and_then(|item| item.get(key));
    }
    let texts = place.and_then(Item::as_array).map(|array| {
        let texts = array.iter().map(|item| item.as_str().map(str::to_owned));
        texts.collect::<Option<Vec<String>>>()
    });
    match (place, texts) {
        (None, _) => Ok(Vec::new()),
        (_, Some(Some(texts))) => Ok(texts),
        _ => Err(Problem::user(format!(
            "`{}` in {file} is no list of texts",
            path.join(".")
        ))
        .hint("write it as: dependencies = [\"requests>=2.32\"]")
        .into()),
    }
}

/// The lines of a file of requirements, without comments. A line that ends in a backslash goes on.
fn of_requirements(text: &str) -> Vec<String> {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let lines = joined.lines().map(|line| {
        let end = match line.starts_with('#') {
            true => Some(0),
            false => line.find(" #"),
        };
        let words = line[..end.unwrap_or(line.len())].split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    });
    lines.filter(|line| !line.is_empty()).collect()
}

/// The TOML in the block of metadata of a script.
fn block_of(script: &str) -> Option<String> {
    let mut lines = script.lines();
    lines.find(|line| line.trim_end() == SCRIPT_BLOCK)?;
    let mut block = String::new();
    for line in lines {
        let text = line.strip_prefix('#')?;
        if text.trim() == "///" {
            return Some(block);
        }
        block.push_str(text.strip_prefix(' ').unwrap_or(text));
        block.push('\n');
    }
    None
}

/// Refuses what is not a package of a registry: an option of pip, an address, a path.
fn check(file: &str, requirement: &str) -> anyhow::Result<()> {
    let refused = |why: &str, hint: &str| {
        let problem = format!("{file} asks for `{requirement}`: {why}");
        Err(Problem::user(problem).hint(hint.to_owned()).into())
    };
    if requirement.starts_with('-') {
        return refused(
            "options of pip are not taken",
            "name packages only; an index of your own belongs into pip's configuration: pip config \
             set global.index-url URL",
        );
    }
    if !is_package(requirement) {
        return refused(
            "it is not a package of a registry",
            "name the package and its versions, such as: requests>=2.32",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_found(project: &[(&str, &str)], expect: Result<&[&str], &str>) {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in project {
            files::write(&directory.path().join(path), text.as_bytes()).unwrap();
        }
        let found = requirements(directory.path(), Some("app.py"));
        match (found, expect) {
            (Ok(found), Ok(expect)) => assert_eq!(found, expect),
            (Err(error), Err(expect)) => assert_eq!(error.to_string(), expect),
            (found, expect) => panic!("expected {expect:?}, found {found:?}"),
        }
    }

    #[test]
    fn each_file_that_names_packages_counts() {
        check_found(&[("app.py", "import x\n")], Ok(&[]));
        check_found(
            &[
                (
                    "pyproject.toml",
                    "[project]\nname = \"x\"\ndependencies = [\"httpx[http2]>=0.27\", \"a; python_version < '4'\"]\n",
                ),
                (
                    "requirements.txt",
                    "\n# it needs\nrequests >= 2.32  # for HTTP\n\nidna==3.7 \\\n    --hash=sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n",
                ),
                (
                    "app.py",
                    "# /// script\n# requires-python = \">=3.12\"\n# dependencies = [\n#   \"rich\",\n# ]\n# ///\nimport rich\n",
                ),
            ],
            Ok(&[
                "httpx[http2]>=0.27",
                "a; python_version < '4'",
                "requests >= 2.32",
                "idna==3.7 --hash=sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                "rich",
            ]),
        );
    }

    #[test]
    fn what_is_no_package_of_a_registry_is_refused() {
        for (line, why) in [
            ("-r other.txt", "options of pip are not taken"),
            (
                "--index-url https://x.example",
                "options of pip are not taken",
            ),
            ("./here", "it is not a package of a registry"),
            (
                "x @ https://x.example/x.whl",
                "it is not a package of a registry",
            ),
            (
                "git+https://x.example/x",
                "it is not a package of a registry",
            ),
            ("C:\\x.whl", "it is not a package of a registry"),
            ("x --global-option=y", "it is not a package of a registry"),
        ] {
            let said = format!("requirements.txt asks for `{line}`: {why}");
            check_found(&[("requirements.txt", line)], Err(&said));
        }
        check_found(
            &[("pyproject.toml", "[project]\ndependencies = \"x\"")],
            Err("`project.dependencies` in pyproject.toml is no list of texts"),
        );
        check_found(
            &[(
                "pyproject.toml",
                "[tool.poetry.dependencies]\nrequests = \"*\"\n",
            )],
            Err("pyproject.toml names its dependencies for poetry"),
        );
    }
}
