//! A bundle that was carried to a machine, and the check that it is refused there.

use std::path::PathBuf;

use super::opened::Opened;
use super::{alone, bundle};
use crate::signatures::published::Published;
use crate::support::Home;
use crate::support::ran::says;

/// A signed tool in a bundle, and the machine that it was carried to.
pub(super) struct Carried {
    pub(super) published: Published,
    pub(super) path: PathBuf,
    pub(super) opened: Opened,
    pub(super) home: Home,
    /// The maker of the bundle, which is in their directory.
    _maker: Home,
}

impl Carried {
    pub(super) fn new() -> Self {
        let published = Published::new();
        let maker = published.user();
        let path = bundle(&maker);
        Self {
            _maker: maker,
            opened: Opened::read(&path),
            home: alone(),
            published,
            path,
        }
    }

    /// Checks that `bytes` are refused as a bundle, and leave nothing.
    #[track_caller]
    pub(super) fn is_refused(&self, bytes: &[u8], code: i32, expect: &str) {
        let path = self.home.write("forged.tools", bytes);
        is_refused(&self.home, &path, code, expect);
    }
}

/// Checks that the bundle at `path` is refused by whatever reads it, and leaves nothing.
#[track_caller]
pub(super) fn is_refused(home: &Home, path: &std::path::Path, code: i32, expect: &str) {
    let before = home.files();
    let refused = home.run(["load".as_ref(), path.as_os_str()]);
    says(&refused, code, expect);
    says(&refused, code, "hint: ");
    assert_eq!(refused.stdout(), "");
    let verified = home.run(["verify".as_ref(), path.as_os_str()]);
    assert_eq!(verified.code(), code, "{}", verified.stderr());
    // Other processes are kept out by files whose names begin with a dot.
    let is_guard = |it: &PathBuf| {
        let name = it
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        name.is_some_and(|name| name.starts_with('.'))
    };
    let grown = home.files().into_iter();
    let grown: Vec<PathBuf> = grown
        .filter(|it| !before.contains(it) && !is_guard(it))
        .collect();
    assert!(grown.is_empty(), "{grown:?}");
}
