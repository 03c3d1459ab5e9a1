//! Tests of `tool search` as people read it: the table, registries of two kinds, no results.
//! The table fits the terminal; registries read manifests or do not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use crate::support::ran::check;
use crate::support::website::Website;
use crate::support::{Home, Need, RegistryProcess, Terminal, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("search::a_table_of_tools", a_table_of_tools).needs(&[Need::RustGuests]),
        test("search::nothing_fits", nothing_fits),
        test("search::a_registry_like_the_hub", a_registry_like_the_hub),
        test(
            "search::a_terminal_is_not_overrun",
            a_terminal_is_not_overrun,
        ),
        test("search::limits_are_checked", limits_are_checked),
    ]
}

/// The cells of a table whose columns are two spaces apart.
fn cells(table: &str) -> Vec<Vec<&str>> {
    let cells = |line| -> Vec<&str> {
        let parts = str::split(line, "  ").map(str::trim);
        parts.filter(|cell| !cell.is_empty()).collect()
    };
    table.lines().map(cells).collect()
}

fn a_table_of_tools() {
    let registry = RegistryProcess::start();
    let author = registry.member("ada");
    for tool in ["calculator", "text-stats"] {
        let project = guests::built(tool);
        author.run(["push", "-C", &project.to_string_lossy()]).ok();
    }
    let visitor = registry.visitor();
    let found = visitor.tool("search count_words");
    let table = found.ok();
    let rows = cells(&table);
    assert_eq!(rows.len(), 2, "{table}");
    assert_eq!(
        rows[0],
        ["NAME", "VERSION", "DESCRIPTION", "FUNCTIONS", "UPDATED"]
    );
    let json = visitor.tool("search count_words --json").json();
    let tool = &json["tools"][0];
    let functions: Vec<&str> = tool["functions"]
        .as_array()
        .expect("functions")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(functions.contains(&"count_words"), "{json}");
    assert_eq!(tool["function_count"], functions.len());
    assert_eq!(rows[1][..2], ["ada/text-stats", "0.1.0"]);
    assert_eq!(tool["description"], rows[1][2]);
    assert_eq!(rows[1][3], functions.join(", "));
    let changed = tool["last_modified"].as_str().expect("an instant");
    assert_eq!(rows[1][4], &changed[..10]);
    assert_eq!(found.stderr(), "");
    assert_eq!(json["more"], false);

    let one = visitor.tool("search --limit 1");
    assert_eq!(cells(&one.ok()).len(), 2);
    let expect = "hint: there are more; see them with more words, or with: --limit 5\n";
    assert_eq!(one.stderr(), expect);
    let all = visitor.tool("search --limit 2");
    assert_eq!(cells(&all.ok()).len(), 3);
    assert_eq!(all.stderr(), "");
}

fn nothing_fits() {
    let registry = RegistryProcess::start();
    let visitor = registry.visitor();
    check("search_nothing_there", &visitor.tool("search"), 0);
    check(
        "search_nothing_fits",
        &visitor.tool("search red herring"),
        0,
    );
    let member = registry.member("ada").tool("search red herring");
    member.ok();
    assert!(
        !member.stderr().contains("tool login"),
        "{}",
        member.stderr()
    );
}

fn answer(status: u16, body: Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    (status, axum::Json(body)).into_response()
}

/// Refuses to list what only our registry knows, as the Hub does.
fn a_registry_like_the_hub() {
    let asked = Arc::new(AtomicUsize::new(0));
    let hub = Website::start(move |_| {
        if asked.fetch_add(1, Ordering::Relaxed) == 0 {
            return answer(400, json!({"error": "\"expand\" must be one of [tags]"}));
        }
        answer(
            200,
            json!([{
                "id": "ada/adder", "downloads": 1234, "lastModified": "2026-11-20T23:00:00.000Z",
                "cardData": {"description": "Adds."},
            }]),
        )
    });
    let home = Home::new().with("HF_ENDPOINT", hub.origin());
    let found = home.tool("search add");
    let table = found.ok();
    let rows = cells(&table);
    assert_eq!(rows[0], ["NAME", "DESCRIPTION", "DOWNLOADS", "UPDATED"]);
    assert_eq!(rows[1], ["ada/adder", "Adds.", "1234", "2026-11-20"]);
    let said = found.stderr();
    assert!(said.contains("tool inspect NAME"), "{said}");
    assert_eq!(hub.asked(), ["/api/models", "/api/models"]);
}

/// A stranger's texts are shown and not obeyed, and do not break the table. What is no
/// terminal gets them whole.
fn a_terminal_is_not_overrun() {
    let hub = Website::start(|_| {
        let functions: Vec<String> = (0..20).map(|index| format!("function_{index}")).collect();
        answer(
            200,
            json!([{
                "id": "ada/adder", "lastModified": "2026-11-20T23:00:00.000Z",
                "tool": {
                    "version": "1.0.0\u{1b}[2J", "functions": functions, "functionCount": 25,
                    "description": format!("Adds\n\u{202e}{}", "and adds ".repeat(40)),
                },
            }]),
        )
    });
    let home = Home::new().with("HF_ENDPOINT", hub.origin());
    let ended = Terminal::start(home.command(["search"])).end();
    assert!(ended.status.success(), "{}", ended.shown);
    let lines: Vec<&str> = ended.shown.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ended.shown);
    for line in &lines {
        assert!(line.trim_end().chars().count() <= 160, "{line}");
        assert!(
            line.chars().all(|c| !c.is_control() && c != '\u{202e}'),
            "{line:?}"
        );
    }
    assert_eq!(lines[1].matches('…').count(), 2, "{}", lines[1]);
    assert!(lines[1].contains("\\u{1b}[2J") && lines[1].contains("2026-11-20"));

    let whole = home.tool("search").ok();
    assert!(whole.contains("function_19 and 5 more"), "{whole}");
    assert!(
        whole
            .lines()
            .nth(1)
            .expect("a row")
            .contains("Adds\\u{a}\\u{202e}and adds")
    );
}

fn limits_are_checked() {
    for limit in ["0", "1001", "-1", "many"] {
        let ran = Home::new().run(["search", &format!("--limit={limit}")]);
        assert_eq!(ran.code(), 1, "{limit}: {}", ran.stderr());
        assert!(ran.stderr().contains("--limit <N>"), "{}", ran.stderr());
    }
}
