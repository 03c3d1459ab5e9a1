//! Reading undoes writing, and schemas are true of what is written, for every shape.

use proptest::prelude::*;
use proptest::strategy::Union;
use serde_json::Value;
use wasmtime::component::Val;

use super::{ArgumentError, arguments, write};
use crate::members::Texts;
use crate::schema::output;
use crate::shape::numbered::{cases, fields, labels};
use crate::shape::{Integer, Shape};

fn shape() -> impl Strategy<Value = Shape> {
    use Integer::{S8, S16, S32, S64, U8, U16, U32, U64};
    let leaf = prop_oneof![
        Just(Shape::Bool),
        prop::sample::select(vec![S8, U8, S16, U16, S32, U32, S64, U64]).prop_map(Shape::Integer),
        Just(Shape::F32),
        Just(Shape::F64),
        Just(Shape::Char),
        Just(Shape::String),
        Just(Shape::Bytes),
        (1..4usize).prop_map(|count| Shape::Enum(labels(count))),
        (1..5usize).prop_map(|count| Shape::Flags(labels(count))),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let several = prop::collection::vec(inner.clone(), 1..4);
        let maybe = prop::option::of(boxed.clone());
        let case = prop::option::of(inner);
        prop_oneof![
            boxed.clone().prop_map(|item| match *item {
                Shape::Integer(U8) => Shape::Bytes,
                item => Shape::List(Box::new(item)),
            }),
            (boxed.clone(), 1..4u32).prop_map(|(item, length)| Shape::FixedList(item, length)),
            (
                prop::sample::select(vec![Shape::String, Shape::Char, Shape::Integer(U64)]),
                boxed.clone()
            )
                .prop_map(|(key, value)| Shape::Map(Box::new(key), value)),
            several.clone().prop_map(Shape::Tuple),
            several.prop_map(|shapes| Shape::Record(fields(shapes))),
            boxed.prop_map(Shape::Option),
            (maybe.clone(), maybe).prop_map(|(ok, err)| Shape::Result(ok, err)),
            prop::collection::vec(case, 1..4).prop_map(|shapes| Shape::Variant(cases(shapes))),
        ]
    })
}

fn value(shape: &Shape) -> BoxedStrategy<Val> {
    match shape {
        Shape::Bool => any::<bool>().prop_map(Val::Bool).boxed(),
        Shape::Integer(integer) => match integer {
            Integer::S8 => any::<i8>().prop_map(Val::S8).boxed(),
            Integer::U8 => any::<u8>().prop_map(Val::U8).boxed(),
            Integer::S16 => any::<i16>().prop_map(Val::S16).boxed(),
            Integer::U16 => any::<u16>().prop_map(Val::U16).boxed(),
            Integer::S32 => any::<i32>().prop_map(Val::S32).boxed(),
            Integer::U32 => any::<u32>().prop_map(Val::U32).boxed(),
            Integer::S64 => any::<i64>().prop_map(Val::S64).boxed(),
            Integer::U64 => any::<u64>().prop_map(Val::U64).boxed(),
        },
        Shape::F32 => any::<u32>()
            .prop_map(|bits| Val::Float32(f32::from_bits(bits)))
            .boxed(),
        Shape::F64 => any::<u64>()
            .prop_map(|bits| Val::Float64(f64::from_bits(bits)))
            .boxed(),
        Shape::Char => any::<char>().prop_map(Val::Char).boxed(),
        Shape::String => any::<String>().prop_map(Val::String).boxed(),
        Shape::Bytes => prop::collection::vec(any::<u8>().prop_map(Val::U8), 0..9)
            .prop_map(Val::List)
            .boxed(),
        Shape::List(item) => prop::collection::vec(value(item), 0..4)
            .prop_map(Val::List)
            .boxed(),
        Shape::FixedList(item, length) => prop::collection::vec(value(item), *length as usize)
            .prop_map(Val::FixedLengthList)
            .boxed(),
        Shape::Map(key, item) if **key == Shape::String => {
            // The last of equal keys counts, so only maps without such come back the same,
            // in the order of their keys.
            prop::collection::btree_map(any::<String>(), value(item), 0..4)
                .prop_map(|map| map.into_iter().map(|(k, v)| (Val::String(k), v)).collect())
                .prop_map(Val::Map)
                .boxed()
        }
        Shape::Map(key, item) => prop::collection::vec((value(key), value(item)), 0..4)
            .prop_map(Val::Map)
            .boxed(),
        Shape::Tuple(items) => all(items.iter()).prop_map(Val::Tuple).boxed(),
        Shape::Record(fields) => {
            let names: Vec<String> = fields.iter().map(|f| f.label.wit.clone()).collect();
            all(fields.iter().map(|field| &field.shape))
                .prop_map(move |values| Val::Record(names.iter().cloned().zip(values).collect()))
                .boxed()
        }
        Shape::Option(inner) => prop::option::of(value(inner))
            .prop_map(|value| Val::Option(value.map(Box::new)))
            .boxed(),
        Shape::Result(ok, err) => prop_oneof![
            maybe(ok.as_deref()).prop_map(|value| Val::Result(Ok(value))),
            maybe(err.as_deref()).prop_map(|value| Val::Result(Err(value))),
        ]
        .boxed(),
        Shape::Enum(cases) => {
            let names: Vec<String> = cases.iter().map(|label| label.wit.clone()).collect();
            prop::sample::select(names).prop_map(Val::Enum).boxed()
        }
        Shape::Flags(flags) => {
            let names: Vec<String> = flags.iter().map(|label| label.wit.clone()).collect();
            let count = names.len();
            prop::sample::subsequence(names, 0..=count)
                .prop_map(Val::Flags)
                .boxed()
        }
        Shape::Variant(cases) => Union::new(cases.iter().map(|case| {
            let name = case.label.wit.clone();
            maybe(case.shape.as_ref()).prop_map(move |value| Val::Variant(name.clone(), value))
        }))
        .boxed(),
    }
}

fn maybe(shape: Option<&Shape>) -> BoxedStrategy<Option<Box<Val>>> {
    match shape {
        Some(shape) => value(shape).prop_map(|value| Some(Box::new(value))).boxed(),
        None => Just(None).boxed(),
    }
}

fn all<'a>(shapes: impl Iterator<Item = &'a Shape>) -> BoxedStrategy<Vec<Val>> {
    shapes.map(value).collect::<Vec<_>>().boxed()
}

fn written(shape: &Shape, value: &Val) -> String {
    let mut json = write::Json::new(u64::MAX);
    write::write(shape, value, &mut json).unwrap();
    json.finish().unwrap()
}

fn read(shape: &Shape, json: &str) -> Result<Val, ArgumentError> {
    let parameters = fields(vec![shape.clone()]);
    let mut values = arguments(&parameters, &format!("{{\"name_0\": {json}}}"))?;
    Ok(values.remove(0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn reading_undoes_writing(
        (shape, value) in shape().prop_flat_map(|shape| (Just(shape.clone()), value(&shape)))
    ) {
        let json = written(&shape, &value);
        let back = read(&shape, &json).map_err(|error| TestCaseError::fail(format!("{json}: {error:?}")))?;
        prop_assert_eq!(back, value);
    }

    #[test]
    fn schemas_are_true_of_what_is_written(
        (shape, value) in shape().prop_flat_map(|shape| (Just(shape.clone()), value(&shape)))
    ) {
        let json: Value = serde_json::from_str(&written(&shape, &value)).unwrap();
        let schema = output(&shape, &Texts::default());
        jsonschema::draft202012::meta::validate(&schema).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        if let Err(error) = validator.validate(&json) {
            return Err(TestCaseError::fail(format!("{json} against {schema}: {error}")));
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(shape in shape(), text in ".{0,40}") {
        let _ = read(&shape, &text);
    }
}

#[track_caller]
fn check(shape: &Shape, json: &str, expect: Result<Val, (&str, &str)>) {
    let read = read(shape, json);
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
    check(&Shape::F64, "6.66e33", Ok(Val::Float64(far)));
    check(
        &Shape::F64,
        "6660000000000000000000000809688133",
        Ok(Val::Float64(far)),
    );
}

#[test]
fn whole_numbers_are_what_json_calls_integers() {
    let byte = Shape::Integer(Integer::U8);
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
    let wide = Shape::Integer(Integer::U64);
    check(&wide, "\"18446744073709551615\"", Ok(Val::U64(u64::MAX)));
    check(&wide, "18446744073709551615", Ok(Val::U64(u64::MAX)));
    assert_eq!(
        written(&wide, &Val::U64(u64::MAX)),
        "\"18446744073709551615\""
    );
    assert_eq!(written(&wide, &Val::U64((1 << 53) - 1)), "9007199254740991");
    let signed = Shape::Integer(Integer::S64);
    assert_eq!(
        written(&signed, &Val::S64(i64::MIN)),
        "\"-9223372036854775808\""
    );
}

#[test]
fn base64_with_and_without_padding() {
    let bytes = |bytes: &[u8]| Ok(Val::List(bytes.iter().copied().map(Val::U8).collect()));
    check(&Shape::Bytes, "\"aGk=\"", bytes(b"hi"));
    check(&Shape::Bytes, "\"aGk\"", bytes(b"hi"));
    check(
        &Shape::Bytes,
        "\"a*\"",
        Err((
            "name_0",
            "is not base64: `*` at position 1 is no base64 digit",
        )),
    );
}

#[test]
fn none_and_some_none_stay_apart() {
    let twice = Shape::Option(Box::new(Shape::Option(Box::new(Shape::Bool))));
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
    let shape = Shape::Variant(cases(vec![Some(Shape::Bool), None]));
    let value = Val::Variant("name-0".into(), Some(Box::new(Val::Bool(true))));
    check(
        &shape,
        r#"{"tag": "name_0", "val": true}"#,
        Ok(value.clone()),
    );
    check(&shape, r#"{"val": true, "tag": "name_0"}"#, Ok(value));
    check(
        &shape,
        r#"{"tag": "name_1"}"#,
        Ok(Val::Variant("name-1".into(), None)),
    );
    let one_of = "should be an object whose `tag` is one of `name_0`, `name_1`, not";
    check(
        &shape,
        r#"{"tag": "x"}"#,
        Err(("name_0", &format!("{one_of} the string \"x\""))),
    );
    check(
        &shape,
        r#"{"val": 1, "tag": "name_0"}"#,
        Err(("name_0.val", "should be true or false, not 1")),
    );
    check(
        &shape,
        r#"{"tag": "name_0"}"#,
        Err(("name_0", "lacks `val`, true or false")),
    );
}

#[test]
fn errors_name_the_place() {
    let item = Shape::Record(fields(vec![
        Shape::Integer(Integer::U32),
        Shape::Option(Box::new(Shape::String)),
    ]));
    let list = Shape::List(Box::new(item));
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
