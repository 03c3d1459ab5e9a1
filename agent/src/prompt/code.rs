//! Writes our own system prompt for agents that answer with code, and finds the code in answers.

use tool_hub_manifest::FunctionSpec;

use crate::definition::declare::{Language, declare};

/// An answer, split into explanation and code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeAnswer<'a> {
    /// The text around the code, in one piece.
    pub explanation: String,
    /// The first block of code, if any; without one the whole answer is the explanation.
    pub code: Option<&'a str>,
    /// True if more code follows in the explanation.
    pub has_more: bool,
}

/// The system prompt of a model that answers with code in `language` and can call the functions of
/// `specs`.
pub fn code_prompt(language: Language, specs: &[FunctionSpec]) -> String {
    let (name, tag, call) = (language.title(), language.tag(), language.call());
    let mut prompt = format!(
        "You solve tasks by writing {name}, which is run for you in a sandbox.\n\
         \n\
         Say in a sentence or two what you are going to do. Then write one block of code that \
         begins with ```{tag} and ends with ```, and stop: you are told what it printed and the \
         value of its last line. Go on with more code if you need to; variables stay from one \
         block to the next. When you know the answer, give it in words, without a block of code.\n\
         \n\
         - The functions below are there. Call them {call}; do not import or define them.\n\
         - Call several in one block where one needs what another gives, and print or end with what \
         you need to see, not more.\n\
         - Pictures and sounds are values: hand them from function to function. To show one, end \
         the code with it.\n\
         - There are no files, no network and no packages beside the language's own library.\n"
    );
    if specs.is_empty() {
        prompt.push_str("\nThere are no functions beside the language's own.\n");
    } else {
        let declarations = declare(specs, language).text;
        prompt.push_str(&format!("\n```{tag}\n{}\n```\n", declarations.trim_end()));
    }
    prompt
}

impl<'a> CodeAnswer<'a> {
    /// Splits `answer`. A block that the end of the answer cuts off counts, because a model may
    /// be stopped where the block ends.
    pub fn read(answer: &'a str, language: Language) -> Self {
        let none = || Self {
            explanation: answer.trim().to_owned(),
            code: None,
            has_more: false,
        };
        let Some((start, body)) = block(answer, language) else {
            return none();
        };
        let (code, after) = match end(body) {
            Some((end, after)) => (&body[..end], &body[after..]),
            None => (body, ""),
        };
        if code.trim().is_empty() {
            return none();
        }
        let parts = [answer[..start].trim(), after.trim()];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Self {
            explanation: parts.join("\n"),
            code: Some(code.trim_end()),
            has_more: block(after, language).is_some(),
        }
    }
}

/// The start of the first code block in `language` or in no named language, and the text after the
/// block's first line.
fn block(answer: &str, language: Language) -> Option<(usize, &str)> {
    let mut offset = 0;
    let mut is_inside_another = false;
    for line in answer.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let Some(tag) = line.trim().strip_prefix(FENCE) else {
            continue;
        };
        if is_inside_another {
            is_inside_another = !tag.is_empty();
            continue;
        }
        let tag = tag.trim().to_ascii_lowercase();
        if tag.is_empty() || language.tags().contains(&&*tag) {
            return Some((start, &answer[offset..]));
        }
        is_inside_another = true;
    }
    None
}

const FENCE: &str = "```";

/// The range of the line that ends a block.
fn end(body: &str) -> Option<(usize, usize)> {
    let mut offset = 0;
    for line in body.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        if line.trim() == FENCE {
            return Some((start, offset));
        }
    }
    None
}

impl Language {
    /// The language as people write it.
    fn title(self) -> &'static str {
        match self {
            Self::TypeScript => "JavaScript",
            Self::Python => "Python",
        }
    }

    /// The instruction for calling the declared functions.
    fn call(self) -> &'static str {
        match self {
            Self::TypeScript => "as they are declared, with one object of arguments and `await`",
            Self::Python => "as they are declared",
        }
    }

    /// The tag of its code blocks.
    fn tag(self) -> &'static str {
        self.tags()[0]
    }

    fn tags(self) -> &'static [&'static str] {
        match self {
            Self::TypeScript => &["js", "javascript", "ts", "typescript"],
            Self::Python => &["py", "python", "python3"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(answer: &str, explanation: &str, code: Option<&str>) {
        let read = CodeAnswer::read(answer, Language::Python);
        assert_eq!((&*read.explanation, read.code), (explanation, code));
    }

    #[test]
    fn an_answer_is_split_at_its_first_block() {
        check("Just words.", "Just words.", None);
        check(
            "I add.\n\n```py\na = 1\na + 1\n```",
            "I add.",
            Some("a = 1\na + 1"),
        );
        check("```python\nf()\n```\nDone.\n", "Done.", Some("f()"));
        check(
            "One\n```\nf()\n```\ntwo\n```py\ng()\n```",
            "One\ntwo\n```py\ng()\n```",
            Some("f()"),
        );
    }

    #[test]
    fn further_blocks_are_noticed() {
        let has_more = |answer| CodeAnswer::read(answer, Language::Python).has_more;
        assert!(has_more("```py\nf()\n```\nthen\n```py\ng()\n```"));
        assert!(!has_more("```py\nf()\n```\nwhich prints\n```json\n{}\n```"));
    }

    #[test]
    fn a_block_that_is_cut_off_counts() {
        check("I add.\n```py\na = 1", "I add.", Some("a = 1"));
    }

    #[test]
    fn an_empty_block_is_none() {
        check("Nothing.\n```py\n```", "Nothing.\n```py\n```", None);
    }

    #[test]
    fn blocks_of_other_languages_are_words() {
        let answer = "See:\n```json\n{\"a\": 1}\n```\nand\n```py\nf()\n```";
        check(answer, "See:\n```json\n{\"a\": 1}\n```\nand", Some("f()"));
        check("```json\n{}\n```", "```json\n{}\n```", None);
    }

    #[test]
    fn a_fence_in_a_text_does_not_end_the_code() {
        check("```py\nx = '```'\n```", "", Some("x = '```'"));
    }

    #[test]
    fn the_prompt_declares_the_functions() {
        let spec = FunctionSpec {
            name: "add".into(),
            title: None,
            description: "Adds.".into(),
            input_schema: serde_json::json!({"type": "object", "properties": {"a": {"type": "integer"}}}),
            output_schema: None,
            annotations: tool_hub_manifest::Annotations::default(),
        };
        let prompt = code_prompt(Language::Python, &[spec]);
        assert!(prompt.contains("begins with ```py and"), "{prompt}");
        assert!(prompt.contains("def add("), "{prompt}");
        let prompt = code_prompt(Language::TypeScript, &[]);
        assert!(prompt.contains("writing JavaScript"), "{prompt}");
        assert!(prompt.contains("with one object of arguments"), "{prompt}");
        assert!(prompt.contains("no functions beside"), "{prompt}");
    }
}
