//! Holds roots and proofs against those of another implementation, in 10,000 random cases.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::LazyLock;

use ct_merkle::mem_backed_tree::MemoryBackedTree;
use ct_merkle::{ConsistencyProof, InclusionProof, RootHash};
use data_encoding::BASE64;
use proptest::prelude::*;
use sha2::Sha256;
use tool_hub_transparency::{Checkpoint, LogSigner, Proof, Tree};

type TheirTree = MemoryBackedTree<Sha256, Vec<u8>>;

/// The largest tree.
const SIZE_MAX: u64 = 1_100;

/// Our tree of all records, and theirs of each number of them.
static TREES: LazyLock<(Tree, Vec<TheirTree>)> = LazyLock::new(|| {
    let (mut ours, mut theirs) = (Tree::default(), TheirTree::new());
    let mut all = vec![theirs.clone()];
    for n in 0..SIZE_MAX {
        ours.append(&record(n));
        theirs.push(record(n));
        all.push(theirs.clone());
    }
    (ours, all)
});

fn record(n: u64) -> Vec<u8> {
    format!("record {n}").into_bytes()
}

/// The state of our log when it had `size` records.
fn checkpoint(size: u64) -> Checkpoint {
    let signer = LogSigner::from_seed("tools.example", &[7; 32]).unwrap();
    let note = signer.sign(size, TREES.0.root_of(size), 0).unwrap();
    signer.key().open(&note).unwrap()
}

/// The hashes of a proof of ours, one after the other.
fn bytes(proof: &Proof) -> Vec<u8> {
    let json = serde_json::to_value(proof).unwrap();
    let hashes = json.as_array().unwrap().iter();
    let hashes = hashes.map(|hash| BASE64.decode(hash.as_str().unwrap().as_bytes()).unwrap());
    hashes.flatten().collect()
}

/// A proof of theirs as one of ours.
fn proof(bytes: &[u8]) -> Proof {
    let hashes: Vec<String> = bytes.chunks(32).map(|hash| BASE64.encode(hash)).collect();
    serde_json::from_value(hashes.into()).unwrap()
}

fn root(size: u64) -> RootHash<Sha256> {
    TREES.1[usize::try_from(size).unwrap()].root()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn both_agree(size in 1..=SIZE_MAX, index: u64, older: u64) {
        let (index, older) = (index % size, 1 + older % size);
        let (ours, theirs) = (&TREES.0, &TREES.1[usize::try_from(size).unwrap()]);
        let encoded = BASE64.encode(root(size).as_bytes());
        prop_assert_eq!(ours.root_of(size).to_string(), encoded);

        let inclusion = ours.inclusion_proof(size, index);
        let as_theirs = InclusionProof::<Sha256>::from_bytes(bytes(&inclusion));
        prop_assert!(root(size).verify_inclusion(&record(index), index, &as_theirs).is_ok());
        prop_assert!(root(size).verify_inclusion(&record(index + 1), index, &as_theirs).is_err());
        let made = theirs.prove_inclusion(usize::try_from(index).unwrap());
        let made = proof(made.as_bytes());
        let now = checkpoint(size);
        prop_assert!(now.check_record(index, &record(index), &made).is_ok());
        prop_assert!(now.check_record(index, &record(index + 1), &made).is_err());

        if older < size {
            let consistency = ours.consistency_proof(size, older);
            let as_theirs = ConsistencyProof::<Sha256>::try_from_bytes(bytes(&consistency)).unwrap();
            prop_assert!(root(size).verify_consistency(&root(older), &as_theirs).is_ok());
            let made = theirs.prove_consistency(usize::try_from(size - older).unwrap());
            prop_assert!(now.check_extends(&checkpoint(older), &proof(made.as_bytes())).is_ok());
        }
    }
}
