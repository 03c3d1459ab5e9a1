//! The packages of frameworks for which modules stand in, so that no project needs them.

/// Packages by their names, and by the beginnings of their names.
const REPLACED: [&str; 8] = [
    "annotated-types",
    "crewai",
    "fastmcp",
    "mcp",
    "openai-agents",
    "pydantic",
    "smolagents",
    "transformers",
];
const FAMILIES: [&str; 6] = [
    "crewai-",
    "fastmcp-",
    "langchain",
    "langgraph",
    "llama-index",
    "pydantic-",
];

/// The name of the package that a requirement asks for, in the form in which names are compared.
pub(crate) fn package_name(requirement: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let end = requirement
        .find(|c| !is_name(c))
        .unwrap_or(requirement.len());
    let name = requirement[..end].to_ascii_lowercase();
    let words = name.split(['.', '_', '-']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// True if modules of a build stand in for the package `name`.
pub(crate) fn is_replaced(name: &str) -> bool {
    let name = package_name(name);
    REPLACED.contains(&name.as_str()) || FAMILIES.iter().any(|family| name.starts_with(family))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_frameworks_are_replaced() {
        for requirement in [
            "fastmcp>=2",
            "mcp[cli]",
            "Pydantic_Core",
            "langchain_core==1",
            "llama.index-core",
        ] {
            assert!(is_replaced(requirement), "{requirement}");
        }
        for requirement in [
            "requests",
            "mcpx",
            "fastmcps",
            "typing-extensions; python_version < '4'",
        ] {
            assert!(!is_replaced(requirement), "{requirement}");
        }
    }
}
