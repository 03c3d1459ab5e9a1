//! Tests of JSON in and out: properties that hold for every type, and examples with their errors.

use proptest::prelude::*;
use proptest::strategy::Union;
use serde_json::Value;
use wasmtime::component::Val;

use crate::values::descriptions::Descriptions;
use crate::values::json::read::error::ArgumentError;
use crate::values::json::read::{self, arguments};
use crate::values::json::write;
use crate::values::schema::output;
use crate::values::types::numbered::{cases, fields, labels};
use crate::values::types::{Integer, Type};

fn random_type() -> impl Strategy<Value = Type> {
    use Integer::{S8, S16, S32, S64, U8, U16, U32, U64};
    let leaf = prop_oneof![
        Just(Type::Bool),
        prop::sample::select(vec![S8, U8, S16, U16, S32, U32, S64, U64]).prop_map(Type::Integer),
        Just(Type::F32),
        Just(Type::F64),
        Just(Type::Char),
        Just(Type::String),
        Just(Type::Bytes),
        (1..4usize).prop_map(|count| Type::Enum(labels(count))),
        (1..5usize).prop_map(|count| Type::Flags(labels(count))),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let several = prop::collection::vec(inner.clone(), 1..4);
        let optional = prop::option::of(boxed.clone());
        let case = prop::option::of(inner);
        prop_oneof![
            boxed.clone().prop_map(|item| match *item {
                Type::Integer(U8) => Type::Bytes,
                item => Type::List(Box::new(item)),
            }),
            (boxed.clone(), 1..4u32).prop_map(|(item, length)| Type::FixedList(item, length)),
            (
                prop::sample::select(vec![Type::String, Type::Char, Type::Integer(U64)]),
                boxed.clone()
            )
                .prop_map(|(key, value)| Type::Map(Box::new(key), value)),
            several.clone().prop_map(Type::Tuple),
            several.prop_map(|types| Type::Record(fields(types))),
            boxed.prop_map(Type::Option),
            (optional.clone(), optional).prop_map(|(ok, err)| Type::Result(ok, err)),
            prop::collection::vec(case, 1..4).prop_map(|types| Type::Variant(cases(types))),
        ]
    })
}

fn value(ty: &Type) -> BoxedStrategy<Val> {
    match ty {
        Type::Bool => any::<bool>().prop_map(Val::Bool).boxed(),
        Type::Integer(integer) => match integer {
            Integer::S8 => any::<i8>().prop_map(Val::S8).boxed(),
            Integer::U8 => any::<u8>().prop_map(Val::U8).boxed(),
            Integer::S16 => any::<i16>().prop_map(Val::S16).boxed(),
            Integer::U16 => any::<u16>().prop_map(Val::U16).boxed(),
            Integer::S32 => any::<i32>().prop_map(Val::S32).boxed(),
            Integer::U32 => any::<u32>().prop_map(Val::U32).boxed(),
            Integer::S64 => any::<i64>().prop_map(Val::S64).boxed(),
            Integer::U64 => any::<u64>().prop_map(Val::U64).boxed(),
        },
        Type::F32 => any::<u32>()
            .prop_map(|bits| Val::Float32(f32::from_bits(bits)))
            .boxed(),
        Type::F64 => any::<u64>()
            .prop_map(|bits| Val::Float64(f64::from_bits(bits)))
            .boxed(),
        Type::Char => any::<char>().prop_map(Val::Char).boxed(),
        Type::String => any::<String>().prop_map(Val::String).boxed(),
        Type::Bytes => prop::collection::vec(any::<u8>().prop_map(Val::U8), 0..9)
            .prop_map(Val::List)
            .boxed(),
        Type::List(item) => prop::collection::vec(value(item), 0..4)
            .prop_map(Val::List)
            .boxed(),
        Type::FixedList(item, length) => prop::collection::vec(value(item), *length as usize)
            .prop_map(Val::FixedLengthList)
            .boxed(),
        Type::Map(key, item) if **key == Type::String => {
            // The last of equal keys counts, so only maps without such come back the same,
            // in the order of their keys.
            prop::collection::btree_map(any::<String>(), value(item), 0..4)
                .prop_map(|map| map.into_iter().map(|(k, v)| (Val::String(k), v)).collect())
                .prop_map(Val::Map)
                .boxed()
        }
        Type::Map(key, item) => prop::collection::vec((value(key), value(item)), 0..4)
            .prop_map(Val::Map)
            .boxed(),
        Type::Tuple(items) => all(items.iter()).prop_map(Val::Tuple).boxed(),
        Type::Record(fields) => {
            let names: Vec<String> = fields.iter().map(|f| f.label.wit.clone()).collect();
            all(fields.iter().map(|field| &field.ty))
                .prop_map(move |values| Val::Record(names.iter().cloned().zip(values).collect()))
                .boxed()
        }
        Type::Option(inner) => prop::option::of(value(inner))
            .prop_map(|value| Val::Option(value.map(Box::new)))
            .boxed(),
        Type::Result(ok, err) => prop_oneof![
            optional(ok.as_deref()).prop_map(|value| Val::Result(Ok(value))),
            optional(err.as_deref()).prop_map(|value| Val::Result(Err(value))),
        ]
        .boxed(),
        Type::Enum(cases) => {
            let names: Vec<String> = cases.iter().map(|label| label.wit.clone()).collect();
            prop::sample::select(names).prop_map(Val::Enum).boxed()
        }
        Type::Flags(flags) => {
            let names: Vec<String> = flags.iter().map(|label| label.wit.clone()).collect();
            let count = names.len();
            prop::sample::subsequence(names, 0..=count)
                .prop_map(Val::Flags)
                .boxed()
        }
        Type::Variant(cases) => Union::new(cases.iter().map(|case| {
            let name = case.label.wit.clone();
            optional(case.ty.as_ref()).prop_map(move |value| Val::Variant(name.clone(), value))
        }))
        .boxed(),
    }
}

fn optional(ty: Option<&Type>) -> BoxedStrategy<Option<Box<Val>>> {
    match ty {
        Some(ty) => value(ty).prop_map(|value| Some(Box::new(value))).boxed(),
        None => Just(None).boxed(),
    }
}

fn all<'a>(types: impl Iterator<Item = &'a Type>) -> BoxedStrategy<Vec<Val>> {
    types.map(value).collect::<Vec<_>>().boxed()
}

fn written(ty: &Type, value: &Val) -> String {
    let mut json = write::Json::new(u64::MAX);
    write::write(ty, value, &mut json).unwrap();
    json.finish().unwrap()
}

fn read(ty: &Type, json: &str) -> Result<Val, ArgumentError> {
    let parameters = fields(vec![ty.clone()]);
    let mut values = arguments(&parameters, &format!("{{\"name_0\": {json}}}"))?;
    Ok(values.remove(0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn reading_undoes_writing(
        (ty, value) in random_type().prop_flat_map(|ty| (Just(ty.clone()), value(&ty)))
    ) {
        let json = written(&ty, &value);
        let back = read(&ty, &json).map_err(|error| TestCaseError::fail(format!("{json}: {error:?}")))?;
        prop_assert_eq!(back, value);
    }

    #[test]
    fn schemas_are_true_of_what_is_written(
        (ty, value) in random_type().prop_flat_map(|ty| (Just(ty.clone()), value(&ty)))
    ) {
        let json: Value = serde_json::from_str(&written(&ty, &value)).unwrap();
        let schema = output(&ty, &Descriptions::default());
        jsonschema::draft202012::meta::validate(&schema).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        if let Err(error) = validator.validate(&json) {
            return Err(TestCaseError::fail(format!("{json} against {schema}: {error}")));
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(ty in random_type(), text in ".{0,40}") {
        let _ = read(&ty, &text);
    }
}

#[track_caller]
fn check(ty: &Type, json: &str, expect: Result<Val, (&str, &str)>) {
    let read = read(ty, json);
    let read = read
        .as_ref()
        .map_err(|e| (e.path.as_str(), e.message.as_str()));
    assert_eq!(
        read,
        expect.as_ref().map_err(|(path, message)| (*path, *message)),
        "{json}"
    );
}

#[test]
fn floats_are_read_exactly() {
    let far = 6.66e33;
    check(&Type::F64, "6.66e33", Ok(Val::Float64(far)));
    check(
        &Type::F64,
        "6660000000000000000000000809688133",
        Ok(Val::Float64(far)),
    );
}

#[test]
fn whole_numbers_are_what_json_calls_integers() {
    let byte = Type::Integer(Integer::U8);
    check(&byte, "255", Ok(Val::U8(255)));
    check(&byte, "3.0", Ok(Val::U8(3)));
    let range = "should be a whole number from 0 to 255, not";
    check(&byte, "256", Err(("name_0", &format!("{range} 256"))));
    check(&byte, "-1", Err(("name_0", &format!("{range} -1"))));
    check(&byte, "1.5", Err(("name_0", &format!("{range} 1.5"))));
    check(
        &byte,
        "\"1\"",
        Err(("name_0", &format!("{range} the string \"1\""))),
    );
    check(&byte, "true", Err(("name_0", &format!("{range} true"))));
}

#[test]
fn wide_numbers_travel_as_strings_too() {
    let wide = Type::Integer(Integer::U64);
    check(&wide, "\"18446744073709551615\"", Ok(Val::U64(u64::MAX)));
    check(&wide, "18446744073709551615", Ok(Val::U64(u64::MAX)));
    assert_eq!(
        written(&wide, &Val::U64(u64::MAX)),
        "\"18446744073709551615\""
    );
    assert_eq!(written(&wide, &Val::U64((1 << 53) - 1)), "9007199254740991");
    let signed = Type::Integer(Integer::S64);
    assert_eq!(
        written(&signed, &Val::S64(i64::MIN)),
        "\"-9223372036854775808\""
    );
}

#[test]
fn base64_with_and_without_padding() {
    let bytes = |bytes: &[u8]| Ok(Val::List(bytes.iter().copied().map(Val::U8).collect()));
    check(&Type::Bytes, "\"aGk=\"", bytes(b"hi"));
    check(&Type::Bytes, "\"aGk\"", bytes(b"hi"));
    check(
        &Type::Bytes,
        "\"a*\"",
        Err((
            "name_0",
            "is not base64: `*` at position 1 is not a base64 digit",
        )),
    );
}

#[test]
fn none_and_some_none_stay_apart() {
    let twice = Type::Option(Box::new(Type::Option(Box::new(Type::Bool))));
    let some = |value| Val::Option(Some(Box::new(value)));
    for (value, json) in [
        (Val::Option(None), "null"),
        (some(Val::Option(None)), "{\"some\":null}"),
        (some(some(Val::Bool(true))), "{\"some\":true}"),
    ] {
        assert_eq!(written(&twice, &value), json);
        check(&twice, json, Ok(value));
    }
}

#[test]
fn the_tag_of_a_variant_may_come_second() {
    let ty = Type::Variant(cases(vec![Some(Type::Bool), None]));
    let value = Val::Variant("name-0".into(), Some(Box::new(Val::Bool(true))));
    check(&ty, r#"{"tag": "name_0", "val": true}"#, Ok(value.clone()));
    check(&ty, r#"{"val": true, "tag": "name_0"}"#, Ok(value));
    check(
        &ty,
        r#"{"tag": "name_1"}"#,
        Ok(Val::Variant("name-1".into(), None)),
    );
    let one_of = "should be an object whose `tag` is one of `name_0`, `name_1`, not";
    check(
        &ty,
        r#"{"tag": "x"}"#,
        Err(("name_0", &format!("{one_of} the string \"x\""))),
    );
    check(
        &ty,
        r#"{"val": 1, "tag": "name_0"}"#,
        Err(("name_0.val", "should be true or false, not 1")),
    );
    check(
        &ty,
        r#"{"tag": "name_0"}"#,
        Err(("name_0", "lacks `val`, true or false")),
    );
}

#[test]
fn errors_name_the_place() {
    let item = Type::Record(fields(vec![
        Type::Integer(Integer::U32),
        Type::Option(Box::new(Type::String)),
    ]));
    let list = Type::List(Box::new(item));
    check(
        &list,
        r#"[{"name_0": 1}, {"name_0": "x"}]"#,
        Err((
            "name_0[1].name_0",
            "should be a whole number from 0 to 4294967295, not the string \"x\"",
        )),
    );
    check(&list, r#"[{}]"#, Err(("name_0[0].name_0", "is missing")));
    check(
        &list,
        r#"[{"name_0": 1, "y": 2}]"#,
        Err(("name_0[0].y", "is unknown")),
    );
    check(
        &list,
        "{}",
        Err(("name_0", "should be an array, not an object")),
    );
}

#[test]
fn values_take_no_more_memory_than_they_may() {
    let optional = Type::Option(Box::new(Type::Bool));
    let record = Type::Record(fields(vec![optional; 50]));
    let read = |ty: Type, text: &str, bytes_max| read::value(&ty, text, bytes_max);
    for (item, text) in [
        (Type::Bool, "true"),
        (record, "{}"),
        (Type::String, "\"some text\""),
    ] {
        let many = format!("[{}]", vec![text; 1_000].join(","));
        let list = Type::List(Box::new(item));
        let error = read(list.clone(), &many, 20_000).unwrap_err();
        assert!(error.contains("takes too much memory"), "{error}");
        assert!(read(list, &many, 8 << 20).is_ok());
    }
    let bytes = format!("\"{}\"", "A".repeat(4_000));
    let error = read(Type::Bytes, &bytes, 20_000).unwrap_err();
    assert_eq!(error, "takes too much memory");
    assert!(read(Type::Bytes, &bytes, 1 << 20).is_ok());
}
