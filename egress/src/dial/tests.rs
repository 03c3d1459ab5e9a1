//! Tests that a name leads only to addresses it may, and is looked up once for a connection.

use std::collections::VecDeque;
use std::net::TcpListener;

use super::*;

fn names<const N: usize>(answers: [&[&str]; N], port: u16) -> Resolver {
    let answer = |addresses: &&[&str]| {
        let addresses = addresses.iter().map(|text| text.parse().unwrap());
        addresses.map(|ip| SocketAddr::new(ip, port)).collect()
    };
    let answers: VecDeque<Vec<SocketAddr>> = answers.iter().map(answer).collect();
    let own = vec!["93.184.215.14".parse().unwrap()];
    Resolver::Listed(answers.into(), own)
}

fn left(names: &Resolver) -> usize {
    match names {
        Resolver::System => 0,
        Resolver::Listed(answers, _) => answers.lock().unwrap().len(),
    }
}

#[track_caller]
fn check(resolved: Result<Vec<SocketAddr>, DialError>, expect: &[&str]) {
    let addresses = match resolved {
        Ok(addresses) => addresses,
        Err(DialError::Address) => Vec::new(),
        Err(error) => panic!("{error}"),
    };
    let addresses: Vec<String> = addresses.iter().map(|a| a.ip().to_string()).collect();
    assert_eq!(addresses, expect);
}

#[tokio::test]
async fn a_name_leads_to_public_addresses_only() {
    for private in [
        "127.0.0.1",
        "10.1.2.3",
        "172.20.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.100.100.100",
        "0.0.0.0",
        "224.0.0.1",
        "203.0.113.5",
        "198.51.100.7",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "64:ff9b:1::1",
        "2002:a00:1::",
        "2001::1",
        "2001:db8::1",
        "fd00::1",
        "fe80::1",
        "ff02::1",
    ] {
        let only = names([&[private]], 80);
        check(resolve("name.example", 80, &only).await, &[]);
        let beside = names([&[private, "93.184.216.34", private]], 80);
        check(
            resolve("name.example", 80, &beside).await,
            &["93.184.216.34"],
        );
    }
}

#[tokio::test]
async fn no_name_leads_to_the_machine_itself() {
    let hairpin = names([&["93.184.215.14"]], 80);
    check(resolve("name.example", 80, &hairpin).await, &[]);
    let beside = names([&["93.184.215.14", "93.184.216.34"]], 80);
    check(
        resolve("name.example", 80, &beside).await,
        &["93.184.216.34"],
    );
}

#[tokio::test]
async fn the_machine_s_own_name_leads_to_the_machine_only() {
    let spoofed = names([&["93.184.216.34", "10.0.0.1"]], 80);
    check(resolve("localhost", 80, &spoofed).await, &[]);
    let both = names([&["93.184.216.34", "127.0.0.1", "::1"]], 80);
    check(resolve("localhost", 80, &both).await, &["127.0.0.1", "::1"]);
}

#[tokio::test]
async fn a_granted_address_is_not_looked_up() {
    let none = names([], 80);
    check(resolve("10.0.0.1", 80, &none).await, &["10.0.0.1"]);
    check(resolve("::1", 80, &none).await, &["::1"]);
}

/// A resolver that answers with a public address first and a private one a moment later
/// gains nothing: the second question is never asked.
#[tokio::test]
async fn a_name_is_looked_up_once_for_a_connection() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let canary = TcpListener::bind(("127.0.0.2", port)).unwrap();
    canary.set_nonblocking(true).unwrap();
    // `localhost` may lead to the loopback network, so that both can be reached here.
    let rebinding = names([&["127.0.0.1"], &["127.0.0.2"], &["127.0.0.2"]], port);
    let origin: Origin = format!("http://localhost:{port}").parse().unwrap();
    let stream = dial(&origin, &rebinding).await.ok().unwrap();
    assert_eq!(
        stream.peer_addr().unwrap().to_string(),
        format!("127.0.0.1:{port}")
    );
    assert_eq!(left(&rebinding), 2, "asked once");
    assert!(canary.accept().is_err());
}

#[tokio::test]
async fn an_address_that_refuses_does_not_lead_to_a_second_question() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = closed.local_addr().unwrap().port();
    drop(closed);
    let names = names([&["127.0.0.1"], &["127.0.0.1"]], port);
    let origin: Origin = format!("http://localhost:{port}").parse().unwrap();
    let connected = dial(&origin, &names).await;
    assert!(matches!(connected, Err(DialError::Connect(_))));
    assert_eq!(left(&names), 1);
}
