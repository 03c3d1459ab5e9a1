//! How numbers of things are said.

/// `1 tool`, `2 tools`, `0 tools`: for nouns that take an `s`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        assert_eq!(counted(0, "remark"), "0 remarks");
        assert_eq!(counted(1, "remark"), "1 remark");
        assert_eq!(counted(2, "remark"), "2 remarks");
    }
}
