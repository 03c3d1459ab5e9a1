//! A test that `tool serve` stays below 256 MiB and answers while all its limits are used up.
//! The answers are to short requests, and the limits are used up at once.

use serde_json::Value;

use crate::public_clients::said;
use crate::support::adder::load_adder;
use crate::support::{Home, Need, Test, root, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "bounds::all_together_stay_below_256_mib",
            all_together_stay_below_256_mib,
        )
        .needs(&[Need::LinuxPython]),
    ]
}

/// The bound that the documentation for operators states.
const MIB_MAX: u64 = 256;
/// How long somebody with a short request waits, however long those of others are, in seconds.
const ANSWER_MAX: f64 = 5.0;

/// Each attack comes on top of what those before it left behind.
fn all_together_stay_below_256_mib() {
    let home = Home::new();
    load_adder(&home, "plus");
    home.write_private("token", "a-token-of-our-own");
    let mut attacks = home.program_among("python3", &[]);
    attacks
        .arg(root().join("tests/clients/bounds.py"))
        .args(["a-token-of-our-own", "tool", "serve", "--http"])
        .args(["--listen", "127.0.0.1:0", "--token-file", "token"]);
    let told: Value = serde_json::from_str(&said(&mut attacks)).expect("JSON");
    let told = told.as_object().expect("an object");
    assert!(told.len() > 8, "{told:?}");
    for (attack, seen) in told {
        let most = seen["most"].as_u64().expect("MiB");
        let slowest = seen["slowest"].as_f64().unwrap_or_default();
        eprintln!("{attack}: {seen}");
        assert!(most < MIB_MAX, "{attack}: {most} MiB");
        assert!(slowest < ANSWER_MAX, "{attack}: {slowest} s");
    }
}
