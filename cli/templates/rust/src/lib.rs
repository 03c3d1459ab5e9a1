//! The tool `{{name}}`, which greets people.

wit_bindgen::generate!({ path: "wit", world: "tool", generate_all });

use exports::tools::{{wit_module}}::functions::Guest;

struct Tool;

impl Guest for Tool {
    fn greet(name: String, language: Option<String>) -> Result<String, String> {
        match language.as_deref().unwrap_or("en") {
            "en" => Ok(format!("Hello, {name}!")),
            "de" => Ok(format!("Hallo, {name}!")),
            "fr" => Ok(format!("Bonjour, {name} !")),
            // An agent reads this: say what was wrong and what would have been right.
            other => Err(format!("`{other}` is not a language I speak; use en, de or fr")),
        }
    }
}

export!(Tool);
