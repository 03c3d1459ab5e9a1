//! Mistakes in Rust.

use super::mistake::Mistake;

pub(super) const IN_RUST: [Mistake; 7] = [
    Mistake {
        name: "a function is not public",
        project: "sums-rs",
        edits: &[("sums.rs", "pub fn", "fn")],
        place: "sums.rs:11:1",
        error: "`add` is not `pub`",
        cure: "write `pub` before `fn`",
    },
    Mistake {
        name: "a value is used after it was moved",
        project: "sums-rs",
        edits: &[(
            "sums.rs",
            "    a + b",
            "    let list = vec![a];\n    let moved = list;\n    list[0] + b + moved[0]",
        )],
        place: "sums.rs:14:5",
        error: "borrow of moved value: `list`",
        cure: "borrow the value with `&`",
    },
    Mistake {
        name: "another type than in the WIT",
        project: "wit",
        edits: &[("src/lib.rs", "name: String", "name: u32")],
        place: "src/lib.rs:10:20",
        error: "method `greet` has an incompatible type for trait",
        cure: "write the functions as wit/world.wit declares them",
    },
    Mistake {
        name: "fewer arguments than in the WIT",
        project: "wit",
        edits: &[("src/lib.rs", ", language: Option<String>", "")],
        place: "src/lib.rs:10:20",
        error: "method `greet` has 1 parameter but the declaration in trait `Guest::greet` has 2",
        cure: "write the functions as wit/world.wit declares them",
    },
    Mistake {
        name: "nothing is exported",
        project: "wit",
        edits: &[("src/lib.rs", "export!(Tool);", "")],
        place: "src/lib.rs:3",
        error: "nothing exports `greet` of `tools:wit-tool/functions`",
        cure: "write `export!(Tool);` at the end",
    },
    Mistake {
        name: "a library for Rust alone",
        project: "wit",
        edits: &[("Cargo.toml", "\"cdylib\"", "\"rlib\"")],
        place: "Cargo.toml:8",
        error: "cargo built no component",
        cure: "[lib] crate-type = [\"cdylib\"]",
    },
    Mistake {
        name: "a dependency that needs sockets of Unix",
        project: "wit",
        edits: &[
            (
                "native/Cargo.toml",
                "",
                "[package]\nname = \"native\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
            ),
            (
                "native/src/lib.rs",
                "",
                "pub use std::os::unix::net::UnixStream;\n",
            ),
            (
                "Cargo.toml",
                "[dependencies]",
                "[dependencies]\nnative = { path = \"native\" }",
            ),
        ],
        place: "Cargo.toml:11",
        error: "the dependency `native` does not build for wasm32-wasip2",
        cure: "the compiler stopped at native/src/lib.rs:1",
    },
];
