//! Tests of a replaced catalogue: clients are notified, and running calls end as they began.

use rmcp::model::{ServerNotification, SubscriptionFilter};
use serde_json::json;
use tool_hub_serve::Catalogue;

use crate::PATIENCE;
use crate::support::{Era, Person, Session, offers};

async fn fewer() -> Catalogue {
    let mut offers = offers(1).await;
    offers.truncate(2);
    Catalogue::new(offers).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_told_and_lists_anew() {
    let mut session = Session::open(Era::Session, Person::absent()).await;
    assert_eq!(session.names().await.len(), 8);
    session.toolset.replace(fewer().await);
    let told = tokio::time::timeout(PATIENCE, session.changes.recv());
    told.await.unwrap().unwrap();
    assert_eq!(session.names().await, ["guest__add", "guest__echo"]);
    session.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_listens_is_told() {
    let session = Session::open(Era::Stateless, Person::absent()).await;
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut listening = session.client.listen(filter.clone()).await.unwrap();
    assert_eq!(listening.acknowledged(), &filter);
    session.toolset.replace(fewer().await);
    let told = tokio::time::timeout(PATIENCE, listening.next());
    let told = told.await.unwrap().unwrap().unwrap();
    assert!(
        matches!(told, ServerNotification::ToolListChangedNotification(_)),
        "{told:?}"
    );
    assert_eq!(session.names().await, ["guest__add", "guest__echo"]);
    session.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_under_way_ends_as_it_began() {
    let session = Session::open(Era::Session, Person::absent()).await;
    let working = session.call("work", json!({}));
    let replaced = async {
        tokio::task::yield_now().await;
        session.toolset.replace(fewer().await);
    };
    let (answer, ()) = tokio::join!(working, replaced);
    assert_eq!(answer["isError"], json!(false), "{answer}");
    session.close().await;
}
