//! Phrases that commands share: counts, overridden texts, a tool's rights, the nearest known name.

use tool_hub_manifest::{DirectoryGrant, DirectoryName, FunctionName, Grants, Overrides};

/// `1 tool`, `2 tools`, `0 tools`: for nouns that take an `s`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Names the functions that `toolbox.toml` overrides; `None` if there are none.
pub(crate) fn overridden(overrides: &Overrides) -> Option<String> {
    let whole = overrides.description.iter().map(|_| "the whole tool");
    let names: Vec<&str> = whole
        .chain(overrides.functions.keys().map(FunctionName::as_str))
        .collect();
    let what = names.join(", ");
    (!names.is_empty()).then(|| format!("toolbox.toml overrides the description of {what}"))
}

/// The rights of a tool with `grants` on one line, to go on after "may"; `compute` where there are
/// none. `calls` says whether it calls other functions, and `directory` says one directory.
pub(crate) fn rights(
    grants: &Grants,
    calls: bool,
    directory: impl Fn(&DirectoryName, &DirectoryGrant) -> String,
) -> String {
    let origins = grants.network.lines();
    let mut rights: Vec<String> = origins.map(|origin| format!("reach {origin}")).collect();
    let credentials = grants.credentials.iter();
    rights.extend(credentials.map(|(name, origin)| format!("have ${name} sent to {origin}")));
    let directories = grants.directories.iter();
    rights.extend(directories.map(|(name, grant)| directory(name, grant)));
    rights.extend(
        grants
            .variables
            .iter()
            .map(|name| match grants.is_secret(name) {
                true => format!("read ${name}"),
                false => format!("read ${name} (plain)"),
            }),
    );
    rights.extend(grants.storage.then(|| "use storage".to_owned()));
    rights.extend(calls.then(|| "call other functions of the toolbox".to_owned()));
    if rights.is_empty() {
        rights.push("compute".to_owned());
    }
    rights.join(", ")
}

/// The one of `known` that somebody who wrote `wanted` may have meant.
pub(crate) fn nearest<'a>(wanted: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(wanted, known), *known))
        .filter(|(distance, known)| *distance <= 1 + known.len() / 3)
        .min()
        .map(|(_, nearest)| nearest)
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
