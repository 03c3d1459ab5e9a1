//! Tests of reading Python functions: places of faults, line endings, limits and hostile files.

use crate::{Fault, FaultKind, Language, SourceError, read};

#[track_caller]
fn fault(text: &str) -> Fault {
    let functions = read(text, Language::Python).expect("Python");
    let [function] = &functions[..] else {
        panic!("one function: {functions:?}");
    };
    function.definition.clone().expect_err("a fault")
}

#[test]
fn what_is_returned_may_be_said_first() {
    let text = concat!(
        "def f(a: int) -> int:\n    '''F.\n\n    Returns:\n        A number,\n        doubled.\n\n",
        "    Args:\n        a: A.\n\n    Raises:\n        ValueError: never.\n    '''\n",
    );
    let functions = read(text, Language::Python).unwrap();
    let definition = functions[0].definition.clone().unwrap();
    let output = definition.output.unwrap();
    let description = output["description"].as_str().unwrap();
    assert_eq!(
        description.split_whitespace().collect::<Vec<_>>(),
        ["A", "number,", "doubled."]
    );
    assert_eq!(
        definition.parameters["properties"]["a"]["description"],
        "A."
    );
}

#[test]
fn a_text_may_have_constants_in_braces() {
    let read_text = |text: &str| {
        let text = format!(
            "from pydantic import BaseModel, Field\nfrom langchain_core.tools import tool\n\n\
             MOST = 5\nUNIT = 'pages'\n\n\nclass Given(BaseModel):\n    \
             a: int = Field(description={text})\n\n\n\
             @tool(args_schema=Given)\ndef f(a: int) -> int:\n    '''F.'''\n    return a\n"
        );
        let functions = read(&text, Language::Python).unwrap();
        match functions[0].definition.clone() {
            Ok(definition) => {
                let described = &definition.parameters["properties"]["a"]["description"];
                Some(described.as_str().unwrap().to_owned())
            }
            Err(fault) => {
                assert!(matches!(fault.kind, FaultKind::Computed { .. }), "{fault}");
                None
            }
        }
    };
    for (text, expect) in [
        ("f'up to {MOST} {UNIT}'", Some("up to 5 pages")),
        ("'up to ' f'{MOST}' f' {{n}}\\t.'", Some("up to 5 {n}\t.")),
        ("rf'\\d{MOST}'", Some("\\d5")),
        // Python's words for these are not known here.
        ("f'{MOST:03}'", None),
        ("f'{MOST=}'", None),
        ("f'{MOST!r}'", None),
        ("f'{other()}'", None),
    ] {
        assert_eq!(read_text(text).as_deref(), expect, "{text}");
    }
}

#[test]
fn a_fault_says_where_and_what() {
    for (text, position, description) in [
        (
            "def f(a: int):\n    pass\n",
            "1:5",
            "`f` has no description",
        ),
        (
            "\n\ndef f(a: int, é, b):\n    \"F.\"\n",
            "3:15",
            "`f` does not say which type its parameter `é` has",
        ),
        (
            "def f(é: int,\n      b: set[int]):\n    \"F.\"\n",
            "2:10",
            "`f` uses the type `set`, which is a class or object of its own, which has no schema",
        ),
        (
            "def f(a: int,\n  b: str = 'x'):\n    '''F.\n\n    Args:\n      a: A.\n    '''\n",
            "2:3",
            "`f` does not describe its parameter `b`",
        ),
        (
            "def f(a: list[int | g()]): 'F.'\n",
            "1:10",
            "`f` uses the type `list[int | g()]`, which is a class or object of its own, which has no schema",
        ),
        (
            "def f(a: X): 'F.'\n",
            "1:10",
            "`f` names `X` in a type, which the file does not define",
        ),
        (
            "def f(): '\\N{BULLET}'\n",
            "1:5",
            "`f` has a description with an escape that is not read",
        ),
    ] {
        let fault = fault(text);
        assert_eq!(fault.position.to_string(), position, "{text}");
        assert_eq!(fault.to_string(), description);
        assert!(!fault.kind.hint(Language::Python).is_empty());
    }
}

#[test]
fn what_is_no_python_is_refused_with_its_place() {
    for (text, position) in [
        ("def f(:\n  pass\n", "1:7"),
        ("x = 1\n)\n", "2:1"),
        ("def f(a: int) -> int\n    'F.'\n    return a\n", "1:18"),
        (
            "x = 1\ndef f(a: int -> int:\n    'F.'\n    return a\n",
            "2:15",
        ),
    ] {
        let error = read(text, Language::Python).expect_err("no Python");
        let SourceError::Syntax {
            position: found, ..
        } = &error
        else {
            panic!("{error}");
        };
        assert_eq!(found.to_string(), position, "{text}");
    }
}

#[test]
fn windows_and_old_macs_end_lines_as_others_do() {
    let text = "def f(a: int):\n    '''F.\n\n    Args:\n        a: A.\n    '''\n";
    let expected = read(text, Language::Python);
    for end in ["\r\n", "\r"] {
        let text = format!("\u{feff}{}", text.replace('\n', end));
        assert_eq!(read(&text, Language::Python), expected);
    }
}

#[test]
fn hostile_files_end() {
    let circle = "A = B\nB = A\nclass C(D): pass\nclass D(C): pass\ndef f(a: A, b: C): 'F.'\n";
    assert!(matches!(
        fault(circle).kind,
        FaultKind::UnsupportedType { .. }
    ));
    let doubling: String = (0..60)
        .map(|it| format!("A{it} = dict[A{}, A{}]\n", it + 1, it + 1))
        .collect();
    for deep in [
        format!("{doubling}def f(a: A0): 'F.'"),
        format!(
            "def f(a: {}int{}): 'F.'",
            "list[".repeat(5_000),
            "]".repeat(5_000)
        ),
        format!("def f(a: {}): 'F.'", "int | ".repeat(5_000) + "str"),
        format!("def f(a: {}x): 'F.'", "'".repeat(999)),
        format!("def f(a: x{}): 'F.'", ".x".repeat(9_000)),
        format!("{}def f(): 'F.'", "class A:\n ".repeat(500)),
        format!("def f(): '{}'", "\\".repeat(9_999)),
        "(".repeat(50_000),
        "def f(): pass\n".repeat(70_000),
    ] {
        // Whatever it says, it says it.
        let _ = read(&deep, Language::Python);
    }
}

#[test]
fn a_file_has_a_size() {
    let long = " ".repeat(crate::SOURCE_BYTES_MAX + 1);
    assert!(matches!(
        read(&long, Language::Python),
        Err(SourceError::TooLong { .. })
    ));
    let many: String = (0..=crate::FUNCTIONS_MAX)
        .map(|index| format!("def f{index}(): pass\n"))
        .collect();
    assert!(matches!(
        read(&many, Language::Python),
        Err(SourceError::TooMany { .. })
    ));
}
