//! Pins the interpreter of another package for a project, with its author's consent, and gets it.
//!
//! The interpreter runs the author's code in the sandbox, with the rights of the tool, and does so
//! for all who load the tool. So it is shown and agreed to once, and its digest is written into the
//! project. Whoever changes that file may change the project's code as well: it needs no consent of
//! another kind than the code does.

use std::path::Path;

use anyhow::Context as _;
use toml_edit::{DocumentMut, value};
use tool_hub_host::inspect;
use tool_hub_manifest::{Capabilities, Digest, Interpreter, Revision, ToolRef, package_file};
use tool_hub_toolbox::fetched::{Fetched, FetchedFrom};
use tool_hub_toolbox::provenance::Provenance;
use tool_hub_toolbox::subject::Subject;
use url::Url;

use super::lock::{InterpreterLock, LOCK, LockedRepo};
use super::recipe::Recipe;
use crate::consent::approval::Terminal;
use crate::files;
use crate::session::Session;
use crate::terminal::escape::escape_line;
use crate::terminal::problem::Problem;
use crate::toolbox::fetching;

/// The interpreter that a project is to take.
#[derive(Debug, Clone, Copy)]
pub(in crate::build) struct Wanted<'a> {
    /// The package that has it: a reference, or a path from the project's directory.
    pub(in crate::build) named: &'a str,
    /// The digest of the interpreter that the author approves without being asked.
    pub(in crate::build) approved: Option<Digest>,
    /// The recipes of which the project's interpreter may be.
    pub(in crate::build) recipes: &'a [Recipe],
}

/// True if the lock of the project in `directory` is of the package `named`.
///
/// # Errors
/// When the lock cannot be read.
pub(in crate::build) fn is_pinned(named: &str, directory: &Path) -> anyhow::Result<bool> {
    let lock = InterpreterLock::read(directory)?;
    Ok(lock.is_some_and(|lock| lock.named == named))
}

/// Gets the package that is named, asks the author about its interpreter unless the lock has the
/// same, and writes the lock of the project in `directory`.
///
/// # Errors
/// When the package cannot be had, has no interpreter or one of another recipe, and when the author
/// does not agree.
pub(in crate::build) async fn pin(
    wanted: Wanted<'_>,
    directory: &Path,
    session: &Session,
) -> anyhow::Result<()> {
    let Wanted { named, recipes, .. } = wanted;
    let before = InterpreterLock::read(directory)?;
    let endpoint = &session.config.settings.endpoint;
    let fetched = fetch(&subject(named, directory), endpoint, session).await?;
    // It also holds what the package claims against its bytes.
    inspect(&fetched.verified)?;
    let Some(interpreter) = fetched.verified.interpreter() else {
        return Err(Problem::user(format!(
            "`{named}` has no interpreter: its component needs none"
        ))
        .hint("name a tool in the same language: Python, or functions in JavaScript or TypeScript")
        .into());
    };
    let found = Recipe::of(interpreter);
    let fits = |found: &Recipe| recipes.iter().any(|recipe| recipe.is_met_by(found));
    if !found.as_ref().is_some_and(fits) {
        return Err(other_recipe(named, found.as_ref(), recipes));
    }
    let digest = interpreter.digest();
    if before.is_none_or(|before| before.interpreter != digest) {
        consent(wanted, &fetched, interpreter, found.as_ref(), session).await?;
    }
    let lock = InterpreterLock::new(
        named,
        fetched.verified.manifest().version.clone(),
        digest,
        *fetched.verified.pin(),
        locked_repo(&fetched.origin),
    );
    lock.write(directory)?;
    session.printer.note(&format!(
        "{LOCK} pins the interpreter of {named} {}: {digest}",
        lock.version
    ));
    Ok(())
}

/// The interpreter that the lock of the project in `directory` pins for the package `named`.
///
/// # Errors
/// When there is no such lock, when the package cannot be had, and when its interpreter is another
/// one than was pinned, or of another recipe.
pub(super) async fn pinned(
    named: &str,
    recipe: &Recipe,
    directory: &Path,
    session: &Session,
) -> anyhow::Result<Interpreter> {
    let lock = InterpreterLock::read(directory)?.filter(|lock| lock.named == named);
    let lock = lock.ok_or_else(|| {
        Problem::user(format!("{LOCK} does not pin the interpreter of `{named}`")).hint(format!(
            "look at it and pin it with: tool build {}",
            directory.display()
        ))
    })?;
    let interpreter = locked(&lock, directory, session).await?;
    let found = interpreter.as_ref().map(Interpreter::digest);
    let Some(interpreter) = interpreter.filter(|it| it.digest() == lock.interpreter) else {
        let found = found.map_or_else(|| "none".to_owned(), |digest| digest.to_string());
        return Err(Problem::refused(format!(
            "{LOCK} pins the interpreter {} of `{named}`, which has {found}",
            lock.interpreter
        ))
        .hint(format!(
            "look at the other one and take it with: tool build --interpreter {named}"
        ))
        .into());
    };
    match Recipe::of(&interpreter) {
        Some(found) if recipe.is_met_by(&found) => Ok(interpreter),
        found => Err(other_recipe(
            named,
            found.as_ref(),
            std::slice::from_ref(recipe),
        )),
    }
}

/// The interpreter of the package that `lock` names: from the store, a registry or a directory.
async fn locked(
    lock: &InterpreterLock,
    directory: &Path,
    session: &Session,
) -> anyhow::Result<Option<Interpreter>> {
    let settings = &session.config.settings;
    let verified = match &lock.registry {
        None => {
            let subject = subject(&lock.named, directory);
            fetch(&subject, &settings.endpoint, session).await?.verified
        }
        Some(at) => match settings.open_store()?.get(&lock.pin()) {
            Ok(verified) => verified,
            Err(_) => {
                let reference = ToolRef {
                    repo: at.repo.clone(),
                    revision: Revision::Commit(at.commit.clone()),
                };
                let text = reference.to_string();
                let subject = Subject::Reference(Ok(reference), text);
                fetch(&subject, &at.endpoint, session).await?.verified
            }
        },
    };
    Ok(verified.interpreter().cloned())
}

/// Writes the package into `[build]` of the manifest in `directory`.
pub(in crate::build) fn name_in_manifest(named: &str, directory: &Path) -> anyhow::Result<()> {
    let path = directory.join(package_file::MANIFEST);
    let text = files::read_if_present(&path)?.unwrap_or_default();
    let mut document: DocumentMut = text
        .parse()
        .with_context(|| format!("{} cannot be read", path.display()))?;
    document["build"]["interpreter"] = value(named);
    Ok(files::write(&path, document.to_string().as_bytes())?)
}

/// What `named` stands for in the manifest in `directory`, from where its paths go.
fn subject(named: &str, directory: &Path) -> Subject {
    let Ok(subject) = named.parse();
    match subject {
        Subject::Path(path) if !named.starts_with('~') => Subject::Path(directory.join(path)),
        subject => subject,
    }
}

async fn fetch(subject: &Subject, endpoint: &Url, session: &Session) -> anyhow::Result<Fetched> {
    fetching::fetch(subject, Capabilities::default(), endpoint, session).await
}

fn locked_repo(origin: &FetchedFrom) -> Option<LockedRepo> {
    match origin {
        FetchedFrom::Registry {
            endpoint, resolved, ..
        } => Some(LockedRepo {
            endpoint: endpoint.clone(),
            repo: resolved.repo.clone(),
            commit: resolved.commit.clone(),
        }),
        FetchedFrom::File { .. } | FetchedFrom::Server { .. } | FetchedFrom::Approved(_) => None,
    }
}

/// Shows whose interpreter it is, and obtains the author's consent to it.
async fn consent(
    wanted: Wanted<'_>,
    fetched: &Fetched,
    interpreter: &Interpreter,
    recipe: Option<&Recipe>,
    session: &Session,
) -> anyhow::Result<()> {
    let Session { config, printer } = session;
    let Wanted {
        named, approved, ..
    } = wanted;
    let digest = interpreter.digest();
    let provenance = Provenance::of(fetched, &config.settings, printer).await;
    let report = report(
        fetched,
        interpreter,
        recipe,
        provenance.published.as_deref(),
    );
    let mut terminal = match approved {
        Some(approved) if approved == digest => {
            printer.note(&report);
            return Ok(());
        }
        Some(approved) => {
            printer.note(&report);
            return Err(Problem::refused(format!(
                "the approval names {approved}, but the interpreter of `{named}` is {digest}"
            ))
            .hint("look at the package again, and approve the digest that is shown of its interpreter")
            .into());
        }
        None => Terminal::open().ok_or_else(|| {
            printer.note(&report);
            Problem::refused(format!(
                "the interpreter of `{named}` is not approved, and nobody is there to ask"
            ))
            .hint("look at the package, then add --approve with the digest of its interpreter")
        })?,
    };
    printer.before_a_question(&report);
    match terminal
        .ask("Use it for this tool? Type yes to approve: ")?
        .trim()
    {
        "yes" => Ok(()),
        _ => Err(Problem::refused(format!(
            "the interpreter of `{named}` was not approved; nothing was changed"
        ))
        .hint("only the whole word yes approves")
        .into()),
    }
}

/// The lines on an interpreter that a person decides by. The printer escapes them.
fn report(
    fetched: &Fetched,
    interpreter: &Interpreter,
    recipe: Option<&Recipe>,
    published: Option<&str>,
) -> String {
    let manifest = fetched.verified.manifest();
    let mut lines = vec![
        "The tool is to run on the interpreter of another package:".to_owned(),
        format!("  package      {} {}", manifest.name, manifest.version),
        format!("  from         {}", fetched.subject()),
    ];
    if let FetchedFrom::Registry {
        endpoint, resolved, ..
    } = &fetched.origin
    {
        let day = published.map_or_else(String::new, |day| format!(", {}", escape_line(day)));
        lines.push(format!("  registry     {endpoint}"));
        lines.push(format!("  publisher    {}{day}", resolved.repo.owner()));
    }
    lines.push(format!(
        "  interpreter  {}, {} bytes",
        interpreter.digest(),
        interpreter.component().len()
    ));
    lines.extend(recipe.map(|recipe| format!("  made as      {recipe}, it says")));
    lines.push(
        "It will run your code in the sandbox, with the rights of your tool, here and for all who \
         load it."
            .to_owned(),
    );
    lines.join("\n")
}

/// The refusal of an interpreter that was made of something else than is needed.
fn other_recipe(named: &str, found: Option<&Recipe>, needed: &[Recipe]) -> anyhow::Error {
    let found = match found {
        Some(found) => format!("is {found}"),
        None => "does not say what it is made of".to_owned(),
    };
    let needed: Vec<String> = needed.iter().map(Recipe::to_string).collect();
    Problem::user(format!(
        "the interpreter of `{named}` {found}; this build needs {}",
        needed.join(", or ")
    ))
    .hint(
        "name a package of such an interpreter, built by the same version of the command; or remove \
         `interpreter` from tool.toml to have one made here",
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_goes_from_the_project() {
        for (named, path) in [
            ("../weather", Some("/p/../weather")),
            ("/x/weather", Some("/x/weather")),
            ("~/weather", Some("~/weather")),
            ("ada/weather@1.2.0", None),
        ] {
            let found = match subject(named, Path::new("/p")) {
                Subject::Path(path) => Some(path.display().to_string()),
                Subject::Reference(..) | Subject::Server(_) => None,
            };
            assert_eq!(found.as_deref(), path, "{named}");
        }
    }

    #[test]
    fn the_manifest_keeps_what_else_it_says() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(package_file::MANIFEST);
        let text =
            "# Mine.\nschema = 1\n\n[build]\nlanguage = \"python\" # of course\n\n[limits]\n";
        files::write(&path, text.as_bytes()).unwrap();
        name_in_manifest("ada/weather@1.2.0", directory.path()).unwrap();
        name_in_manifest("../weather", directory.path()).unwrap();
        let expect = text.replace("course\n", "course\ninterpreter = \"../weather\"\n");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expect);
    }

    #[test]
    fn a_refusal_says_what_is_needed_and_what_was_found() {
        let recipe = |sources: u32| Recipe::new("python-interpreter", &serde_json::json!(sources));
        let (found, needed) = (recipe(1), recipe(2));
        let refusal = other_recipe("a/b", Some(&found), std::slice::from_ref(&needed));
        let expect = format!("the interpreter of `a/b` is {found}; this build needs {needed}");
        assert_eq!(refusal.to_string(), expect);
        let refusal = other_recipe("a/b", None, &[needed.clone(), found]);
        assert!(
            refusal
                .to_string()
                .contains("does not say what it is made of")
        );
    }
}
