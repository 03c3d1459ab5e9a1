//! The functions and constants that expressions may use.

use std::f64::consts::{E, PI, TAU};

use crate::error::Problem;
use crate::quantity::Quantity;

const FUNCTIONS: &[&str] = &[
    "abs",
    "acos",
    "asin",
    "atan",
    "atan2",
    "cbrt",
    "ceil",
    "cos",
    "exp",
    "factorial",
    "floor",
    "hypot",
    "ln",
    "log10",
    "log2",
    "max",
    "mean",
    "min",
    "mod",
    "round",
    "sin",
    "sqrt",
    "sum",
    "tan",
];

/// The value of a constant.
#[must_use]
pub fn constant(name: &str) -> Option<f64> {
    match name {
        "pi" | "π" => Some(PI),
        "tau" | "τ" => Some(TAU),
        "e" => Some(E),
        _ => None,
    }
}

/// True if `name` is a function.
#[must_use]
pub fn exists(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

/// Says that there is no such function, and which are near.
#[must_use]
pub fn unknown(name: &str) -> Problem {
    let near = FUNCTIONS
        .iter()
        .map(|&known| (strsim::osa_distance(known, &name.to_lowercase()), known))
        .min()
        .filter(|&(distance, _)| distance <= 2);
    let fix = match (name, near) {
        ("log", _) => "write `ln` for the natural or `log10` for the decimal logarithm".to_owned(),
        (_, Some((_, known))) => format!("did you mean `{known}`?"),
        _ => format!("use one of: {}", FUNCTIONS.join(", ")),
    };
    Problem::new(format!("there is no function `{name}`"), fix)
}

/// Calls a function that [`exists`].
///
/// # Errors
/// When the number of arguments or what they measure does not fit.
pub fn call(name: &str, arguments: Vec<Quantity>) -> Result<Quantity, Problem> {
    match (name, arguments.as_slice()) {
        ("sqrt", [x]) => x.clone().root(2),
        ("cbrt", [x]) => x.clone().root(3),
        ("abs", [x]) => x.clone().map(f64::abs),
        ("floor", [x]) => x.clone().map(f64::floor),
        ("ceil", [x]) => x.clone().map(f64::ceil),
        ("round", [x]) => x.clone().map(f64::round),
        ("round", [x, digits]) => {
            let digits = whole(digits, "the number of digits", 0.0, 15.0)?;
            let scale = 10_f64.powf(digits);
            x.clone().map(|value| (value * scale).round() / scale)
        }
        ("factorial", [x]) => {
            let x = whole(x, "the argument of `factorial`", 0.0, 170.0)?;
            Quantity::number((1..=x as u32).map(f64::from).product())
        }
        ("atan2", [y, x]) => Quantity::number(y.comparable(x)?.atan2(x.comparable(y)?)),
        ("mod", [x, y]) => remainder(x, y),
        ("hypot", [x, y]) => {
            let squares = x.clone().times(x)?.plus(&y.clone().times(y)?, 1.0)?;
            squares.root(2)
        }
        ("min", [first, rest @ ..]) => extreme(first, rest, |value, best| value < best),
        ("max", [first, rest @ ..]) => extreme(first, rest, |value, best| value > best),
        ("sum", [first, rest @ ..]) => sum(first, rest),
        ("mean", [first, rest @ ..]) => {
            sum(first, rest)?.over(&Quantity::number(arguments.len() as f64)?)
        }
        (_, [x]) => match plain_function(name) {
            Some(function) => {
                Quantity::number(function(x.plain(&format!("the argument of `{name}`"))?))
            }
            None => Err(wrong_count(name, 1)),
        },
        (_, other) => Err(wrong_count(name, other.len())),
    }
}

fn plain_function(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "exp" => f64::exp,
        "ln" => f64::ln,
        "log10" => f64::log10,
        "log2" => f64::log2,
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tan" => f64::tan,
        "asin" => f64::asin,
        "acos" => f64::acos,
        "atan" => f64::atan,
        _ => return None,
    })
}

fn wrong_count(name: &str, given: usize) -> Problem {
    let wanted = match name {
        "atan2" | "mod" | "hypot" => "two arguments",
        "round" => "one or two arguments",
        "min" | "max" | "sum" | "mean" => "at least one argument",
        _ => "one argument",
    };
    Problem::new(
        format!("`{name}` takes {wanted}, not {given}"),
        format!("write {wanted} in the parentheses, with `,` between arguments"),
    )
}

fn whole(value: &Quantity, what: &str, least: f64, most: f64) -> Result<f64, Problem> {
    let number = value.plain(what)?;
    if number.fract() == 0.0 && (least..=most).contains(&number) {
        Ok(number)
    } else {
        Err(Problem::new(
            format!("{what} is {number}"),
            format!("use a whole number from {least} to {most}"),
        ))
    }
}

/// The remainder has the sign of the divisor, as in mathematics and in Python.
fn remainder(x: &Quantity, y: &Quantity) -> Result<Quantity, Problem> {
    x.comparable(y)?;
    let times = x.clone().over(y)?.map(f64::floor)?;
    x.clone().plus(&y.clone().times(&times)?, -1.0)
}

fn extreme(
    first: &Quantity,
    rest: &[Quantity],
    better: fn(f64, f64) -> bool,
) -> Result<Quantity, Problem> {
    rest.iter().try_fold(first.clone(), |best, value| {
        let is_better = better(value.comparable(&best)?, best.comparable(value)?);
        Ok(if is_better { value.clone() } else { best })
    })
}

fn sum(first: &Quantity, rest: &[Quantity]) -> Result<Quantity, Problem> {
    rest.iter()
        .try_fold(first.clone(), |sum, value| sum.plus(value, 1.0))
}
