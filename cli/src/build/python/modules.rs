//! Finds the Python modules that a module imports, and those that they import, by their files.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use tool_hub_source::{Import, SOURCE_BYTES_MAX, imports};

use crate::files::{self, Limit};

/// The most modules that are examined.
pub(super) const FILES_MAX: usize = 1_000;

/// The modules in `directories` that loading `entries` loads or may load later: their files, with
/// the imports of each. Files that cannot be parsed are there without imports.
pub(super) fn reached(directories: &[&Path], entries: &[&str]) -> BTreeMap<String, Vec<Import>> {
    let mut modules = BTreeMap::new();
    let mut waiting: VecDeque<String> = entries.iter().map(|it| (*it).to_owned()).collect();
    while let Some(file) = waiting.pop_front() {
        if modules.contains_key(&file) || modules.len() == FILES_MAX {
            continue;
        }
        let limit = Limit {
            name: "SOURCE_BYTES_MAX",
            bytes_max: SOURCE_BYTES_MAX,
            hint: "",
        };
        let Some(directory) = directories.iter().find(|it| it.join(&file).is_file()) else {
            continue;
        };
        let text = files::read(&directory.join(&file), &file, &limit);
        let text = text.and_then(|bytes| files::text(bytes, &file));
        let found = text.ok().and_then(|text| imports(&text).ok());
        let found = found.unwrap_or_default();
        for import in &found {
            let module = absolute(&file, &import.module);
            let below = import.name.as_ref().map(|name| format!("{module}.{name}"));
            let names = [Some(module), below].into_iter().flatten();
            waiting.extend(names.flat_map(|name| files_of(directories, &name)));
        }
        modules.insert(file, found);
    }
    modules
}

/// The absolute name of the module that the module in `file` imports as `name`.
fn absolute(file: &str, name: &str) -> String {
    let below = name.trim_start_matches('.');
    let dots = name.len() - below.len();
    if dots == 0 {
        return name.to_owned();
    }
    let package: Vec<&str> = file.split('/').collect();
    let package = &package[..package.len().saturating_sub(dots)];
    let parts = package.iter().copied().chain(below.split('.'));
    parts
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(".")
}

/// The files of a module and of the packages that it is in, as far as they are in `directories`.
fn files_of(directories: &[&Path], module: &str) -> Vec<String> {
    let ends = module.match_indices('.').map(|(end, _)| end);
    let names = ends.chain([module.len()]).map(|end| &module[..end]);
    names
        .filter_map(|name| file_of(directories, name))
        .collect()
}

/// The file of a module, if it is in `directories`.
pub(super) fn file_of(directories: &[&Path], module: &str) -> Option<String> {
    let path = module.replace('.', "/");
    let files = [format!("{path}/__init__.py"), format!("{path}.py")];
    files.into_iter().find(|file| {
        !path.is_empty()
            && directories
                .iter()
                .any(|directory| directory.join(file).is_file())
    })
}

/// The name of the module in `file`, and whether it is a package.
pub(super) fn name_of(file: &str) -> (String, bool) {
    let name = file.strip_suffix(".py").unwrap_or(file);
    match name.strip_suffix("/__init__") {
        Some(package) => (package.replace('/', "."), true),
        None => (name.replace('/', "."), false),
    }
}
