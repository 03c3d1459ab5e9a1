//! End-to-end tests: the real command, the real registry, real components, and clients that
//! other people wrote.

mod tidy;
