//! A test that a scrub finds a file with a flipped bit and a missing file.

use tool_hub_registry_server::ScrubFault;

use crate::support::{TestRegistry, hex};

#[tokio::test]
async fn scrub_finds_a_flipped_bit_and_a_missing_file() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let large = vec![7_u8; 600_000];
    let files: [(&str, &[u8]); 3] = [("a", b"aaaa"), ("b", b"bbbb"), ("large", &large)];
    hub.commit("alice/tool", "files", &files).await;
    let sound = hub.registry.scrub().await.unwrap();
    assert!(sound.is_sound(), "{:?}", sound.faults);
    // The three, and .gitattributes.
    assert_eq!(sound.objects, 4);
    assert!(sound.bytes > 600_008 && sound.git_objects == 4, "{sound:?}");

    let mut flipped = large.clone();
    flipped[599_999] ^= 1;
    std::fs::write(hub.object(&large), &flipped).unwrap();
    std::fs::remove_file(hub.object(b"bbbb")).unwrap();
    let report = hub.registry.scrub().await.unwrap();
    assert!(!report.is_sound());
    assert_eq!(report.fault_count, 2);
    let holders = ["model alice/tool".to_owned()];
    let ScrubFault::ContentAltered {
        sha256,
        found,
        repositories,
        ..
    } = &report.faults[0]
    else {
        panic!("{:?}", report.faults);
    };
    assert_eq!((sha256, found), (&hex(&large), &hex(&flipped)));
    assert_eq!(repositories[..], holders);
    let line = format!(
        "content {} is missing; held by model alice/tool",
        hex(b"bbbb")
    );
    assert_eq!(report.faults[1].to_string(), line);
}
