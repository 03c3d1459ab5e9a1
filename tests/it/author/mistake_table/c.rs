//! Mistakes in C.

use super::mistake::Mistake;

pub(super) const IN_C: [Mistake; 6] = [
    Mistake {
        name: "a function of the WIT is not there",
        project: "native",
        edits: &[
            (
                "wit/world.wit",
                "interface functions",
                "interface greetings",
            ),
            ("wit/world.wit", "export functions", "export greetings"),
        ],
        place: "tool.c:1",
        error: "nothing defines `exports_tools_native_tool_greetings_greet`",
        cure: "bool exports_tools_native_tool_greetings_greet(tool_string_t *name, ",
    },
    Mistake {
        name: "other arguments than in the WIT",
        project: "native",
        edits: &[
            (
                "wit/world.wit",
                "interface functions",
                "interface greetings",
            ),
            ("wit/world.wit", "export functions", "export greetings"),
            ("tool.c", "functions_greet(", "greetings_greet("),
            ("tool.c", "    tool_string_t *name,\n", "    int name,\n"),
        ],
        place: "tool.c:24:6",
        error: "conflicting types for 'exports_tools_native_tool_greetings_greet'",
        cure: "write what target/bindings/tool.h declares:",
    },
    Mistake {
        name: "a name that nothing declares",
        project: "native",
        edits: &[(
            "tool.c",
            "        make(ret, \"Hallo",
            "        mak(ret, \"Hallo",
        )],
        place: "tool.c:33:9",
        error: "call to undeclared function 'mak'",
        cure: "include the header that declares it, or correct its name",
    },
    Mistake {
        name: "a library that is not in the project",
        project: "native",
        edits: &[("tool.c", "#include <stdio.h>", "#include \"cJSON.h\"")],
        place: "tool.c:8:10",
        error: "'cJSON.h' file not found",
        cure: "libraries are part of a project as C files",
    },
    Mistake {
        name: "a header of what no tool has",
        project: "native",
        edits: &[(
            "tool.c",
            "#include <stdio.h>",
            "#include <stdio.h>\n#include <setjmp.h>",
        )],
        place: "tool.c:9: ",
        error: "Setjmp/longjmp support requires",
        cure: "do without that header: a tool has no setjmp, signals",
    },
    Mistake {
        name: "a function of what no tool has",
        project: "native",
        edits: &[(
            "tool.c",
            "    return true;",
            "    extern int system(const char *);\n    return system(\"date\") == 0;",
        )],
        place: "tool.c:1",
        error: "nothing defines `system`",
        cure: "a tool has no sockets, threads or processes",
    },
];
