//! A guest that performs the given operations on paths, through `wasi:filesystem`.

pub(crate) mod wasi_3;

use std::path::PathBuf;

use serde_json::json;
use tool_hub_host::{Approved, Host, Outcome, Tool};
use tool_hub_manifest::{Access, DirectoryGrant, DirectoryName, DirectoryRequest, Grants};

use super::canary::GrantedDirectory;
use super::either_wasi;
use crate::support::{HOST, MEMORY, package};

/// The cases of `error-code`, in order.
const ERRORS: &str = "access would-block already bad-descriptor busy deadlock quota exist \
    file-too-large illegal-byte-sequence in-progress interrupted invalid io is-directory loop \
    too-many-links message-size name-too-long no-device no-entry no-lock insufficient-memory \
    insufficient-space not-directory not-empty not-recoverable unsupported no-tty \
    no-such-device overflow not-permitted pipe read-only invalid-seek text-file-busy \
    cross-device";

/// The operations that a guest tries with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum FileOperation {
    /// Opens it for writing, makes it where it is missing, and writes into it.
    Write = 0,
    /// Opens it so that its content is gone.
    Truncate = 1,
    /// Renames it to the other path.
    Rename = 2,
    /// Makes the other path a hard link to it.
    HardLink = 3,
    /// Makes the other path a symbolic link to it.
    SymbolicLink = 4,
    Unlink = 5,
    RemoveDirectory = 6,
    MakeDirectory = 7,
    /// Opens it for writing and sets its size to 0.
    SetSize = 8,
    /// Changes its times.
    SetTimes = 9,
    /// Opens it as a directory that may be changed, and makes a directory in it.
    Mutate = 10,
    /// Opens it for reading only and writes into it nevertheless.
    WriteThroughRead = 11,
    /// Opens it for reading, and sets its size to 0 nevertheless.
    SetSizeThroughRead = 12,
    /// Makes it only if it is not there.
    CreateNew = 13,
}

/// The operations that change something.
pub(super) const CHANGES: [FileOperation; 14] = [
    FileOperation::Write,
    FileOperation::Truncate,
    FileOperation::Rename,
    FileOperation::HardLink,
    FileOperation::SymbolicLink,
    FileOperation::Unlink,
    FileOperation::RemoveDirectory,
    FileOperation::MakeDirectory,
    FileOperation::SetSize,
    FileOperation::SetTimes,
    FileOperation::Mutate,
    FileOperation::WriteThroughRead,
    FileOperation::SetSizeThroughRead,
    FileOperation::CreateNew,
];

const CORE: &str = r#"
    (global $root (mut i32) (i32.const -1))
    (func $directory (result i32)
        (if (i32.lt_s (global.get $root) (i32.const 0)) (then
            (call $preopens (i32.const 16))
            (global.set $root (i32.load (i32.load (i32.const 16))))))
        (global.get $root))
    ;; A handle, or less than zero where there is an error.
    (func $opened (param $p i32) (param $pl i32) (param $how i32) (param $flags i32) (result i32)
        (call $open (call $directory) (i32.const 1) (local.get $p) (local.get $pl)
            (local.get $how) (local.get $flags) (i32.const 32))
        (if (i32.load8_u (i32.const 32))
            (then (return (i32.sub (i32.const -1) (i32.load8_u (i32.const 36))))))
        (i32.load (i32.const 36)))
    (func $fail (param $error i32) (result i32)
        (i32.store8 (i32.const 256) (i32.const 1))
        (i32.store (i32.const 260) (local.get $error))
        (i32.const 256))
    (func $read (export "read") (param $p i32) (param $pl i32) (result i32) (local $d i32)
        (local.set $d (call $opened (local.get $p) (local.get $pl) (i32.const 0) (i32.const 1)))
        (if (i32.lt_s (local.get $d) (i32.const 0))
            (then (return (call $fail (i32.sub (i32.const -1) (local.get $d))))))
        (call $pread (local.get $d) (i64.const 1048576) (i64.const 0) (i32.const 64))
        (if (i32.load8_u (i32.const 64)) (then (return (call $fail (i32.load8_u (i32.const 68))))))
        (i32.store8 (i32.const 256) (i32.const 0))
        (i32.store (i32.const 260) (i32.load (i32.const 68)))
        (i32.store (i32.const 264) (i32.load (i32.const 72)))
        (i32.const 256))
    (func (export "readlink") (param $p i32) (param $pl i32) (result i32)
        (call $link-target (call $directory) (local.get $p) (local.get $pl) (i32.const 64))
        (if (i32.load8_u (i32.const 64)) (then (return (call $fail (i32.load8_u (i32.const 68))))))
        (i32.store8 (i32.const 256) (i32.const 0))
        (i32.store (i32.const 260) (i32.load (i32.const 68)))
        (i32.store (i32.const 264) (i32.load (i32.const 72)))
        (i32.const 256))
    ;; 0 where all went well, else the number of the error and 1.
    (func (export "act") (param $act i32) (param $p i32) (param $pl i32) (param $o i32) (param $ol i32)
            (result i32) (local $d i32)
        (local.set $d (call $directory))
        (block $done
            (if (i32.eq (local.get $act) (i32.const 2)) (then
                (call $rename (local.get $d) (local.get $p) (local.get $pl)
                    (local.get $d) (local.get $o) (local.get $ol) (i32.const 64)) (br $done)))
            (if (i32.eq (local.get $act) (i32.const 3)) (then
                (call $link (local.get $d) (i32.const 0) (local.get $p) (local.get $pl)
                    (local.get $d) (local.get $o) (local.get $ol) (i32.const 64)) (br $done)))
            (if (i32.eq (local.get $act) (i32.const 4)) (then
                (call $symlink (local.get $d) (local.get $p) (local.get $pl)
                    (local.get $o) (local.get $ol) (i32.const 64)) (br $done)))
            (if (i32.eq (local.get $act) (i32.const 5)) (then
                (call $unlink (local.get $d) (local.get $p) (local.get $pl) (i32.const 64)) (br $done)))
            (if (i32.eq (local.get $act) (i32.const 6)) (then
                (call $rmdir (local.get $d) (local.get $p) (local.get $pl) (i32.const 64)) (br $done)))
            (if (i32.eq (local.get $act) (i32.const 7)) (then
                (call $mkdir (local.get $d) (local.get $p) (local.get $pl) (i32.const 64)) (br $done)))
            (if (i32.eq (local.get $act) (i32.const 9)) (then
                (call $touch (local.get $d) (i32.const 1) (local.get $p) (local.get $pl)
                    (i32.const 1) (i64.const 0) (i32.const 0)
                    (i32.const 2) (i64.const 1) (i32.const 0) (i32.const 64)) (br $done)))
            ;; What is left opens the path: 0 creates, 1 truncates, 13 creates anew.
            (local.set $d (call $opened (local.get $p) (local.get $pl)
                (select (i32.const 1)
                    (select (i32.const 8)
                        (select (i32.const 2)
                            (select (i32.const 5) (i32.const 0) (i32.eq (local.get $act) (i32.const 13)))
                            (i32.eq (local.get $act) (i32.const 10)))
                        (i32.eq (local.get $act) (i32.const 1)))
                    (i32.eqz (local.get $act)))
                (select (i32.const 1)
                    (select (i32.const 33) (i32.const 3) (i32.eq (local.get $act) (i32.const 10)))
                    (i32.or (i32.eq (local.get $act) (i32.const 11))
                        (i32.eq (local.get $act) (i32.const 12))))))
            (if (i32.lt_s (local.get $d) (i32.const 0))
                (then (return (i32.sub (i32.const 0) (local.get $d)))))
            (if (i32.eq (local.get $act) (i32.const 10)) (then
                (call $mkdir (local.get $d) (i32.const 400) (i32.const 4) (i32.const 64)) (br $done)))
            (if (i32.or (i32.eq (local.get $act) (i32.const 8)) (i32.eq (local.get $act) (i32.const 12))) (then
                (call $size (local.get $d) (i64.const 0) (i32.const 64)) (br $done)))
            (call $pwrite (local.get $d) (i32.const 400) (i32.const 4) (i64.const 0) (i32.const 80))
            (i32.store8 (i32.const 64) (i32.load8_u (i32.const 80)))
            (i32.store8 (i32.const 65) (i32.load8_u (i32.const 88))))
        (if (i32.load8_u (i32.const 64))
            (then (return (i32.add (i32.const 1) (i32.load8_u (i32.const 65))))))
        (i32.const 0))
    (data (i32.const 400) "mine")
"#;

/// The methods of `descriptor` that the guest calls, with their types as core functions.
const LOWERED: [(&str, &str, &str, &str); 13] = [
    (
        "open",
        "open-at",
        r#"(param "path-flags" $follow) (param "path" string) (param "open-flags" $how) (param "flags" $flags) (result (result (own $descriptor) (error $code)))"#,
        "i32 i32 i32 i32 i32 i32 i32",
    ),
    (
        "pread",
        "read",
        r#"(param "length" u64) (param "offset" u64) (result (result (tuple (list u8) bool) (error $code)))"#,
        "i32 i64 i64 i32",
    ),
    (
        "pwrite",
        "write",
        r#"(param "buffer" (list u8)) (param "offset" u64) (result (result u64 (error $code)))"#,
        "i32 i32 i32 i64 i32",
    ),
    (
        "size",
        "set-size",
        r#"(param "size" u64) (result (result (error $code)))"#,
        "i32 i64 i32",
    ),
    (
        "link-target",
        "readlink-at",
        r#"(param "path" string) (result (result string (error $code)))"#,
        "i32 i32 i32 i32",
    ),
    (
        "rename",
        "rename-at",
        r#"(param "old-path" string) (param "new-descriptor" (borrow $descriptor)) (param "new-path" string) (result (result (error $code)))"#,
        "i32 i32 i32 i32 i32 i32 i32",
    ),
    (
        "link",
        "link-at",
        r#"(param "old-path-flags" $follow) (param "old-path" string) (param "new-descriptor" (borrow $descriptor)) (param "new-path" string) (result (result (error $code)))"#,
        "i32 i32 i32 i32 i32 i32 i32 i32",
    ),
    (
        "symlink",
        "symlink-at",
        r#"(param "old-path" string) (param "new-path" string) (result (result (error $code)))"#,
        "i32 i32 i32 i32 i32 i32",
    ),
    (
        "unlink",
        "unlink-file-at",
        r#"(param "path" string) (result (result (error $code)))"#,
        "i32 i32 i32 i32",
    ),
    (
        "rmdir",
        "remove-directory-at",
        r#"(param "path" string) (result (result (error $code)))"#,
        "i32 i32 i32 i32",
    ),
    (
        "mkdir",
        "create-directory-at",
        r#"(param "path" string) (result (result (error $code)))"#,
        "i32 i32 i32 i32",
    ),
    (
        "touch",
        "set-times-at",
        r#"(param "path-flags" $follow) (param "path" string) (param "data-access-timestamp" $time) (param "data-modification-timestamp" $time) (result (result (error $code)))"#,
        "i32 i32 i32 i32 i32 i64 i32 i32 i64 i32 i32",
    ),
    (
        "sync",
        "sync",
        r#"(result (result (error $code)))"#,
        "i32 i32",
    ),
];

fn component() -> Vec<u8> {
    let codes: String = ERRORS
        .split_whitespace()
        .map(|code| format!("{code:?} "))
        .collect();
    let methods: String = LOWERED
        .iter()
        .map(|(_, method, signature, _)| {
            format!("(export \"[method]descriptor.{method}\" (func (param \"self\" (borrow $descriptor)) {signature}))\n")
        })
        .collect();
    let lowerings: String = LOWERED
        .iter()
        .map(|(name, method, ..)| {
            format!("(core func ${name} (canon lower (func $types \"[method]descriptor.{method}\") (memory $memory) (realloc $realloc)))\n")
        })
        .collect();
    let exports: String = LOWERED
        .iter()
        .map(|(name, ..)| format!("(export {name:?} (func ${name}))"))
        .collect();
    let imports: String = LOWERED
        .iter()
        .map(|(name, .., types)| {
            format!("(import \"h\" {name:?} (func ${name} (param {types})))\n")
        })
        .collect();
    let text = format!(
        r#"(component
        (import "wasi:clocks/wall-clock@0.2.0" (instance $clock
            (type $datetime' (record (field "seconds" u64) (field "nanoseconds" u32)))
            (export "datetime" (type (eq $datetime')))))
        (alias export $clock "datetime" (type $datetime))
        (import "wasi:filesystem/types@0.2.0" (instance $types
            (alias outer 1 $datetime (type $outer))
            (export "datetime" (type $date (eq $outer)))
            (export "descriptor" (type $descriptor (sub resource)))
            (type $code' (enum {codes}))
            (export "error-code" (type $code (eq $code')))
            (type $follow' (flags "symlink-follow"))
            (export "path-flags" (type $follow (eq $follow')))
            (type $how' (flags "create" "directory" "exclusive" "truncate"))
            (export "open-flags" (type $how (eq $how')))
            (type $flags' (flags "read" "write" "file-integrity-sync" "data-integrity-sync"
                "requested-write-sync" "mutate-directory"))
            (export "descriptor-flags" (type $flags (eq $flags')))
            (type $time' (variant (case "no-change") (case "now") (case "timestamp" $date)))
            (export "new-timestamp" (type $time (eq $time')))
            {methods}))
        (alias export $types "descriptor" (type $descriptor))
        (import "wasi:filesystem/preopens@0.2.0" (instance $preopens
            (alias outer 1 $descriptor (type $outer))
            (export "descriptor" (type $d (eq $outer)))
            (export "get-directories" (func (result (list (tuple (own $d) string)))))))
        (core module $libc {MEMORY})
        (core instance $c (instantiate $libc))
        (alias core export $c "memory" (core memory $memory))
        (alias core export $c "realloc" (core func $realloc))
        (core func $preopens (canon lower (func $preopens "get-directories")
            (memory $memory) (realloc $realloc)))
        {lowerings}
        (core module $m
            (import "h" "memory" (memory 1))
            (import "h" "preopens" (func $preopens (param i32)))
            {imports}
            {CORE})
        (core instance $i (instantiate $m (with "h" (instance
            (export "memory" (memory $memory))
            (export "preopens" (func $preopens))
            {exports}))))
        (func (export "read") (param "path" string) (result (result string (error u32)))
            (canon lift (core func $i "read") (memory $memory) (realloc $realloc)))
        (func (export "readlink") (param "path" string) (result (result string (error u32)))
            (canon lift (core func $i "readlink") (memory $memory) (realloc $realloc)))
        (func (export "act") (param "act" u32) (param "path" string) (param "other" string)
            (result u32)
            (canon lift (core func $i "act") (memory $memory) (realloc $realloc))))"#
    );
    wat::parse_str(text).expect("the component is written correctly")
}

/// The guest with the ground's granted directory.
pub(crate) async fn granted(ground: &GrantedDirectory, access: Access) -> Tool {
    granted_by(&HOST, ground, access, None).await
}

/// Like `granted`, in a `host` of its own, and with a guarded place that the person excepted.
pub(crate) async fn granted_by(
    host: &Host,
    ground: &GrantedDirectory,
    access: Access,
    despite: Option<PathBuf>,
) -> Tool {
    let granted = DirectoryGrant {
        path: ground.granted(),
        access,
        despite: despite.into_iter().collect(),
    };
    granted_all(host, vec![("ground", granted)]).await
}

/// The guest with several directories. It acts in the first by name.
pub(crate) async fn granted_all(host: &Host, granted: Vec<(&str, DirectoryGrant)>) -> Tool {
    let named = granted.into_iter();
    let named: Vec<_> = named
        .map(|(name, grant)| (name.parse().unwrap(), grant))
        .collect();
    let component = match either_wasi::is_wasi_3() {
        true => wasi_3::component(),
        false => component(),
    };
    let verified = package(component, |manifest| {
        let asked = named.iter().map(|(name, grant)| DirectoryRequest {
            name: DirectoryName::clone(name),
            access: grant.access,
            why: String::new(),
        });
        manifest.capabilities.directories.extend(asked);
    });
    let mut grants = Grants::none();
    grants.directories.extend(named);
    host.load(Approved::from_lock_record(verified, grants).unwrap())
        .await
        .unwrap()
}

fn error(number: usize) -> &'static str {
    let number = match either_wasi::is_wasi_3() {
        true => wasi_3::number(number),
        false => number,
    };
    ERRORS.split_whitespace().nth(number).unwrap()
}

/// The answer of `function` of `tool` for `path`: a text, or the name of the error.
async fn look(tool: &Tool, function: &str, path: &str) -> Result<String, &'static str> {
    match tool
        .call(function, &json!({ "path": path }).to_string())
        .await
    {
        Outcome::Reply(reply) => Ok(serde_json::from_str(&reply.structured.unwrap()).unwrap()),
        Outcome::Failure(failure) => {
            let number = failure.message.strip_prefix("the tool failed: ");
            let number = number.and_then(|number| number.split(' ').next()?.parse().ok());
            Err(error(number.unwrap_or_else(|| panic!("{path}: {failure}"))))
        }
    }
}

/// The content of the file at `path`.
pub(crate) async fn read(tool: &Tool, path: &str) -> Result<String, &'static str> {
    look(tool, "read", path).await
}

/// The same, while the guest holds many directories that it began to list. It is for WASI 0.3.
pub(crate) async fn hoard(tool: &Tool, path: &str) -> Result<String, &'static str> {
    look(tool, "hoard", path).await
}

/// The target of the link at `path`.
pub(crate) async fn read_link(tool: &Tool, path: &str) -> Result<String, &'static str> {
    look(tool, "readlink", path).await
}

/// Tries `act`.
pub(crate) async fn act(
    tool: &Tool,
    act: FileOperation,
    path: &str,
    other: &str,
) -> Result<(), &'static str> {
    let arguments = json!({ "act": act as u32, "path": path, "other": other });
    let reply = crate::support::reply(tool.call("act", &arguments.to_string()).await);
    match serde_json::from_str(&reply.structured.unwrap()).unwrap() {
        0 => Ok(()),
        number => Err(error(number - 1)),
    }
}
