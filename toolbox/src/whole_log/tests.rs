//! Tests of what is kept of a log: a registry that writes much fills no memory.

use tool_hub_transparency::{LogSigner, Tree};

use super::*;

#[test]
fn what_is_kept_is_bounded_by_bytes() {
    let repo: RepoId = "ada/x".parse().unwrap();
    let mut watched = Watched::default();
    watched.toolbox.insert(repo.clone());
    let signer = LogSigner::from_seed("tools.example", &[7; 32]).unwrap();
    let note = signer.sign(0, Tree::default().root(), 0).unwrap();
    let checkpoint = signer.key().open(&note).unwrap();
    let mut reading = Reading::new(&watched, None, &checkpoint);
    let mut take = |repo: &RepoId, bytes| {
        let record = LogRecord::Unyank {
            repo: repo.clone(),
            version: Version::new(1, 0, 0),
            at: OffsetDateTime::UNIX_EPOCH,
        };
        reading.watch(PlacedRecord { index: 0, record }, bytes)
    };
    take(&repo, KEPT_BYTES_MAX).unwrap();
    take(&"ada/y".parse().unwrap(), KEPT_BYTES_MAX).unwrap();
    let bytes_max = KEPT_BYTES_MAX;
    assert_eq!(take(&repo, 1), Err(LogError::TooMuch { bytes_max }));
}
