//! Refusals before anything of a program runs.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;

use tool_hub_cage::{Cage, CageError, Launcher, Program};
use tool_hub_manifest::{Access, Grants};

use crate::support::{Test, place, python, python_path};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("refused::what_cannot_be_granted_is_named", || {
            Box::pin(what_cannot_be_granted_is_named())
        }),
        ("refused::what_cannot_be_started_is_named", || {
            Box::pin(what_cannot_be_started_is_named())
        }),
        ("refused::a_link_put_in_the_place_of_a_directory", || {
            Box::pin(a_link_put_in_the_place_of_a_directory())
        }),
    ]
}

async fn refusal(program: &Program, grants: &Grants) -> CageError {
    let place = place();
    let started = place.cage.start(program, grants, &BTreeMap::new()).await;
    let refused = started.expect_err("it is refused");
    place.check_empty();
    refused
}

async fn what_cannot_be_granted_is_named() {
    let program = python(&["-c", "pass"]);
    let parent = tempfile::tempdir().unwrap();
    let parent = parent.path().canonicalize().unwrap();
    symlink("/usr", parent.join("link")).unwrap();
    std::fs::write(parent.join("file"), "").unwrap();
    for (name, reason) in [
        (
            "link",
            "it leads to /usr; grant that directory by this path",
        ),
        ("file", "it is not a directory"),
        ("absent", "No such file or directory (os error 2)"),
    ] {
        let grants = Grants::none().directory(
            "data".parse().unwrap(),
            parent.join(name),
            Access::ReadWrite,
        );
        let error = refusal(&program, &grants).await.to_string();
        let path = parent.join(name);
        let path = path.display();
        assert_eq!(
            error,
            format!("the directory `data` at {path} cannot be granted: {reason}")
        );
    }
    let grants = Grants::none().variable("TOKEN".parse().unwrap());
    let error = refusal(&program, &grants).await.to_string();
    assert_eq!(error, "the granted variable TOKEN has no value");
    let grants = Grants::none().variable("HOME".parse().unwrap());
    let error = refusal(&program, &grants).await.to_string();
    assert_eq!(
        error,
        "the variable HOME is the cage's own and cannot be granted"
    );
}

async fn what_cannot_be_started_is_named() {
    let absent = Program::new("/nonexistent/server", ["x"]);
    let error = refusal(&absent, &Grants::none()).await.to_string();
    assert_eq!(error, "cannot find the program /nonexistent/server");
    let relative = Program::new("server", ["x"]);
    let error = refusal(&relative, &Grants::none()).await.to_string();
    assert_eq!(error, "cannot find the program server");
    let whole = python(&[]).packages("/");
    let error = refusal(&whole, &Grants::none()).await.to_string();
    assert_eq!(
        error,
        "/ cannot be a directory of packages: it is the whole machine"
    );
    let directory = tempfile::tempdir().unwrap();
    let text = directory.path().join("text");
    std::fs::write(&text, "no program").unwrap();
    let error = refusal(&Program::new(&text, ["x"]), &Grants::none()).await;
    assert!(matches!(error, CageError::Closing(_)), "{error}");
    let scratch = tempfile::tempdir().unwrap();
    for launcher in ["/nonexistent", "/bin/true"] {
        let cage = Cage::new(Launcher::new(launcher, ["x"]), scratch.path());
        let (program, none) = (python(&[]), Grants::none());
        let started = cage.start(&program, &none, &BTreeMap::new()).await;
        let error = started.expect_err("it is refused");
        let expected = matches!(
            error,
            CageError::Launcher { .. } | CageError::Closing(_) | CageError::Talk(_)
        );
        assert!(expected, "{launcher}: {error}");
    }
}

/// Between the check of a granted path and its use.
async fn a_link_put_in_the_place_of_a_directory() {
    let place = place();
    let parent = tempfile::tempdir().unwrap();
    let parent = parent.path().canonicalize().unwrap();
    let secret = parent.join("secret");
    std::fs::create_dir(&secret).unwrap();
    std::fs::write(secret.join("canary"), "canary").unwrap();
    let data = parent.join("data");
    let grants = Grants::none().directory("data".parse().unwrap(), &data, Access::Read);
    let script = format!("print(open({:?} + '/canary').read())", data);
    let program = Program::new(python_path(), ["-I", "-c", &script]);
    let program = python(&[])
        .packages
        .into_iter()
        .fold(program, Program::packages);
    let going = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let swapper = std::thread::spawn({
        let (going, data) = (std::sync::Arc::clone(&going), data.clone());
        move || {
            while going.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = std::fs::create_dir(&data);
                std::thread::sleep(std::time::Duration::from_millis(3));
                let _ = std::fs::remove_dir(&data);
                let _ = symlink("secret", &data);
                std::thread::sleep(std::time::Duration::from_millis(3));
                let _ = std::fs::remove_file(&data);
            }
        }
    });
    for _ in 0..40 {
        let started = place.cage.start(&program, &grants, &BTreeMap::new()).await;
        if let Ok(process) = started {
            let said = crate::support::said(process).await;
            assert!(!said.stdout.contains("canary"), "{said:?}");
        }
    }
    going.store(false, std::sync::atomic::Ordering::Relaxed);
    swapper.join().unwrap();
}
