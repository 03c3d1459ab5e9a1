//! Writes and reads git trees and LFS pointers, writes commits, and computes ids of git objects.

mod commit;
mod id;
mod pointer;
mod tree;

pub(crate) use commit::{CommitDraft, encode_commit};
pub(crate) use id::{blob_hasher, finish, object_id};
pub(crate) use pointer::{pointer_oid, pointer_text, read_pointer};
pub(crate) use tree::{TreeEntry, decode_tree, encode_tree};
