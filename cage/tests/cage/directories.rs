//! Files outside of every grant, granted directories, and tricks by which one leads to the other.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use tool_hub_manifest::{Access, Grants};

use crate::support::{Test, place};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("directories::files_outside_are_not_reached", || {
            Box::pin(files_outside_are_not_reached())
        }),
        (
            "directories::nothing_changes_where_only_reading_is_granted",
            || Box::pin(nothing_changes_where_only_reading_is_granted()),
        ),
        ("directories::a_granted_directory_may_be_changed", || {
            Box::pin(a_granted_directory_may_be_changed())
        }),
        ("directories::no_link_leads_out_of_a_directory", || {
            Box::pin(no_link_leads_out_of_a_directory())
        }),
        ("directories::the_home_is_private_and_removed", || {
            Box::pin(the_home_is_private_and_removed())
        }),
    ]
}

async fn files_outside_are_not_reached() {
    let place = place();
    let outside = tempfile::tempdir().unwrap();
    let canary = outside.path().join("canary.txt");
    fs::write(&canary, "canary").unwrap();
    fs::create_dir(outside.path().join(".ssh")).unwrap();
    fs::write(outside.path().join(".ssh/id_ed25519"), "canary").unwrap();
    let before = fs::metadata(&canary).unwrap();
    let script = format!(
        r#"
outside = {outside:?}
file = outside + "/canary.txt"
attempt("read", lambda: open(file).read())
attempt("read a key", lambda: open(outside + "/.ssh/id_ed25519").read())
attempt("list", lambda: os.listdir(outside))
attempt("write", lambda: open(file, "a"))
attempt("create", lambda: open(outside + "/new", "w"))
attempt("make a directory", lambda: os.mkdir(outside + "/new"))
attempt("remove", lambda: os.unlink(file))
attempt("rename", lambda: os.rename(file, outside + "/other"))
attempt("take home", lambda: os.rename(file, os.environ["HOME"] + "/x"))
attempt("link home", lambda: os.link(file, os.environ["HOME"] + "/x"))
attempt("truncate", lambda: os.truncate(file, 0))
attempt("mode", lambda: os.chmod(file, 0o777))
attempt("owner", lambda: os.chown(file, os.getuid(), os.getgid()))
attempt("times", lambda: os.utime(file, (1, 1)))
attempt("attribute", lambda: os.setxattr(file, "user.x", b"1"))
attempt("mode through an opened path", lambda: os.chmod(os.open(file, os.O_PATH), 0o777))
attempt("open by /proc", lambda: open("/proc/self/root" + file).read())
attempt("password hashes", lambda: open("/etc/shadow").read())
attempt("root's home", lambda: os.listdir("/root"))
attempt("homes", lambda: os.listdir("/home"))
attempt("the machine", lambda: os.listdir("/"))
attempt("other temporary files", lambda: os.listdir("/tmp"))
attempt("shared memory", lambda: open("/dev/shm/x", "w"))
attempt("list shared memory", lambda: os.listdir("/dev/shm"))
attempt("the terminal", lambda: os.open("/dev/tty", os.O_RDWR))
attempt("terminals", lambda: os.listdir("/dev/pts"))
attempt("a disk", lambda: open("/dev/vda", "rb"))
attempt("run", lambda: os.listdir("/run"))
attempt("logs", lambda: os.listdir("/var/log"))
"#,
        outside = outside.path()
    );
    let said = place.python(&script, &Grants::none()).await;
    said.all_refused(29);
    let after = fs::metadata(&canary).unwrap();
    assert_eq!(fs::read_to_string(&canary).unwrap(), "canary");
    assert_eq!(before.permissions(), after.permissions());
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());
    let names = fs::read_dir(outside.path()).unwrap().count();
    assert_eq!(names, 2);
    place.check_empty();
}

/// Grants the directory `name` below `parent`, which is made.
fn granted(grants: Grants, parent: &Path, name: &str, access: Access) -> Grants {
    let path = parent.canonicalize().unwrap().join(name);
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("file.txt"), "text").unwrap();
    grants.directory(name.parse().unwrap(), path, access)
}

async fn nothing_changes_where_only_reading_is_granted() {
    let place = place();
    let parent = tempfile::tempdir().unwrap();
    let grants = granted(Grants::none(), parent.path(), "ro", Access::Read);
    let grants = granted(grants, parent.path(), "rw", Access::ReadWrite);
    let script = format!(
        r#"
ro, rw = {parent:?} + "/ro", {parent:?} + "/rw"
file = ro + "/file.txt"
assert open(file).read() == "text" and os.listdir(ro) == ["file.txt"]
attempt("write", lambda: open(file, "r+"))
attempt("truncate", lambda: os.truncate(file, 0))
attempt("create", lambda: open(ro + "/new", "w"))
attempt("remove", lambda: os.unlink(file))
attempt("rename", lambda: os.rename(file, ro + "/other"))
attempt("move to where writing is granted", lambda: os.rename(file, rw + "/x"))
attempt("link to where writing is granted", lambda: os.link(file, rw + "/x"))
attempt("move from there", lambda: os.rename(rw + "/file.txt", ro + "/x"))
attempt("mode", lambda: os.chmod(file, 0o777))
attempt("mode by descriptor", lambda: os.fchmod(os.open(file, os.O_RDONLY), 0o777))
attempt("times", lambda: os.utime(os.open(file, os.O_RDONLY), (1, 1)))
attempt("open for writing by /proc", lambda: open(f"/proc/self/fd/{{os.open(file, 0)}}", "w"))
attempt("start", lambda: os.execv(file, ["x"]))
"#,
        parent = parent.path().canonicalize().unwrap()
    );
    let path = parent.path().join("ro/file.txt");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let said = place.python(&script, &grants).await;
    said.all_refused(13);
    assert_eq!(fs::read_to_string(&path).unwrap(), "text");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o755
    );
}

async fn a_granted_directory_may_be_changed() {
    let place = place();
    let parent = tempfile::tempdir().unwrap();
    let grants = granted(Grants::none(), parent.path(), "rw", Access::ReadWrite);
    let script = format!(
        r#"
import shutil
rw = {parent:?} + "/rw"
def change():
    os.makedirs(rw + "/a/b")
    open(rw + "/a/b/new.txt", "w").write("new")
    os.rename(rw + "/a/b/new.txt", rw + "/a/moved.txt")
    os.link(rw + "/a/moved.txt", rw + "/a/b/linked.txt")
    open(rw + "/file.txt", "a").write(" and more")
    os.truncate(rw + "/a/moved.txt", 1)
    shutil.copyfile(rw + "/file.txt", rw + "/copy.txt")
    open(rw + "/gone", "w").close()
    os.unlink(rw + "/gone")
attempt("change", change)
"#,
        parent = parent.path().canonicalize().unwrap()
    );
    let said = place.python(&script, &grants).await;
    assert_eq!(said.attempts()["change"], "done", "{said:?}");
    let rw = parent.path().join("rw");
    assert_eq!(fs::read_to_string(rw.join("a/moved.txt")).unwrap(), "n");
    assert_eq!(
        fs::read_to_string(rw.join("copy.txt")).unwrap(),
        "text and more"
    );
    assert!(rw.join("a/b/linked.txt").exists() && !rw.join("gone").exists());
}

async fn no_link_leads_out_of_a_directory() {
    let place = place();
    let parent = tempfile::tempdir().unwrap();
    let grants = granted(Grants::none(), parent.path(), "rw", Access::ReadWrite);
    let secret = parent.path().join("secret.txt");
    fs::write(&secret, "canary").unwrap();
    let rw = parent.path().canonicalize().unwrap().join("rw");
    symlink("../secret.txt", rw.join("up")).unwrap();
    symlink(&secret, rw.join("away")).unwrap();
    symlink("..", rw.join("parent")).unwrap();
    let script = format!(
        r#"
import threading, time
rw = {rw:?}
home = os.environ["HOME"]
for name in ["up", "away", "parent/secret.txt", "../secret.txt", "parent/rw/../secret.txt"]:
    attempt("read " + name, lambda: open(rw + "/" + name).read())
    attempt("write " + name, lambda: open(rw + "/" + name, "a"))
attempt("make a link", lambda: os.symlink("/etc/passwd", rw + "/planted"))
attempt("make a link down", lambda: os.symlink("file.txt", rw + "/planted"))
os.symlink("../secret.txt", home + "/link")
attempt("move a link in", lambda: os.rename(home + "/link", rw + "/planted"))
attempt("link a link in", lambda: os.link(home + "/link", rw + "/planted", follow_symlinks=False))
os.link(rw + "/up", home + "/up", follow_symlinks=False)
attempt("read a link that was taken out", lambda: open(home + "/up").read())
# Another name under the same path while it is opened.
os.mkdir(rw + "/real")
open(rw + "/real/secret.txt", "w").write("inner")
found = set()
def swap():
    while not found:
        for a, b in [("real", "kept"), ("parent", "real"), ("real", "parent"), ("kept", "real")]:
            try: os.rename(rw + "/" + a, rw + "/" + b)
            except OSError: pass
thread = threading.Thread(target=swap, daemon=True)
thread.start()
end = time.monotonic() + 2
while time.monotonic() < end:
    try:
        text = open(rw + "/real/secret.txt").read()
        if text != "inner":
            print("swapped to", text)
            break
    except OSError: pass
found.add(1)
"#,
    );
    let said = place.python(&script, &grants).await;
    said.all_refused(15);
    assert!(!said.stdout.contains("swapped"), "{said:?}");
    assert_eq!(fs::read_to_string(&secret).unwrap(), "canary");
    assert!(fs::symlink_metadata(rw.join("planted")).is_err());
}

async fn the_home_is_private_and_removed() {
    let place = place();
    let script = r#"
import stat, tempfile
home, tmp = os.environ["HOME"], os.environ["TMPDIR"]
assert os.getcwd() == home, os.getcwd()
for directory in [home, tmp]:
    assert stat.S_IMODE(os.stat(directory).st_mode) == 0o700
def use():
    os.makedirs(home + "/.cache/deep")
    open(home + "/.cache/deep/file", "w").write("x" * 100000)
    os.symlink("/etc", home + "/link")
    os.mkfifo(tmp + "/pipe")
    with tempfile.TemporaryFile() as file: file.write(b"x")
    tempfile.mkdtemp()
attempt("use", use)
print("home", home)
"#;
    let said = place.python(script, &Grants::none()).await;
    assert_eq!(said.attempts()["use"], "done", "{said:?}");
    place.check_empty();
    assert!(fs::metadata("/etc/passwd").is_ok());
}
