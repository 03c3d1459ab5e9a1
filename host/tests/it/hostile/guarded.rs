//! Tests that a tool with write access leaves guarded names such as `.git` alone, by any path.
//! Other programs act on files with these names.

use std::os::unix::fs::symlink;

use tool_hub_host::{Host, HostConfig};
use tool_hub_manifest::{Access, DirectoryGrant};

use super::canary::GrantedDirectory;
use super::either_wasi::with_either_wasi;
use super::filesystem_guest::{CHANGES, FileOperation, act, granted_all, granted_by, read};

with_either_wasi! {
    guarded_names_are_not_touched_where_writing_is_granted
    links_lead_to_no_guarded_name
    other_links_are_followed_where_names_are_guarded
    a_tool_makes_no_link_to_a_guarded_name
    insisted_on_is_one_place
}

/// A host that guards a few names.
pub(super) fn guarding() -> Host {
    let mut config = HostConfig::new();
    config.guarded_names = vec![".git".into(), "toolbox.toml".into(), ".mcp.json".into()];
    Host::new(config).unwrap()
}

/// A ground with what is guarded in it.
fn with_guarded() -> GrantedDirectory {
    let ground = GrantedDirectory::new();
    let place = |path: &str| ground.granted().join(path);
    for directory in [".git/hooks", "deep/er/.GIT"] {
        std::fs::create_dir_all(place(directory)).unwrap();
    }
    for file in [".git/config", "toolbox.toml", "deep/er/.GIT/config"] {
        std::fs::write(place(file), "theirs").unwrap();
    }
    ground
}

/// Things that other programs act on are not touched, by whatever name, way or detour.
async fn guarded_names_are_not_touched_where_writing_is_granted() {
    let ground = with_guarded();
    let host = guarding();
    let tool = granted_by(&host, &ground, Access::ReadWrite, None).await;
    let before = ground.state();
    for change in CHANGES {
        for (path, other) in [
            ("toolbox.toml", "file2"),
            ("./deep/../TOOLBOX.toml", "file2"),
            (".git", "git"),
            (".git/config", "file2"),
            (".git/hooks/post-checkout", "file2"),
            ("deep/er/.GIT/config", "file2"),
            ("git~1/config", "file2"),
            ("TOOLBO~1.TOM", "file2"),
            ("deep/er/GIT~2/config", "file2"),
        ] {
            let done = act(&tool, change, path, other).await;
            assert_eq!(done, Err("not-permitted"), "{change:?} {path}");
        }
    }
    // Neither is something of such a name made of what is there.
    for (path, other) in [
        ("file", ".mcp.json"),
        ("deep", "other/.git"),
        ("deep/er", ".Git"),
        ("deep", ".g\u{200c}it"),
    ] {
        for change in [
            FileOperation::Rename,
            FileOperation::HardLink,
            FileOperation::SymbolicLink,
        ] {
            let done = act(&tool, change, path, other).await;
            assert_eq!(done, Err("not-permitted"), "{change:?} {path} {other}");
        }
    }
    for path in [".mcp.json", "deep/.git", "deep/toolbox.toml"] {
        for change in [
            FileOperation::Write,
            FileOperation::CreateNew,
            FileOperation::MakeDirectory,
        ] {
            let done = act(&tool, change, path, "").await;
            assert_eq!(done, Err("not-permitted"), "{change:?} {path}");
        }
    }
    assert_eq!(ground.state(), before);
    assert_eq!(
        act(&tool, FileOperation::Write, ".gitignore", "").await,
        Ok(())
    );
    // A tool that may only read changes nothing as it is.
    let tool = granted_by(&host, &ground, Access::Read, None).await;
    assert_eq!(read(&tool, "toolbox.toml").await.as_deref(), Ok("theirs"));
}

/// Links that somebody else made: a checkout, the user, another program.
fn lay_links(ground: &GrantedDirectory) {
    for (target, name) in [
        (".git", "alias"),
        ("toolbox.toml", "notes"),
        ("../.git/hooks", "deep/hop"),
        ("alias", "chain"),
        ("./deep/../chain", "chain2"),
        ("../../alias/config", "deep/er/far"),
        (".mcp.json", "dangling"),
        ("git~1", "short"),
        (".", "here"),
        ("deep", "holds"),
        ("file", "inside"),
        ("new", "later"),
        ("deep/", "slash"),
    ] {
        symlink(target, ground.granted().join(name)).unwrap();
    }
}

async fn links_lead_to_no_guarded_name() {
    let ground = with_guarded();
    lay_links(&ground);
    let host = guarding();
    let tool = granted_by(&host, &ground, Access::ReadWrite, None).await;
    let before = ground.state();
    // On the way of a path, for whatever is done at its end.
    for change in CHANGES {
        for (path, other) in [
            ("alias/config", "file2"),
            ("alias/hooks/post-checkout", "file2"),
            ("deep/hop/post-checkout", "file2"),
            ("chain2/config", "file2"),
            ("holds/../deep/hop/x", "file2"),
            ("holds/er/.GIT/config", "file2"),
            ("here/here/alias/config", "file2"),
            ("slash/er/far/x", "file2"),
            ("short/config", "file2"),
        ] {
            let done = act(&tool, change, path, other).await;
            assert_eq!(done, Err("not-permitted"), "{change:?} {path}");
        }
    }
    // And at its end, for what follows it there.
    for path in [
        "alias",
        "notes",
        "deep/hop",
        "chain2",
        "deep/er/far",
        "dangling",
        "here/notes",
    ] {
        assert_eq!(read(&tool, path).await, Err("not-permitted"), "{path}");
        for change in [
            FileOperation::Write,
            FileOperation::Truncate,
            FileOperation::SetSize,
            FileOperation::SetTimes,
            FileOperation::Mutate,
            FileOperation::WriteThroughRead,
            FileOperation::SetSizeThroughRead,
        ] {
            let done = act(&tool, change, path, "").await;
            assert_eq!(done, Err("not-permitted"), "{change:?} {path}");
        }
        let done = act(&tool, FileOperation::CreateNew, path, "").await;
        assert_eq!(done, Err("exist"), "{path}");
    }
    for (from, to) in [
        ("file", "alias/config"),
        ("alias/config", "mine"),
        ("deep", "chain/x"),
    ] {
        for change in [
            FileOperation::Rename,
            FileOperation::HardLink,
            FileOperation::SymbolicLink,
        ] {
            let done = act(&tool, change, from, to).await;
            assert_eq!(done, Err("not-permitted"), "{change:?} {from} {to}");
        }
    }
    assert_eq!(ground.state(), before);
}

/// Everything else is reached by every link as before, and a link itself is the tool's to
/// rename and to remove.
async fn other_links_are_followed_where_names_are_guarded() {
    let ground = with_guarded();
    lay_links(&ground);
    let place = |path: &str| ground.granted().join(path);
    let tool = granted_by(&guarding(), &ground, Access::ReadWrite, None).await;
    for path in [
        "inside",
        "holds/file",
        "here/here/inside",
        "slash/../deep/file",
    ] {
        assert_eq!(read(&tool, path).await.as_deref(), Ok("harmless"), "{path}");
        assert_eq!(
            act(&tool, FileOperation::SetTimes, path, "").await,
            Ok(()),
            "{path}"
        );
    }
    assert_eq!(act(&tool, FileOperation::Write, "inside", "").await, Ok(()));
    assert!(
        std::fs::read_to_string(place("file"))
            .unwrap()
            .starts_with("mine")
    );
    assert_eq!(
        act(&tool, FileOperation::Write, "holds/../later", "").await,
        Ok(())
    );
    assert_eq!(std::fs::read_to_string(place("new")).unwrap(), "mine");
    for (change, path, other) in [
        (FileOperation::MakeDirectory, "holds/made/", ""),
        (FileOperation::Mutate, "slash/", ""),
        (FileOperation::Rename, "holds/made/", "slash/moved/"),
        (FileOperation::RemoveDirectory, "holds/moved", ""),
        (FileOperation::HardLink, "here/inside", "holds/inside"),
        (FileOperation::Rename, "alias", "holds/alias2"),
        (FileOperation::Unlink, "here/notes", ""),
        (FileOperation::SymbolicLink, "er", "holds/link"),
        (FileOperation::SymbolicLink, "nowhere", "dead"),
    ] {
        let done = act(&tool, change, path, other).await;
        assert_eq!(done, Ok(()), "{change:?} {path} {other}");
    }
    assert!(place("toolbox.toml").exists() && !place("deep/moved").exists());
    assert_eq!(read(&tool, "absent/x").await, Err("no-entry"));
    assert_eq!(read(&tool, "file/x").await, Err("not-directory"));
}

async fn a_tool_makes_no_link_to_a_guarded_name() {
    let ground = with_guarded();
    lay_links(&ground);
    let tool = granted_by(&guarding(), &ground, Access::ReadWrite, None).await;
    let before = ground.state();
    for (target, name) in [
        (".git", "mine"),
        (".git/config", "mine"),
        ("./TOOLBOX.toml", "mine"),
        (".mcp.json", "deep/mine"),
        ("git~1", "mine"),
        ("er/.GIT", "deep/mine"),
        ("alias", "mine"),
        ("chain2/hooks", "mine"),
        ("hop", "deep/mine"),
        ("hop/absent", "holds/mine"),
    ] {
        let made = act(&tool, FileOperation::SymbolicLink, target, name).await;
        assert_eq!(made, Err("not-permitted"), "{name} -> {target}");
    }
    assert_eq!(ground.state(), before);
}

/// A name that a person insisted on is given in that place and nowhere else.
async fn insisted_on_is_one_place() {
    let ground = with_guarded();
    lay_links(&ground);
    let host = guarding();
    let git = ground.granted().join(".git");
    let tool = granted_by(&host, &ground, Access::ReadWrite, Some(git.clone())).await;
    for path in [
        ".git/config",
        "alias/config",
        "deep/../.git/new",
        "deep/hop/hook",
    ] {
        assert_eq!(
            act(&tool, FileOperation::Write, path, "").await,
            Ok(()),
            "{path}"
        );
    }
    let made = act(&tool, FileOperation::SymbolicLink, ".git/hooks", "hooks").await;
    assert_eq!(made, Ok(()));
    let refused = Err("not-permitted");
    assert_eq!(act(&tool, FileOperation::Write, "notes", "").await, refused);
    for path in [
        "toolbox.toml",
        ".git/toolbox.toml",
        ".git/.git",
        "deep/.git",
        "deep/er/.GIT/config",
        "holds/er/.GIT/config",
    ] {
        for change in [
            FileOperation::Write,
            FileOperation::MakeDirectory,
            FileOperation::Unlink,
        ] {
            let done = act(&tool, change, path, "").await;
            assert_eq!(done, refused, "{change:?} {path}");
        }
    }
    // Another directory of the same tool, in which there is one of that name too.
    let other = with_guarded();
    let grant = |ground: &GrantedDirectory, despite: &[_]| DirectoryGrant {
        path: ground.granted(),
        access: Access::ReadWrite,
        despite: despite.iter().cloned().collect(),
    };
    let granted = vec![("a", grant(&other, &[])), ("b", grant(&ground, &[git]))];
    let tool = granted_all(&host, granted).await;
    let done = act(&tool, FileOperation::Write, ".git/config", "").await;
    assert_eq!(done, refused);
}
