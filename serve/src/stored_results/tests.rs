//! Tests of stored results: what is stored for which caller and read, and their limit of memory.

use serde_json::json;
use tool_hub_manifest::contract::{
    Content, ContentBody, EmbeddedResource, Failure, FailureKind, Outcome, Reply, ResourceContents,
};

use super::*;
use crate::built_in::ReadAnswer;
use crate::cache::BYTES_MAX;

const MAX: usize = 2_000;

fn plain(text: &str) -> Reply {
    Reply {
        content: vec![Content::text(text)],
        structured: Some(json!(text).to_string()),
        next: None,
    }
}

fn shorten(results: &StoredResults, reply: Reply) -> Reply {
    results
        .shorten("f", Outcome::Reply(reply), MAX)
        .into_result()
        .unwrap()
}

/// The only address that `reply` links to.
fn link(reply: &Reply) -> &str {
    let mut links = reply.content.iter().filter_map(|part| match &part.body {
        ContentBody::Link(link) => Some(link.uri.as_str()),
        _ => None,
    });
    let link = links.next().unwrap();
    assert_eq!(links.next(), None);
    link
}

fn read(id: &str, query: Option<&str>, page: Option<u32>) -> ReadAnswer {
    ReadAnswer {
        id: id.to_owned(),
        query: query.map(str::to_owned),
        page: page.unwrap_or(1),
    }
}

#[test]
fn what_is_short_is_handed_over_as_it_is() {
    let results = StoredResults::new();
    // As JSON it is longer than that.
    for reply in [plain("short"), plain(&"\n".repeat(MAX)), Reply::default()] {
        assert_eq!(shorten(&results, reply.clone()), reply);
    }
    let picture = ContentBody::Image {
        media_type: "image/png".into(),
        data: vec![0; 2 * MAX],
    };
    let reply = Reply {
        content: vec![picture.into()],
        ..Reply::default()
    };
    assert_eq!(shorten(&results, reply.clone()), reply);
}

#[tokio::test]
async fn a_long_text_is_kept_once_and_read_in_pages() {
    let results = StoredResults::new();
    let lines = (0..400).map(|n| format!("line {n} of it\n"));
    let text: String = lines.collect();
    let reply = shorten(&results, plain(&text));
    let uri = link(&reply).to_owned();
    let place = json!({ "kept_answer": uri }).to_string();
    assert_eq!(reply.structured.as_deref(), Some(&*place));
    assert!(reply.text().len() < MAX, "{}", reply.text());
    assert!(reply.text().contains("line 0 of it\n"));
    let id = uri.strip_prefix(URI).unwrap();
    assert!(
        reply
            .text()
            .contains(&format!("read_answer {{\"id\":\"{id}\",\"page\":1}}"))
    );
    assert_eq!(results.get(&uri).unwrap().text, text);

    let mut whole = String::new();
    let mut page = 1;
    while let Ok(reply) = results.read(read(id, None, Some(page))).await.into_result() {
        let [
            _,
            Content {
                body: ContentBody::Text(part),
                ..
            },
        ] = &reply.content[..]
        else {
            panic!("{reply:?}");
        };
        assert!(part.len() <= MAX);
        whole.push_str(part);
        page += 1;
    }
    assert_eq!(whole, text);
    assert!(page > 4);
}

#[tokio::test]
async fn a_long_text_is_searched() {
    let results = StoredResults::new();
    let text = format!("{}the needle\n{}", "hay\n".repeat(900), "hay\n".repeat(900));
    let reply = shorten(&results, plain(&text));
    let id = link(&reply).strip_prefix(URI).unwrap();
    let found = results
        .read(read(id, Some("needle"), None))
        .await
        .into_result()
        .unwrap();
    assert!(found.text().contains("the needle"), "{}", found.text());
    assert_eq!(found.text().matches("[passage").count(), 1);
    for (id, query, page, kind, message) in [
        (
            id,
            Some("thread"),
            None,
            FailureKind::NotFound,
            "no passage of the answer of `f`",
        ),
        (
            id,
            None,
            Some(999),
            FailureKind::NotFound,
            "there is no page 999; there are",
        ),
        (
            "nope",
            None,
            None,
            FailureKind::NotFound,
            "no answer `nope` is kept",
        ),
    ] {
        let failure = results
            .read(read(id, query, page))
            .await
            .into_result()
            .unwrap_err();
        assert_eq!(failure.kind, kind);
        assert!(failure.message.starts_with(message), "{}", failure.message);
    }
}

#[test]
fn text_and_structure_that_differ_are_kept_each() {
    let results = StoredResults::new();
    let long = json!({ "list": vec!["x"; 2_000] }).to_string();
    let mut reply = plain("see");
    reply.structured = Some(long.clone());
    let held = shorten(&results, reply.clone());
    assert_eq!(results.get(link(&held)).unwrap().text, long);
    assert!(held.text().ends_with("see"), "{}", held.text());

    let resource = EmbeddedResource {
        uri: "notes://a".into(),
        media_type: None,
        contents: ResourceContents::Text("y\n".repeat(MAX)),
    };
    reply.content.push(ContentBody::Resource(resource).into());
    reply.structured = Some("1".into());
    let held = shorten(&results, reply);
    assert_eq!(held.structured.as_deref(), Some("1"), "it is short");
    let kept = &results.get(link(&held)).unwrap().text;
    assert!(kept.starts_with("see\nnotes://a\ny\n"), "{kept}");
}

#[test]
fn a_long_failure_stays_a_failure() {
    let results = StoredResults::new();
    let failure = Failure::new(FailureKind::Failed, "no ".repeat(MAX));
    let held = results
        .shorten("f", failure.into(), MAX)
        .into_result()
        .unwrap_err();
    assert_eq!(held.kind, FailureKind::Failed);
    assert!(held.message.len() < MAX && held.message.contains("read_answer"));
}

#[test]
fn results_have_room_for_so_much() {
    let cache = SharedCache::default();
    let [anns, robins] = [cache.for_caller(), cache.for_caller()].map(StoredResults::on);
    let keep = |text: String| anns.keep("f", "text/plain", text, MAX);
    let id = keep("1".to_owned()).unwrap().id.clone();
    assert_eq!(anns.get(&id).unwrap().text, "1");
    assert!(robins.get(&id).is_none(), "it is another's");
    assert!(keep("x".repeat(BYTES_MAX)).is_none());
    assert!(anns.get(&id).is_some());
    assert!(keep("x".repeat(BYTES_MAX / 2)).is_some());
}
