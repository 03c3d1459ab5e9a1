//! Mistakes in Python.

use super::mistake::Mistake;

pub(super) const IN_PYTHON: [Mistake; 8] = [
    Mistake {
        name: "a colon is missing",
        project: "sums-py",
        edits: &[("sums.py", "-> int:", "-> int")],
        place: "sums.py:4:28",
        error: "this is no Python that can be read",
        cure: "look at line 4",
    },
    Mistake {
        name: "a line is indented too far",
        project: "sums-py",
        edits: &[("sums.py", "    return", "      return")],
        place: "sums.py:14",
        error: "IndentationError: unexpected indent",
        cure: "indent the lines of one block alike",
    },
    Mistake {
        name: "a parameter without a type",
        project: "sums-py",
        edits: &[("sums.py", "b: int", "b")],
        place: "sums.py:4:17",
        error: "`add` does not say which type its parameter `b` has",
        cure: "such as `b: str`",
    },
    Mistake {
        name: "a type without a schema",
        project: "sums-py",
        edits: &[("sums.py", "b: int", "b: complex")],
        place: "sums.py:4:20",
        error: "`add` uses the type `complex`",
        cure: "use text, numbers, booleans, lists",
    },
    Mistake {
        name: "a module is misspelt",
        project: "sums-py",
        edits: &[("sums.py", "\n\n\ndef", "\nimport maths\n\ndef")],
        place: "sums.py:2",
        error: "there is no Python module `maths`",
        cure: "did you mean `math`?",
    },
    Mistake {
        name: "a package with machine code",
        project: "sums-py",
        edits: &[("sums.py", "\n\n\ndef", "\nimport numpy\n\ndef")],
        place: "sums.py:2",
        error: "there is no Python module `numpy`",
        cure: "`numpy` has machine code, which no component can load",
    },
    Mistake {
        name: "a name that is not defined",
        project: "sums-py",
        edits: &[("sums.py", "\n\n\ndef", "\nLIMIT = limt + 1\n\ndef")],
        place: "sums.py:2",
        error: "NameError: name 'limt' is not defined",
        cure: "define or import the name above that line",
    },
    Mistake {
        name: "a method with fewer arguments than its function has",
        project: "app",
        edits: &[("app.py", ", language: Optional[str]", "")],
        place: "app.py:12",
        error: "`Functions.greet` has the wrong number of arguments beside `self`: 1",
        cure: "`def greet(self, name, language)`",
    },
];
