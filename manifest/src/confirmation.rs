//! The `Confirmation` that a person has to give before a call of a function runs.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::name::ArgumentName;

/// The calls of a function that a person has to confirm. Written as `confirm = true`, or as
/// `confirm = { force = [true], mode = ["replace"] }`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "toml::Value", into = "toml::Value")]
pub enum Confirmation {
    /// Every call.
    EveryCall,
    /// Calls in which one of these arguments has one of these values.
    Values(BTreeMap<ArgumentName, Vec<Value>>),
}

impl Confirmation {
    /// The calls that this or `other` names.
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Values(mut all), Self::Values(more)) => {
                for (name, values) in more {
                    all.entry(name.clone())
                        .or_default()
                        .extend(values.iter().cloned());
                }
                Self::Values(all)
            }
            _ => Self::EveryCall,
        }
    }
}

impl TryFrom<toml::Value> for Confirmation {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        const FORM: &str = "write `confirm = true`, or the values of arguments that need it, as in `confirm = { force = [true] }`";
        let arguments = match value {
            toml::Value::Boolean(true) => return Ok(Self::EveryCall),
            toml::Value::Table(arguments) if !arguments.is_empty() => arguments,
            _ => return Err(FORM.to_owned()),
        };
        let arguments = arguments.into_iter().map(|(name, values)| {
            let name: ArgumentName = name.parse().map_err(|error| format!("{error}"))?;
            match values {
                toml::Value::Array(values) if !values.is_empty() => {
                    let values = values.into_iter().map(serde_json::to_value);
                    let values = values.collect::<Result<_, _>>();
                    Ok((name, values.map_err(|error| error.to_string())?))
                }
                _ => Err(FORM.to_owned()),
            }
        });
        Ok(Self::Values(arguments.collect::<Result<_, String>>()?))
    }
}

impl From<Confirmation> for toml::Value {
    fn from(confirmation: Confirmation) -> Self {
        match confirmation {
            Confirmation::EveryCall => Self::Boolean(true),
            Confirmation::Values(arguments) => {
                let arguments = arguments.into_iter();
                // They were TOML, which has no null.
                let values = |values| Self::try_from(values).unwrap_or(Self::Array(Vec::new()));
                let table = arguments.map(|(name, listed)| (name.to_string(), values(listed)));
                Self::Table(table.collect())
            }
        }
    }
}

/// As a person reads it: `every call`, `calls with force = true`.
impl fmt::Display for Confirmation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EveryCall => f.write_str("every call"),
            Self::Values(arguments) => {
                let each = arguments.iter().flat_map(|(name, values)| {
                    values.iter().map(move |value| format!("{name} = {value}"))
                });
                let each: Vec<String> = each.collect();
                write!(f, "calls with {}", each.join(" or "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Holder {
        confirm: Confirmation,
    }

    #[test]
    fn both_forms_read_back_equal() {
        for (text, shown) in [
            ("confirm = true", "every call"),
            (
                "confirm = { force = [true], mode = ['replace', 'drop'] }",
                "calls with force = true or mode = \"replace\" or mode = \"drop\"",
            ),
        ] {
            let read: Holder = toml::from_str(text).unwrap();
            assert_eq!(read.confirm.to_string(), shown);
            let again = toml::from_str(&toml::to_string(&read).unwrap()).unwrap();
            assert_eq!(read, again);
        }
    }

    #[test]
    fn of_two_all_calls_are_confirmed_that_either_names() {
        let read = |text: &str| {
            let holder = toml::from_str::<Holder>(&format!("confirm = {text}"));
            holder.unwrap().confirm
        };
        for (one, other, expect) in [
            (
                "{ a = [1] }",
                "{ a = [2], b = [3] }",
                "{ a = [1, 2], b = [3] }",
            ),
            ("true", "{ a = [1] }", "true"),
            ("{ a = [1] }", "true", "true"),
        ] {
            assert_eq!(read(one).or(&read(other)), read(expect));
        }
    }

    #[test]
    fn what_confirms_nothing_is_refused() {
        for text in ["false", "{}", "{ force = true }", "{ force = [] }", "'yes'"] {
            let error = toml::from_str::<Holder>(&format!("confirm = {text}")).unwrap_err();
            let shown = error.message();
            assert!(shown.contains("`confirm = true`"), "{text}: {shown}");
        }
        assert!(toml::from_str::<Holder>("confirm = { Force = [1] }").is_err());
    }
}
