//! A test that takes a repository from its creation to its deletion with the `hf-hub` crate.

use futures::StreamExt as _;
use hf_hub::repository::{AddSource, CommitOperation, RepoTreeEntry, RepoTypeModel};
use hf_hub::{HFClient, HFError};
use sha2::{Digest as _, Sha256};

use crate::support::TestRegistry;

fn client(hub: &TestRegistry, token: Option<&str>) -> HFClient {
    let cache = hub.directory.path().join("cache");
    let builder = HFClient::builder()
        .endpoint(&hub.endpoint)
        .cache_dir(cache)
        .retry_max_attempts(0);
    match token {
        Some(token) => builder.token(token).build().unwrap(),
        None => builder.build().unwrap(),
    }
}

async fn tree(repo: &hf_hub::HFRepository<RepoTypeModel>, revision: &str) -> Vec<String> {
    let entries = repo
        .list_tree()
        .revision(revision)
        .recursive(true)
        .expand(true)
        .send()
        .unwrap();
    let mut entries = std::pin::pin!(entries);
    let mut paths = Vec::new();
    while let Some(entry) = entries.next().await {
        match entry.unwrap() {
            RepoTreeEntry::File {
                path, last_commit, ..
            } => {
                assert!(last_commit.is_some());
                paths.push(path);
            }
            RepoTreeEntry::Directory { path, .. } => paths.push(format!("{path}/")),
        }
    }
    paths
}

#[tokio::test]
async fn life_of_a_repository() {
    live(&TestRegistry::start().await).await;
}

/// Everything a repository goes through.
pub(crate) async fn live(hub: &TestRegistry) {
    let alice = client(hub, Some(&hub.alice));
    let stranger = client(hub, Some(&hub.bob));
    assert_eq!(alice.whoami().send().await.unwrap().username, "alice");

    let url = alice
        .create_repository()
        .repo_id("alice/life")
        .repo_type(RepoTypeModel)
        .send()
        .await
        .unwrap();
    assert_eq!(url.url, format!("{}/alice/life", hub.endpoint));
    let again = alice
        .create_repository()
        .repo_id("alice/life")
        .repo_type(RepoTypeModel)
        .send()
        .await;
    assert!(matches!(again, Err(HFError::Conflict { .. })), "{again:?}");
    alice
        .create_repository()
        .repo_id("alice/life")
        .repo_type(RepoTypeModel)
        .exist_ok(true)
        .send()
        .await
        .unwrap();
    let repo = alice.model("alice", "life");
    assert!(repo.exists().send().await.unwrap());
    assert!(
        !alice
            .model("alice", "nothing")
            .exists()
            .send()
            .await
            .unwrap()
    );

    let large: Vec<u8> = (0..100_000_000_u32)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let manifest = b"schema = 1\nname = \"life\"\nversion = \"0.1.0\"\n".to_vec();
    let commit = repo
        .create_commit()
        .operations(vec![
            CommitOperation::add_bytes("tool.toml", manifest.clone()),
            CommitOperation::add_bytes("tool.wasm", large.clone()),
            CommitOperation::add_bytes("README.md", "---\ntags: [tool-hub]\n---\nHelps wombats.\n"),
            CommitOperation::add_bytes("docs/empty", Vec::<u8>::new()),
        ])
        .commit_message("the tool")
        .send()
        .await
        .unwrap();
    let oid = commit.commit_oid.unwrap();
    assert_eq!(
        tree(&repo, "main").await,
        [
            ".gitattributes",
            "README.md",
            "docs/",
            "docs/empty",
            "tool.toml",
            "tool.wasm"
        ]
    );

    let bytes = repo
        .download_file_to_bytes()
        .filename("tool.wasm")
        .send()
        .await
        .unwrap();
    assert_eq!(Sha256::digest(&bytes), Sha256::digest(&large));
    let (_, mut stream) = repo
        .download_file_stream()
        .filename("tool.wasm")
        .range(1_000..2_000)
        .send()
        .await
        .unwrap();
    let mut part = Vec::new();
    while let Some(chunk) = stream.next().await {
        part.extend_from_slice(&chunk.unwrap());
    }
    assert_eq!(part, large[1_000..2_000]);
    let cached = repo
        .download_file()
        .filename("tool.toml")
        .send()
        .await
        .unwrap();
    assert_eq!(std::fs::read(cached).unwrap(), manifest);
    let metadata = repo
        .get_file_metadata()
        .filepath("tool.wasm")
        .send()
        .await
        .unwrap();
    assert_eq!(
        (
            metadata.file_size,
            metadata.commit_hash.as_str(),
            metadata.xet_hash
        ),
        (100_000_000, oid.as_str(), None)
    );
    assert!(
        repo.file_exists()
            .filename("tool.toml")
            .send()
            .await
            .unwrap()
    );
    assert!(!repo.file_exists().filename("nothing").send().await.unwrap());
    let infos = repo
        .get_paths_info()
        .paths(vec!["tool.toml".into(), "docs".into(), "nothing".into()])
        .send()
        .await
        .unwrap();
    assert_eq!(infos.len(), 2);

    repo.create_tag()
        .tag("v0.1.0")
        .revision(&oid)
        .message("first")
        .send()
        .await
        .unwrap();
    let twice = repo.create_tag().tag("v0.1.0").send().await;
    assert!(matches!(twice, Err(HFError::Conflict { .. })), "{twice:?}");
    repo.create_branch()
        .branch("side")
        .revision("v0.1.0")
        .send()
        .await
        .unwrap();
    let source = AddSource::bytes("side");
    repo.upload_file()
        .source(source)
        .path_in_repo("side.txt")
        .revision("side")
        .send()
        .await
        .unwrap();
    assert!(tree(&repo, "side").await.contains(&"side.txt".to_owned()));
    let refs = repo
        .list_refs()
        .include_pull_requests(true)
        .send()
        .await
        .unwrap();
    assert_eq!(
        refs.branches
            .iter()
            .map(|branch| branch.name.as_str())
            .collect::<Vec<_>>(),
        ["main", "side"]
    );
    assert_eq!(
        (
            refs.tags[0].name.as_str(),
            refs.tags[0].target_commit.as_str()
        ),
        ("v0.1.0", oid.as_str())
    );
    repo.delete_branch().branch("side").send().await.unwrap();

    folder_there_and_back(hub, &repo).await;

    repo.create_commit()
        .operations(vec![CommitOperation::add_bytes("proposed", "proposed")])
        .commit_message("a proposal")
        .create_pr(true)
        .send()
        .await
        .unwrap();
    let proposed = "proposed".to_owned();
    assert!(tree(&repo, "refs/pr/1").await.contains(&proposed));
    assert!(!tree(&repo, "main").await.contains(&proposed));

    repo.delete_folder()
        .path_in_repo("docs")
        .send()
        .await
        .unwrap();
    let stale = repo
        .create_commit()
        .operations(vec![CommitOperation::add_bytes("late", "late")])
        .commit_message("late")
        .parent_commit(&oid)
        .send()
        .await;
    assert!(
        matches!(&stale, Err(HFError::Http { context }) if context.status == 412),
        "{stale:?}"
    );
    let commits: Vec<_> = repo.list_commits().send().unwrap().collect().await;
    let titles: Vec<String> = commits
        .into_iter()
        .map(|commit| commit.unwrap().title)
        .collect();
    assert_eq!(titles[3..], ["the tool", "initial commit"]);
    assert_eq!(tree(&repo, "v0.1.0").await.len(), 6);

    let found: Vec<_> = alice
        .list_models()
        .filter("tool-hub")
        .search("wombats")
        .limit(5)
        .send()
        .unwrap()
        .collect()
        .await;
    assert_eq!(
        found
            .into_iter()
            .map(|model| model.unwrap().id)
            .collect::<Vec<_>>(),
        ["alice/life"]
    );

    repo.update_settings().private(true).send().await.unwrap();
    let hidden = stranger.model("alice", "life").info().send().await;
    assert!(
        matches!(hidden, Err(HFError::RepoNotFound { .. })),
        "{hidden:?}"
    );
    let from_id = "alice/life";
    alice
        .move_repository()
        .from_id(from_id)
        .to_id("alice/moved")
        .repo_type(RepoTypeModel)
        .send()
        .await
        .unwrap();
    for name in ["life", "moved"] {
        let bytes = alice
            .model("alice", name)
            .download_file_to_bytes()
            .filename("tool.toml")
            .send()
            .await
            .unwrap();
        assert_eq!(bytes, manifest);
    }
    alice
        .delete_repository()
        .repo_id("alice/moved")
        .repo_type(RepoTypeModel)
        .send()
        .await
        .unwrap();
    assert!(!alice.model("alice", "moved").exists().send().await.unwrap());
}

/// A folder as a commit, and as a local directory again; leaves the repository as it was.
async fn folder_there_and_back(hub: &TestRegistry, repo: &hf_hub::HFRepository<RepoTypeModel>) {
    let [folder, local] = ["folder", "local"].map(|name| hub.directory.path().join(name));
    std::fs::create_dir_all(folder.join("deep")).unwrap();
    for (name, content) in [("a.txt", "a"), ("deep/b ü.txt", "b")] {
        std::fs::write(folder.join(name), content).unwrap();
    }
    repo.upload_folder()
        .folder_path(&folder)
        .path_in_repo("given")
        .send()
        .await
        .unwrap();
    let patterns = vec!["given/**".to_owned()];
    repo.snapshot_download()
        .local_dir(&local)
        .allow_patterns(patterns)
        .send()
        .await
        .unwrap();
    assert_eq!(
        std::fs::read_to_string(local.join("given/deep/b ü.txt")).unwrap(),
        "b"
    );
    assert!(!local.join("tool.wasm").exists());
    repo.delete_folder()
        .path_in_repo("given")
        .send()
        .await
        .unwrap();
}
