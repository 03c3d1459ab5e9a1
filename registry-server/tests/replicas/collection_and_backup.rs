//! Tests of garbage collection beside two servers, and of moving a registry by its backups.

use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Trial;
use tool_hub_registry_server::{Downloads, MirrorSource, Registry, RegistryConfig};

use crate::backends::Shared;
use crate::replica::Pair;
use crate::support::TestRegistry;
use crate::{backup, filled_registry, garbage, jobs, test};

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
        test(
            "collection_and_backup::a_mirror_from_many_machines_to_one_and_back",
            a_mirror_from_many_machines_to_one_and_back,
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
    let one = TestRegistry::start_in_directory(jobs::trust).await;
    let token = filled_registry::fill(&one).await;
    let scratch = tempfile::tempdir().unwrap();
    let path = |name: &str| scratch.path().join(name);
    one.registry.backup(&path("one")).await.unwrap();
    backup::has_every_table(&path("one"), &["mirror"]);

    let place = Shared::get().unwrap().place();
    let config = place.config(&path("many"), Downloads::Proxy);
    Registry::restore(&path("one"), config.clone())
        .await
        .unwrap();
    let many = Registry::open(config).await.unwrap();
    filled_registry::compare(&one, &many).await;
    many.backup(&path("back")).await.unwrap();
    assert_eq!(backup::said(&path("one")), backup::said(&path("back")));

    let mut config = RegistryConfig::new(path("again"));
    jobs::trust(&mut config);
    Registry::restore(&path("back"), config.clone())
        .await
        .unwrap();
    let again = Registry::open(config).await.unwrap();
    filled_registry::compare(&one, &again).await;
    filled_registry::jobs_go_on(&one, &again, &token).await;
}

async fn a_mirror_from_many_machines_to_one_and_back() {
    let one = TestRegistry::start_in_directory(jobs::trust).await;
    filled_registry::fill(&one).await;
    let scratch = tempfile::tempdir().unwrap();
    let path = |name: &str| scratch.path().join(name);
    let place = Shared::get().unwrap().place();
    let mirror =
        filled_registry::mirror_of(&one, place.config(&path("mirror"), Downloads::Proxy)).await;
    mirror.backup(&path("first")).await.unwrap();

    let config = RegistryConfig::new(path("alone"));
    Registry::restore(&path("first"), config.clone())
        .await
        .unwrap();
    let alone = Registry::open(config).await.unwrap();
    alone.backup(&path("second")).await.unwrap();
    assert_eq!(backup::said(&path("first")), backup::said(&path("second")));

    let place = Shared::get().unwrap().place();
    let config = place.config(&path("again"), Downloads::Proxy);
    Registry::restore(&path("second"), config.clone())
        .await
        .unwrap();
    let again = Registry::open(config).await.unwrap();
    for registry in [&alone, &again] {
        let report = registry.scrub().await.unwrap();
        assert!(report.is_sound() && report.log_records > 3, "{report:?}");
        let source = MirrorSource::all(one.endpoint.parse().unwrap());
        let report = registry.mirror(&source).await.unwrap();
        assert_eq!((report.new_records, report.files), (0, 0), "{report:?}");
    }
}
