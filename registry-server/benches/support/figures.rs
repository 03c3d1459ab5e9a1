//! Medians, and the check whether the command line asks for a part of a benchmark.

use std::time::Duration;

/// The middle of an uneven number of figures.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// The median of these times, in milliseconds.
pub(crate) fn median_ms(times: &[Duration]) -> f64 {
    median(times.iter().map(|time| time.as_secs_f64() * 1e3).collect())
}

/// True if somebody wants this part of a benchmark: the first argument that is no flag is a part of
/// its name.
pub(crate) fn wanted(part: &str) -> bool {
    std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"))
        .is_none_or(|filter| part.contains(&filter))
}
