//! Words the mistakes that the TypeScript compiler finds: the place first, then a cure.

use std::path::Path;

use crate::build::javascript::errors::instead_of_global;
use crate::files;
use crate::terminal::problem::Problem;

/// The longest source of which a line is shown.
const BYTES_MAX: u64 = 1 << 20;
/// The most mistakes that are named beside the first.
const OTHERS_MAX: usize = 9;

/// Modules that are not found, or have no types: esbuild says which are missing.
const OF_MODULES: [&str; 5] = ["TS2307", "TS2792", "TS2882", "TS7016", "TS7058"];

/// The settings of a project.
const SETTINGS_FILE: &str = "tsconfig.json";
/// Messages on settings in a file: another type of value, a name that is nearly known, a file to
/// extend that there is not, and one that extends itself. Others are of settings that do not count.
const OF_SETTINGS: [&str; 4] = ["5024", "5025", "6053", "18000"];
/// Messages on settings that are gone from the compiler and do not count in a check.
const WITHOUT_EFFECT: [&str; 5] = ["5101", "5102", "5107", "5108", "6046"];

/// Cures, by the numbers of the compiler's messages.
const HINTS: [(&[&str], &str); 8] = [
    (
        &["TS2304", "TS2552", "TS2580", "TS2584", "TS2591", "TS2592"],
        "define or import it, or write it as it is defined",
    ),
    (
        &["TS2322", "TS2345", "TS2740", "TS2741", "TS2739"],
        "write a value of that type, or correct the type",
    ),
    (
        &["TS2339", "TS2551", "TS2353", "TS2561"],
        "correct the name, or add it to the type",
    ),
    (
        &[
            "TS2531", "TS2532", "TS2533", "TS18047", "TS18048", "TS18049",
        ],
        "look first if it is there, such as with `if (…)` or `?.`",
    ),
    (
        &["TS18046", "TS2571"],
        "look first what it is, such as `error instanceof Error`",
    ),
    (
        &["TS7005", "TS7006", "TS7019", "TS7031", "TS7034", "TS7053"],
        "write the type beside it; a project whose tsconfig.json says `\"strict\": false` may leave \
         it out",
    ),
    (
        &["TS2554", "TS2555", "TS2769"],
        "give the arguments that it takes",
    ),
    (
        &["TS2355", "TS2366", "TS7030"],
        "return a value at the end, or say `undefined` in the type",
    ),
];

/// A mistake in a file of the project.
#[derive(Debug, PartialEq, Eq)]
struct Mistake<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    code: &'a str,
    message: &'a str,
}

impl<'a> Mistake<'a> {
    /// The mistake in `line` of what the compiler said, if it begins one of the project's own.
    fn parse(line: &'a str) -> Option<Self> {
        let (place, rest) = line.split_once("): error ")?;
        let (file, at) = place.rsplit_once('(')?;
        let (row, column) = at.split_once(',')?;
        let (code, message) = rest.split_once(": ")?;
        let is_elsewhere = file.starts_with(['.', '/']) || file.contains("node_modules/");
        if is_elsewhere || Path::new(file).is_absolute() || OF_MODULES.contains(&code) {
            return None;
        }
        Some(Self {
            file,
            line: row.parse().ok().filter(|it| *it > 0)?,
            column: column.parse().ok().filter(|it| *it > 0)?,
            code,
            // What follows is the advice to install the types of Node or of browsers.
            message: message.split(" Do you need to ").next()?,
        })
    }

    fn place(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }

    fn hint(&self) -> &'static str {
        let quoted = self.message.split('\'').nth(1).unwrap_or_default();
        let is_name = self.message.starts_with("Cannot find name");
        let known = HINTS.iter().find(|(codes, _)| codes.contains(&self.code));
        match instead_of_global(quoted).filter(|_| is_name) {
            Some(hint) => hint,
            None => known.map_or("correct that line, or the types that it uses", |(_, it)| it),
        }
    }

    /// True for a name that stands in quotation marks, which is a module of Node.
    fn is_of_a_module(&self, directory: &Path) -> bool {
        let line = self.source_line(directory).unwrap_or_default();
        let at = line.chars().nth(self.column - 1);
        self.message.starts_with("Cannot find name") && matches!(at, Some('"' | '\''))
    }

    fn source_line(&self, directory: &Path) -> Option<String> {
        let text = files::read_regular(&directory.join(self.file), BYTES_MAX).ok()?;
        let text = String::from_utf8(text).ok()?;
        text.lines().nth(self.line - 1).map(str::to_owned)
    }

    /// The line of the source in `directory` and a mark below the column.
    fn excerpt(&self, directory: &Path) -> Option<String> {
        let line = self.source_line(directory)?;
        let before: String = line.chars().take(self.column - 1).collect();
        let blank = before.replace(|it: char| it != '\t', " ");
        let row = self.line;
        let margin = " ".repeat(row.to_string().len());
        Some(format!(
            "this line\n    {row} │ {line}\n    {margin} ╵ {blank}^"
        ))
    }
}

/// A mistake in the settings of the project that count, or in a file that they extend.
#[derive(Debug, PartialEq, Eq)]
struct WrongSettings<'a> {
    /// The file and the place in it, where the compiler names them.
    place: String,
    message: &'a str,
}

impl<'a> WrongSettings<'a> {
    /// The mistake in `line` of what the compiler said, if it is one of settings.
    fn parse(line: &'a str) -> Option<Self> {
        if let Some(rest) = line.strip_prefix("error TS") {
            let (code, message) = rest.split_once(": ")?;
            let place = SETTINGS_FILE.to_owned();
            let is_known = code.parse::<u32>().is_ok();
            return is_known.then_some(Self { place, message });
        }
        let (place, rest) = line.split_once("): error TS")?;
        let (file, at) = place.rsplit_once('(')?;
        let (row, column) = at.split_once(',')?;
        let (code, message) = rest.split_once(": ")?;
        if !file.ends_with(".json") || file.contains("node_modules/") {
            return None;
        }
        // Those of the check, which have nothing else of the project, and no place that it knows.
        let is_elsewhere = file.starts_with("..") || Path::new(file).is_absolute();
        let is_known = match is_elsewhere {
            true => file.ends_with("/tsconfig.json") && !WITHOUT_EFFECT.contains(&code),
            false => is_of_syntax(code) || OF_SETTINGS.contains(&code),
        };
        let place = match is_elsewhere {
            true => SETTINGS_FILE.to_owned(),
            false => format!("{file}:{row}:{column}"),
        };
        is_known.then_some(Self { place, message })
    }

    fn error(&self) -> anyhow::Error {
        let Self { place, message } = self;
        Problem::user(format!("{place}: {message}"))
            .hint(
                "correct the settings, or the file that they extend; a tool needs no tsconfig.json",
            )
            .into()
    }
}

/// True for the number of a message on JSON itself.
fn is_of_syntax(code: &str) -> bool {
    code.len() == 4 && code.starts_with('1')
}

/// The error of a project in `directory` of whose types the compiler `said` what is wrong, or
/// else `of_settings`; nothing if it found no mistake.
pub(super) fn told(said: &str, of_settings: &str, directory: &Path) -> Option<anyhow::Error> {
    let lines: Vec<&str> = said.lines().collect();
    let found: Vec<(usize, Mistake<'_>)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| Some((at, Mistake::parse(line)?)))
        .filter(|(_, mistake)| !mistake.is_of_a_module(directory))
        .collect();
    let Some(((at, first), others)) = found.split_first() else {
        let mut settings = of_settings.lines().chain(lines.iter().copied());
        return settings.find_map(|line| Some(WrongSettings::parse(line)?.error()));
    };
    let mut cause: Vec<String> = first.excerpt(directory).into_iter().collect();
    // Lines that are indented say more of the one before.
    let more = lines[at + 1..].iter().take_while(|it| it.starts_with(' '));
    cause.extend(more.map(|line| (*line).to_owned()));
    for (_, other) in others.iter().take(OTHERS_MAX) {
        cause.push(format!("{}: {}", other.place(), other.message));
    }
    if let Some(left_out @ 1..) = others.len().checked_sub(OTHERS_MAX) {
        cause.push(format!("[{left_out} more left out]"));
    }
    let mut problem =
        Problem::user(format!("{}: {}", first.place(), first.message)).hint(first.hint());
    if !cause.is_empty() {
        problem = problem.caused_by(cause.join("\n"));
    }
    Some(problem.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::diagnosis;

    #[track_caller]
    fn check(said: &str, expect: Option<(&str, &str, &str)>) {
        let directory = tempfile::tempdir().unwrap();
        let source = "one\n\treturn process;\nimport type A from 'fs';\n";
        files::write(&directory.path().join("a.ts"), source.as_bytes()).unwrap();
        let error = told(said, "", directory.path());
        let Some((message, cause, hint)) = expect else {
            assert!(error.is_none(), "{error:?}");
            return;
        };
        let error = error.expect("an error");
        assert_eq!(error.to_string(), message);
        let said = error.chain().nth(1).unwrap().to_string();
        assert!(said.contains(cause), "{said}");
        let hints = diagnosis::of(&error).hints;
        assert!(hints[0].contains(hint), "{hints:?}");
    }

    #[test]
    fn a_mistake_has_its_place_its_line_and_a_cure() {
        check(
            "a.ts(2,9): error TS2591: Cannot find name 'process'. Do you need to install types?\n",
            Some((
                "a.ts:2:9: Cannot find name 'process'.",
                "this line\n    2 │ \treturn process;\n      ╵ \t       ^",
                "a tool runs without Node",
            )),
        );
        check(
            "a.ts(1,1): error TS2322: Type '{}' is not assignable to type 'A'.\n  Types of \
             property 'b' are incompatible.\na.ts(2,1): error TS2322: Other.\n",
            Some((
                "a.ts:1:1: Type '{}' is not assignable to type 'A'.",
                "^\n  Types of property 'b' are incompatible.\na.ts:2:1: Other.",
                "write a value of that type",
            )),
        );
    }

    #[test]
    fn what_is_not_the_project_s_is_no_mistake() {
        for said in [
            "",
            "a.ts(1,1): error TS2307: Cannot find module 'left-pad'.",
            "a.ts(1,1): error TS7016: Could not find a declaration file for module 'left-pad'.",
            "../node_modules/x/a.ts(1,1): error TS2322: Wrong.",
            "node_modules/x/a.ts(1,1): error TS2322: Wrong.",
            "a.ts(3,20): error TS2591: Cannot find name 'fs'. Do you need to install types?",
        ] {
            check(said, None);
        }
    }

    #[test]
    fn mistakes_in_settings_are_told() {
        let directory = tempfile::tempdir().unwrap();
        for (said, message) in [
            (
                "error TS5083: Cannot read file '/p/base.json'.",
                Some("tsconfig.json: Cannot read file '/p/base.json'."),
            ),
            (
                "tsconfig.json(2,12): error TS6053: File 'x' not found.\n/lib/lib.es5.d.ts\n",
                Some("tsconfig.json:2:12: File 'x' not found."),
            ),
            (
                "settings/base.json(1,34): error TS1005: '}' expected.",
                Some("settings/base.json:1:34: '}' expected."),
            ),
            (
                "../s/tsconfig.json(1,51): error TS5052: Option 'checkJs' cannot be.",
                Some("tsconfig.json: Option 'checkJs' cannot be."),
            ),
            // Settings that do not count, and those of packages.
            (
                "../s/tsconfig.json(1,51): error TS5102: Option 'baseUrl' has been removed.",
                None,
            ),
            (
                "tsconfig.json(1,30): error TS6046: Argument for '--target'.",
                None,
            ),
            (
                "tsconfig.json(1,30): error TS5023: Unknown compiler option 'x'.",
                None,
            ),
            (
                "node_modules/a/tsconfig.json(1,30): error TS1005: '}' expected.",
                None,
            ),
        ] {
            let error = told("", said, directory.path());
            let found = error.as_ref().map(ToString::to_string);
            assert_eq!(found.as_deref(), message, "{said}");
            if let Some(error) = error {
                let hints = diagnosis::of(&error).hints;
                assert!(hints[0].starts_with("correct the settings"), "{hints:?}");
            }
        }
        // A mistake in the code is nearer.
        let said = "a.ts(1,1): error TS2322: Wrong.";
        let error = told(said, "error TS5083: Cannot read file.", directory.path()).unwrap();
        assert_eq!(error.to_string(), "a.ts:1:1: Wrong.");
    }

    #[test]
    fn many_mistakes_are_counted() {
        let said: String = (0..12)
            .map(|_| "a.ts(1,1): error TS9999: Wrong.\n".to_owned())
            .collect();
        check(
            &said,
            Some(("a.ts:1:1: Wrong.", "[2 more left out]", "correct that line")),
        );
    }
}
