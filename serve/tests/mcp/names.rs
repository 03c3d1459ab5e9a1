//! Tests of function names: a tool's only function has two, and the server's own are reserved.

use rmcp::model::CallToolRequestParams;
use serde_json::json;
use tool_hub_serve::{Catalogue, CatalogueError, Presentation};

use crate::support::{Era, Person, Session, offers};

#[tokio::test(flavor = "multi_thread")]
async fn the_only_function_of_a_tool_also_answers_to_the_name_it_would_have_beside_another() {
    let mut offers = offers(4).await;
    offers.retain(|offer| offer.spec.name == "guest__add");
    offers[0].spec.name = "guest".into();
    let catalogue = Catalogue::new(offers).unwrap();
    let session = Session::open_on(catalogue, Era::Session, Person::absent()).await;
    for name in ["guest", "guest__add"] {
        let result = session.call_built_in(name, json!({"a": 20, "b": 22})).await;
        assert_eq!(result["structuredContent"], json!({"result": 42}), "{name}");
    }
    let other = CallToolRequestParams::new("guest__echo");
    let refused = session.client.call_tool(other).await.unwrap_err();
    assert!(refused.to_string().contains("unknown tool"), "{refused}");
    session.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_cannot_take_the_name_of_a_function_of_the_server() {
    let mut offers = offers(1).await;
    offers[1].spec.name = "read_answer".into();
    let catalogue = Catalogue::new(offers).unwrap();
    let presentation = Presentation {
        answer_bytes_max: Some(4_000),
        listed_max: None,
    };
    let refused = catalogue.presented(presentation).err().unwrap();
    assert!(
        matches!(refused, CatalogueError::Reserved { .. }),
        "{refused}"
    );
    assert_eq!(
        refused.to_string(),
        "`read_answer` is a function of the server itself; load that tool under another name"
    );
}
