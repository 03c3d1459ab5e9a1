//! Tests of the local store: concurrent use, damaged files, garbage collection, permissions.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tool_hub_manifest::{Digest, Package};
use tool_hub_registry_client::{Store, StoreError, SweepReport};

use crate::support::{Scratch, package, verified};

#[test]
fn sixteen_writers_of_one_tool_leave_one_valid_tool() {
    let scratch = Scratch::new();
    let component: Vec<u8> = (0..2_000_000u32).map(|n| (n % 251) as u8).collect();
    let original = verified("0.1.0", &component);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                // Every writer has opened the store by itself, as another process would.
                let store = Store::open(scratch.store.directory()).unwrap();
                store.put(&original).unwrap();
                assert_eq!(store.get(original.pin()).unwrap().component(), component);
            });
        }
    });
    assert_eq!(scratch.files().len(), 2);
    assert_eq!(scratch.store.verify_all().unwrap().files, 2);
}

#[test]
fn writers_readers_and_cleaners_at_once() {
    let scratch = Scratch::new();
    let kept = verified("0.1.0", b"kept");
    scratch.store.put(&kept).unwrap();
    std::thread::scope(|scope| {
        for number in 0..4u8 {
            let store = &scratch.store;
            let kept = &kept;
            scope.spawn(move || {
                for round in 0..25u8 {
                    let passing = verified("0.1.0", &[number, round]);
                    store.put(&passing).unwrap();
                    match store.get(passing.pin()) {
                        Ok(_) | Err(StoreError::Missing { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                    store.get(kept.pin()).unwrap();
                }
            });
        }
        for _ in 0..10 {
            scratch.store.gc(&[*kept.pin()], Duration::ZERO).unwrap();
        }
    });
    scratch.store.get(kept.pin()).unwrap();
    assert_eq!(scratch.store.verify_all().unwrap().damaged, []);
}

#[test]
fn every_flipped_byte_is_refused_and_set_aside() {
    let scratch = Scratch::new();
    let original = verified("0.1.0", b"component");
    let pin = *original.pin();
    for digest in [pin.manifest, pin.component] {
        let path = scratch.store.path_of(digest);
        scratch.store.put(&original).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for index in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[index] ^= 0x10;
            std::fs::write(&path, &flipped).unwrap();
            match scratch.store.get(&pin) {
                Err(StoreError::Damaged {
                    digest: named,
                    actual,
                    moved_to,
                }) => {
                    assert_eq!((named, actual), (digest, Digest::of(&flipped)));
                    assert_eq!(std::fs::read(moved_to).unwrap(), flipped);
                }
                other => panic!("{other:?}"),
            }
            assert!(matches!(
                scratch.store.get(&pin),
                Err(StoreError::Missing { digest: missing }) if missing == digest
            ));
            scratch.store.put(&original).unwrap();
            scratch.store.get(&pin).unwrap();
        }
    }
}

#[test]
fn truncated_grown_and_swapped_files_are_refused() {
    let scratch = Scratch::new();
    let original = verified("0.1.0", b"component");
    let pin = *original.pin();
    let path = scratch.store.path_of(pin.component);
    for content in [&b""[..], b"compo", b"component and more"] {
        scratch.store.put(&original).unwrap();
        std::fs::write(&path, content).unwrap();
        let error = scratch.store.get(&pin).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    }
    // A file that would fill the memory is not read at all.
    scratch.store.put(&original).unwrap();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_len(1 << 40).unwrap();
    let error = scratch.store.get(&pin).unwrap_err();
    assert!(matches!(error, StoreError::TooLarge { .. }), "{error}");

    // Two intact files that do not belong together.
    let other = verified("0.1.0", b"another");
    scratch.store.put(&original).unwrap();
    scratch.store.put(&other).unwrap();
    let mixed = tool_hub_manifest::Pin {
        manifest: pin.manifest,
        component: other.pin().component,
    };
    let error = scratch.store.get(&mixed).unwrap_err();
    assert!(matches!(error, StoreError::Unverified { .. }), "{error}");
    assert!(scratch.store.contains(&pin) && scratch.store.contains(other.pin()));
}

#[test]
fn what_is_read_is_what_was_verified() {
    // The blob is replaced after it was read: the verified bytes are in memory.
    let scratch = Scratch::new();
    let original = verified("0.1.0", b"component");
    scratch.store.put(&original).unwrap();
    let read = scratch.store.get(original.pin()).unwrap();
    let path = scratch.store.path_of(original.pin().component);
    std::fs::write(path, b"malicious").unwrap();
    assert_eq!(read.component(), b"component");
}

#[test]
fn a_false_package_is_not_kept() {
    let scratch = Scratch::new();
    let Package { manifest, .. } = package("0.1.0", b"component");
    let error = scratch.store.put_package(Package {
        manifest,
        component: b"else".to_vec(),
        interpreter: None,
        sbom: None,
    });
    assert!(matches!(error, Err(StoreError::Refused { .. })));
    assert_eq!(scratch.files(), Vec::<PathBuf>::new());
}

#[test]
fn cleaning_keeps_what_is_pinned_or_young() {
    let scratch = Scratch::new();
    let kept = verified("0.1.0", b"kept");
    let young = verified("0.2.0", b"young");
    let old = verified("0.3.0", b"old");
    for tool in [&kept, &young, &old] {
        scratch.store.put(tool).unwrap();
    }
    let long_ago = SystemTime::now() - Duration::from_secs(7200);
    let mut old_bytes = 0;
    for digest in [
        old.pin().manifest,
        old.pin().component,
        kept.pin().component,
    ] {
        let path = scratch.store.path_of(digest);
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(long_ago).unwrap();
        if digest != kept.pin().component {
            old_bytes += file.metadata().unwrap().len();
        }
    }
    let foreign = scratch.store.directory().join("v1/blobs/README");
    std::fs::write(&foreign, "not ours").unwrap();
    let leftover = scratch.store.directory().join("v1/incoming/write-x");
    std::fs::write(&leftover, "half").unwrap();

    let freed = scratch.store.gc(&[*kept.pin()], Duration::from_secs(3600));
    let expect = SweepReport {
        files: 2,
        bytes: old_bytes,
    };
    assert_eq!(freed.unwrap(), expect);
    assert!(scratch.store.get(kept.pin()).is_ok());
    assert!(scratch.store.get(young.pin()).is_ok());
    assert!(!scratch.store.contains(old.pin()));
    assert!(foreign.exists() && !leftover.exists());

    let freed = scratch.store.gc(&[*kept.pin()], Duration::ZERO).unwrap();
    assert_eq!(freed.files, 2);
    assert!(scratch.store.get(kept.pin()).is_ok());
}

#[test]
fn checking_everything_finds_what_is_damaged() {
    let scratch = Scratch::new();
    let good = verified("0.1.0", b"good");
    let bad = verified("0.2.0", b"bad");
    scratch.store.put(&good).unwrap();
    scratch.store.put(&bad).unwrap();
    std::fs::write(scratch.store.path_of(bad.pin().component), b"BAD").unwrap();
    let report = scratch.store.verify_all().unwrap();
    assert_eq!(report.files, 4);
    assert_eq!(report.damaged.len(), 1);
    assert_eq!(report.damaged[0].digest, bad.pin().component);
    assert_eq!(report.damaged[0].actual, Some(Digest::of(b"BAD")));
    assert_eq!(scratch.store.verify_all().unwrap().damaged, []);

    // A sparse file of a terabyte would take hours to hash.
    scratch.store.put(&bad).unwrap();
    let path = scratch.store.path_of(bad.pin().component);
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_len(1 << 40).unwrap();
    let report = scratch.store.verify_all().unwrap();
    assert_eq!(report.damaged[0].actual, None);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_look() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new();
    let original = verified("0.1.0", b"component");
    scratch.store.put(&original).unwrap();
    let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let blob = scratch.store.path_of(original.pin().component);
    assert_eq!(mode(scratch.store.directory().into()), 0o700);
    assert_eq!(mode(blob.parent().unwrap().into()), 0o700);
    assert_eq!(mode(blob), 0o600);
    assert_eq!(mode(scratch.store.directory().join("v1/lock")), 0o600);
}
