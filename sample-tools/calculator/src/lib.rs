//! The component `calculator`, as `wit/world.wit` declares: evaluates, converts, lists units.
//! Errors become failures that an agent can mend.

pub mod dimension;
pub mod dimension_name;
pub mod error;
pub mod evaluate;
pub mod function;
pub mod quantity;
pub mod token;
pub mod unit;
pub mod unit_product;
pub mod unit_search;
pub mod unit_table;

use bindings::exports::demo::calculator::calculate::{Guest, Quantity, UnitEntry};
use bindings::tool_hub::tool::types::{Failure, FailureKind};

#[allow(
    missing_docs,
    unsafe_code,
    unreachable_pub,
    reason = "generated from wit/world.wit, where the documentation is"
)]
mod bindings {
    wit_bindgen::generate!({
        path: "wit",
        world: "demo:calculator/calculator",
        generate_all,
    });
    use super::Calculator;
    export!(Calculator);
}

/// The exports of the component.
struct Calculator;

impl Guest for Calculator {
    fn evaluate(expression: String) -> Result<Quantity, Failure> {
        evaluate::evaluate(&expression)
            .map(reported)
            .map_err(|error| failure(&error, "expression", &expression))
    }

    fn convert(value: f64, unit: String, target: String) -> Result<Quantity, Failure> {
        let from = evaluate::parse_unit(&unit).map_err(|error| failure(&error, "unit", &unit))?;
        let into =
            evaluate::parse_unit(&target).map_err(|error| failure(&error, "target", &target))?;
        quantity::Quantity::measured(value, from)
            .and_then(|measured| measured.converted(&into))
            .map(reported)
            .map_err(|problem| failure(&problem.at(0), "target", &target))
    }

    fn list_units(kind: Option<String>) -> Result<Vec<UnitEntry>, Failure> {
        let listed = unit_search::list(kind.as_deref()).map_err(|problem| Failure {
            kind: FailureKind::InvalidArgument,
            message: problem.message,
            fix: Some(problem.fix),
            argument: Some("kind".to_owned()),
            retryable: false,
        })?;
        Ok(listed
            .map(|unit| UnitEntry {
                symbol: unit.symbol.to_owned(),
                names: unit.names.iter().map(|&name| name.to_owned()).collect(),
                kind: unit.kind.to_owned(),
                takes_prefixes: unit.takes_prefixes(),
            })
            .collect())
    }
}

fn reported(quantity: quantity::Quantity) -> Quantity {
    Quantity {
        value: quantity.shown_value(),
        unit: quantity.shown_unit(),
        text: quantity.to_string(),
    }
}

fn failure(error: &error::Error, argument: &str, source: &str) -> Failure {
    Failure {
        kind: FailureKind::InvalidArgument,
        message: error.message_in(source),
        fix: Some(error.problem.fix.clone()),
        argument: Some(argument.to_owned()),
        retryable: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_where_and_how_to_mend_it() {
        let failure = Calculator::evaluate("2 m + 3 kg".to_owned()).unwrap_err();
        assert_eq!(failure.argument.as_deref(), Some("expression"));
        assert_eq!(
            failure.message,
            "at position 5 (`+`): cannot add a mass to a length"
        );
        assert_eq!(
            failure.fix.as_deref(),
            Some("use units that measure the same thing on both sides of `+`")
        );
    }

    #[test]
    fn convert_names_the_argument_at_fault() {
        let hot = Calculator::convert(100.0, "degF".to_owned(), "degC".to_owned()).unwrap();
        assert_eq!(hot.text, "37.777777777778 degC");
        let failure = Calculator::convert(1.0, "kmm".to_owned(), "m".to_owned()).unwrap_err();
        assert_eq!(failure.argument.as_deref(), Some("unit"));
        let failure = Calculator::convert(1.0, "km".to_owned(), "s".to_owned()).unwrap_err();
        assert_eq!(failure.argument.as_deref(), Some("target"));
    }

    #[test]
    fn units_are_listed_by_kind() {
        let listed = Calculator::list_units(Some("temperature".to_owned())).unwrap();
        let symbols: Vec<_> = listed.iter().map(|unit| unit.symbol.as_str()).collect();
        assert_eq!(symbols, ["K", "degC", "degF"]);
        assert!(Calculator::list_units(None).unwrap().len() > 50);
        let failure = Calculator::list_units(Some("lenght".to_owned())).unwrap_err();
        assert!(failure.fix.unwrap().contains("length"));
    }
}
