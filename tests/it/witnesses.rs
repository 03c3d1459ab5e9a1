//! Tests of witnesses: a log that shows different histories to different users is cosigned once.

use std::thread;
use std::time::{Duration, Instant};

use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::witness::{Manner, Witness};
use crate::support::{Home, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "witnesses::a_cosigned_log_is_taken",
            a_cosigned_log_is_taken,
        ),
        test("witnesses::too_few_are_refused", too_few_are_refused),
        test(
            "witnesses::another_history_is_not_cosigned",
            another_history_is_not_cosigned,
        ),
        test(
            "witnesses::ill_ones_hold_up_nothing",
            ill_ones_hold_up_nothing,
        ),
    ]
}

fn push(author: &Home, version: &str, description: &str) {
    crate::logs::push(author, version, description);
}

fn text(url: &str) -> String {
    String::from_utf8(crate::signatures::published::get(url)).expect("text")
}

/// Has a witness asked by a registry, whose log it knows.
fn introduce(witness: &Witness, registry: &RegistryProcess) {
    witness.know(&text(&format!("{}/api/log/key", registry.url())));
    let add = ["registry", "witness", "add", witness.key(), witness.url()];
    registry.operator().run(add).ok();
}

/// Waits until the checkpoint of the registry has so many signatures beside the two of its log.
fn wait_for(registry: &RegistryProcess, cosignatures: usize) {
    let start = Instant::now();
    loop {
        let checkpoint = text(&format!("{}/api/log/checkpoint", registry.url()));
        let lines = checkpoint.lines().filter(|it| it.starts_with('\u{2014}'));
        if lines.count() == 2 + cosignatures {
            return;
        }
        assert!(start.elapsed().as_secs() < 60, "not cosigned: {checkpoint}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// A user who asks for `threshold` of these witnesses.
fn user(url: &str, threshold: usize, witnesses: &[&Witness]) -> Home {
    let home = Home::new().with("HF_ENDPOINT", url);
    let keys: Vec<String> = witnesses
        .iter()
        .map(|it| format!("{:?}", it.key()))
        .collect();
    home.configure(&format!(
        "[witnesses.{url:?}]\nthreshold = {threshold}\nkeys = [{}]\n",
        keys.join(", ")
    ));
    home
}

fn a_cosigned_log_is_taken() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    let [one, two] = ["witness.example/w1", "witness.example/w2"]
        .map(|name| Witness::start(name, Manner::Honest));
    introduce(&one, &registry);
    introduce(&two, &registry);
    push(&ada, "1.0.0", "Adds.");
    wait_for(&registry, 2);
    let user = user(registry.url(), 2, &[&one, &two]);
    load(&user, "ada/adder", &[]);
    for version in ["1.1.0", "1.2.0", "1.3.0"] {
        push(&ada, version, "Adds.");
        wait_for(&registry, 2);
        user.tool("update --accept-code").ok();
    }
    user.tool("verify --log").ok();
    user.tool("registry monitor").ok();
    assert_eq!((one.size(), two.size()), (4, 4));

    // A bundle has the signatures with it.
    user.tool("bundle -o adder.tools").ok();
    let bundle = user.work().join("adder.tools");
    let away = Home::new();
    let config = |home: &Home| home.tool_home().join("config.toml");
    std::fs::copy(config(&user), config(&away)).expect("config.toml");
    away.run(["verify", &bundle.to_string_lossy()]).ok();

    let listed = registry
        .operator()
        .tool("registry witness list --json")
        .json();
    assert_eq!(listed["witnesses"][1]["name"], "witness.example/w2");
    assert_eq!(listed["witnesses"][1]["records"], 4);
    assert_eq!(listed["witnesses"][1]["fault"], serde_json::Value::Null);
    let operator = registry.operator();
    let again = ["registry", "witness", "add", one.key(), one.url()];
    says(
        &operator.run(again),
        1,
        "there is a witness called \"witness.example/w1\" already",
    );
    operator
        .tool("registry witness remove witness.example/w1")
        .ok();
    wait_for(&registry, 1);
    says(
        &user.tool("verify --log"),
        3,
        "adder cannot be trusted as it is",
    );
    let gone = operator.tool("registry witness remove witness.example/w1");
    says(
        &gone,
        1,
        "there is no witness called \"witness.example/w1\"",
    );
}

fn too_few_are_refused() {
    let registry = RegistryProcess::start();
    push(&registry.member("ada"), "1.0.0", "Adds.");
    let [one, two] = ["witness.example/w1", "witness.example/w2"]
        .map(|name| Witness::start(name, Manner::Honest));
    introduce(&one, &registry);
    wait_for(&registry, 1);
    let content = user(registry.url(), 1, &[&one, &two]);
    load(&content, "ada/adder", &[]);
    let strict = user(registry.url(), 2, &[&one, &two]);
    let refused =
        "cosigned by 1 of your witnesses, and 2 are asked for; missing: witness.example/w2";
    for command in ["load ada/adder", "inspect ada/adder", "registry monitor"] {
        says(&strict.tool(command), 3, refused);
        says(&strict.tool(command), 3, "hint: nothing was loaded");
    }
    // A refused state is not remembered.
    assert!(!strict.tool_home().join("known_logs.toml").exists());

    // A cosignature is believed for a week.
    let day = 24 * 3600;
    for (by, code) in [(6 * day, 0), (8 * day, 3)] {
        let late = Witness::start(&format!("witness.example/late-{by}"), Manner::Late(by));
        introduce(&late, &registry);
        wait_for(&registry, if code == 0 { 2 } else { 3 });
        let found = user(registry.url(), 1, &[&late]).tool("registry monitor");
        assert_eq!(found.code(), code, "{}", found.stderr());
        if code == 3 {
            says(
                &found,
                3,
                "missing: witness.example/late-691200 (of another time)",
            );
        }
    }

    // A registry that shows no log has none that is cosigned.
    let website = crate::support::website::Website::start(|_| {
        axum::response::IntoResponse::into_response(axum::http::StatusCode::NOT_FOUND)
    });
    let elsewhere = user(website.origin(), 1, &[&one]);
    says(
        &elsewhere.tool("registry monitor"),
        3,
        "it shows none, and you named witnesses of it",
    );

    // Wrong settings are told of, and nothing is taken.
    let config = strict.tool_home().join("config.toml");
    let settings = std::fs::read_to_string(&config).expect("config.toml");
    for (from, to) in [
        ("threshold = 2", "threshold = 3"),
        ("threshold = 2", "threshold = 0"),
        ("threshold = 2\n", ""),
        ("w2+", "w1+"),
    ] {
        std::fs::write(&config, settings.replace(from, to)).expect("config.toml");
        let refused = strict.tool("load ada/adder");
        assert_eq!(refused.code(), 1, "{}", refused.stderr());
        assert!(
            refused.stderr().contains("config.toml"),
            "{}",
            refused.stderr()
        );
    }
}

/// A registry that shows a user another history than its witnesses, from the first day.
fn another_history_is_not_cosigned() {
    let registry = RegistryProcess::start();
    let token = registry.user("ada");
    let ada = registry.signed_in(&token);
    let witness = Witness::start("witness.example/w", Manner::Honest);
    introduce(&witness, &registry);
    push(&ada, "1.0.0", "Adds.");
    wait_for(&registry, 1);
    let operator = registry.operator();
    operator.tool("registry backup copy").ok();
    let copy = operator.work().join("copy");
    push(&ada, "1.1.0", "Adds.");
    wait_for(&registry, 1);

    // A restored registry goes on with its witnesses, as long as its history does.
    let forked = RegistryProcess::restored(&copy);
    wait_for(&forked, 1);
    push(
        &forked.signed_in(&token),
        "1.1.0",
        "Adds, and does something else.",
    );
    let start = Instant::now();
    let fault = loop {
        let listed = forked
            .operator()
            .tool("registry witness list --json")
            .json();
        if let Some(fault) = listed["witnesses"][0]["fault"].as_str() {
            break fault.to_owned();
        }
        assert!(
            start.elapsed().as_secs() < 60,
            "it cosigned another history"
        );
        thread::sleep(Duration::from_millis(50));
    };
    assert!(
        fault.contains("it has seen another history of this log"),
        "{fault}"
    );
    let victim = user(forked.url(), 1, &[&witness]);
    let refused = victim.tool("load ada/adder");
    says(
        &refused,
        3,
        "cosigned by 0 of your witnesses, and 1 are asked for",
    );
    let trusting = forked.visitor();
    load(&trusting, "ada/adder", &[]);

    let earlier = RegistryProcess::restored(&copy);
    let name = "witness.example/w";
    earlier
        .operator()
        .tool(&format!("registry witness remove {name}"))
        .ok();
    introduce(&witness, &earlier);
    let start = Instant::now();
    while !earlier
        .operator()
        .tool("registry witness list")
        .ok()
        .contains("it has cosigned 2 records, and here are 1: was an older state restored?")
    {
        assert!(start.elapsed().as_secs() < 60, "it cosigned an older state");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Witnesses that lie, hang and flood, beside an honest one.
fn ill_ones_hold_up_nothing() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    let told = [
        (Manner::Silent, "or did not answer within 10 seconds"),
        (
            Manner::Garbage(1 << 10),
            "holds no signature by its key over this checkpoint",
        ),
        (
            Manner::Garbage(4 << 20),
            "its answer is longer than 16384 bytes",
        ),
        (
            Manner::OtherKey,
            "holds no signature by its key over this checkpoint",
        ),
        (
            Manner::OtherOrigin,
            "holds no signature by its key over this checkpoint",
        ),
        (
            Manner::OtherSize,
            "holds no signature by its key over this checkpoint",
        ),
        (
            Manner::Conflict(1),
            "it has seen another history of this log",
        ),
        (
            Manner::Conflict(0),
            "it has seen another history of this log",
        ),
        (
            Manner::Conflict(7),
            "it has cosigned 7 records, and here are 1",
        ),
        (
            Manner::Status(422),
            "it has seen another history of this log",
        ),
        (Manner::Status(404), "it does not know this log"),
        (Manner::Status(403), "it knows another key of this log"),
        (Manner::Status(301), "it answers with status 301"),
        (Manner::Status(500), "it answers with status 500"),
    ];
    let ill: Vec<Witness> = (0..told.len())
        .map(|at| Witness::start(&format!("witness.example/ill-{at:02}"), told[at].0))
        .collect();
    ill.iter().for_each(|witness| introduce(witness, &registry));
    let honest = Witness::start("witness.example/w", Manner::Honest);
    introduce(&honest, &registry);
    push(&ada, "1.0.0", "Adds.");
    wait_for(&registry, 1);
    let start = Instant::now();
    let faults = loop {
        let listed = registry
            .operator()
            .tool("registry witness list --json")
            .json();
        let listed = listed["witnesses"].as_array().expect("witnesses").clone();
        let faults: Vec<String> = listed
            .iter()
            .filter_map(|it| it["fault"].as_str().map(str::to_owned))
            .collect();
        if faults.len() == told.len() {
            break faults;
        }
        assert!(start.elapsed().as_secs() < 60, "{faults:?}");
        thread::sleep(Duration::from_millis(50));
    };
    for (at, (manner, expect)) in told.iter().enumerate() {
        let fault = &faults[at];
        assert!(fault.contains(expect), "{manner:?}: {fault}");
        assert!(
            ill[at].asked() <= 4,
            "{manner:?} was asked {} times",
            ill[at].asked()
        );
    }
    // The one that hangs keeps nobody from publishing, nor the others from cosigning.
    push(&ada, "1.1.0", "Adds.");
    wait_for(&registry, 1);
    load(&user(registry.url(), 1, &[&honest]), "ada/adder", &[]);
    // One that comes to its senses is asked again.
    ill[0].behaves(Manner::Honest);
    wait_for(&registry, 2);
}
