//! Tests that search and its pages leave nothing out in a registry of 2,200 repositories.

use sqlx::{AnyConnection, AssertSqlSafe, Connection as _};

use crate::search_tools::all_pages;
use crate::support::TestRegistry;

/// More than twice as many as the registry ranks together.
const REPOSITORIES: u32 = 2_200;

/// Written as a registry would have written them; to push as many takes too long.
const INSERT: &[&str] = &[
    "WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < 2200), \
     named (i, name) AS (SELECT i, 'many-' || i || CASE WHEN i % 500 = 7 THEN 'xq' ELSE '' END FROM numbers) \
     INSERT INTO repositories (id, kind, owner, name, name_folded, private, description, downloads, created_ms, modified_ms) \
     SELECT '0000000000000000000' || (10000 + i), 'model', o.id, named.name, named.name, 0, \
     CASE WHEN i % 2 = 0 THEN 'ordinary' ELSE '' END || CASE WHEN i % 3 = 0 THEN ' ordinal' ELSE '' END, (i * 37) % 101, 0, 0 \
     FROM named JOIN accounts o ON o.name = CASE WHEN i % 11 = 0 THEN 'acme' ELSE 'alice' END",
    "INSERT INTO repository_tags (repository, tag) SELECT id, 'all' FROM repositories",
    "INSERT INTO repository_tags (repository, tag) SELECT id, 'few' FROM repositories WHERE downloads = 5",
    "INSERT INTO search_documents (repository, name, description, functions, body) \
     SELECT r.id, o.name || '/' || r.name, r.description, '', '' \
     FROM repositories r JOIN accounts o ON o.id = r.owner ORDER BY r.id",
];
async fn registry() -> TestRegistry {
    let hub = TestRegistry::start().await;
    sqlx::any::install_default_drivers();
    let url = match &hub.place {
        Some(place) => place.database.clone(),
        None => {
            let file = hub.directory.path().join("registry/registry.sqlite");
            format!("sqlite://{}", file.display())
        }
    };
    let mut database = AnyConnection::connect(&url).await.unwrap();
    for statement in INSERT {
        let inserted = sqlx::query(AssertSqlSafe(*statement)).execute(&mut database);
        assert!(inserted.await.unwrap().rows_affected() > 0, "{statement}");
    }
    hub
}

fn id(i: u32) -> String {
    let owner = if i.is_multiple_of(11) {
        "acme"
    } else {
        "alice"
    };
    let end = if i % 500 == 7 { "xq" } else { "" };
    format!("{owner}/many-{i}{end}")
}

/// The matches by downloads, the latest first.
fn by_downloads(fits: impl Fn(u32) -> bool) -> Vec<String> {
    let mut found: Vec<u32> = (0..REPOSITORIES).filter(|i| fits(*i)).collect();
    found.sort_unstable_by_key(|i| std::cmp::Reverse(((i * 37) % 101, *i)));
    found.into_iter().map(id).collect()
}

#[tokio::test]
async fn an_order_of_its_own_leaves_nothing_out() {
    let hub = registry().await;
    let ordinary = |i: u32| i.is_multiple_of(2);
    let ordinal = |i: u32| i.is_multiple_of(3);
    let acme = |i: u32| i.is_multiple_of(11);
    let few = |i: u32| (i * 37) % 101 == 5;
    let cases: [(&str, &dyn Fn(u32) -> bool); 14] = [
        ("search=ordinary", &ordinary),
        ("search=ordin", &|i| ordinary(i) || ordinal(i)),
        ("search=ordinal", &ordinal),
        ("search=ordinary+ordinal", &|i| ordinary(i) && ordinal(i)),
        ("search=m", &|_| true),
        ("search=ma", &|_| true),
        ("search=ny", &|_| true),
        ("search=xq", &|i| i % 500 == 7),
        ("search=any-", &|_| true),
        ("search=ordinary&author=acme", &|i| ordinary(i) && acme(i)),
        ("search=ordinary&filter=few", &|i| ordinary(i) && few(i)),
        ("author=acme", &acme),
        ("author=alice&filter=all", &|i| !acme(i)),
        ("filter=few", &few),
    ];
    for (query, fits) in cases {
        let expect = by_downloads(fits);
        // PostgreSQL fills a short page from a window in order, if it can; see `search/sorted.rs`.
        for limit in [90, 700] {
            let found = all_pages(&hub, &format!("sort=downloads&{query}"), limit).await;
            assert!(found == expect, "{query} in pages of {limit}: {found:?}");
        }
    }
}

#[tokio::test]
async fn short_parts_of_names_are_found_wherever_they_stand() {
    let hub = registry().await;
    let latest_first = |fits: &dyn Fn(u32) -> bool| -> Vec<String> {
        (0..REPOSITORIES)
            .rev()
            .filter(|i| fits(*i))
            .map(id)
            .collect()
    };
    let cases: [(&str, &dyn Fn(u32) -> bool); 4] = [
        ("search=ny", &|_| true),
        ("search=xq", &|i| i % 500 == 7),
        ("search=q", &|i| i % 500 == 7),
        ("author=acme&search=ny", &|i| i.is_multiple_of(11)),
    ];
    for (query, fits) in cases {
        let expect = latest_first(fits);
        for limit in [2, 300] {
            let path = format!("/api/models?{query}&limit={limit}");
            let first = hub.get_json(&path).await;
            let first: Vec<&str> = first
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["id"].as_str().unwrap())
                .collect();
            assert_eq!(first, expect[..expect.len().min(limit)], "{query}");
        }
        let found = all_pages(&hub, query, 700).await;
        assert!(found == expect, "{query}: {found:?}");
    }
}

#[tokio::test]
async fn relevance_leaves_nothing_out() {
    let hub = registry().await;
    let ordinary = |i: u32| i.is_multiple_of(2);
    let cases: [(&str, &dyn Fn(u32) -> bool); 4] = [
        ("search=m", &|_| true),
        ("search=ordinary", &ordinary),
        ("search=ordin", &|i| ordinary(i) || i.is_multiple_of(3)),
        ("search=ordinary&author=acme", &|i| {
            ordinary(i) && i.is_multiple_of(11)
        }),
    ];
    for (query, fits) in cases {
        let mut expect = by_downloads(fits);
        expect.sort_unstable();
        for limit in [90, 700] {
            let mut found = all_pages(&hub, query, limit).await;
            found.sort_unstable();
            assert!(found == expect, "{query} in pages of {limit}: {found:?}");
        }
    }
}
