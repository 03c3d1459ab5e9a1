//! Tests of the storage: persistence, limits, pages, counters, concurrent use, private files.

use super::*;

const MAX: u64 = 10_000;

fn entry(key: &str, value: &[u8]) -> Vec<(String, Vec<u8>)> {
    vec![(key.to_owned(), value.to_owned())]
}

fn with<T>(
    storage: &Storage,
    operation: impl FnOnce(&mut OpenStorage<'_>) -> Result<T>,
) -> Result<T> {
    storage.0.run(operation)
}

fn usage(storage: &Storage) -> i64 {
    let query = |open: &mut OpenStorage<'_>| {
        let sum =
            "SELECT (SELECT bytes FROM usage) - (SELECT COALESCE(SUM(bytes), 0) FROM entries)";
        assert_eq!(open.0.query_row(sum, (), |row| row.get::<_, i64>(0))?, 0);
        Ok(open
            .0
            .query_row("SELECT bytes FROM usage", (), |row| row.get(0))?)
    };
    with(storage, query).unwrap()
}

#[test]
fn what_was_kept_is_there_for_whoever_opens_it_next() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("deep/tool.sqlite3");
    let first = Storage::in_file(&path);
    assert!(!path.exists(), "nothing is made before it is used");
    with(&first, |open| open.set("a", &entry("k", b"v\0w"), MAX)).unwrap();
    // Both are open at once, as in two processes.
    let second = Storage::in_file(&path);
    let found = with(&second, |open| open.get("a", "k")).unwrap();
    assert_eq!(found.as_deref(), Some(&b"v\0w"[..]));
    assert_eq!(with(&second, |open| open.get("b", "k")).unwrap(), None);
    with(&second, |open| open.set("a", &entry("k", b"x"), MAX)).unwrap();
    let found = with(&first, |open| open.get("a", "k")).unwrap();
    assert_eq!(found.as_deref(), Some(&b"x"[..]));
    with(&first, |open| {
        open.delete("a", &["k".into(), "absent".into()])
    })
    .unwrap();
    assert!(!with(&second, |open| open.exists("a", "k")).unwrap());
    assert_eq!(usage(&second), 0);
    assert!(first.delete().unwrap());
    let left = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!((left, second.delete().unwrap()), (0, false));
}

#[cfg(unix)]
#[test]
fn the_directory_is_its_owner_s_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let inside = directory.path().join("storage");
    let storage = Storage::in_file(inside.join("tool.sqlite3"));
    with(&storage, |open| open.set("a", &entry("k", b"v"), MAX)).unwrap();
    let mode = inside.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_full_storage_keeps_what_it_had() {
    let storage = Storage::in_memory();
    let value = vec![7; 4_000];
    with(&storage, |open| open.set("a", &entry("one", &value), MAX)).unwrap();
    with(&storage, |open| open.set("b", &entry("two", &value), MAX)).unwrap();
    let before = usage(&storage);
    let three = [entry("small", b"x"), entry("three", &value)].concat();
    let full = with(&storage, |open| open.set("a", &three, MAX)).unwrap_err();
    assert_eq!(
        full.to_string(),
        "the storage is full: it keeps at most 10000 bytes (limit storage_bytes = 10000)"
    );
    assert_eq!(usage(&storage), before, "all of it or nothing");
    // What takes the place of something else counts once.
    with(&storage, |open| open.set("a", &entry("one", &value), MAX)).unwrap();
    with(&storage, |open| open.delete("b", &["two".into()])).unwrap();
    with(&storage, |open| open.set("a", &three, MAX)).unwrap();
}

#[test]
fn entries_without_content_fill_a_storage_too() {
    let storage = Storage::in_memory();
    let keys: Vec<_> = (0..200).flat_map(|n| entry(&n.to_string(), b"")).collect();
    let full = with(&storage, |open| open.set("", &keys, MAX)).unwrap_err();
    assert!(matches!(full, StorageError::Full { max: MAX }), "{full}");
}

#[test]
fn one_key_named_often_is_not_a_way_to_memory() {
    let storage = Storage::in_memory();
    with(&storage, |open| {
        open.set("a", &entry("k", &[7; 4_000]), MAX)
    })
    .unwrap();
    let often = vec!["k".to_owned(); 1_000_000];
    let refused = with(&storage, |open| open.get_many("a", often, MAX)).unwrap_err();
    assert!(
        matches!(refused, StorageError::TooMuch { max: MAX }),
        "{refused}"
    );
    let few = vec!["k".to_owned(), "absent".to_owned()];
    let found = with(&storage, |open| open.get_many("a", few, MAX)).unwrap();
    assert!(found[0].is_some() && found[1].is_none());
}

#[test]
fn names_are_bounded() {
    let storage = Storage::in_memory();
    let long = "x".repeat(1_025);
    let refused = with(&storage, |open| open.set("a", &entry(&long, b""), MAX)).unwrap_err();
    assert!(
        matches!(refused, StorageError::LongName { length: 1_025 }),
        "{refused}"
    );
}

#[test]
fn keys_come_in_pages() {
    let storage = Storage::in_memory();
    let keys: Vec<_> = (0..2_500)
        .flat_map(|n| entry(&n.to_string(), b""))
        .collect();
    with(&storage, |open| open.set("a", &keys, u64::MAX)).unwrap();
    with(&storage, |open| {
        open.set("b", &entry("other", b""), u64::MAX)
    })
    .unwrap();
    let (mut found, mut cursor, mut pages) = (Vec::new(), None, 0);
    loop {
        let (keys, next) = with(&storage, |open| open.keys("a", cursor)).unwrap();
        found.extend(keys);
        pages += 1;
        cursor = next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((found.len(), pages), (2_500, 3));
    assert_eq!(
        with(&storage, |open| open.keys("a", Some(u64::MAX)))
            .unwrap()
            .0
            .len(),
        0
    );
}

#[test]
fn numbers_grow_from_several_threads_without_losing_any() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tool.sqlite3");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let storage = Storage::in_file(&path);
                for _ in 0..50 {
                    with(&storage, |open| open.increment("a", "n", 2, MAX)).unwrap();
                }
            });
        }
    });
    let storage = Storage::in_file(&path);
    let sum = with(&storage, |open| open.increment("a", "n", 0, MAX)).unwrap();
    assert_eq!(sum, 400);
    let over = with(&storage, |open| open.increment("a", "n", u64::MAX, MAX)).unwrap_err();
    assert!(matches!(over, StorageError::Overflow), "{over}");
    with(&storage, |open| open.set("a", &entry("n", b"many"), MAX)).unwrap();
    let none = with(&storage, |open| open.increment("a", "n", 1, MAX)).unwrap_err();
    assert!(matches!(none, StorageError::NotANumber), "{none}");
}

#[test]
fn a_file_that_is_no_storage_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("letter.txt");
    std::fs::File::create_new(&path).unwrap();
    let text = "not a database, but long enough to be looked at as one; ".repeat(20);
    std::io::Write::write_all(
        &mut std::fs::File::options().write(true).open(&path).unwrap(),
        text.as_bytes(),
    )
    .unwrap();
    let storage = Storage::in_file(&path);
    let error = with(&storage, |open| open.set("a", &entry("k", b"v"), MAX)).unwrap_err();
    assert_eq!(error.to_string(), "the storage cannot be used at present");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[cfg(unix)]
#[test]
fn a_home_behind_a_link_is_a_home_and_a_database_behind_one_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path().join("home");
    std::fs::create_dir(directory.path().join("disk")).unwrap();
    std::os::unix::fs::symlink("disk", &home).unwrap();
    let storage = Storage::in_file(home.join("kept"));
    with(&storage, |open| open.set("a", &entry("k", b"v"), MAX)).unwrap();
    assert!(directory.path().join("disk/kept").is_file());

    std::os::unix::fs::symlink("kept", home.join("link")).unwrap();
    let linked = Storage::in_file(home.join("link"));
    assert!(with(&linked, |open| open.get("a", "k")).is_err());
}
