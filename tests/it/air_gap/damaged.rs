//! Tests of bundles whose archive is damaged, made up or too large.

use std::fs::{self, File};
use std::path::Path;

use zip::ZipArchive;

use super::carried::Carried;
use super::opened::Opened;
use crate::support::{Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("air_gap::changed_members", changed_members),
        test("air_gap::other_members", other_members),
        test("air_gap::too_large", too_large),
    ]
}

/// The other place of a byte, in each member and in the zip around them.
fn changed_members() {
    let carried = Carried::new();
    for name in carried.opened.files.keys() {
        let mut changed = carried.opened.clone();
        let bytes = changed.files.get_mut(name).expect("a member");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        let expect = format!("its member {name} was changed: it has digest sha256:");
        carried.is_refused(&changed.bytes(), 3, &expect);
    }
    let whole = fs::read(&carried.path).expect("the bundle");
    for end in [0, 1, 100, whole.len() / 2, whole.len() - 1] {
        carried.is_refused(&whole[..end], 1, "it is not a whole bundle of tools: ");
    }
    for (name, place) in packed(&carried.path) {
        let mut damaged = whole.clone();
        damaged[place] ^= 1;
        let expect = format!("its member {name} cannot be read: ");
        carried.is_refused(&damaged, 3, &expect);
    }
    // Whichever byte it is: what is loaded is what was bundled, or nothing is.
    for place in (0..whole.len()).step_by(whole.len() / 40) {
        let mut changed = whole.clone();
        changed[place] ^= 0x10;
        let path = carried.home.write("forged.tools", &changed);
        let checked = carried.home.run(["inspect".as_ref(), path.as_os_str()]);
        match checked.code() {
            0 => assert_eq!(Opened::read(&path).files, carried.opened.files),
            code => assert!([1, 3].contains(&code), "{place}: {}", checked.stderr()),
        }
    }
}

/// The members of a bundle, each with the place in the middle of its packed bytes.
fn packed(path: &Path) -> Vec<(String, usize)> {
    let mut zip = ZipArchive::new(File::open(path).expect("a bundle")).expect("a zip");
    let members = (0..zip.len()).map(|place| {
        let member = zip.by_index(place).expect("a member");
        let middle = member.data_start().expect("a place") + member.compressed_size() / 2;
        let middle = usize::try_from(middle).expect("a place");
        (member.name().expect("a name").into_owned(), middle)
    });
    members.collect()
}

fn other_members() {
    let carried = Carried::new();
    let with = |name: &str| {
        let mut other = carried.opened.clone();
        other.files.insert(name.to_owned(), b"more".to_vec());
        other.bytes()
    };
    for name in [
        "more",
        "../../more",
        "/etc/more",
        "files/../more",
        "files/",
        "bundle.toml.bak",
    ] {
        let expect = format!("it has a member that its bundle.toml does not name: {name}");
        carried.is_refused(&with(name), 3, &expect);
    }
    carried.is_refused(&with("\u{1b}[2Jx"), 3, "does not name: \\u{1b}[2Jx");
    let line = "does not name: x\\nok: loaded adder";
    carried.is_refused(&with("x\nok: loaded adder"), 3, line);
    let first = carried
        .opened
        .files
        .keys()
        .next()
        .expect("a member")
        .clone();
    let mut less = carried.opened.clone();
    less.files.remove(&first);
    carried.is_refused(&less.bytes(), 3, &format!("its member {first} is missing"));
    // The same name twice: a zip that no honest program writes.
    let mut twice = carried.opened.clone();
    let stand_in = format!("files/{}", "0".repeat(64));
    twice.files.insert(stand_in.clone(), b"other".to_vec());
    let twice = replaced(&twice.bytes(), stand_in.as_bytes(), first.as_bytes());
    carried.is_refused(&twice, 1, "duplicate file names");
}

/// `bytes` with `from` replaced by `to`, which is as long.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let places = bytes.windows(from.len()).enumerate();
    let places: Vec<usize> = places.filter(|it| it.1 == from).map(|it| it.0).collect();
    assert!(!places.is_empty());
    for place in places {
        bytes[place..place + from.len()].copy_from_slice(to);
    }
    bytes
}

fn too_large() {
    let carried = Carried::new();
    let mut bomb = carried.opened.clone();
    bomb.forge("# adder", |_| " ".repeat(64 << 20));
    carried.is_refused(&bomb.bytes(), 3, "unpacks to more than 200 times its size");
    let mut index = carried.opened.clone();
    index.index.push_str(&"#\n".repeat(1 << 20));
    carried.is_refused(&index.bytes(), 3, "the limit");
    let mut many = carried.opened.clone();
    for place in 0..1001 {
        many.files.insert(format!("files/{place}"), Vec::new());
    }
    carried.is_refused(&many.bytes(), 3, "it has more than 1000 members");
    let mut large = carried.opened.clone();
    large.forge("BEGIN PUBLIC KEY", |pem| {
        format!("{pem}{}", dense_text(5 << 10))
    });
    carried.is_refused(
        &large.bytes(),
        3,
        "more than 4096 bytes in a file of its kind",
    );
}

/// A text that does not pack well.
fn dense_text(length: u64) -> String {
    let mut state = 1_u64;
    let next = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        char::from(b'a' + u8::try_from(state >> 60).expect("four bits"))
    };
    (0..length).map(next).collect()
}
