//! An ACT component that counts words, for the comparison with the sample tool `text-stats`.

use act_sdk::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

#[act_component]
mod component {
    use super::*;

    #[act_tool(description = "Counts the words of `text`.", read_only)]
    fn count_words(arguments: Text) -> ActResult<String> {
        Ok(arguments.text.split_whitespace().count().to_string())
    }
}
