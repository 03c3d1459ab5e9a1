//! Writes and reads LFS pointers: the small text files that stand in a git tree for large ones.
//! The text follows version 1 of the git-lfs specification.

use gix_hash::ObjectId;
use gix_object::Kind;

use crate::content::Sha256Digest;
use crate::error::RegistryError;

/// The text of the pointer to a file.
pub(crate) fn pointer_text(sha256: &Sha256Digest, size_bytes: u64) -> String {
    format!("version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size_bytes}\n")
}

/// The target of a text, if it is a pointer as [`pointer_text`] writes it.
pub(crate) fn read_pointer(text: &[u8]) -> Option<(Sha256Digest, u64)> {
    let lines = std::str::from_utf8(text).ok()?;
    let mut lines = lines.lines().skip(1);
    let sha256 = Sha256Digest::from_hex(lines.next()?.strip_prefix("oid sha256:")?)?;
    let size_bytes = lines.next()?.strip_prefix("size ")?.parse().ok()?;
    (pointer_text(&sha256, size_bytes).as_bytes() == text).then_some((sha256, size_bytes))
}

/// The id of the pointer's blob.
pub(crate) fn pointer_oid(
    sha256: &Sha256Digest,
    size_bytes: u64,
) -> Result<ObjectId, RegistryError> {
    super::object_id(Kind::Blob, pointer_text(sha256, size_bytes).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_has_the_id_git_gives_it() {
        // The text as the specification gives it, for a file that holds "hello\n", hashed with `git
        // hash-object`.
        let hex = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";
        let sha256 = Sha256Digest::from_hex(hex).unwrap();
        assert_eq!(
            pointer_text(&sha256, 6),
            format!("version https://git-lfs.github.com/spec/v1\noid sha256:{hex}\nsize 6\n")
        );
        assert_eq!(
            pointer_oid(&sha256, 6).unwrap().to_string(),
            "fa61e1ef71c9908c0926776a4aa3504b3a27f159"
        );
        let text = pointer_text(&sha256, 6);
        assert_eq!(read_pointer(text.as_bytes()), Some((sha256, 6)));
        for other in [
            text.replace("size 6", "size 06"),
            text.replace('\n', "\r\n"),
            text.trim_end().to_owned(),
            format!("{text}\n"),
            String::new(),
        ] {
            assert_eq!(read_pointer(other.as_bytes()), None, "{other:?}");
        }
    }
}
