//! Tests of `nginx.conf`: it fits `compose.yaml`, and nginx takes it where nginx is installed.

use std::process::Command;

use super::{compose, file, port_for_all};
use crate::support::needs::nginx;
use crate::support::{Home, Need, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test(
            "deploy::the_proxy_leads_to_the_registry",
            the_proxy_leads_to_the_registry,
        ),
        test(
            "deploy::nginx_takes_its_configuration",
            nginx_takes_its_configuration,
        )
        .needs(&[Need::Nginx]),
    ]
}

/// The text of a directive that is there once.
#[track_caller]
pub(super) fn directive(name: &str) -> String {
    let text = file("nginx.conf");
    let start = format!("{name} ");
    let lines = text.lines().map(str::trim);
    let found: Vec<&str> = lines.filter_map(|line| line.strip_prefix(&start)).collect();
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    found[0]
        .strip_suffix(';')
        .expect("a directive's end")
        .to_owned()
}

fn the_proxy_leads_to_the_registry() {
    let text = file("nginx.conf");
    let lines = text.lines().map(str::trim);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        assert!(line.ends_with([';', '{', '}']), "{line}");
    }
    assert_eq!(text.matches('{').count(), text.matches('}').count());
    let port = port_for_all(&compose::registry_arguments(), "--listen");
    assert_eq!(
        directive("set"),
        format!("$registry http://registry:{port}")
    );
    assert_eq!(directive("proxy_pass"), "$registry");
    // Bodies pass through, whatever their size, and links lead to where clients asked.
    assert_eq!(directive("client_max_body_size"), "0");
    assert_eq!(directive("proxy_request_buffering"), "off");
    assert_eq!(directive("proxy_buffering"), "off");
    assert!(text.contains("proxy_set_header Host $http_host;"));
}

fn nginx_takes_its_configuration() {
    let home = Home::new();
    // The places for temporary files are made by whoever installs nginx, for nginx's own user.
    let places: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|of| format!("{of}_temp_path {of};"))
        .concat();
    let text = file("nginx.conf").replace("http {", &format!("http {{{places}"));
    let configuration = home.write("nginx.conf", text);
    let prefix = home.work();
    let tested = Command::new(nginx())
        .args(["-t", "-q", "-e", "stderr", "-g", "pid nginx.pid;"])
        .arg("-c")
        .arg(&configuration)
        .arg("-p")
        .arg(&prefix)
        .output()
        .expect("nginx starts");
    let said = String::from_utf8_lossy(&tested.stderr);
    assert!(tested.status.success(), "{said}");
    assert!(
        !said.contains("[emerg]") && !said.contains("[error]"),
        "{said}"
    );
}
