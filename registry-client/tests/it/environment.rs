//! A test that the client takes no token, endpoint or proxy from the environment.

use std::process::Command;

#[test]
fn a_misleading_environment_changes_nothing() {
    // Pushes with a token, pulls without one; the registry accepts only the token it knows
    // and nobody listens where the proxies and the endpoint are said to be.
    let nowhere = "http://127.0.0.1:1";
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("token"), "hf_from_a_file").unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "pull::what_was_pushed_is_what_is_pulled"])
        .env("HF_TOKEN", "hf_from_the_environment")
        .env("HF_HOME", home.path())
        .env("HF_ENDPOINT", nowhere)
        .env("HTTP_PROXY", nowhere)
        .env("http_proxy", nowhere)
        .env("ALL_PROXY", nowhere)
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
    // Not even an empty cache was made.
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1);
}
