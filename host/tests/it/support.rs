//! Test helpers: make components from text, package, approve and load them, unwrap outcomes.

use std::sync::LazyLock;

use tool_hub_host::{Approved, Failure, Host, HostConfig, HostError, Outcome, Reply, Tool};
use tool_hub_host::{authoring, inspect};
use tool_hub_manifest::{Grants, Manifest, Package, Verified};

/// A memory, an allocator that never frees, and nothing else.
pub(crate) const MEMORY: &str = r#"
    (memory (export "memory") 1)
    (global $next (mut i32) (i32.const 4096))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
        (local $at i32)
        (local.set $at
            (i32.and
                (i32.add (global.get $next) (i32.sub (local.get 2) (i32.const 1)))
                (i32.sub (i32.const 0) (local.get 2))))
        (global.set $next (i32.add (local.get $at) (local.get 3)))
        (block $fits
            (br_if $fits (i32.le_u (global.get $next)
                (i32.mul (memory.size) (i32.const 65536))))
            (drop (memory.grow
                (i32.add (i32.const 1) (i32.div_u (local.get 3) (i32.const 65536))))))
        (local.get $at))
"#;

/// A host that the tests share; most need nothing special.
pub(crate) static HOST: LazyLock<Host> =
    LazyLock::new(|| Host::new(HostConfig::new()).expect("the host is set up"));

/// A component with one core module over [`MEMORY`], instantiated as `$i`, and `lifted`
/// component-level text after it.
pub(crate) fn component(core: &str, lifted: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
            (core module $m {MEMORY} {core})
            (core instance $i (instantiate $m))
            (alias core export $i "memory" (core memory $memory))
            (alias core export $i "realloc" (core func $realloc))
            {lifted})"#
    );
    wat::parse_str(text).expect("the component is written correctly")
}

/// A component that imports `imports`. `functions` are core functions, each its name and what
/// makes it, which `core` imports from `h`; `lifted` are exports of its instance `$i`.
pub(crate) fn tasks(
    imports: &str,
    functions: &[(&str, &str)],
    core: &str,
    lifted: &str,
) -> Vec<u8> {
    let made = functions
        .iter()
        .map(|(name, made)| format!("(core func ${name} {made})\n"));
    let named = functions
        .iter()
        .map(|(name, _)| format!("(export {name:?} (func ${name}))"));
    let (made, named): (String, String) = (made.collect(), named.collect());
    let text = format!(
        r#"(component
            {imports}
            (core module $libc {MEMORY})
            (core instance $c (instantiate $libc))
            (alias core export $c "memory" (core memory $memory))
            (alias core export $c "realloc" (core func $realloc))
            {made}
            (core module $m (import "h" "memory" (memory 1)) {core})
            (core instance $i (instantiate $m (with "h" (instance
                (export "memory" (memory $memory)) {named}))))
            {lifted})"#
    );
    wat::parse_str(text).expect("the component is written correctly")
}

/// The options of every `canon lift` over [`MEMORY`].
pub(crate) const LIFT: &str = r#"(memory $memory) (realloc $realloc)"#;

/// `component` with the manifest that it says of itself, changed by `edit`.
pub(crate) fn package(component: Vec<u8>, edit: impl FnOnce(&mut Manifest)) -> Verified {
    let name = "demo".parse().expect("a name");
    let mut manifest = authoring::derive_manifest(&component, name).expect("a manifest");
    edit(&mut manifest);
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: None,
        sbom: None,
    };
    Verified::check(package).expect("an honest package")
}

/// `approved` with advice that writes the required grants as JSON.
pub(crate) fn advised(approved: Approved) -> Approved {
    approved.with_grant_advice(|grants| serde_json::to_string(grants).unwrap())
}

/// Approves what asks for nothing.
pub(crate) fn approve(component: Vec<u8>) -> Approved {
    let verified = package(component, |_| {});
    let inspection = inspect(&verified).expect("an inspection");
    inspection.approve(Grants::none()).expect("an approval")
}

/// Loads what asks for nothing.
pub(crate) async fn load(component: Vec<u8>) -> Tool {
    try_load(&HOST, component).await.expect("a tool")
}

/// Loads what asks for nothing into `host`.
pub(crate) async fn try_load(host: &Host, component: Vec<u8>) -> Result<Tool, HostError> {
    host.load(approve(component)).await
}

/// The reply of a call that has to succeed.
#[track_caller]
pub(crate) fn reply(outcome: Outcome) -> Reply {
    match outcome {
        Outcome::Reply(reply) => reply,
        Outcome::Failure(failure) => panic!("{:?}: {failure}", failure.kind),
    }
}

/// The failure of a call that has to fail.
#[track_caller]
pub(crate) fn failure(outcome: Outcome) -> Failure {
    match outcome {
        Outcome::Failure(failure) => failure,
        Outcome::Reply(reply) => panic!("{reply:?}"),
    }
}
