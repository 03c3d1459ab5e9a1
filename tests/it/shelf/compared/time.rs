//! The tool `time` beside `mcp-server-time`.

use serde_json::{Value, json};

use super::pair::{Pair, of_python, said};
use crate::support::Home;

pub(super) fn time() {
    let home = Home::new();
    let server = of_python("mcp-server-time==2026.10.19", "mcp_server_time");
    let mut pair = Pair::start(server, &home, "time", &[], &[]);

    for (source, time, target) in [
        ("UTC", "16:30", "Asia/Tokyo"),
        ("Asia/Tokyo", "09:00", "America/Sao_Paulo"),
        ("Asia/Kathmandu", "00:10", "UTC"),
        ("Australia/Lord_Howe", "23:59", "Europe/Berlin"),
        ("America/New_York", "12:00", "America/New_York"),
    ] {
        let zones = json!({ "source_timezone": source, "time": time, "target_timezone": target });
        pair.same("convert_time", zones);
    }
    let (expected, found) =
        pair.answers("get_current_time", &json!({ "timezone": "Asia/Kolkata" }));
    let (expected, found) = (said(&expected), said(&found));
    for member in ["timezone", "is_dst"] {
        assert_eq!(found[member], expected[member]);
    }
    let names = |value: &Value| {
        value
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&found), names(&expected));

    let zones =
        json!({ "source_timezone": "UTC", "time": "4 pm", "target_timezone": "Asia/Tokyo" });
    pair.both_refuse("convert_time", zones);
    for timezone in ["Mars/Olympus", "europe/berlin", "../etc/passwd", ""] {
        pair.both_refuse("get_current_time", json!({ "timezone": timezone }));
    }
}
