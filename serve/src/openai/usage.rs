//! Adds up the token usage that an endpoint reports, member by member, over all rounds.

use serde_json::{Map, Value};

/// The sum of what endpoints report, member by member.
#[derive(Default)]
pub(super) struct Usage(Option<Value>);

impl Usage {
    /// Adds what a round cost, where the endpoint says so.
    pub(super) fn add(&mut self, usage: Option<&Value>) {
        let Some(usage @ Value::Object(_)) = usage else {
            return;
        };
        match &mut self.0 {
            Some(sum) => add(sum, usage),
            None => self.0 = Some(usage.clone()),
        }
    }

    /// The sum, where any round was counted.
    pub(super) fn sum(&self) -> Option<&Value> {
        self.0.as_ref()
    }
}

fn add(sum: &mut Value, more: &Value) {
    match (sum, more) {
        (Value::Object(sum), Value::Object(more)) => add_members(sum, more),
        (sum @ Value::Null, more) => *sum = more.clone(),
        (sum, more) => {
            if let (Some(one), Some(other)) = (sum.as_u64(), more.as_u64()) {
                *sum = one.saturating_add(other).into();
            } else if let (Some(one), Some(other)) = (sum.as_f64(), more.as_f64()) {
                *sum = (one + other).into();
            }
        }
    }
}

fn add_members(sum: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (name, value) in more {
        add(sum.entry(name.as_str()).or_insert(Value::Null), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_member_is_added_up() {
        let mut usage = Usage::default();
        assert_eq!(usage.sum(), None);
        for round in [
            Value::Null,
            json!({"prompt_tokens": 10, "details": null, "cost": 0.5, "model": "a"}),
            json!({"prompt_tokens": 32, "details": {"cached": 4}, "cost": 1, "model": "b"}),
            json!({"prompt_tokens": 0, "details": {"cached": 1, "new": 2}}),
        ] {
            usage.add(Some(&round));
        }
        usage.add(None);
        let sum = json!({"prompt_tokens": 42, "details": {"cached": 5, "new": 2}, "cost": 1.5, "model": "a"});
        assert_eq!(usage.sum(), Some(&sum));
    }
}
