//! Tests of health checks, metrics and the log of requests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tool_hub_registry_server::serve_metrics;
use tracing_subscriber::fmt::MakeWriter;

use crate::support::{TestRegistry, file, header};

async fn start_metrics(hub: &TestRegistry) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let registry = hub.registry.clone();
    tokio::spawn(serve_metrics(listener, registry, std::future::pending()));
    endpoint
}

/// The value of a line of metrics; 0 when there is none.
fn value(text: &str, line: &str) -> f64 {
    let found = text
        .lines()
        .find_map(|it| it.strip_prefix(line)?.strip_prefix(' '));
    found.map_or(0.0, |value| value.parse().unwrap())
}

/// Asks again and again until there is an answer.
async fn until<T>(ask: impl AsyncFn() -> Option<T>) -> T {
    let asking = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let answer = tokio::time::timeout(Duration::from_secs(20), asking).await;
    answer.expect("it never came")
}

#[tokio::test]
async fn live_is_not_yet_ready() {
    let hub = TestRegistry::start().await;
    let ask = async |path: &str| {
        let response = hub.request(Method::GET, path, None).send().await.unwrap();
        (
            response.status().as_u16(),
            response.json::<Value>().await.unwrap(),
        )
    };
    let sound = json!({"status": "ok", "database": "ok", "storage": "ok"});
    assert_eq!(ask("/health/ready").await, (200, sound.clone()));
    assert_eq!(ask("/health/live").await, (200, json!({"status": "ok"})));

    let away = hub.directory.path().join("away");
    std::fs::rename(hub.incoming(), &away).unwrap();
    let unplugged = json!({"status": "unavailable", "database": "ok", "storage": "unavailable"});
    assert_eq!(ask("/health/ready").await, (503, unplugged));
    std::fs::rename(&away, hub.incoming()).unwrap();
    assert_eq!(ask("/health/ready").await, (200, sound));

    hub.registry.close().await;
    let closed = json!({"status": "unavailable", "database": "unavailable", "storage": "ok"});
    assert_eq!(ask("/health/ready").await, (503, closed));
    assert_eq!(ask("/health/live").await.0, 200);
}

#[tokio::test]
async fn metrics_count_and_are_elsewhere() {
    let hub = TestRegistry::start().await;
    let endpoint = start_metrics(&hub).await;
    hub.create("alice/tool").await;
    let content = vec![b'x'; 100_000];
    hub.commit("alice/tool", "a", &[("a", &content)]).await;
    for _ in 0..3 {
        let got = hub
            .get("/alice/tool/resolve/main/a")
            .await
            .bytes()
            .await
            .unwrap();
        assert_eq!(got.len(), 100_000);
    }
    hub.get("/alice/secret-name/resolve/main/a").await;
    hub.get("/no/such/address").await;
    assert_eq!(
        hub.get("/metrics").await.status(),
        404,
        "not where everybody comes"
    );

    let route = "route=\"/{owner}/{name}/resolve/{*rest}\",method=\"GET\"";
    let durations = format!("tool_registry_http_request_duration_seconds_count{{{route}}}");
    // The count follows the last byte, which the client has a little earlier.
    let text = until(async || {
        let response = reqwest::get(format!("{endpoint}/metrics")).await.unwrap();
        let kind = response.headers()["content-type"].to_str().unwrap();
        assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
        let text = response.text().await.unwrap();
        (value(&text, &durations) >= 4.0).then_some(text)
    })
    .await;
    let requests = |labels: &str| {
        value(
            &text,
            &format!("tool_registry_http_requests_total{{{labels}}}"),
        )
    };
    assert_eq!(requests(&format!("{route},status=\"200\"")), 3.0, "{text}");
    assert_eq!(requests(&format!("{route},status=\"404\"")), 1.0);
    assert_eq!(
        requests("route=\"unmatched\",method=\"GET\",status=\"404\""),
        2.0
    );
    assert_eq!(value(&text, &durations), 4.0);
    assert!(value(&text, "tool_registry_http_sent_bytes_total") >= 300_000.0);
    let received = value(&text, "tool_registry_http_received_bytes_total");
    assert!(
        (133_000.0..200_000.0).contains(&received),
        "{received}: base64 and a little more"
    );
    assert!(value(&text, "tool_registry_http_connections") >= 1.0);
    assert!(
        !text.contains("secret-name") && !text.contains("alice"),
        "{text}"
    );
    assert!(text.ends_with("# EOF\n"));
    for path in [
        "/api/models",
        "/alice/tool/resolve/main/a",
        "/api/whoami-v2",
    ] {
        let response = reqwest::get(format!("{endpoint}{path}")).await.unwrap();
        assert_eq!(response.status(), 404, "{path} has no place beside metrics");
    }
}

/// Collects the log of one test.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// The id of an answer, after its body.
async fn id_of(response: reqwest::Response) -> String {
    let id = response.headers()["x-request-id"]
        .to_str()
        .unwrap()
        .to_owned();
    response.bytes().await.unwrap();
    id
}

#[tokio::test]
async fn the_log_has_a_line_for_each_request_with_who_and_how() {
    // The other tests' servers write into it too; the ids tell the lines apart. One for this thread
    // alone would miss what another thread came to first.
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_writer(log.clone())
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let commit = hub
        .send_commit("alice/tool", header("a") + &file("a", b"aaaa"))
        .await;
    let commit = id_of(commit).await;
    let download = id_of(
        hub.get("/alice/tool/resolve/main/a?token=in-the-query")
            .await,
    )
    .await;
    let probe = id_of(hub.get("/health/ready").await).await;
    let nobody = hub.request(Method::GET, "/api/models/alice/tool", None);
    let nobody = id_of(nobody.send().await.unwrap()).await;

    // A line is written after the last byte, which the client has a little earlier.
    let answered = |lines: &[Value], id: &str| {
        let is_answer =
            |line: &Value| line["span"]["id"] == id && line["fields"]["message"] == "answered";
        lines.iter().any(is_answer)
    };
    let (text, lines) = until(async || {
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let lines: Vec<Value> = lines.collect();
        (answered(&lines, &download) && answered(&lines, &nobody)).then_some((text, lines))
    })
    .await;
    let find = |id: &str, message: &str| {
        let mut found = lines
            .iter()
            .filter(|line| line["span"]["id"] == id && line["fields"]["message"] == message);
        let line = found.next().cloned();
        assert!(found.next().is_none(), "{message} twice");
        line
    };
    let line = find(&download, "answered").unwrap();
    assert_eq!(line["span"]["account"], "alice");
    assert_eq!(line["span"]["method"], "GET");
    assert_eq!(line["span"]["route"], "/{owner}/{name}/resolve/{*rest}");
    assert_eq!(line["span"]["path"], "/alice/tool/resolve/main/a");
    assert_eq!(
        (&line["fields"]["status"], &line["fields"]["sent_bytes"]),
        (&json!(200), &json!(4))
    );
    assert!(line["fields"]["elapsed_ms"].is_u64());
    let line = find(&nobody, "answered").unwrap();
    assert_eq!(line["span"].get("account"), None);
    // What happens within a request carries its id too.
    let line = find(&commit, "committed").unwrap();
    assert_eq!(
        (&line["span"]["account"], &line["fields"]["repository"]),
        (&json!("alice"), &json!("alice/tool"))
    );
    assert_eq!(find(&probe, "answered"), None, "probes are not for the log");
    assert!(!text.contains("in-the-query") && !text.contains(hub.alice.as_str()));
}
