//! Gives the modules in a bundle names that are the same on every machine.
//!
//! esbuild names each module that it wraps, and in comments all, by the path from the directory in
//! which it runs. That would tell of directories of this machine, and differ from build to build.

use std::collections::BTreeMap;
use std::path::Path;

use super::packages::IN_PACKAGES;

/// The names of modules that are to be others.
pub(super) struct ModuleNames(BTreeMap<String, String>);

/// A change of length in a text: the line and the column behind it, from 0 and in UTF-16, before
/// any change, and how far it moves what follows in the line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shift {
    pub(super) line: usize,
    pub(super) column: i64,
    pub(super) by: i64,
}

impl ModuleNames {
    /// The new names for those `modules` of a bundle that are in packages or in `scratch`; their
    /// paths begin in `directory`.
    pub(super) fn of<'a>(
        modules: impl Iterator<Item = &'a str>,
        directory: &Path,
        scratch: &Path,
    ) -> Self {
        let scratch = scratch.canonicalize().unwrap_or_default();
        let names = modules.filter_map(|module| {
            let path = directory.join(module).canonicalize().ok()?;
            let full = path.to_string_lossy().replace('\\', "/");
            let name = match full.rsplit_once(IN_PACKAGES) {
                Some((_, within)) => format!("node_modules/{within}"),
                // What lies in the directory is called so on every machine.
                None if !module.starts_with("..") => return None,
                None => path.strip_prefix(&scratch).ok()?.display().to_string(),
            };
            Some((module.to_owned(), name))
        });
        Self(names.filter(|(before, after)| before != after).collect())
    }

    /// The bundle `text` with the new names, and what moved in it.
    pub(super) fn applied(&self, text: &str) -> (String, Vec<Shift>) {
        let mut shifts = Vec::new();
        let lines: Vec<String> = text
            .split('\n')
            .enumerate()
            .map(|(number, line)| self.applied_to_line(number, line, &mut shifts))
            .collect();
        (lines.join("\n"), shifts)
    }

    fn applied_to_line(&self, number: usize, line: &str, shifts: &mut Vec<Shift>) -> String {
        if let Some(name) = line.trim_start().strip_prefix("// ")
            && let Some(after) = self.0.get(name)
        {
            return line.replace(name, after);
        }
        let (mut out, mut done) = (String::new(), 0);
        // A wrapper is an object with one method, which has the name: `{"../a.js"(exports) {`.
        for (end, _) in line.match_indices("\"(") {
            let Some(start) = line[done..end].rfind('"').map(|at| done + at + 1) else {
                continue;
            };
            let name = &line[start..end];
            let Some(after) = self.0.get(name) else {
                continue;
            };
            out.push_str(&line[done..start]);
            out.push_str(after);
            done = end;
            shifts.push(Shift {
                line: number,
                column: length(&line[..end]),
                by: length(after) - length(name),
            });
        }
        out.push_str(&line[done..]);
        out
    }
}

/// The length of a text in columns of a source map.
fn length(text: &str) -> i64 {
    i64::try_from(text.encode_utf16().count()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;

    #[test]
    fn names_tell_of_no_directory_of_this_machine() {
        let machine = tempfile::tempdir().unwrap();
        let at = |path: &str| {
            let path = machine.path().join(path);
            files::write(&path, b"").unwrap();
            path
        };
        at("home/ada/cache/packages-1/node_modules/@a/b/index.js");
        at("tmp/tool-build-x1/web/url.js");
        at("home/ada/other/shared.js");
        let project = at("home/ada/project/tool.js").parent().unwrap().to_owned();
        let scratch = machine.path().join("tmp/tool-build-x1");
        let package = "../cache/packages-1/node_modules/@a/b/index.js";
        let web = "../../../tmp/tool-build-x1/web/url.js";
        let modules = [package, web, "tool.js", "../other/shared.js"];
        let names = ModuleNames::of(modules.into_iter(), &project, &scratch);
        let text = format!(
            "// {web}\nvar a = __esm({{\n  \"{web}\"() {{\n    f(\"{web}\");\n  }}\n}});\n\
             var b=c({{\"{package}\"(e,m){{é(\"é\");}}}}),d=c({{\"{package}\"(){{}}}}),\
             e=c({{\"../other/shared.js\"(){{}}}});"
        );
        let (named, shifts) = names.applied(&text);
        let expect = format!(
            "// web/url.js\nvar a = __esm({{\n  \"web/url.js\"() {{\n    f(\"{web}\");\n  }}\n}});\n\
             var b=c({{\"node_modules/@a/b/index.js\"(e,m){{é(\"é\");}}}}),\
             d=c({{\"node_modules/@a/b/index.js\"(){{}}}}),e=c({{\"../other/shared.js\"(){{}}}});"
        );
        assert_eq!(named, expect);
        let by = length("node_modules/@a/b/index.js") - length(package);
        let second = 10 + length(package) + 24;
        assert_eq!(
            shifts[1..],
            [
                Shift {
                    line: 6,
                    column: 10 + length(package),
                    by
                },
                Shift {
                    line: 6,
                    column: second + length(package),
                    by
                },
            ]
        );
    }
}
