//! Encodes git commits with the ids that git gives them.

use gix_actor::Signature;
use gix_hash::ObjectId;
use gix_object::date::Time;
use gix_object::{Commit, Kind, WriteTo as _};

use crate::error::RegistryError;

/// The content of a commit object.
pub(crate) struct CommitDraft<'a> {
    pub(crate) tree: ObjectId,
    pub(crate) parent: Option<ObjectId>,
    pub(crate) author: &'a str,
    pub(crate) email: &'a str,
    pub(crate) seconds: i64,
    pub(crate) title: &'a str,
    pub(crate) message: &'a str,
}

/// The bytes and the id of a commit.
pub(crate) fn encode_commit(draft: &CommitDraft<'_>) -> Result<(ObjectId, Vec<u8>), RegistryError> {
    let signature = Signature {
        name: identity(draft.author).into(),
        email: identity(draft.email).into(),
        time: Time {
            seconds: draft.seconds,
            offset: 0,
        },
    };
    let message = match draft.message {
        "" => format!("{}\n", draft.title),
        message => format!("{}\n\n{message}\n", draft.title),
    };
    let commit = Commit {
        tree: draft.tree,
        parents: draft.parent.into_iter().collect(),
        author: signature.clone(),
        committer: signature,
        encoding: None,
        message: message.into(),
        extra_headers: Vec::new(),
    };
    let mut bytes = Vec::new();
    commit.write_to(&mut bytes)?;
    Ok((super::id::object_id(Kind::Commit, &bytes)?, bytes))
}

/// Git cuts an identity at these signs, so a name that holds them could forge a header line.
fn identity(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '<' | '>') && !c.is_control())
        .collect::<String>()
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_has_the_id_git_gives_it() {
        // Made with `git commit-tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904 -m first`, both
        // identities set as below.
        let draft = CommitDraft {
            tree: ObjectId::from_hex(b"4b825dc642cb6eb9a060e54bf8d69288fbee4904").unwrap(),
            parent: None,
            author: "alice",
            email: "a@x",
            seconds: 1_700_000_000,
            title: "first",
            message: "",
        };
        let (oid, bytes) = encode_commit(&draft).unwrap();
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor alice <a@x> 1700000000 +0000\n\
             committer alice <a@x> 1700000000 +0000\n\nfirst\n"
        );
        assert_eq!(oid.to_string(), "b74fdc50689bd059e4880b8d8cb0e73c09c55dab");
    }

    #[test]
    fn an_identity_cannot_forge_a_header() {
        assert_eq!(identity(" a <b>\nparent x "), "a bparent x");
    }
}
