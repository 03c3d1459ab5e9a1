//! Compares the methods of a Python project's classes with the functions of its WIT before a build.
//! A method that takes other arguments would fail only when an agent calls it.

use tool_hub_source::{Method, methods};

use crate::build::project::Project;
use crate::files;
use crate::scaffold::upper_camel;
use crate::terminal::problem::Problem;

/// The longest module that is compared.
const BYTES_MAX: u64 = 1 << 20;

/// Checks the classes in the file `source` of the project.
pub(super) fn check(project: Project<'_>, source: &str) -> anyhow::Result<()> {
    let bytes = files::read_regular(&project.directory.join(source), BYTES_MAX)?;
    let Ok(text) = String::from_utf8(bytes) else {
        return Ok(());
    };
    let methods = methods(&text);
    for export in project.docs.exports() {
        let (Some(interface), Some(parameters)) =
            (export.interface(), project.docs.parameters(&export))
        else {
            continue;
        };
        let path = interface.split('@').next().unwrap_or(interface);
        let class = upper_camel(path.rsplit('/').next().unwrap_or(path));
        let name = export.function().replace('-', "_");
        let mut found = methods.iter();
        let Some(method) = found.find(|it| it.class == class && it.name == name) else {
            continue;
        };
        if let Some(problem) = difference(method, parameters) {
            let place = method.position.line;
            let hint = format!(
                "write it as wit/world.wit declares it: `def {name}({})`",
                declared(parameters)
            );
            return Err(
                Problem::user(format!("{source}:{place}: `{class}.{name}` {problem}"))
                    .hint(hint)
                    .into(),
            );
        }
    }
    Ok(())
}

/// The difference of a method from the function that it is for, in words.
fn difference(method: &Method, parameters: &[String]) -> Option<String> {
    if method.is_async {
        return Some("is async, and its function in wit/world.wit is not".to_owned());
    }
    let count = method.arguments.as_ref()?;
    (!count.contains(&parameters.len())).then(|| {
        let (least, most) = (count.start(), count.end());
        let takes = match least == most {
            true => least.to_string(),
            false => format!("{least} to {most}"),
        };
        format!(
            "has the wrong number of arguments beside `self`: {takes}, and its function in \
             wit/world.wit has {}",
            parameters.len()
        )
    })
}

fn declared(parameters: &[String]) -> String {
    let names = parameters.iter().map(|name| name.replace('-', "_"));
    let names = std::iter::once("self".to_owned()).chain(names);
    names.collect::<Vec<_>>().join(", ")
}
