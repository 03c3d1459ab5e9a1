//! Terms for tests that differ from the approved ones in one part, each with the expected change.

use tool_hub_manifest::{
    Access, Build, Function, Input, KeyFingerprint, Language, Manifest, Methods, Version,
};

use super::*;
use crate::component::packages::{IncludedPackage, PackageRegistry};

type Pairs = Vec<(String, Terms)>;

/// All versions, each with the beginning of the expected difference.
pub(super) fn all() -> Pairs {
    let mut pairs = Pairs::new();
    of_capabilities(&mut pairs);
    of_functions(&mut pairs);
    of_the_whole(&mut pairs);
    of_components(&mut pairs);
    of_the_rest(&mut pairs);
    pairs
}

fn of_capabilities(pairs: &mut Pairs) {
    for (at, name) in NAMES.iter().enumerate() {
        let upper = name.to_uppercase();
        let mut asks = |what: String, edit: &dyn Fn(&mut Capabilities)| {
            pairs.push((what, edited(|manifest| edit(&mut manifest.capabilities))));
        };
        let (more, new) = (format!("https://{name}.example"), format!("new-{name}"));
        let origin = || more.parse().expect("an origin");
        asks(format!("network {more}"), &|asked| {
            asked.network.insert(origin(), Methods::Any);
        });
        asks(format!("network {more}"), &|asked| {
            asked.network.insert(origin(), only(&["POST"]));
        });
        asks(format!("network {more}:8080"), &|asked| {
            let origin = format!("{more}:8080").parse().expect("an origin");
            asked.network.insert(origin, only(&["GET"]));
        });
        asks(format!("directory {name}"), &|asked| {
            asked.directories[at].access = Access::ReadWrite;
        });
        asks(format!("directory {name}: why"), &|asked| {
            asked.directories[at].why = "to play".to_owned();
        });
        asks(format!("directory {new}"), &|asked| {
            let mut request = asked.directories[at].clone();
            request.name = new.parse().expect("a name");
            asked.directories.push(request);
        });
        asks(format!("variable {upper}"), &|asked| {
            asked.variables[at].secret = false;
        });
        asks(format!("variable {upper}: why"), &|asked| {
            asked.variables[at].why.clear();
        });
        asks(format!("variable NEW_{upper}"), &|asked| {
            let mut request = asked.variables[at].clone();
            request.name = format!("NEW_{upper}").parse().expect("a name");
            asked.variables.push(request);
        });
    }
    let storage = edited(|manifest| {
        let storage = manifest.capabilities.storage.as_mut();
        storage.expect("storage").why = "to play".to_owned();
    });
    pairs.push(("storage".to_owned(), storage));
}

fn of_functions(pairs: &mut Pairs) {
    let edits: [Edit<Function>; 11] = [
        ("title", |it| it.title = Some("Other".to_owned())),
        ("title", |it| it.title = None),
        ("description", |it| it.description = "Other.".to_owned()),
        ("read only", |it| it.read_only = None),
        ("idempotent", |it| it.idempotent = Some(false)),
        ("destructive", |it| it.destructive = Some(true)),
        ("open world", |it| it.open_world = Some(true)),
        ("inputs", |it| first_input(it).description.clear()),
        ("inputs", |it| {
            first_input(it).examples = vec![12.into()];
        }),
        ("output", |it| {
            let output = it.output.as_mut();
            output.expect("an output").description = "Other.".to_owned();
        }),
        ("examples", |it| {
            let example = "a = 1".parse().expect("an example");
            it.examples.push(example);
        }),
    ];
    for name in NAMES {
        for (part, edit) in edits {
            let terms = edited(|manifest| {
                let name: FunctionName = name.parse().expect("a name");
                let function = manifest.functions.get_mut(&name);
                edit(function.expect("a function"));
            });
            pairs.push((format!("{name}: {part}"), terms));
        }
    }
}

fn first_input(function: &mut Function) -> &mut Input {
    let mut inputs = function.inputs.values_mut();
    inputs.next().expect("an input")
}

fn of_the_whole(pairs: &mut Pairs) {
    let edits: [Edit<Manifest>; 11] = [
        ("name", |it| it.name = "other".parse().expect("a name")),
        ("description", |it| it.description.clear()),
        ("license", |it| it.license = None),
        ("icon", |it| it.icon = Some(icon(1))),
        ("limit of memory", |it| it.limits.memory_mib = Some(65)),
        ("limit of memory", |it| it.limits.memory_mib = None),
        ("limit of time", |it| it.limits.call_seconds = Some(6)),
        ("limit of time", |it| it.limits.call_seconds = None),
        ("version (downgrade)", |it| {
            it.version = Version::new(0, 9, 9);
        }),
        ("version (not newer)", |it| {
            it.version = "1.0.0+other".parse().expect("a version");
        }),
        ("manifest, although", |it| {
            it.version = Version::new(1, 0, 0);
            it.build = Some(Build {
                language: Language::Rust,
                source: None,
                functions: None,
                world: None,
                icon: None,
                interpreter: None,
            });
        }),
    ];
    for (what, edit) in edits {
        pairs.push((what.to_owned(), edited(edit)));
    }
}

fn of_components(pairs: &mut Pairs) {
    let talks = "tool-hub:tool/interaction@0.1.0";
    let with = |more: &str| {
        let shows = format!(r#"(import "{talks}" (instance {SHOWS}))"#);
        rebuilt(component(&NAMES, &format!("{shows} {more}")))
    };
    let asks = importing(talks, &format!("{SHOWS} {ASKS}"));
    pairs.push(("imports (asks the person)".to_owned(), rebuilt(asks)));
    for (power, interface) in [
        ("calls other tools", "tool-hub:tool/toolbox@0.1.0"),
        ("network", "wasi:http/outgoing-handler@0.2.0"),
        ("files", "wasi:filesystem/preopens@0.2.0"),
        ("variables", "wasi:cli/environment@0.2.0"),
        ("storage", "wasi:keyvalue/store@0.2.0-draft"),
        ("clock", "wasi:clocks/wall-clock@0.2.0"),
        ("random numbers", "wasi:random/random@0.2.0"),
        ("standard streams", "wasi:cli/stdout@0.2.0"),
        ("nothing", "wasi:cli/exit@0.2.0"),
    ] {
        let import = format!(r#"(import "{interface}" (instance (export "f" (func))))"#);
        let terms = with(&import);
        pairs.push((format!("imports ({power})"), terms));
    }
    pairs.push(("code".to_owned(), with("(core module)")));
    let more: Vec<&str> = NAMES.into_iter().chain(["fifth"]).collect();
    let shows = format!(r#"(import "{talks}" (instance {SHOWS}))"#);
    let more = rebuilt(component(&more, &shows));
    pairs.push(("function fifth".to_owned(), more));
}

/// Parts that are not in a manifest, or that are hard to write as a component.
fn of_the_rest(pairs: &mut Pairs) {
    let edits: [Edit<Terms>; 19] = [
        ("packages", |it| {
            it.packages.push(IncludedPackage {
                origin: None,
                hash: None,
                registry: PackageRegistry::Npm,
                name: "sums".to_owned(),
                version: "1.0.0".to_owned(),
                license: None,
            });
        }),
        ("prompts", |it| it.prompts = true),
        ("resources", |it| it.resources = true),
        ("signer", |it| it.signer = None),
        ("built from", |it| it.built_from = None),
        ("attested by", |it| it.attested_by.clear()),
        ("attested by", |it| {
            it.attested_by = [KeyFingerprint::of(b"eve").into()].into();
        }),
        ("built from", |it| it.built_from = Some("eve/x".to_owned())),
        ("signer", |it| {
            it.signer = Some(KeyFingerprint::of(b"eve").into())
        }),
        ("from", |it| {
            it.source = Source::File { path: "/x".into() };
        }),
        ("commit, although the version is the same", |it| {
            it.source = source('2');
            it.version = Version::new(1, 0, 0);
        }),
        ("x cannot be called", |it| {
            it.not_callable.push(NotCallable {
                export: "x".to_owned(),
                reason: "it takes a resource".to_owned(),
            });
        }),
        ("first: inputs", |it| it.functions[0].inputs.clear()),
        ("first: output", |it| it.functions[0].output = None),
        ("first: inputs", |it| {
            let members = &mut it.functions[0].inputs[0].members;
            members.insert("a".to_owned(), "Other.".to_owned());
        }),
        ("first: output", |it| {
            let output = it.functions[0].output.as_mut().expect("an output");
            let members = &mut output.members;
            members.insert("a".to_owned(), "Other.".to_owned());
        }),
        ("description in toolbox.toml", |it| {
            it.overrides.description = None;
        }),
        ("first: description in toolbox.toml", |it| {
            it.overrides.functions.clear();
        }),
        ("second: description in toolbox.toml", |it| {
            let name = "second".parse().expect("a name");
            it.overrides.functions.insert(name, "Is mine.".to_owned());
        }),
    ];
    for (what, edit) in edits {
        let mut terms = edited(|_| ());
        edit(&mut terms);
        pairs.push((what.to_owned(), terms));
    }
    let mut exported = edited(|_| ());
    exported.functions[0].export = exported.functions[1].export.clone();
    pairs.push(("first: export".to_owned(), exported));
}
