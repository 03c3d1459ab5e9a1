//! Property tests: manifests, locks, toolboxes read back equal; parsers never panic; grants narrow.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use tool_hub_manifest::*;

fn parsed<T: std::fmt::Debug + std::str::FromStr<Err: std::fmt::Debug>>(
    pattern: &'static str,
) -> impl Strategy<Value = T> {
    pattern.prop_map(|text| text.parse().expect("the pattern makes valid texts"))
}

fn version() -> impl Strategy<Value = Version> {
    (0..99_u64, 0..99_u64, 0..99_u64)
        .prop_map(|(major, minor, patch)| Version::new(major, minor, patch))
}

fn digest() -> impl Strategy<Value = Digest> {
    any::<[u8; 8]>().prop_map(|bytes| Digest::of(&bytes))
}

fn key_fingerprint() -> impl Strategy<Value = KeyFingerprint> {
    any::<[u8; 8]>().prop_map(|bytes| KeyFingerprint::of(&bytes))
}

fn package_signer() -> impl Strategy<Value = PackageSigner> {
    let identity = ("[!-~]{1,20}", option::of("[!-~]{1,20}"), key_fingerprint());
    let identity = identity.prop_map(|(subject, issuer, root)| {
        let identity = SignerIdentity::new(subject, issuer, root);
        PackageSigner::Identity(identity.expect("a name"))
    });
    prop_oneof![key_fingerprint().prop_map(PackageSigner::Key), identity]
}

/// Any text that TOML can hold, with quotes, line breaks and controls in it.
fn text() -> impl Strategy<Value = String> {
    any::<String>()
}

fn tool_name() -> impl Strategy<Value = ToolName> {
    parsed("t[a-z0-9-]{0,20}")
}

fn function_name() -> impl Strategy<Value = FunctionName> {
    parsed("f[a-z0-9_]{0,20}")
}

fn key() -> impl Strategy<Value = ToolKey> {
    parsed("k[a-z0-9]{0,10}(_[a-z0-9]{1,5})?")
}

fn origin() -> impl Strategy<Value = Origin> {
    parsed("https?://[a-z]{1,10}\\.example(:[1-7][0-9]{3})?")
}

fn network() -> impl Strategy<Value = Network> {
    let method = prop::sample::select(vec!["GET", "HEAD", "POST", "DELETE", "M-SEARCH"]);
    let methods = option::of(btree_set(method, 0..3)).prop_map(|methods| match methods {
        Some(methods) => {
            let parsed = methods
                .iter()
                .map(|method| method.parse().expect("a method"));
            Methods::Only(parsed.collect())
        }
        None => Methods::Any,
    });
    btree_map(origin(), methods, 0..3).prop_map(Network::from_iter)
}

fn export() -> impl Strategy<Value = ExportName> {
    parsed("([a-z]{1,8}:[a-z]{1,8}/[a-z]{1,8}(@1\\.[0-9]\\.0)?\\.)?[a-z]{1,8}(-[a-z]{1,8})?")
}

fn credential_place() -> impl Strategy<Value = CredentialPlace> {
    prop_oneof![
        parsed("x-[a-z]{1,8}: ?[!-z]{0,8}\\{\\}[!-z]{0,8}").prop_map(CredentialPlace::Header),
        "[a-z._~-]{1,8}".prop_map(CredentialPlace::Query),
        Just(CredentialPlace::Basic),
    ]
}

fn access() -> impl Strategy<Value = Access> {
    prop_oneof![Just(Access::Read), Just(Access::ReadWrite)]
}

fn value_type() -> impl Strategy<Value = ValueType> {
    use ValueType::*;
    prop::sample::select(vec![
        Text, Image, Audio, Boolean, Integer, Number, Array, Object, Any,
    ])
}

fn directory_name() -> impl Strategy<Value = DirectoryName> {
    parsed("d[a-z0-9-]{0,10}")
}

fn variable_name() -> impl Strategy<Value = VariableName> {
    parsed("V[A-Z0-9_]{0,10}")
}

fn capabilities() -> impl Strategy<Value = Capabilities> {
    let directories = btree_map(directory_name(), (access(), text()), 0..3);
    let variables = btree_map(variable_name(), (any::<bool>(), text()), 0..3);
    let storage = option::of(text().prop_map(|why| StorageRequest { why }));
    let credential = (variable_name(), credential_place(), text());
    (network(), credential, directories, variables, storage).prop_map(
        |(network, (name, place, why), directories, variables, storage)| Capabilities {
            credentials: network
                .iter()
                .take(1)
                .filter(|_| !variables.contains_key(&name))
                .map(|(origin, _)| CredentialRequest {
                    name: name.clone(),
                    origin: origin.clone(),
                    place: place.clone(),
                    oauth: None,
                    why: why.clone(),
                })
                .collect(),
            network,
            directories: directories
                .into_iter()
                .map(|(name, (access, why))| DirectoryRequest { name, access, why })
                .collect(),
            variables: variables
                .into_iter()
                .map(|(name, (secret, why))| VariableRequest { name, secret, why })
                .collect(),
            storage,
        },
    )
}

fn schema(is_open: bool) -> SchemaText {
    let value = serde_json::json!({
        "type": "object", "properties": {"a": {}}, "additionalProperties": is_open, "maxProperties": 1.5,
    });
    value.try_into().expect("a schema")
}

fn function() -> impl Strategy<Value = Function> {
    let hint = || option::of(any::<bool>());
    let input = (value_type(), text(), any::<bool>());
    let inputs = btree_map(parsed::<ArgumentName>("a[a-z0-9_]{0,10}"), input, 0..4);
    let output = option::of((value_type(), text()));
    let texts = (option::of(export()), option::of(text()), text());
    let values = btree_map(
        parsed::<ArgumentName>("a[a-z0-9_]{0,10}"),
        any::<i32>(),
        1..3,
    );
    let confirm = option::of(option::of(values));
    (
        texts,
        (hint(), hint(), hint(), hint()),
        confirm,
        inputs,
        output,
    )
        .prop_map(|(texts, hints, confirm, inputs, output)| Function {
            confirm: confirm.map(|values| match values {
                None => Confirmation::EveryCall,
                Some(values) => {
                    let values = values.into_iter();
                    Confirmation::Values(
                        values
                            .map(|(name, value)| (name, vec![value.into()]))
                            .collect(),
                    )
                }
            }),
            export: texts.0,
            title: texts.1,
            description: texts.2,
            read_only: hints.0,
            idempotent: hints.1,
            destructive: hints.2,
            open_world: hints.3,
            input_schema: hints.0.map(schema),
            output_schema: hints.1.map(schema),
            inputs: inputs
                .into_iter()
                .map(|(name, (value_type, description, optional))| {
                    let examples = vec![
                        toml::Value::String(description.clone()),
                        toml::Value::Integer(3),
                    ];
                    (
                        name,
                        Input {
                            value_type,
                            description,
                            optional,
                            examples,
                            members: [("a.b".to_owned(), "One.\nTwo.".to_owned())].into(),
                        },
                    )
                })
                .collect(),
            output: output.map(|(value_type, description)| Output {
                value_type,
                members: [("a".to_owned(), description.clone())].into(),
                description,
            }),
            examples: vec![toml::Table::from_iter([(
                "a".to_owned(),
                toml::Value::Boolean(true),
            )])],
        })
}

fn manifest() -> impl Strategy<Value = Manifest> {
    let build = option::of((
        prop::sample::select(vec![
            Language::Rust,
            Language::Python,
            Language::Javascript,
            Language::C,
        ]),
        option::of(text()),
        option::of(text()),
        option::of(text()),
    ));
    let component = option::of(any::<[u8; 16]>());
    let limits = (option::of(any::<u32>()), option::of(any::<u32>()));
    let functions = btree_map(function_name(), function(), 0..4);
    let icon = option::of(any::<[u8; 4]>());
    let head = (tool_name(), version(), text(), option::of(text()), icon);
    (head, build, component, functions, capabilities(), limits).prop_map(
        |(head, build, component, functions, capabilities, limits)| {
            let mut manifest = Manifest::new(head.0, head.1);
            manifest.description = head.2;
            manifest.license = head.3;
            let picture = |pixels: [u8; 4]| [b"\x89PNG\r\n\x1a\n", &pixels[..]].concat();
            manifest.icon = head
                .4
                .map(|pixels| Icon::of(&picture(pixels)).expect("a picture"));
            manifest.build = build.map(|(language, source, world, icon)| Build {
                language,
                functions: source.as_ref().filter(|_| world.is_some()).cloned(),
                source,
                world,
                interpreter: icon.clone(),
                icon,
            });
            manifest.component = component.map(|bytes| ComponentClaim::of(&bytes));
            manifest.functions = functions.into_iter().collect();
            manifest.capabilities = capabilities;
            manifest.limits = LimitRequest {
                memory_mib: limits.0,
                call_seconds: limits.1,
            };
            manifest
        },
    )
}

fn grants() -> impl Strategy<Value = Grants> {
    let directories = btree_map(directory_name(), (text(), access()), 0..3);
    let credentials = btree_map(variable_name(), origin(), 0..3);
    (
        network(),
        credentials,
        btree_set(variable_name(), 0..3),
        any::<bool>(),
        directories,
    )
        .prop_map(|(network, credentials, variables, storage, directories)| {
            let mut grants = Grants::none();
            grants.network = network;
            grants.credentials = credentials;
            grants.variables = variables;
            grants.storage = storage;
            for (name, (path, access)) in directories {
                grants = grants.directory(name, path, access);
            }
            grants
        })
}

fn locked_tool() -> impl Strategy<Value = LockedTool> {
    let source = prop_oneof![
        (
            parsed::<RepoId>("[a-z]{1,8}/[a-z]{1,8}"),
            parsed::<CommitId>("[0-9a-f]{40}")
        )
            .prop_map(|(repo, commit)| {
                let endpoint = "https://registry.example/".parse().expect("a URL");
                Source::Registry {
                    endpoint,
                    repo,
                    commit,
                }
            }),
        text().prop_map(|path| Source::File { path: path.into() }),
        server_address().prop_map(|address| Source::Server { address }),
    ];
    let consent = prop_oneof![
        Just(Consent::Terminal),
        Just(Consent::Flag),
        Just(Consent::Update)
    ];
    let overrides = (option::of(text()), btree_map(function_name(), text(), 0..3)).prop_map(
        |(description, functions)| Overrides {
            description,
            functions,
        },
    );
    let functions = btree_map(function_name(), digest(), 0..4);
    (
        (version(), digest(), digest()),
        source,
        consent,
        (option::of(package_signer()), option::of(log_entry())),
        grants(),
        functions,
        (option::of(key()), overrides),
    )
        .prop_map(
            |(
                (version, manifest, component),
                source,
                consent,
                (signer, logged),
                grants,
                functions,
                (name, overrides),
            )| {
                let pin = Pin {
                    manifest,
                    component,
                };
                let digest = overrides.digest_with(&pin);
                let approval = Approval {
                    digest,
                    consent,
                    at: "2026-01-02T03:04:05Z".to_owned(),
                };
                LockedTool {
                    name,
                    version,
                    manifest,
                    component,
                    source,
                    approval,
                    attested_by: signer.iter().cloned().collect(),
                    signer,
                    logged,
                    allowed_advisories: std::collections::BTreeSet::new(),
                    calls_functions: functions.len() == 1,
                    grants,
                    called_by_key: functions.keys().next().cloned(),
                    functions,
                    overrides,
                    dependencies: std::collections::BTreeMap::new(),
                }
            },
        )
}

fn log_entry() -> impl Strategy<Value = LogEntry> {
    (0..1_u64 << 48).prop_map(|index| LogEntry {
        index,
        at: "2026-01-02T03:04:05Z".to_owned(),
        taken_new: index % 2 == 1,
        built_from: (index % 3 == 0).then(|| "acme/forecast".to_owned()),
    })
}

fn server_address() -> impl Strategy<Value = ServerAddress> {
    let words = proptest::collection::vec("[ -~é]{1,12}", 1..4);
    let url = "https://[a-z]{1,8}\\.example/[a-z]{0,8}";
    prop_oneof![
        words.prop_map(|words| ServerAddress::Command(ServerCommand::new(words).expect("words"))),
        url.prop_map(|url| ServerAddress::Remote(ServerUrl::new(&url).expect("a URL"))),
    ]
}

fn toolbox_entry() -> impl Strategy<Value = ToolboxEntry> {
    let place = prop_oneof![
        parsed::<RepoId>("[a-z]{1,8}/[a-z]{1,8}").prop_map(|repo| (Some(repo), None, None)),
        text().prop_map(|path| (None, Some(path.into()), None)),
        server_address().prop_map(|address| (None, None, Some(address))),
    ];
    let functions: BTreeMap<FunctionName, FunctionOverride> = BTreeMap::new();
    let network = option::of(option::of(network()));
    (
        place,
        option::of(text()),
        option::of(parsed::<VersionReq>("\\^[0-9]\\.[0-9]")),
        network,
    )
        .prop_map(
            move |((repo, path, mcp), description, version, network)| ToolboxEntry {
                repo,
                path,
                mcp,
                version,
                endpoint: None,
                description,
                functions: functions.clone(),
                grants: network.map(|network| GrantOverride {
                    network,
                    ..GrantOverride::default()
                }),
            },
        )
}

proptest! {
    #[test]
    fn a_written_manifest_reads_back_equal(manifest in manifest()) {
        let text = manifest.to_toml();
        prop_assert_eq!(text.parse::<Manifest>().unwrap(), manifest);
    }

    #[test]
    fn a_written_lock_reads_back_equal(tools in btree_map(key(), locked_tool(), 0..4)) {
        let mut lock = Lock::empty();
        lock.tools = tools;
        prop_assert_eq!(lock.to_toml().parse::<Lock>().unwrap(), lock);
    }

    #[test]
    fn an_edited_toolbox_reads_back_equal(entries in vec((key(), toolbox_entry()), 0..5)) {
        let mut text = String::from("# mine\n");
        let mut expected = BTreeMap::new();
        for (key, entry) in entries {
            text = Toolbox::insert_into(&text, &key, &entry).unwrap();
            expected.insert(key, entry);
        }
        let found: BTreeMap<_, _> = text.parse::<Toolbox>().unwrap().tools.into_iter().collect();
        prop_assert_eq!(&found, &expected);
        for key in expected.keys() {
            text = Toolbox::remove_from(&text, key).unwrap();
        }
        prop_assert!(text.parse::<Toolbox>().unwrap().tools.is_empty());
        prop_assert!(text.starts_with("# mine\n"));
    }

    #[test]
    fn narrowed_grants_stay_within_what_was_approved(
        approved in grants(),
        network in option::of(network()),
        storage in option::of(any::<bool>()),
    ) {
        let narrower = GrantOverride { network, credentials: None, directories: Some(BTreeSet::new()), variables: None, storage };
        let narrowed = narrower.narrow(approved.clone());
        prop_assert!(narrowed.network.beyond(&approved.network).is_empty());
        prop_assert!(approved.storage >= narrowed.storage);
        prop_assert!(narrowed.directories.is_empty());
        prop_assert_eq!(narrowed.variables, approved.variables);
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in any::<String>()) {
        let _ = text.parse::<Manifest>();
        let _ = text.parse::<Toolbox>();
        let _ = text.parse::<Lock>();
        let _ = text.parse::<ToolRef>();
        let _ = text.parse::<Origin>();
        let _ = text.parse::<ExportName>();
        let _ = text.parse::<Digest>();
        let _ = text.parse::<RepoId>();
    }

    #[test]
    fn no_broken_manifest_makes_the_parser_panic(manifest in manifest(), at in any::<prop::sample::Index>(), with in any::<char>()) {
        let mut chars: Vec<char> = manifest.to_toml().chars().collect();
        let index = at.index(chars.len());
        chars[index] = with;
        let broken: String = chars.into_iter().collect();
        if let Err(error) = broken.parse::<Manifest>() {
            prop_assert!(error.line >= 1 && error.column >= 1);
            prop_assert!(!error.message.is_empty());
        }
    }

    #[test]
    fn a_reference_that_reads_writes_itself(text in "[a-z]{1,5}/[a-z]{1,5}(@[0-9a-z^~.=-]{1,12})?") {
        if let Ok(reference) = text.parse::<ToolRef>() {
            prop_assert_eq!(reference.to_string().parse::<ToolRef>().unwrap(), reference);
        }
    }
}

#[test]
fn huge_and_deep_documents_end_quickly() {
    let start = std::time::Instant::now();
    assert!("a = 1\n".repeat(10_000_000).parse::<Manifest>().is_err());
    let deep = format!("schema = {}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(deep.parse::<Manifest>().is_err());
    assert!(start.elapsed().as_secs() < 5, "took {:?}", start.elapsed());
}
