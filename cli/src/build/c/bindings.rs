//! Generates the C bindings of a project's world with wit-bindgen.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tool_hub_host::authoring::{WitSource, resolved};
use wit_bindgen_c::Opts;
use wit_bindgen_core::Files;
use wit_bindgen_core::wit_parser::TypeDefKind;

use crate::files;
use crate::terminal::problem::Problem;

/// The directory of a project that the bindings are written to, where editors find the header.
pub(super) const DIRECTORY: &str = "target/bindings";

/// The line of the generated source that declares `free`.
const INCLUDE: &str = "#include <stdlib.h>\n";
/// Lines after it: what was not allocated, such as a literal, is never freed. The bindings free
/// what a function answers, and to answer a literal would otherwise break the call.
const FREE_WHAT_IS_ALLOCATED: &str = "\
extern unsigned char __heap_base;
static void free_allocated(void *memory) {
  if ((unsigned char *)memory >= &__heap_base) free(memory);
}
#define free free_allocated
";

/// Headings in the generated header, the first of which is that of the world's exports.
const HEADINGS: [&str; 3] = [EXPORTS, "// Imported Functions", "// Helper Functions"];
const EXPORTS: &str = "// Exported Functions";

/// The header, the source and the object file with the types of a world.
pub(crate) struct CBindings(Vec<(PathBuf, Vec<u8>)>);

impl CBindings {
    /// Generates the bindings of `world`, or of the only world there is.
    ///
    /// # Errors
    /// When the sources cannot be read, or have what there are no bindings for.
    pub(crate) fn of(sources: &[WitSource<'_>], world: Option<&str>) -> anyhow::Result<Self> {
        let (mut resolve, world) = resolved(sources, world)?;
        let mut types = resolve.types.iter();
        if types.any(|(_, ty)| matches!(ty.kind, TypeDefKind::FixedLengthList(..))) {
            return Err(
                Problem::user("there are no C bindings for lists of a fixed length")
                    .hint("write `list<T>` in the WIT, or a tuple")
                    .into(),
            );
        }
        let mut made = Files::default();
        Opts::default()
            .build()
            .generate(&mut resolve, world, &mut made)
            .context("there are no C bindings for this WIT")?;
        let made = made.iter().map(|(name, bytes)| {
            let bytes = match name.ends_with(".c") {
                true => with_careful_free(bytes),
                false => bytes.to_owned(),
            };
            (Path::new(DIRECTORY).join(name), bytes)
        });
        Ok(Self(made.collect()))
    }

    /// Writes them into the project in `directory`.
    pub(super) fn write(&self, directory: &Path) -> anyhow::Result<()> {
        for (path, bytes) in &self.0 {
            let path = directory.join(path);
            files::refuse_outside(directory, &path)?;
            files::write(&path, bytes)?;
        }
        Ok(())
    }

    /// The files to compile and link, relative to the project.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &Path> {
        let paths = self.0.iter().map(|(path, _)| path.as_path());
        paths.filter(|path| path.extension().is_none_or(|extension| extension != "h"))
    }

    /// The path of the header, relative to the project.
    pub(super) fn header(&self) -> &Path {
        self.the_header().0
    }

    /// The declarations of the functions that the project has to define, in order, each on a line
    /// and without a `;` at the end.
    pub(crate) fn exports(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(self.the_header().1).into_owned();
        let mut exports = Vec::new();
        let mut is_exports = false;
        for line in text.lines() {
            match line.strip_suffix(");") {
                Some(declaration) if is_exports => exports.push(format!("{declaration})")),
                _ if HEADINGS.iter().any(|it| line.starts_with(it)) => {
                    is_exports = line.starts_with(EXPORTS);
                }
                _ => {}
            }
        }
        exports
    }

    fn the_header(&self) -> (&Path, &[u8]) {
        let is_header = |path: &PathBuf| path.extension().is_some_and(|it| it == "h");
        let header = self.0.iter().find(|(path, _)| is_header(path));
        header.map_or((Path::new(DIRECTORY), &[]), |(path, text)| (path, text))
    }
}

/// The generated source, which frees only what was allocated.
fn with_careful_free(source: &[u8]) -> Vec<u8> {
    let careful = [INCLUDE, FREE_WHAT_IS_ALLOCATED].concat();
    let source = String::from_utf8_lossy(source);
    source.replacen(INCLUDE, &careful, 1).into_bytes()
}

/// The name of the function that `declaration` declares.
pub(super) fn function_name(declaration: &str) -> &str {
    let head = declaration.split('(').next().unwrap_or_default();
    head.rsplit([' ', '*']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORLD: &str = "package a:b;\ninterface f { add: func(a: u32, b: u32) -> u32;\n\
        greet: func(name: string) -> result<string, string>; }\n\
        world tool { import g: func(); export f; export now: func() -> u64; }";

    #[test]
    fn exports_are_declared_as_the_header_declares_them() {
        let source = WitSource {
            path: Path::new("world.wit"),
            contents: WORLD,
        };
        let bindings = CBindings::of(&[source], None).unwrap();
        assert_eq!(bindings.header(), Path::new("target/bindings/tool.h"));
        let exports = bindings.exports();
        let names: Vec<&str> = exports.iter().map(|it| function_name(it)).collect();
        assert_eq!(
            names,
            [
                "exports_tool_now",
                "exports_a_b_f_add",
                "exports_a_b_f_greet"
            ]
        );
        assert_eq!(
            exports[2],
            "bool exports_a_b_f_greet(tool_string_t *name, tool_string_t *ret, tool_string_t *err)"
        );
        let (_, source) = &bindings.0[0];
        assert!(String::from_utf8_lossy(source).contains("#define free free_allocated"));
        let inputs: Vec<_> = bindings.inputs().filter_map(Path::file_name).collect();
        assert_eq!(inputs, ["tool.c", "tool_component_type.o"]);
    }
}
