//! Mistakes in WIT and in `tool.toml`.

use super::mistake::Mistake;

const WIT_FILE: &str = "wit/world.wit";

pub(super) const IN_WIT: [Mistake; 8] = [
    Mistake {
        name: "a keyword is misspelt",
        project: "wit",
        edits: &[(WIT_FILE, "greet: func(", "greet: fun(")],
        place: "wit/world.wit:10:12",
        error: "expected keyword `func`, found an identifier",
        cure: "name: func(argument: string) -> string;",
    },
    Mistake {
        name: "a type of another language",
        project: "wit",
        edits: &[(WIT_FILE, "name: string", "name: text")],
        place: "wit/world.wit:10:23",
        error: "name `text` does not exist",
        cure: "write `string`, as WIT calls it",
    },
    Mistake {
        name: "no package line",
        project: "wit",
        edits: &[(WIT_FILE, "package tools:wit-tool;", "")],
        place: "wit/world.wit:1",
        error: "no line says which package this is",
        cure: "package tools:NAME;",
    },
    Mistake {
        name: "an underscore in a name",
        project: "wit",
        edits: &[(WIT_FILE, "func(name:", "func(first_name:")],
        place: "wit/world.wit:10:17",
        error: "invalid character in identifier '_'",
        cure: "with `-` between words",
    },
    Mistake {
        name: "a semicolon is missing",
        project: "wit",
        edits: &[(
            WIT_FILE,
            "result<string, string>;",
            "result<string, string>",
        )],
        place: "wit/world.wit:11:1",
        error: "expected ';', found '}'",
        cure: "in the line before with `;`",
    },
    Mistake {
        name: "the export of an interface that there is not",
        project: "wit",
        edits: &[(WIT_FILE, "export functions;", "export function;")],
        place: "wit/world.wit:14:12",
        error: "interface or world `function` does not exist",
        cure: "the name of an interface of this package",
    },
    Mistake {
        name: "a world without exports",
        project: "wit",
        edits: &[(WIT_FILE, "export functions;", "")],
        place: "wit/world.wit:13",
        error: "the world `tool` exports no function",
        cure: "export NAME;",
    },
    Mistake {
        name: "a stream as an argument",
        project: "wit",
        edits: &[(WIT_FILE, "name: string", "name: stream<u8>")],
        place: "wit/world.wit:10:5",
        error: "`greet` takes or returns a stream, which cannot be written as JSON",
        cure: "take and return text, numbers, lists",
    },
];

pub(super) const IN_THE_MANIFEST: [Mistake; 4] = [
    Mistake {
        name: "a key is misspelt",
        project: "tool",
        edits: &[("tool.toml", "\nlicense", "\nlicence")],
        place: "tool.toml line 7",
        error: "unknown field `licence`",
        cure: "did you mean `license`?",
    },
    Mistake {
        name: "a version of two numbers",
        project: "tool",
        edits: &[("tool.toml", "\"0.1.0\"", "\"0.1\"")],
        place: "tool.toml line 5",
        error: "version number",
        cure: "write three numbers: version = \"1.0.0\"",
    },
    Mistake {
        name: "a file of functions that there is not",
        project: "sums-js",
        edits: &[("tool.toml", "\"sums.js\"", "\"sum.js\"")],
        place: "tool.toml:11",
        error: "there is no sum.js in the project",
        cure: "names the file of plain functions",
    },
    Mistake {
        name: "an export that the WIT lacks",
        project: "tool",
        edits: &[(
            "tool.toml",
            "[build]",
            "[functions.greet]\nexport = \"tools:tool-tool/functions.great\"\n\n[build]",
        )],
        place: "tool.toml:9",
        error: "the component does not export `tools:tool-tool/functions.great`",
        cure: "what the component exports is `tools:tool-tool/functions.greet`",
    },
];
