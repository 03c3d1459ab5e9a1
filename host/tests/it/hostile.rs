//! The modules of tests with hostile tools: compilation, files, network, and their guests.
//! There are bytes that are small to send and big to compile, and tools that try to reach what they
//! were not given, the network in every spelling and the file system by every path. What they must
//! not reach are canaries, which notice.

mod canary;
mod compile;
mod either_wasi;
mod filesystem;
mod filesystem_guest;
mod guarded;
mod http_guest;
mod network;
mod traffic;
