//! Tools of the shelf beside the reference servers that they stand for, as these are published.
//! Both have the same functions, and answer the same calls with the same texts.

mod filesystem;
mod git;
mod memory;
mod pair;
mod sequentialthinking;
mod time;

use crate::support::{Need, Test, test};

const PYTHON: &[Need] = &[Need::PythonGuest, Need::PythonPackages];
const NODE: &[Need] = &[Need::PythonGuest, Need::NodePackages];

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("shelf::time_is_the_reference", time::time).needs(PYTHON),
        test("shelf::filesystem_is_the_reference", filesystem::filesystem).needs(NODE),
        test("shelf::memory_is_the_reference", memory::memory).needs(NODE),
        test(
            "shelf::sequentialthinking_is_the_reference",
            sequentialthinking::sequentialthinking,
        )
        .needs(NODE),
        test("shelf::git_is_the_reference", git::git).needs(PYTHON),
    ]
}
