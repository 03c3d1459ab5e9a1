//! Splits docstrings in the styles of Google, numpydoc and Sphinx into description and parameters.

use std::collections::HashMap;

/// The headings of Google's style that end the description.
const HEADINGS: [&str; 30] = [
    "args",
    "arguments",
    "params",
    "parameters",
    "keyword args",
    "keyword arguments",
    "other args",
    "returns",
    "return",
    "yields",
    "yield",
    "receives",
    "raises",
    "raise",
    "exceptions",
    "warns",
    "warnings",
    "warning",
    "example",
    "examples",
    "note",
    "notes",
    "attributes",
    "methods",
    "references",
    "see also",
    "todo",
    "tip",
    "hint",
    "important",
];
/// Those below which parameters stand.
const PARAMETERS: [&str; 4] = ["args", "arguments", "params", "parameters"];

/// The parts of a docstring.
#[derive(Debug, Default)]
pub(super) struct Sections {
    pub(super) description: String,
    pub(super) parameters: HashMap<String, String>,
}

/// The parts of `text`, as `inspect.getdoc` returns it. Where it has no sections it is all
/// description.
pub(super) fn sections(text: &str) -> Sections {
    let found = google(text)
        .or_else(|| numpy(text))
        .or_else(|| sphinx(text));
    found.unwrap_or_else(|| Sections {
        description: text.trim().to_owned(),
        parameters: HashMap::new(),
    })
}

fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The heading that a line is, in small letters.
fn heading(line: &str) -> Option<String> {
    let name = line.trim_end().strip_suffix(':')?;
    let is_heading = !is_indented(line) && !name.is_empty();
    is_heading.then(|| name.to_lowercase())
}

fn google(text: &str) -> Option<Sections> {
    let lines: Vec<&str> = text.split('\n').collect();
    let begins = |at: usize| {
        let name = heading(lines.get(at)?)?;
        let next = lines[at + 1..].iter().find(|line| !line.trim().is_empty());
        let is_known = HEADINGS.contains(&name.as_str());
        (is_known && next.is_some_and(|line| is_indented(line))).then_some(name)
    };
    let first = (0..lines.len()).find(|at| begins(*at).is_some())?;
    let mut found = Sections {
        description: lines[..first].join("\n").trim().to_owned(),
        parameters: HashMap::new(),
    };
    let mut at = first;
    while at < lines.len() {
        let name = begins(at);
        let block = lines[at + 1..].iter();
        let block: Vec<&str> = block
            .copied()
            .take_while(|line| line.trim().is_empty() || is_indented(line))
            .collect();
        if name.is_some_and(|name| PARAMETERS.contains(&name.as_str())) {
            parameters(&block, &mut found.parameters);
        }
        at += 1 + block.len();
    }
    Some(found)
}

/// `name: text` and `name (type): text`, where text goes on in lines that are indented deeper.
fn parameters(block: &[&str], found: &mut HashMap<String, String>) {
    let lines = block.iter().filter(|line| !line.trim().is_empty());
    let mut current: Option<String> = None;
    let mut base = None;
    for line in lines {
        let deep = indent(line);
        let base = *base.get_or_insert(deep);
        let said = line.trim();
        match said.split_once(':') {
            Some((name, text)) if deep <= base => {
                let name = name.split_once('(').map_or(name, |(name, _)| name);
                let name = name.trim().trim_start_matches('*').to_owned();
                found.insert(name.clone(), text.trim().to_owned());
                current = Some(name);
            }
            _ => {
                if let Some(text) = current.as_ref().and_then(|name| found.get_mut(name)) {
                    text.push('\n');
                    text.push_str(said);
                }
            }
        }
    }
    for text in found.values_mut() {
        *text = text.trim().to_owned();
    }
}

fn numpy(text: &str) -> Option<Sections> {
    let lines: Vec<&str> = text.split('\n').collect();
    let is_heading = |at: usize| {
        let rule = lines.get(at + 1).map_or("", |line| line.trim());
        !lines[at].trim().is_empty() && rule.len() >= 3 && rule.chars().all(|it| it == '-')
    };
    let first = (0..lines.len()).find(|at| is_heading(*at))?;
    let mut found = Sections {
        description: lines[..first].join("\n").trim().to_owned(),
        parameters: HashMap::new(),
    };
    let (mut is_parameters, mut current) = (false, None::<String>);
    for (at, line) in lines.iter().copied().enumerate().skip(first) {
        if is_heading(at) {
            is_parameters = line.trim().eq_ignore_ascii_case("parameters");
            current = None;
        } else if is_parameters && !line.trim().is_empty() && !line.trim().starts_with("---") {
            if !is_indented(line) {
                let name = line.split_once(':').map_or(line, |(name, _)| name);
                let name = name.trim().to_owned();
                found.parameters.insert(name.clone(), String::new());
                current = Some(name);
            } else if let Some(name) = &current
                && let Some(text) = found.parameters.get_mut(name)
            {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(line.trim());
            }
        }
    }
    Some(found)
}

fn sphinx(text: &str) -> Option<Sections> {
    let lines: Vec<&str> = text.split('\n').collect();
    let is_field = |line: &str| {
        let fields = [
            ":param ", ":type ", ":return", ":rtype", ":raises", ":raise ",
        ];
        fields.iter().any(|field| line.starts_with(field))
    };
    let first = lines.iter().position(|line| is_field(line))?;
    let mut found = Sections {
        description: lines[..first].join("\n").trim().to_owned(),
        parameters: HashMap::new(),
    };
    let mut current = None::<String>;
    for line in &lines[first..] {
        if let Some(rest) = line.strip_prefix(":param ")
            && let Some((name, text)) = rest.split_once(':')
        {
            let name = name.split_whitespace().last().unwrap_or(name).to_owned();
            found
                .parameters
                .insert(name.clone(), text.trim().to_owned());
            current = Some(name);
        } else if is_field(line) {
            current = None;
        } else if let Some(text) = current.as_ref().and_then(|it| found.parameters.get_mut(it)) {
            text.push('\n');
            text.push_str(line.trim());
        }
    }
    for text in found.parameters.values_mut() {
        *text = text.trim().to_owned();
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, description: &str, parameters: &[(&str, &str)]) {
        let found = sections(text);
        assert_eq!(found.description, description);
        let mut known: Vec<_> = found.parameters.iter().collect();
        known.sort();
        let known: Vec<_> = known
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        assert_eq!(known, parameters);
    }

    #[test]
    fn each_style_names_its_parameters() {
        let expect = [("a", "The first,\nand more."), ("b", "The second.")];
        check(
            "Adds.\n\nBoth.\n\nArgs:\n    a (int): The first,\n        and more.\n    b: The second.\n\nReturns:\n    A sum.",
            "Adds.\n\nBoth.",
            &expect,
        );
        check(
            "Adds.\n\nParameters\n----------\na : int\n    The first,\n    and more.\nb : int\n    The second.\n\nReturns\n-------\nint\n    A sum.",
            "Adds.",
            &expect,
        );
        check(
            "Adds.\n\n:param int a: The first,\n    and more.\n:param b: The second.\n:return: A sum.",
            "Adds.",
            &expect,
        );
        check("Adds.\nRules:\nnone", "Adds.\nRules:\nnone", &[]);
        check("Adds.\n\nRaises:\n    ValueError: never.", "Adds.", &[]);
    }
}
