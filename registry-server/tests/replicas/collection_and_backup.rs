//! Tests of garbage collection beside two servers, and of moving a registry by its backups.

use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Trial;
use tool_hub_registry_server::{Downloads, Registry, RegistryConfig};

use crate::backends::Shared;
use crate::replica::Pair;
use crate::support::TestRegistry;
use crate::{backup, garbage, test};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        test(
            "collection_and_backup::collecting_loses_nothing_of_several_servers",
            collecting_loses_nothing_of_several_servers,
        ),
        test(
            "collection_and_backup::from_one_machine_to_many_and_back",
            from_one_machine_to_many_and_back,
        ),
    ]
}

async fn collecting_loses_nothing_of_several_servers() {
    let Pair {
        hub,
        a,
        b,
        replicas,
    } = Pair::start_with(Downloads::Proxy).await;
    let place = hub.place.clone().unwrap();
    let config = place.config(&hub.directory.path().join("other"), Downloads::Proxy);
    let collectors = vec![hub.registry.clone(), Registry::open(config).await.unwrap()];
    garbage::race(
        vec![Arc::new(a), Arc::new(b)],
        collectors,
        Duration::from_secs(4),
    )
    .await;
    drop(replicas);
}

async fn from_one_machine_to_many_and_back() {
    let one = TestRegistry::start_in(None, |_| ()).await;
    backup::fill(&one).await;
    let scratch = tempfile::tempdir().unwrap();
    let path = |name: &str| scratch.path().join(name);
    one.registry.backup(&path("one")).await.unwrap();

    let place = Shared::get().unwrap().place();
    let config = place.config(&path("many"), Downloads::Proxy);
    Registry::restore(&path("one"), config.clone())
        .await
        .unwrap();
    let many = Registry::open(config).await.unwrap();
    backup::compare(&one, &many).await;
    many.backup(&path("back")).await.unwrap();
    assert_eq!(backup::said(&path("one")), backup::said(&path("back")));

    let config = RegistryConfig::new(path("again"));
    Registry::restore(&path("back"), config.clone())
        .await
        .unwrap();
    let again = Registry::open(config).await.unwrap();
    backup::compare(&one, &again).await;
}
