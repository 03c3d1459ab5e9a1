//! Tools that call other tools: linked by interface, each in its own sandbox with its own rights.

use std::collections::BTreeMap;

use tool_hub_host::{
    Approved, FailureKind, Host, HostConfig, HostError, Inspection, Outcome, Refusal, Tool,
    inspect, inspect_with_dependencies,
};
use tool_hub_manifest::{DependencyRequest, GrantTree, Grants, Manifest, ToolName, Verified};

use crate::support::{HOST, failure, package, reply};

/// A tool that exports `ada:units/convert`, whose function `double` does what `body` says.
fn units(body: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
            (core module $m (func (export "double") (param $x i32) (result i32) {body}))
            (core instance $i (instantiate $m))
            (func $double (param "x" u32) (result u32) (canon lift (core func $i "double")))
            (instance $convert (export "double" (func $double)))
            (export "ada:units/convert@1.1.0" (instance $convert)))"#
    );
    wat::parse_str(text).unwrap()
}

const DOUBLES: &str = "(i32.mul (local.get $x) (i32.const 2))";

/// A tool that imports `interface` with a function `double`, and exports `quadruple`.
fn caller(interface: &str, result: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
            (import "{interface}" (instance $u
                (export "double" (func (param "x" u32) (result {result})))))
            (core func $double (canon lower (func $u "double")))
            (core module $m
                (import "u" "double" (func $double (param i32) (result i32)))
                (func (export "run") (param i32) (result i32)
                    (call $double (call $double (local.get 0)))))
            (core instance $i (instantiate $m
                (with "u" (instance (export "double" (func $double))))))
            (func (export "quadruple") (param "x" u32) (result u32)
                (canon lift (core func $i "run"))))"#
    );
    wat::parse_str(text).unwrap()
}

fn needs(names: &[&str]) -> impl Fn(&mut Manifest) {
    let request = DependencyRequest {
        repo: "ada/units".parse().unwrap(),
        version: "^0".parse().unwrap(),
    };
    let names: Vec<ToolName> = names.iter().map(|name| name.parse().unwrap()).collect();
    move |manifest| {
        let named = names.iter().map(|name| (name.clone(), request.clone()));
        manifest.dependencies = named.collect();
    }
}

fn named(name: &str, inspection: Inspection) -> BTreeMap<ToolName, Inspection> {
    BTreeMap::from([(name.parse().unwrap(), inspection)])
}

fn inspected(component: Vec<u8>, body: &str) -> Inspection {
    let units = inspect(&package(units(body), |_| {})).unwrap();
    let verified = package(component, needs(&["units"]));
    inspect_with_dependencies(&verified, named("units", units)).unwrap()
}

async fn loaded(host: &Host, body: &str) -> Tool {
    let inspection = inspected(caller("ada:units/convert@1.0.0", "u32"), body);
    assert_eq!(inspection.refusals, []);
    host.load(inspection.approve(Grants::none()).unwrap())
        .await
        .unwrap()
}

#[track_caller]
fn refused(inspection: &Inspection, expect: &str) {
    let told: Vec<String> = inspection.refusals.iter().map(Refusal::to_string).collect();
    assert_eq!(told, [expect]);
}

#[tokio::test]
async fn a_function_of_another_tool_is_called() {
    let tool = loaded(&HOST, DOUBLES).await;
    let called = reply(tool.call("quadruple", r#"{"x":21}"#).await);
    assert_eq!(called.structured.as_deref(), Some("84"));
}

#[tokio::test]
async fn a_dependency_that_traps_ends_the_call_by_its_name() {
    let tool = loaded(&HOST, "(unreachable)").await;
    let failed = failure(tool.call("quadruple", r#"{"x":1}"#).await);
    assert_eq!(failed.kind, FailureKind::Trapped);
    let expect = "its call of `units.double` failed: the tool trapped: ";
    assert!(failed.message.starts_with(expect), "{}", failed.message);
}

#[tokio::test]
async fn a_dependency_that_hangs_uses_up_its_callers_time() {
    let mut config = HostConfig::new();
    config.limits.cpu_ms = 200;
    let host = Host::new(config).unwrap();
    let tool = loaded(&host, "(loop (br 0)) (unreachable)").await;
    let failed = failure(tool.call("quadruple", r#"{"x":1}"#).await);
    assert!(
        failed.message.contains("`units.double`"),
        "{}",
        failed.message
    );
    assert!(matches!(
        failed.kind,
        FailureKind::HostLimit {
            limit: "cpu_ms",
            ..
        }
    ));

    // The host goes on, and so does a call that its caller gives up.
    let call = tool.call("quadruple", r#"{"x":1}"#);
    let short = std::time::Duration::from_millis(20);
    assert!(tokio::time::timeout(short, call).await.is_err());
    let tool = loaded(&host, DOUBLES).await;
    let called = reply(tool.call("quadruple", r#"{"x":1}"#).await);
    assert_eq!(called.structured.as_deref(), Some("4"));
}

#[tokio::test]
async fn a_call_takes_a_place_for_each_tool_in_a_row() {
    let mut config = HostConfig::new();
    config.calls_in_flight_max = 1;
    let tool = loaded(&Host::new(config).unwrap(), DOUBLES).await;
    let failed = failure(tool.call("quadruple", r#"{"x":1}"#).await);
    assert!(
        failed.message.contains("calls_in_flight_max = 1"),
        "{}",
        failed.message
    );

    let mut config = HostConfig::new();
    config.calls_in_flight_max = 2;
    let tool = loaded(&Host::new(config).unwrap(), DOUBLES).await;
    let calls = (0..8).map(|_| tool.call("quadruple", r#"{"x":1}"#));
    let called: Vec<Outcome> = futures::future::join_all(calls).await;
    for outcome in called {
        assert_eq!(reply(outcome).structured.as_deref(), Some("4"));
    }
}

#[test]
fn what_cannot_be_linked_is_refused() {
    let refuses = |component, expect: &str| refused(&inspected(component, DOUBLES), expect);
    refuses(
        caller("ada:units/convert@1.0.0", "s32"),
        "its dependency `units` has other types in `double` of `ada:units/convert@1.1.0` than the component imports",
    );
    let other = inspected(caller("ada:units/convert@2.0.0", "u32"), DOUBLES);
    let told: Vec<String> = other.refusals.iter().map(Refusal::to_string).collect();
    assert_eq!(
        told,
        [
            "its dependency `units` is not used: the component imports no interface that it exports",
            "it imports `ada:units/convert@2.0.0`, which this host does not offer, nor does a tool of its [dependencies]",
        ]
    );

    let component = || caller("ada:units/convert@1.0.0", "u32");
    let absent = inspect(&package(component(), needs(&["units"]))).unwrap();
    assert!(absent.refusals.contains(&Refusal::Dependency {
        dependency: "units".parse().unwrap(),
        reason: "is not at hand".to_owned(),
    }));

    let units = || inspect(&package(units(DOUBLES), |_| {})).unwrap();
    let both = ["also", "units"].map(|name| (name.parse().unwrap(), units()));
    let verified = package(component(), needs(&["also", "units"]));
    let both = inspect_with_dependencies(&verified, BTreeMap::from(both)).unwrap();
    let told: Vec<String> = both.refusals.iter().map(Refusal::to_string).collect();
    assert_eq!(
        told,
        [
            "its dependency `units` exports `ada:units/convert@1.0.0`, and `also` does too",
            "its dependency `units` is not used: the component imports no interface that it exports",
        ]
    );

    let verified = package(component(), |manifest| {
        needs(&["units"])(manifest);
        let request = manifest.dependencies.values_mut().next().unwrap();
        request.version = "^3".parse().unwrap();
    });
    let other = inspect_with_dependencies(&verified, named("units", units())).unwrap();
    refused(
        &other,
        "its dependency `units` is version 0.0.0, but it asks for ^3",
    );
}

#[tokio::test]
async fn the_host_holds_an_approval_against_the_manifest_again() {
    let verified = package(caller("ada:units/convert@1.0.0", "u32"), needs(&["units"]));
    let approved =
        |verified: Verified| Approved::from_lock_record(verified, Grants::none()).unwrap();
    let refused = HOST.load(approved(verified.clone())).await;
    assert!(
        matches!(refused, Err(HostError::Refused { .. })),
        "{refused:?}"
    );
    let other = approved(package(units(DOUBLES), |_| {}));
    let tree =
        approved(verified).with_dependencies(BTreeMap::from([("other".parse().unwrap(), other)]));
    assert!(matches!(
        HOST.load(tree).await,
        Err(HostError::Refused { .. })
    ));
}

#[test]
fn approvals_cover_what_is_called() {
    let digest = |body| inspected(caller("ada:units/convert@1.0.0", "u32"), body).approval_digest;
    assert_ne!(digest(DOUBLES), digest("(local.get $x)"));

    let inspection = inspected(caller("ada:units/convert@1.0.0", "u32"), DOUBLES);
    let variable = Grants::none().variable("API_KEY".parse().unwrap());
    let grants = GrantTree {
        own: Grants::none(),
        dependencies: BTreeMap::from([("units".parse().unwrap(), variable.into())]),
    };
    assert!(
        inspection.approve_tree(&grants).is_err(),
        "it asks for none"
    );
}
