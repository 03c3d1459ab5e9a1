//! Writes the union of types, which TypeScript and Python write alike.

/// The union of types, each of them once, or `empty` if there are none.
pub(super) fn union(types: impl Iterator<Item = String>, empty: &str) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for written in types {
        if !distinct.contains(&written) {
            distinct.push(written);
        }
    }
    match distinct.is_empty() {
        true => empty.to_owned(),
        false => distinct.join(" | "),
    }
}
