//! Tests of records of calls: their resource usage, the log of grants used, OpenTelemetry traces.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};

use crate::support::adder::with_adder;
use crate::support::loading::load;
use crate::support::{Home, Need, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("observed::stats", stats),
        test("observed::audit_log", audit_log).needs(&[Need::RustGuests]),
        test("observed::traces", traces).needs(&[Need::OpenTelemetry]),
        test(
            "observed::a_collector_that_is_none",
            a_collector_that_is_none,
        )
        .needs(&[Need::OpenTelemetry]),
    ]
}

fn stats() {
    let home = with_adder();
    let ran = home.tool("call adder.add a=20 b=22 --stats");
    assert_eq!(ran.stdout(), "42\n");
    for part in [
        "time: ",
        " ms in the tool",
        "memory: ",
        "arguments: 15 B, answer: 2 B",
    ] {
        let said = ran.stderr();
        assert!(said.contains(part), "{part} in {said}");
    }
    let usage = &home.tool("call adder.add a=20 b=22 --stats --json").json()["usage"];
    assert_eq!(usage["input_bytes"], 15);
    assert_eq!(usage["output_bytes"], 2);
    let time = |name: &str| usage[name].as_u64().expect("microseconds");
    assert!(time("guest_us") <= time("total_us"), "{usage}");
    let failed = home.tool("call adder.add --json-args {} --stats --json");
    assert_eq!(failed.code(), 1);
    let answer: serde_json::Value = serde_json::from_str(&failed.stdout()).expect("JSON");
    assert_eq!(answer["usage"]["guest_us"], 0, "{answer}");
    assert_eq!(
        home.tool("call adder.add a=20 b=22 --json")
            .json()
            .get("usage"),
        None
    );
}

fn audit_log() {
    let home = Home::new();
    let project = guests::built("tally");
    load(&home, &project.to_string_lossy(), &["--allow-storage"]);
    let home = home.with(
        "TOOL_HUB_LOG",
        "tool_hub_host::audit=info,tool_hub_host::call=info",
    );
    let ran = home.tool("call tally.add counter=steps");
    assert_eq!(ran.ok(), "1\n");
    let said = ran.stderr();
    for part in [
        "call{tool=\"tally\" function=add",
        "tool_hub_host::audit: used tool=\"tally\" capability=\"storage\" bucket=",
        "tool_hub_host::call: done outcome=\"reply\"",
        "storage_operations=1",
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
}

fn traces() {
    let home = with_adder();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let collected = collector(listener);
    let home = home.with("OTEL_EXPORTER_OTLP_ENDPOINT", &format!("http://{address}"));
    assert_eq!(home.tool("call adder.add a=20 b=22").ok(), "42\n");
    let request = collected.join().expect("a request");
    let request = String::from_utf8_lossy(&request);
    for part in [
        "POST /v1/traces HTTP/1.1",
        "application/x-protobuf",
        "service.name",
        "tool-hub",
        "call",
        "adder",
        "function",
        "outcome",
        "reply",
        "guest_us",
    ] {
        assert!(request.contains(part), "{part} in {request}");
    }
}

/// Takes one request and answers as a collector does.
fn collector(listener: TcpListener) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let request = read_request(&mut stream);
        let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\n\
                      content-length: 0\r\nconnection: close\r\n\r\n";
        stream.write_all(answer.as_bytes()).expect("an answer");
        request
    })
}

fn read_request(stream: &mut TcpStream) -> Vec<u8> {
    let mut request = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let read = stream.read(&mut piece).expect("a request");
        assert!(
            read > 0,
            "it ended early: {}",
            String::from_utf8_lossy(&request)
        );
        request.extend_from_slice(&piece[..read]);
        let Some(head) = request.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
            continue;
        };
        let text = String::from_utf8_lossy(&request[..head]).to_lowercase();
        let length = text
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.and_then(|text| text.parse().ok()).expect("a length");
        if request.len() >= head + 4 + length {
            return request;
        }
    }
}

fn a_collector_that_is_none() {
    let home = with_adder();
    let home = home.with("OTEL_EXPORTER_OTLP_ENDPOINT", "not a URL");
    let ran = home.tool("call adder.add a=20 b=22");
    assert_eq!(ran.code(), 1);
    let said = ran.stderr();
    assert!(
        said.contains("OTEL_EXPORTER_OTLP_ENDPOINT names no collector"),
        "{said}"
    );
}
