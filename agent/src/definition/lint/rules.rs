//! Checks a function by itself: description, arguments' names and examples, and schema.

use serde_json::Value;
use tool_hub_manifest::FunctionSpec;

use super::finding::{Finding, Rule};
use super::words::{first_sentence, telling, words};
use crate::definition::dialect::Dialect;
use crate::definition::export::export;
use crate::definition::loss::LossKind;

/// The longest first sentence, in characters: it should only help to choose the function.
const SENTENCE_LENGTH_MAX: usize = 240;
/// The most required arguments.
const REQUIRED_MAX: usize = 5;

/// Beginnings of words that say what comes back.
const RETURNING: [&str; 20] = [
    "return", "give", "gets", "result", "answer", "output", "yield", "list", "tell", "count",
    "find", "show", "report", "describ", "respon", "produc", "print", "read", "measur", "number",
];
/// Names of arguments that say nothing of what to write there.
const EMPTY_NAMES: [&str; 16] = [
    "arg",
    "args",
    "argument",
    "param",
    "params",
    "parameter",
    "input",
    "data",
    "obj",
    "object",
    "val",
    "var",
    "foo",
    "thing",
    "tmp",
    "str",
];
/// Words of names and descriptions that imply a certain form of value.
const FORMS: [&str; 24] = [
    "date",
    "time",
    "datetime",
    "timestamp",
    "email",
    "emails",
    "mail",
    "url",
    "urls",
    "uri",
    "address",
    "addresses",
    "phone",
    "id",
    "ids",
    "regex",
    "pattern",
    "format",
    "timezone",
    "locale",
    "currency",
    "coordinates",
    "syntax",
    "iso",
];
/// Words that introduce an example.
const SAMPLES: [&str; 7] = [
    "such as",
    "e.g.",
    "eg ",
    "for example",
    "for instance",
    "example:",
    "like ",
];

pub(super) fn judge(spec: &FunctionSpec, findings: &mut Vec<Finding>) {
    let linter = FunctionLinter { spec };
    findings.extend(linter.purpose());
    findings.extend(linter.returns());
    findings.extend(linter.length());
    findings.extend(linter.required());
    for (name, schema) in linter.arguments() {
        findings.extend(linter.argument_name(name, schema));
        findings.extend(linter.example(name, schema));
    }
    findings.extend(linter.shapes());
}

struct FunctionLinter<'a> {
    spec: &'a FunctionSpec,
}

impl<'a> FunctionLinter<'a> {
    fn arguments(&self) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
        let properties = self
            .spec
            .input_schema
            .get("properties")
            .and_then(Value::as_object);
        properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| (name.as_str(), schema))
    }

    fn finding(&self, rule: Rule, message: String, instead: impl Into<String>) -> Finding {
        Finding {
            function: self.spec.name.clone(),
            argument: None,
            rule,
            message,
            instead: instead.into(),
        }
    }

    fn of_argument(&self, name: &str, finding: Finding) -> Finding {
        Finding {
            argument: Some(name.to_owned()),
            ..finding
        }
    }

    fn purpose(&self) -> Option<Finding> {
        let mut said = telling(before_arguments(&self.spec.description)).peekable();
        said.peek()?;
        let name: Vec<String> = telling(&self.spec.name).collect();
        said.all(|word| name.contains(&word)).then(|| {
            self.finding(
                Rule::Purpose,
                "its description says no more than its name".to_owned(),
                "say in one sentence what it does, to what, and when to choose it",
            )
        })
    }

    fn returns(&self) -> Option<Finding> {
        let schema = self.spec.output_schema.as_ref()?;
        let description = &self.spec.description;
        let is_said = words(description).any(|word| {
            RETURNING
                .iter()
                .any(|returning| word.starts_with(returning))
        });
        if description.is_empty() || is_said || schema.get("type") == Some(&"boolean".into()) {
            return None;
        }
        let instead = match schema.get("description").and_then(Value::as_str) {
            Some(output) => format!(
                "add what is said of the output: \"Returns {}\"",
                sentence(output)
            ),
            None => "add a sentence: \"Returns …\", with what is in it".to_owned(),
        };
        let message =
            "its description does not say what comes back, and most APIs show models nothing else";
        Some(self.finding(Rule::Returns, message.to_owned(), instead))
    }

    fn length(&self) -> Option<Finding> {
        let length = first_sentence(&self.spec.description).chars().count();
        (length > SENTENCE_LENGTH_MAX).then(|| {
            self.finding(
                Rule::Long,
                format!("its first sentence has {length} characters, and models choose by it"),
                format!(
                    "say what it does in at most {SENTENCE_LENGTH_MAX}, and the rest in sentences after that"
                ),
            )
        })
    }

    fn required(&self) -> Option<Finding> {
        let required = self
            .spec
            .input_schema
            .get("required")
            .and_then(Value::as_array);
        let count = required.map_or(0, Vec::len);
        (count > REQUIRED_MAX).then(|| {
            self.finding(
                Rule::ManyRequired,
                format!("a call needs {count} arguments, and models forget some"),
                "make those optional whose value can be inferred or has a usual one",
            )
        })
    }

    fn argument_name(&self, name: &str, schema: &Value) -> Option<Finding> {
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
        let is_numbered = letters.len() < name.len() && letters.len() <= 1;
        if !EMPTY_NAMES.contains(&letters) && !is_numbered {
            return None;
        }
        let instead = match schema.get("description").and_then(Value::as_str) {
            Some(said) => format!("name it after what it is: \"{}\"", sentence(said)),
            None => "name it after what it is, such as `city` or `query`".to_owned(),
        };
        let message = "its name does not tell what to write".to_owned();
        Some(self.of_argument(name, self.finding(Rule::ArgumentName, message, instead)))
    }

    fn example(&self, name: &str, schema: &Value) -> Option<Finding> {
        let is_text = schema.get("type") == Some(&"string".into());
        let is_free = ["enum", "const", "examples", "contentEncoding"]
            .iter()
            .all(|keyword| schema.get(keyword).is_none());
        let said = schema
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let is_form = |word: &String| FORMS.contains(&word.as_str());
        let has_form = schema.get("pattern").is_some()
            || schema.get("format").is_some()
            || words(name).any(|word| is_form(&word));
        if !is_text || !is_free || !has_form || is_sample(said) || self.shows(name) {
            return None;
        }
        let message = "its value must have a certain form, and no example shows it".to_owned();
        let instead = "add one to its description: \"…, such as `adam@example.com`\"";
        Some(self.of_argument(name, self.finding(Rule::Example, message, instead)))
    }

    /// True if the function's description has an example of the argument.
    fn shows(&self, name: &str) -> bool {
        let description = &self.spec.description;
        let lines = description
            .lines()
            .filter(|line| line.contains(&format!("`{name}`")));
        let examples = description.find("xample").map(|at| &description[at..]);
        lines.into_iter().any(is_sample)
            || examples.is_some_and(|text| text.contains('`') || text.contains('"'))
    }

    fn shapes(&self) -> Vec<Finding> {
        let losses = export(std::slice::from_ref(self.spec), Dialect::OpenAiStrict).losses;
        let findings = losses.into_iter().filter_map(|loss| match &loss.kind {
            LossKind::Reshaped { pointer, into } if into.starts_with("JSON text") => {
                let argument = pointer.strip_prefix("/properties/")?.split('/').next()?;
                let message = format!("nothing says what shape the value at `{pointer}` has");
                let instead = "give it a type with named members; under strict modes it is written as JSON text";
                let finding = self.finding(Rule::Shapeless, message, instead);
                Some(self.of_argument(argument, finding))
            }
            lost if lost.is_refusal() => Some(self.finding(
                Rule::Shapeless,
                format!("strict modes refuse it: {lost}"),
                "make the arguments one object of fewer and flatter members",
            )),
            _ => None,
        });
        findings.collect()
    }
}

/// A description without the list of arguments in it, whose items are as in ``- `to`: whom``.
fn before_arguments(description: &str) -> &str {
    let is_item = |line: &str| {
        let item = line.strip_prefix("- `").or(line.strip_prefix("* `"));
        item.is_some_and(|item| item.contains("`:"))
    };
    let lines = description.split_inclusive('\n');
    let before = lines.take_while(|line| !is_item(line)).map(str::len);
    &description[..before.sum()]
}

/// True if a text contains an example.
fn is_sample(text: &str) -> bool {
    let small = text.to_lowercase();
    SAMPLES.iter().any(|sample| small.contains(sample)) || text.contains(['`', '"', '\u{201c}'])
}

/// A text's first words, to stand in a sentence.
fn sentence(text: &str) -> String {
    const LENGTH_MAX: usize = 80;
    let line = text.trim().lines().next().unwrap_or_default();
    match line.char_indices().nth(LENGTH_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.trim_end_matches('.').to_owned(),
    }
}
