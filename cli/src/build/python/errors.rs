//! Words Python's own errors in a project for its author, with a hint for a missing module.

use crate::terminal::problem::Problem;

const NO_MODULE: &str = "ModuleNotFoundError: No module named '";

/// The `error` of a build whose first module is `module`, for the author of the project.
pub(super) fn explained(error: anyhow::Error, module: &str) -> anyhow::Error {
    let said = error.chain().nth(1).map(ToString::to_string);
    match said.as_deref().and_then(python_s_own) {
        Some(said) => cannot_be_loaded(said, module),
        None => error,
    }
}

/// The error of a project whose first module is `module`, of which Python `said` what is wrong.
pub(in crate::build) fn cannot_be_loaded(said: String, module: &str) -> anyhow::Error {
    let missing = said.split_once(NO_MODULE);
    let missing = missing.and_then(|(_, rest)| rest.split_once('\'').map(|(name, _)| name));
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    match missing {
        Some(name) if name == module => Problem::user(format!(
            "there is no Python module `{name}`"
        ))
        .caused_by(said)
        .hint("[build] source in tool.toml names the file of the project that is loaded first"),
        Some(name) => Problem::user(format!("there is no Python module `{name}`"))
            .caused_by(said.clone())
            .hint(format!(
                "install its package into a virtual environment and build while that is active: \
                 python3 -m venv .venv; . .venv/bin/activate; pip install {}",
                name.split('.').next().unwrap_or(name)
            )),
        None => Problem::user(format!(
            "Python cannot load the project: {}",
            last.unwrap_or_default()
        ))
        .caused_by(said),
    }
    .into()
}

/// Python's own error, with the project's files as the author knows them; nothing where there is
/// none.
fn python_s_own(complaint: &str) -> Option<String> {
    let (_, said) = complaint.split_once("AssertionError: ")?;
    let end = ["\nCaused by:", "\nStack backtrace:"];
    let end = end.iter().filter_map(|end| said.find(end)).min();
    let said = said[..end.unwrap_or(said.len())].trim_end();
    let lines = said.lines().map(|line| match line.split_once("File \"/") {
        Some((before, path)) => {
            // The sandbox has each directory of the path by its number.
            let inside = path.split_once('/').filter(|(number, _)| {
                !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
            });
            let path = inside.map_or_else(|| format!("/{path}"), |(_, path)| path.to_owned());
            format!("{before}File \"{path}")
        }
        None => line.to_owned(),
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::diagnosis;

    fn failed(said: &str) -> anyhow::Error {
        let complaint = format!(
            "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n\
             AssertionError: {said}\n\n\nCaused by:\n    again\n\nStack backtrace:\n   0: x"
        );
        Problem::user("building failed").caused_by(complaint).into()
    }

    #[test]
    fn a_module_that_is_missing_is_named_with_what_to_do() {
        let said = "Traceback (most recent call last):\n  File \"/0/app.py\", line 1, in <module>\n    \
                    import yaml.x\nModuleNotFoundError: No module named 'yaml'";
        let error = explained(failed(said), "app");
        assert_eq!(error.to_string(), "there is no Python module `yaml`");
        let cause = error.chain().nth(1).unwrap().to_string();
        assert!(cause.contains("  File \"app.py\", line 1"), "{cause}");
        assert!(!cause.contains("backtrace"), "{cause}");
        let hints = diagnosis::of(&error).hints;
        assert!(hints[0].ends_with("pip install yaml"), "{hints:?}");
        let own = explained(failed("ModuleNotFoundError: No module named 'app'"), "app");
        assert!(diagnosis::of(&own).hints[0].contains("source"));
    }

    #[test]
    fn a_mistake_in_the_code_is_said_first() {
        let said = "  File \"/0/app.py\", line 4\n    return \"x\n           ^\nSyntaxError: unterminated string";
        let error = explained(failed(said), "app");
        assert_eq!(
            error.to_string(),
            "Python cannot load the project: SyntaxError: unterminated string"
        );
        let other: anyhow::Error = Problem::user("building failed").caused_by("no room").into();
        assert_eq!(explained(other, "app").to_string(), "building failed");
    }
}
