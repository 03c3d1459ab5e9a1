//! Tests of reading documents, and of the functions that are made of them.

use serde_json::{Value, json};

use super::*;

/// A document with one operation, `POST /things/{id}`.
fn document(operation: Value, components: Value) -> OpenApiDocument {
    let item = json!({
        "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
        "post": operation,
    });
    let root = json!({
        "openapi": "3.1.0", "info": {"title": "Things"}, "paths": {"/things/{id}": item},
        "components": components,
    });
    OpenApiDocument::new(root).unwrap()
}

fn functions(operation: Value, components: Value) -> ApiFunctions {
    let document = document(operation, components);
    let operations = document.operations().unwrap();
    document.functions(&operations)
}

#[track_caller]
fn function(operation: Value, components: Value) -> (ApiFunction, Vec<String>) {
    let mut made = functions(operation, components);
    assert_eq!(made.skipped, Vec::<String>::new());
    let losses = made.losses.iter().map(ToString::to_string).collect();
    (made.functions.remove(0), losses)
}

#[track_caller]
fn is_skipped(operation: Value, reason: &str) {
    let made = functions(operation, json!({}));
    assert_eq!(made.functions, []);
    assert!(made.skipped[0].contains(reason), "{:?}", made.skipped);
}

fn body(media_type: &str, schema: Value) -> Value {
    json!({"requestBody": {"required": true, "content": {media_type: {"schema": schema}}}})
}

/// The schema of the argument `value`, which is a member of the body, and the losses.
#[track_caller]
fn member(schema: Value, components: Value) -> (Value, Vec<String>) {
    let schema = json!({"type": "object", "properties": {"value": schema}});
    let (function, losses) = function(body("application/json", schema), components);
    (
        function.spec.input_schema["properties"]["value"].clone(),
        losses,
    )
}

#[test]
fn parameters_have_the_styles_of_their_places() {
    let parameters = json!([
        {"name": "list", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
        {"name": "joined", "in": "query", "explode": false, "schema": {}},
        {"name": "filter", "in": "query", "style": "deepObject", "schema": {}},
        {"name": "piped", "in": "query", "style": "pipeDelimited", "schema": {}},
        {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
        {"name": "Accept", "in": "header", "schema": {"type": "string"}},
        {"name": "session", "in": "cookie", "schema": {"type": "string"}},
        {"name": "json", "in": "query", "content": {"application/json": {"schema": {}}}},
        {"name": "old", "in": "query", "deprecated": true, "schema": {}},
        {"name": "id", "in": "path", "required": true, "style": "matrix", "schema": {}},
        {"name": "key", "in": "query", "schema": {"type": "string"}},
    ]);
    let key = json!({"key": {"type": "apiKey", "in": "query", "name": "key"}});
    let (function, _) = function(
        json!({"parameters": parameters}),
        json!({ "securitySchemes": key }),
    );
    let places: Vec<(&str, ApiPlace)> = function
        .arguments
        .iter()
        .map(|argument| (argument.name.as_str(), argument.place))
        .collect();
    assert_eq!(
        places,
        [
            ("id", ApiPlace::Path(ApiStyle::Matrix)),
            ("list", ApiPlace::Query(ApiStyle::FormExploded)),
            ("joined", ApiPlace::Query(ApiStyle::Form)),
            ("filter", ApiPlace::Query(ApiStyle::DeepObject)),
            ("piped", ApiPlace::Query(ApiStyle::PipeDelimited)),
            ("x_trace", ApiPlace::Header(ApiStyle::Simple)),
            ("session", ApiPlace::Cookie(ApiStyle::FormExploded)),
            ("json", ApiPlace::Query(ApiStyle::Json)),
        ]
    );
    assert_eq!(function.arguments[5].wire, "X-Trace");
    assert_eq!(function.spec.input_schema["required"], json!(["id"]));
}

#[test]
fn what_no_request_can_have_leaves_the_operation_out() {
    let parameter = |parameter: Value| json!({ "parameters": [parameter] });
    is_skipped(
        parameter(json!({"name": "a", "in": "query", "style": "curly"})),
        "`a` has a style that OpenAPI does not have",
    );
    is_skipped(
        parameter(json!({"name": "a", "in": "trailer"})),
        "`a` is in a place that requests do not have",
    );
    is_skipped(
        parameter(json!({"$ref": "other.yaml#/a"})),
        "`$ref` to `other.yaml#/a` at `/parameters` leads out of the document",
    );
    is_skipped(
        parameter(json!({"$ref": "#/components/parameters/none"})),
        "leads nowhere",
    );
    is_skipped(
        body("multipart/form-data", json!({})),
        "its body is multipart/form-data, which is not carried",
    );
    is_skipped(body("text/xml", json!({})), "its body is text/xml");
    let external = json!({"properties": {"a": {"items": {"$ref": "https://a.example/b.json"}}}});
    is_skipped(
        body("application/json", external),
        "`https://a.example/b.json` at `/properties/a/items` leads out",
    );
    let many: serde_json::Map<String, Value> =
        (0..101).map(|n| (format!("a{n}"), json!({}))).collect();
    is_skipped(
        body("application/json", json!({ "properties": many })),
        "it takes 102 arguments, at most 100 are read",
    );
}

#[test]
fn the_members_of_a_body_are_arguments() {
    let schema = json!({
        "type": "object",
        "required": ["id", "note"],
        "properties": {
            "id": {"type": "integer", "readOnly": true},
            "note": {"type": ["string", "null"], "description": "A note", "example": "Milk"},
            "user-id": {"type": "integer", "format": "int64", "exclusiveMinimum": true, "minimum": 0},
        },
    });
    let (function, losses) = function(body("application/merge-patch+json", schema), json!({}));
    assert_eq!(losses, Vec::<String>::new());
    let properties = &function.spec.input_schema["properties"];
    assert_eq!(
        *properties,
        json!({
            "id": {"type": "string"},
            "note": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "description": "A note. For example `Milk`.",
            },
            "user_id": {"type": "integer", "exclusiveMinimum": 0},
        })
    );
    assert_eq!(function.arguments[1].place, ApiPlace::Member);
    assert_eq!(function.arguments[2].wire, "user-id");
    let sent = function.body.unwrap();
    assert_eq!(
        (sent.kind, sent.media_type.as_str()),
        (BodyKind::Json, "application/merge-patch+json")
    );
}

#[test]
fn other_bodies_are_one_argument() {
    for (media_type, schema, kind) in [
        (
            "application/json",
            json!({"type": "array", "items": {"type": "string"}}),
            BodyKind::Json,
        ),
        ("text/plain", json!({}), BodyKind::Text),
        ("image/png", json!({}), BodyKind::Bytes),
    ] {
        let (function, _) = function(body(media_type, schema), json!({}));
        assert_eq!(function.arguments[1].place, ApiPlace::Body);
        assert_eq!(function.body.unwrap().kind, kind);
    }
    let form = json!({"properties": {"expand": {}, "tags": {}}});
    let mut operation = body("application/x-www-form-urlencoded", form);
    let content = &mut operation["requestBody"]["content"]["application/x-www-form-urlencoded"];
    content["encoding"] = json!({"expand": {"style": "deepObject", "explode": true}});
    let (function, _) = function(operation, json!({}));
    let places: Vec<ApiPlace> = function.arguments.iter().map(|it| it.place).collect();
    assert_eq!(
        places[1..],
        [
            ApiPlace::Field(ApiStyle::DeepObject),
            ApiPlace::Field(ApiStyle::FormExploded)
        ]
    );
}

#[test]
fn null_is_read_in_both_versions() {
    let narrowed = "less may be written at `/properties/value` than `null` allows";
    for schema in [
        json!({"type": "string", "nullable": true}),
        json!({"type": ["string", "null"]}),
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        json!({"allOf": [{"$ref": "#/components/schemas/text"}], "nullable": true}),
    ] {
        let text = json!({"schemas": {"text": {"type": "string"}}});
        let (read, losses) = member(schema.clone(), text);
        assert_eq!(read, json!({"type": "string"}), "{schema}");
        assert_eq!(losses.len(), 1);
        assert!(losses[0].ends_with(narrowed), "{losses:?}");
    }
}

#[test]
fn parts_are_merged_and_alternatives_become_one() {
    let components = json!({"schemas": {
        "base": {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}},
        "circle": {"allOf": [{"$ref": "#/components/schemas/base"}], "properties": {"radius": {"type": "number"}}},
        "square": {"allOf": [{"$ref": "#/components/schemas/base"}], "properties": {"side": {"type": "number"}}},
        "tree": {"type": "object", "properties": {"left": {"$ref": "#/components/schemas/tree"}}},
    }});
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let (circle, losses) = member(reference("circle"), components.clone());
    assert_eq!(circle["required"], json!(["kind"]));
    assert_eq!(circle["properties"]["radius"], json!({"type": "number"}));
    assert_eq!(losses, Vec::<String>::new());

    let shapes =
        json!({"oneOf": [reference("circle"), reference("square")], "description": "A shape"});
    let (shape, losses) = member(shapes, components.clone());
    let names: Vec<&String> = shape["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["radius", "kind", "side"]);
    assert_eq!(shape["required"], json!(["kind"]));
    assert_eq!(
        shape["description"],
        "A shape. One of: an object with `radius`, `kind`; an object with `side`, `kind`."
    );
    assert!(
        losses[0].contains("`oneOf` at `/properties/value` is weakened"),
        "{losses:?}"
    );

    let (tree, _) = member(reference("tree"), components);
    assert_eq!(tree["properties"]["left"], json!({}));

    let text = json!({"type": "string"});
    let texts = json!({"type": "array", "items": text});
    for (alternatives, expect) in [
        (json!([text, {"type": "integer"}]), text.clone()),
        (json!([text, texts]), texts.clone()),
        (
            json!([{"type": "integer"}, {"type": "number"}]),
            json!({"type": "number"}),
        ),
        (
            json!([{"enum": ["a"]}, {"enum": ["b", "a"]}]),
            json!({"enum": ["a", "b"]}),
        ),
        (
            json!([{"type": "integer"}, {"type": "string", "enum": [""]}]),
            json!({"type": "integer"}),
        ),
        (
            json!([{"type": "boolean"}, texts]),
            json!({"description": "One of: boolean; array."}),
        ),
    ] {
        let (read, _) = member(json!({ "anyOf": alternatives }), json!({}));
        assert_eq!(read, expect, "{alternatives}");
    }
    let either = json!({
        "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    });
    let (read, _) = member(either, json!({}));
    assert_eq!(read["description"], "It needs `a` or `b`.");
}

#[test]
fn a_function_says_what_it_does_and_returns() {
    let issue = json!({"type": "object", "properties": {"id": {}, "title": {}}});
    let content = json!({"application/json": {"schema": {"type": "array", "items": issue}}});
    let (function, _) = function(
        json!({
            "operationId": "things/list", "summary": "List things",
            "description": "Lists <b>all</b> [things](https://a.example).\n\nMore of it.",
            "responses": {"200": {"content": content}},
            "servers": [{"url": "https://{region}.a.example", "variables": {"region": {"default": "eu"}}}],
        }),
        json!({}),
    );
    assert_eq!(function.spec.name, "things_list");
    assert_eq!(
        function.spec.description,
        "List things. Lists all things. Returns a list of objects with `id`, `title`."
    );
    assert_eq!(function.server, "https://eu.a.example");
    assert_eq!(function.accept, "application/json");
    assert_eq!(function.spec.annotations.read_only, Some(false));
}

#[test]
fn credentials_are_those_of_the_first_alternative_that_can_be_carried() {
    let schemes = json!({"securitySchemes": {
        "mutual": {"type": "mutualTLS"},
        "host": {"type": "apiKey", "in": "header", "name": "Host"},
        "login": {"type": "http", "scheme": "Basic"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
        "oauth": {"type": "oauth2", "flows": {}},
    }});
    let carried = |security: Value| {
        let made = functions(json!({ "security": security }), schemes.clone());
        let credentials = made.functions[0].credentials.clone();
        (credentials, made.refused_schemes)
    };
    let (both, refused) = carried(json!([{"mutual": []}, {"login": [], "cookie": []}]));
    let places: Vec<CredentialPlace> = both.into_iter().map(|it| it.place).collect();
    assert_eq!(
        places,
        [
            CredentialPlace::Basic,
            CredentialPlace::Cookie("sid".to_owned())
        ]
    );
    assert_eq!(refused, Vec::<String>::new());
    let (oauth, _) = carried(json!([{}, {"oauth": ["things.read"]}]));
    assert_eq!(
        oauth[0].why,
        "an access token of OAuth 2 for Things with things.read"
    );
    let (none, refused) = carried(json!([{"mutual": []}, {"host": []}]));
    assert_eq!(
        (none.len(), refused),
        (0, vec!["host".to_owned(), "mutual".to_owned()])
    );
    assert_eq!(carried(json!([])).0, []);
}

/// A document with `count` operations, of which every second one reads and every tenth is old.
fn large(count: usize) -> OpenApiDocument {
    let paths: serde_json::Map<String, Value> = (0..count)
        .map(|n| {
            let (method, verb) = if n % 2 == 0 {
                ("post", "Create")
            } else {
                ("get", "Read")
            };
            let operation = json!({
                "operationId": format!("op{n}"), "summary": format!("{verb} thing {n}"),
                "tags": [format!("tag{}", n % 50)], "deprecated": n % 10 == 0,
            });
            (format!("/things{n}"), json!({ method: operation }))
        })
        .collect();
    OpenApiDocument::new(json!({"openapi": "3.0.3", "paths": paths})).unwrap()
}

#[test]
fn a_choice_is_a_dozen_functions_or_says_how_to_choose() {
    let document = large(1000);
    let operations = document.operations().unwrap();
    let chosen = |choice: Choice| choice.of(&operations);
    let names = |choice: Choice| -> Vec<&str> {
        let chosen = chosen(choice).unwrap();
        chosen.iter().filter_map(ApiOperation::id).collect()
    };
    let Err(ChoiceError::TooMany { count, tags, .. }) = chosen(Choice::default()) else {
        panic!("a thousand operations are not one tool");
    };
    assert_eq!((count, tags.len()), (900, 45));
    let tagged = Choice {
        tags: vec!["TAG1".to_owned()],
        ..Choice::default()
    };
    assert_eq!(chosen(tagged).unwrap().len(), 20);
    let found = Choice {
        search: Some("creating things: create thing 444".to_owned()),
        ..Choice::default()
    };
    assert_eq!(names(found)[0], "op444");
    let named = Choice {
        operations: vec![
            "op10".to_owned(),
            "GET /things7".to_owned(),
            "op10".to_owned(),
        ],
        ..Choice::default()
    };
    assert_eq!(names(named), ["op7", "op10"], "those that read come first");
    for (choice, expect) in [
        (
            Choice {
                tags: vec!["none".to_owned()],
                ..Choice::default()
            },
            "no operation has the tag",
        ),
        (
            Choice {
                tags: vec!["tag0".to_owned()],
                ..Choice::default()
            },
            "all are deprecated",
        ),
        (
            Choice {
                operations: vec!["op".to_owned()],
                ..Choice::default()
            },
            "there is no operation",
        ),
        (
            Choice {
                search: Some("weather".to_owned()),
                ..Choice::default()
            },
            "no operation matches",
        ),
        (
            Choice {
                operations: vec![String::new(); 101],
                ..Choice::default()
            },
            "101 operations",
        ),
    ] {
        let error = chosen(choice).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    }
}

#[test]
fn what_is_no_document_is_refused() {
    for (root, expect) in [
        (json!([]), "it is not an OpenAPI document"),
        (json!({"openapi": {}}), "it is not an OpenAPI document"),
        (json!({"swagger": "2.0"}), "it is written in OpenAPI 2.0"),
        (json!({"openapi": "4.0"}), "it is written in OpenAPI 4.0"),
    ] {
        let error = OpenApiDocument::new(root).unwrap_err().to_string();
        assert!(error.starts_with(expect), "{error}");
    }
    for root in [
        json!({"openapi": 3.1}),
        json!({"openapi": "3.0", "paths": {"/": {"$ref": "#/paths/~1"}}}),
        json!({"openapi": "3.0", "paths": {"/": {"get": []}}}),
    ] {
        let document = OpenApiDocument::new(root).unwrap();
        assert_eq!(document.operations(), Err(OpenApiError::Empty));
    }
}

#[test]
fn hostile_documents_end() {
    // Each schema holds the next one twice, which written out would be 2^40 members.
    let doubled: serde_json::Map<String, Value> = (0..40)
        .map(|n| {
            let next = json!({ "$ref": format!("#/components/schemas/s{}", n + 1) });
            let schema = json!({"allOf": [next, next], "properties": {"a": next, "b": next}});
            (format!("s{n}"), schema)
        })
        .collect();
    let mut components = json!({ "schemas": doubled });
    components["schemas"]["s40"] = json!({"type": "string"});
    let first = json!({"$ref": "#/components/schemas/s0"});
    let (made, _) = function(body("application/json", first.clone()), components.clone());
    assert!(made.spec.input_schema.to_string().len() < 1 << 20);
    let alternatives = json!({"properties": {"a": {"anyOf": vec![first; 1000]}}});
    let (made, _) = function(body("application/json", alternatives), components);
    assert!(made.spec.input_schema.to_string().len() < 1 << 20);

    let mut deep = json!({});
    for _ in 0..100 {
        deep = json!({"type": "array", "items": {"oneOf": [deep, {"type": "null"}]}});
    }
    member(deep, json!({}));
    for odd in [
        json!(7),
        json!({"type": 7, "enum": 7, "required": 7, "properties": 7, "allOf": 7, "oneOf": [7]}),
        json!({"type": [], "enum": [], "oneOf": [], "allOf": [[]]}),
        json!({"type": "object", "properties": {"": {}, "\u{0}note": {}}}),
        json!({"description": "\u{202e}<".repeat(100_000), "example": {"a": "`\n"}}),
    ] {
        member(odd, json!({}));
    }
    for odd in [
        json!({"parameters": 7, "requestBody": 7, "responses": 7, "security": 7, "servers": 7, "tags": 7}),
        json!({"parameters": [7, {"name": 7}], "responses": {"200": 7}, "security": [7, {"a": 7}]}),
        json!({"requestBody": {"content": {"": {}}}, "responses": {"200": {"content": {"": 7}}}}),
        json!({"operationId": "\u{0}", "summary": 7, "servers": [{"url": "{", "variables": {"": 7}}]}),
    ] {
        let made = functions(odd, json!({}));
        assert_eq!(made.functions.len() + made.skipped.len(), 1);
    }
}
