//! Entry points for fuzzing: JSON arguments of random types, and forged entries of the code cache.
//! They are no part of the public interface.

use std::fs::{self, File};
use std::io::Write as _;
use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use tempfile::TempDir;
use tool_hub_manifest::{Digest, Limits};
use wasmtime::Engine;
use wasmtime::component::Val;

use crate::compilation::cache::Cache;
use crate::compilation::compiler::Compiler;
use crate::compilation::engine::engine;
use crate::component::engine_kind::EngineKind;
use crate::values::json::read::arguments;
use crate::values::json::write;
use crate::values::types::numbered::{cases, fields, labels};
use crate::values::types::{Integer, Type};

/// The depth to which random types nest.
const DEPTH_MAX: usize = 5;

/// Reads the rest of `input` as the JSON arguments of a function with random types. What is
/// accepted is written as JSON, and written the same after that is read again.
pub fn json_by_random_type(input: &mut Unstructured<'_>) -> Result<()> {
    let ty = random_type(input, DEPTH_MAX)?;
    let parameters = fields(vec![ty.clone()]);
    let text = String::from_utf8_lossy(input.peek_bytes(input.len()).unwrap_or_default());
    for text in [text.to_string(), format!("{{\"name_0\": {text}}}")] {
        let Ok(values) = arguments(&parameters, &text) else {
            continue;
        };
        let json = written(&ty, &values[0]);
        let again = arguments(&parameters, &json).expect("what was written can be read");
        // Not the values: maps are written in the order of their keys.
        assert_eq!(written(&ty, &again[0]), json, "from {text}");
    }
    Ok(())
}

/// `value` as the arguments of a function.
fn written(ty: &Type, value: &Val) -> String {
    let mut json = write::Json::new(u64::MAX);
    write::write(ty, value, &mut json).expect("what was read can be written");
    let json = json.finish().expect("it may be as long as it is");
    format!("{{\"name_0\": {json}}}")
}

fn random_type(input: &mut Unstructured<'_>, depth: usize) -> Result<Type> {
    use Integer::{S8, S16, S32, S64, U8, U16, U32, U64};
    let kinds = if depth == 0 { 9 } else { 17 };
    let inner = |input: &mut Unstructured<'_>| random_type(input, depth - 1);
    Ok(match input.int_in_range(0..=kinds - 1)? {
        0 => Type::Bool,
        1 => Type::Integer(*input.choose(&[S8, U8, S16, U16, S32, U32, S64, U64])?),
        2 => Type::F32,
        3 => Type::F64,
        4 => Type::Char,
        5 => Type::String,
        6 => Type::Bytes,
        7 => Type::Enum(labels(input.int_in_range(1..=4)?)),
        8 => Type::Flags(labels(input.int_in_range(1..=5)?)),
        9 => match inner(input)? {
            Type::Integer(U8) => Type::Bytes,
            item => Type::List(Box::new(item)),
        },
        10 => Type::FixedList(Box::new(inner(input)?), input.int_in_range(1..=4)?),
        11 => {
            let key = input.choose(&[Type::String, Type::Char, Type::Integer(U64)])?;
            Type::Map(Box::new(key.clone()), Box::new(inner(input)?))
        }
        12 => Type::Tuple(several(input, depth)?),
        13 => Type::Record(fields(several(input, depth)?)),
        14 => Type::Option(Box::new(inner(input)?)),
        15 => Type::Result(optional(input, depth)?, optional(input, depth)?),
        _ => {
            let types =
                (0..input.int_in_range(1..=3)?).map(|_| Ok(optional(input, depth)?.map(|ty| *ty)));
            Type::Variant(cases(types.collect::<Result<_>>()?))
        }
    })
}

fn several(input: &mut Unstructured<'_>, depth: usize) -> Result<Vec<Type>> {
    let count = input.int_in_range(1..=3)?;
    (0..count).map(|_| random_type(input, depth - 1)).collect()
}

fn optional(input: &mut Unstructured<'_>, depth: usize) -> Result<Option<Box<Type>>> {
    let is_there: bool = input.arbitrary()?;
    let ty = is_there
        .then(|| random_type(input, depth - 1))
        .transpose()?;
    Ok(ty.map(Box::new))
}

/// Takes `bytes` for an entry of the cache, whole and as a change to an honest one. Neither
/// is ever code.
pub fn cache_entry(bytes: &[u8]) {
    static CACHE: LazyLock<CacheUnderTest> = LazyLock::new(CacheUnderTest::new);
    CACHE.check(bytes);
    let mut changed = CACHE.honest.clone();
    for change in bytes.chunks_exact(3) {
        let at = usize::from(change[0]) << 8 | usize::from(change[1]);
        let at = at % changed.len();
        changed[at] ^= change[2];
    }
    if changed != CACHE.honest {
        CACHE.check(&changed);
    }
}

/// A cache with one entry.
struct CacheUnderTest {
    _directory: TempDir,
    cache: Cache,
    digest: Digest,
    honest: Vec<u8>,
}

impl CacheUnderTest {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let engine: Engine =
            engine(EngineKind::SingleTask, &Limits::standard(), 1).expect("an engine");
        let cache = Cache::open(directory.path(), u64::MAX, &engine).expect("a cache");
        let empty = b"\0asm\x0d\0\x01\0";
        let digest = Digest::of(empty);
        let code = Compiler::InProcess
            .compile(empty, &engine)
            .expect("an empty component is one");
        let entry = cache.entry(&digest);
        entry.store(&code);
        assert!(entry.load().is_some(), "the honest entry is used");
        let honest = fs::read(entry.path()).expect("the entry");
        Self {
            _directory: directory,
            cache,
            digest,
            honest,
        }
    }

    fn check(&self, bytes: &[u8]) {
        let entry = self.cache.entry(&self.digest);
        let written = fs::remove_file(entry.path())
            .and_then(|()| File::create_new(entry.path()))
            .and_then(|mut file| file.write_all(bytes));
        written.expect("the entry can be written");
        assert!(entry.load().is_none(), "a forged entry is used");
    }
}
