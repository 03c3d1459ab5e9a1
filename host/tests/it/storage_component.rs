//! A test component that counts and keeps values in its storage.

use tool_hub_manifest::{StorageRequest, Verified};

use crate::support::{MEMORY, package};

/// `add` counts in the bucket that it is told, `keep` sets a value of so many bytes. Both
/// answer an error as the number of its case.
pub(crate) fn storage_component() -> Verified {
    let text = format!(
        r#"(component
        (import "wasi:keyvalue/store@0.2.0-draft" (instance $store
            (type $error' (variant (case "no-such-store") (case "access-denied") (case "other" string)))
            (export "error" (type $error (eq $error')))
            (export "bucket" (type $bucket (sub resource)))
            (export "open" (func (param "identifier" string)
                (result (result (own $bucket) (error $error)))))
            (export "[method]bucket.set" (func
                (param "self" (borrow $bucket)) (param "key" string) (param "value" (list u8))
                (result (result (error $error)))))))
        (alias export $store "bucket" (type $bucket))
        (alias export $store "error" (type $error))
        (import "wasi:keyvalue/atomics@0.2.0-draft" (instance $atomics
            (alias outer 1 $bucket (type $outer-bucket))
            (export "bucket" (type $b (eq $outer-bucket)))
            (alias outer 1 $error (type $outer-error))
            (export "error" (type $e (eq $outer-error)))
            (export "increment" (func
                (param "bucket" (borrow $b)) (param "key" string) (param "delta" u64)
                (result (result u64 (error $e)))))))
        (core module $libc {MEMORY})
        (core instance $c (instantiate $libc))
        (alias core export $c "memory" (core memory $memory))
        (alias core export $c "realloc" (core func $realloc))
        (core func $open (canon lower (func $store "open") (memory $memory) (realloc $realloc)))
        (core func $set (canon lower (func $store "[method]bucket.set") (memory $memory) (realloc $realloc)))
        (core func $increment (canon lower (func $atomics "increment") (memory $memory) (realloc $realloc)))
        (core module $m
            (import "h" "memory" (memory 1))
            (import "h" "realloc" (func $realloc (param i32 i32 i32 i32) (result i32)))
            (import "h" "open" (func $open (param i32 i32 i32)))
            (import "h" "set" (func $set (param i32 i32 i32 i32 i32 i32)))
            (import "h" "increment" (func $increment (param i32 i32 i32 i64 i32)))
            (func $fail (param $error i32) (result i32)
                (i32.store8 (i32.const 128) (i32.const 1))
                (i32.store (i32.const 136) (local.get $error))
                (i32.const 128))
            (func (export "add") (param $b i32) (param $bl i32) (result i32)
                (call $open (local.get $b) (local.get $bl) (i32.const 32))
                (if (i32.load8_u (i32.const 32))
                    (then (return (call $fail (i32.load8_u (i32.const 36))))))
                (call $increment (i32.load (i32.const 36)) (i32.const 400) (i32.const 3)
                    (i64.const 1) (i32.const 64))
                (if (i32.load8_u (i32.const 64))
                    (then (return (call $fail (i32.load8_u (i32.const 72))))))
                (i32.store8 (i32.const 128) (i32.const 0))
                (i64.store (i32.const 136) (i64.load (i32.const 72)))
                (i32.const 128))
            (func (export "keep") (param $bytes i32) (result i32)
                (call $open (i32.const 400) (i32.const 3) (i32.const 32))
                (call $set (i32.load (i32.const 36)) (i32.const 400) (i32.const 3)
                    (call $realloc (i32.const 0) (i32.const 0) (i32.const 1) (local.get $bytes))
                    (local.get $bytes) (i32.const 64))
                (i32.store8 (i32.const 128) (i32.load8_u (i32.const 64)))
                (i32.store (i32.const 132) (i32.load (i32.const 72)))
                (i32.store (i32.const 136) (i32.load (i32.const 76)))
                (i32.const 128))
            (data (i32.const 400) "key"))
        (core instance $i (instantiate $m (with "h" (instance
            (export "memory" (memory $memory))
            (export "realloc" (func $realloc))
            (export "open" (func $open))
            (export "set" (func $set))
            (export "increment" (func $increment))))))
        (func (export "add") (param "bucket" string) (result (result u64 (error u32)))
            (canon lift (core func $i "add") (memory $memory) (realloc $realloc)))
        (func (export "keep") (param "bytes" u32) (result (result (error string)))
            (canon lift (core func $i "keep") (memory $memory) (realloc $realloc))))"#
    );
    package(wat::parse_str(text).unwrap(), |manifest| {
        manifest.capabilities.storage = Some(StorageRequest::default());
    })
}
