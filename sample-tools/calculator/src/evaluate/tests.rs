//! Tests of expressions: their values, and the error that each kind of mistake gets.

use super::*;

#[track_caller]
fn check(source: &str, expected: &str) {
    let found = match evaluate(source) {
        Ok(value) => value.to_string(),
        Err(error) => format!("{} / {}", error.message_in(source), error.problem.fix),
    };
    assert_eq!(found, expected, "{source}");
}

#[track_caller]
fn check_error(source: &str, message: &str, fix_part: &str) {
    let error = evaluate(source).expect_err(source);
    assert_eq!(error.message_in(source), message, "{source}");
    assert!(
        error.problem.fix.contains(fix_part),
        "{source}: {}",
        error.problem.fix
    );
}

#[test]
fn numbers() {
    check("(3 + 4) * 2", "14");
    check("2 + 3 * 4 ^ 2", "50");
    check("2 ^ 3 ^ 2", "512");
    check("-2 ^ 2", "-4");
    check("2 ^ -1", "0.5");
    check("--3", "3");
    check("0.1 + 0.2", "0.3");
    check("1_000 * 1e3", "1000000");
    check(".5 × 4 ÷ 2 − 1", "0");
    check("10 / 4", "2.5");
    check("2 ** 10", "1024");
    check("1e20 * 10", "1e21");
    check("15% * 200", "30");
    check("15% of 80 kg", "12 kg");
    check("0 * -1", "0");
}

#[test]
fn functions() {
    check("sqrt(16) + cbrt(27)", "7");
    check("round(2.345, 2)", "2.35");
    check("sin(30 deg)", "0.5");
    check("atan2(1, 1) in deg", "45 deg");
    check("min(3, 1, 2) + max(3, 1, 2)", "4");
    check("mean(1 m, 2 m, 6 m)", "3 m");
    check("mod(-7, 3)", "2");
    check("mod(100 s, 1 min)", "40 s");
    check("factorial(5)", "120");
    check("hypot(3 m, 4 m)", "5 m");
    check("ln(e) + log10(100) + log2(8)", "6");
    check("round(pi, 4)", "3.1416");
    check("abs(-3 km)", "3 km");
}

#[test]
fn units() {
    check("5 km in mi", "3.1068559611867 mi");
    check("2 m + 30 cm", "2.3 m");
    check("100 km / 2 h", "50 km/h");
    check("100 km / 2 h in m/s", "13.888888888889 m/s");
    check("100 km/h * 30 min in km", "50 km");
    check("9.81 m/s^2 * 2 kg in N", "19.62 N");
    check("5 km^2 in ha", "500 ha");
    check("3 GiB in MB", "3221.225472 MB");
    check("1 kWh -> MJ", "3.6 MJ");
    check("sqrt(9 m^2)", "3 m");
    check("1 / 4 s", "0.25 s^-1");
    check("1 / 4 s in Hz", "0.25 Hz");
    check("6 ft + 2 inches in cm", "187.96 cm");
    check("1 km / 1 m", "1000");
    check("2 m * 3 km", "6000 m^2");
    check("2 h + 15 minutes to min", "135 min");
    check("90 deg in rad", "1.5707963267949 rad");
    check("12 V * 2 A in W", "24 W");
}

#[test]
fn temperatures() {
    check("20 degC in degF", "68 degF");
    check("-40 °C in °F", "-40 degF");
    check("0 K in degC", "-273.15 degC");
    check("(20 degC in K) + 5 K in degC", "25 degC");
    check_error(
        "20 degC + 5 degC",
        "at position 9 (`+`): `degC` marks a point on a scale, with which one cannot calculate",
        "(20 degC in K)",
    );
    check_error(
        "5 J in J/degC",
        "at position 9 (`/degC`): `degC` cannot be part of a product of units",
        "use `K`",
    );
}

#[test]
fn errors_teach() {
    check_error(
        "",
        "at the end: expected a number, a unit, a function or `(`",
        "2 + 3",
    );
    check_error(
        "2 +",
        "at the end: expected a number, a unit, a function or `(`",
        "complete",
    );
    check_error(
        "(1 + 2",
        "at the end: expected `)`",
        "parenthesis of position 1",
    );
    check_error(
        "1 + 2)",
        "at position 6 (`)`): expected an operator or the end",
        "remove",
    );
    check_error(
        "1,000 + 1",
        "at position 2 (`,000`): expected an operator or the end",
        "1_000",
    );
    check_error(
        "2 (3)",
        "at position 3 (`(3)`): expected an operator or the end",
        "`*`",
    );
    check_error(
        "7 % 3",
        "at position 3 (`%`): `%` means percent and cannot stand between two numbers",
        "mod(7, 3)",
    );
    check_error(
        "5 kmm",
        "at position 3 (`kmm`): there is no unit or constant `kmm`",
        "km",
    );
    check_error(
        "5 m2",
        "at position 3 (`m2`): there is no unit or constant `m2`",
        "m^2",
    );
    check_error(
        "5 km in kg",
        "at position 9 (`kg`): cannot convert a length into `kg`, which is a mass",
        "length",
    );
    check_error(
        "5 km in",
        "at the end: expected a unit, such as `km` or `m/s`",
        "inch",
    );
    check_error(
        "log(3)",
        "at position 1 (`log(3)`): there is no function `log`",
        "log10",
    );
    check_error(
        "squrt(3)",
        "at position 1 (`squrt(3)`): there is no function `squrt`",
        "sqrt",
    );
    check_error(
        "sin(3 m)",
        "at position 1 (`sin(3`): the argument of `sin` must be a plain number, not a length",
        "`m`",
    );
    check_error(
        "sqrt(1, 2)",
        "at position 1 (`sqrt(1,`): `sqrt` takes one argument, not 2",
        "one",
    );
    check_error(
        "min()",
        "at position 1 (`min()`): `min` takes at least one argument, not 0",
        ",",
    );
    check_error("1 / 0", "at position 3 (`/`): division by zero", "not 0");
    check_error(
        "sqrt(-1)",
        "at position 1 (`sqrt(-1)`): the result is not a real number",
        "negative",
    );
    check_error(
        "10 ^ 400",
        "at position 4 (`^`): the result is too large, beyond 1.8e308, or infinite",
        "smaller",
    );
    check_error(
        "2 m ^ 0.5",
        "at position 7 (`0.5`): expected a whole power of the unit, such as `2` in `m^2`",
        "",
    );
    check_error(
        "(2 m) ^ 0.5",
        "at position 7 (`^`): cannot raise a length to the power 0.5",
        "sqrt",
    );
    check_error(
        "2 ^ (3 m)",
        "at position 3 (`^`): an exponent must be a plain number, not a length",
        "`m`",
    );
    check_error(
        "1.2.3",
        "at position 1 (`1.2.3`): `1.2.` is not a number",
        "point",
    );
    check_error(
        "3 € * 2",
        "at position 3 (`€`): `€` has no meaning here",
        "currency",
    );
    check_error(
        "sqrt",
        "at position 1 (`sqrt`): `sqrt` is a function and needs an argument",
        "sqrt(",
    );
    check_error(
        &"(".repeat(100),
        &format!(
            "at position 66 (`{}`): parentheses and powers nest deeper than 64",
            "(".repeat(20)
        ),
        "inner",
    );
    check_error(
        &"1+".repeat(3000),
        "at position 1 (`1+1+1+1+1+1+1+1+1+1+`): the expression is longer than 4096 bytes",
        "parts",
    );
}

#[test]
fn no_expression_panics() {
    let pieces = [
        "1", "m", "(", ")", "+", "-", "*", "/", "^", "%", "in", ",", "min", "degC", "e", "1e308",
    ];
    for a in pieces {
        for b in pieces {
            for c in pieces {
                for d in pieces {
                    let _ = evaluate(&format!("{a} {b} {c}{d}"));
                }
            }
        }
    }
}
