//! Splits an answer to a run or chat prompt into explanation and code, as Transformers Agents does.

use thiserror::Error;

/// The beginning of every answer to a run prompt: the prompt ends with it.
const BEGINNING: &str = "I will use the following ";
/// The marker before the code in an answer to a run prompt.
const ANSWER: &str = "Answer:";
const FENCE: &str = "```";
/// The first line of code that is not code.
const OPENING: [&str; 3] = [FENCE, "```py", "```python"];

/// An answer, in its two parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// The model's description of what the code does.
    pub explanation: String,
    /// The code; absent in a conversation where the model only answered in words.
    pub code: Option<String>,
}

/// An answer that is not in the requested format. The message tells a model what to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SolutionError {
    /// An answer to a run prompt without code.
    #[error("the answer has no `Answer:` with code after it; write one")]
    NoAnswer,
    /// An answer to a run prompt that begins anew.
    #[error("the answer has `Answer:` more than once; write it once, before the code")]
    SeveralAnswers,
    /// The block of code is not closed, for example because the answer was cut off.
    #[error("the block of code is not closed; write ``` on the line after it")]
    NoEnd,
}

/// Reads an answer that continues `I will use the following`.
pub(super) fn of_run(answer: &str) -> Result<Solution, SolutionError> {
    let whole = format!("{BEGINNING}{answer}");
    let (explanation, code) = whole.split_once(ANSWER).ok_or(SolutionError::NoAnswer)?;
    if code.contains(ANSWER) {
        return Err(SolutionError::SeveralAnswers);
    }
    let mut lines: Vec<&str> = strip(code).split('\n').collect();
    if OPENING.contains(&lines[0]) {
        lines.remove(0);
    }
    match lines.last() {
        None => return Err(SolutionError::NoEnd),
        Some(&FENCE) => _ = lines.pop(),
        Some(_) => {}
    }
    Ok(Solution {
        explanation: strip(explanation).to_owned(),
        code: Some(lines.join("\n")),
    })
}

/// Reads an answer that continues `Assistant:`.
pub(super) fn of_chat(answer: &str) -> Result<Solution, SolutionError> {
    let lines: Vec<&str> = answer.split('\n').collect();
    let is_fence = |line: &&str| line.trim_start_matches(is_space).starts_with(FENCE);
    let Some(opening) = lines.iter().position(is_fence) else {
        return Ok(Solution {
            explanation: strip(answer).to_owned(),
            code: None,
        });
    };
    let rest = &lines[opening + 1..];
    let closing = rest.iter().position(is_fence).ok_or(SolutionError::NoEnd)?;
    Ok(Solution {
        explanation: strip(&lines[..opening].join("\n")).to_owned(),
        code: Some(strip(&rest[..closing].join("\n")).to_owned()),
    })
}

/// Strips a text as Python's `str.strip` does.
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Python counts the separators of ASCII as well.
fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1c}'..='\u{1f}')
}
