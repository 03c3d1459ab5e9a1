//! What an administrator of a registry reads when something is wrong, and that a mistyped
//! directory does not become a registry.

use std::net::TcpListener;

use crate::errors::check;
use crate::support::{Home, Ran, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("administration::names_and_ids", names_and_ids),
        test("administration::directories", directories),
        test("administration::a_port_in_use", a_port_in_use),
        test("administration::a_token_for_no_day", a_token_for_no_day),
    ]
}

fn with_ada() -> Home {
    let home = Home::new();
    home.tool("registry user add ada").ok();
    home
}

fn names_and_ids() {
    let home = with_ada();
    let taken = home.tool("registry user add Ada");
    check("registry_name_taken", &taken, 1);
    let nobody = home.tool("registry token create bob");
    check("registry_no_such_user", &nobody, 1);
    let nothing = home.tool("registry token revoke 9999");
    check("registry_no_such_token", &nothing, 1);
}

fn directories() {
    let home = Home::new();
    home.write("file", "");
    home.write("occupied/registry.sqlite", "this is no database");
    let before = home.files();
    for line in [
        "user list",
        "token list ada",
        "token create ada",
        "org member acme ada",
    ] {
        let ran = home.tool(&format!("registry --data tpyo {line}"));
        check("registry_not_there", &ran, 1);
    }
    let file = home.tool("registry --data file user list");
    check("registry_not_a_directory", &file, 1);
    let occupied = home.tool("registry --data occupied user list");
    check("registry_not_a_database", &occupied, 1);
    assert_eq!(home.files(), before);
    home.tool("registry --data new user add ada").ok();
    assert!(
        home.tool("registry --data new user list")
            .ok()
            .contains("ada")
    );
}

fn a_port_in_use() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let ran: Ran = Home::new().tool(&format!("registry serve --listen {address}"));
    check("registry_port_in_use", &ran, 1);
}

/// A token that is refused from the start is of no use to anybody.
fn a_token_for_no_day() {
    let home = with_ada();
    let refused = home.tool("registry token create ada --expires-days 0");
    assert_eq!(refused.code(), 1, "{}", refused.stderr());
    assert!(
        refused.stderr().contains("0 is not in 1..=65535"),
        "{}",
        refused.stderr()
    );
    let tokens = home.tool("registry token list ada --json").json();
    assert_eq!(tokens["tokens"], serde_json::json!([]));
}
