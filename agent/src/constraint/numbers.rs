//! Builds grammars of JSON integers within bounds, and of JSON numbers with or without a sign.

use super::expression::Expression;

/// The digits of a whole number without bounds.
const INTEGER_DIGITS_MAX: u32 = 18;
/// The digits before and after the decimal point. The usual libraries write every double with no
/// more, or with an exponent.
const WHOLE_DIGITS_MAX: u32 = 17;
const FRACTION_DIGITS_MAX: u32 = 20;

/// Whole numbers from `min` to `max`, both included, or none if there is none.
pub(super) fn integer(min: Option<i128>, max: Option<i128>) -> Option<Expression> {
    let largest = 10_i128.pow(INTEGER_DIGITS_MAX) - 1;
    let min = min.unwrap_or_else(|| (-largest).min(max.unwrap_or(0)));
    let max = max.unwrap_or_else(|| largest.max(min));
    if min > max {
        return None;
    }
    let mut choices = Vec::new();
    if min < 0 {
        let (from, to) = ((-max).max(1), -min);
        let minus = Expression::text("-");
        choices.push(Expression::Sequence(vec![minus, positive(from, to)]));
    }
    if min <= 0 && max >= 0 {
        choices.push(Expression::text("0"));
    }
    if max > 0 {
        choices.push(positive(min.max(1), max));
    }
    Some(Expression::any_of(choices))
}

/// Any number, or any that is not below zero.
pub(super) fn number(is_negative_allowed: bool) -> Expression {
    let digit = || Expression::range('0', '9');
    let fraction = Expression::Sequence(vec![
        Expression::text("."),
        digit().times(1, Some(FRACTION_DIGITS_MAX)),
    ])
    .optional();
    let leading = Expression::Sequence(vec![
        Expression::range('1', '9'),
        digit().times(0, Some(WHOLE_DIGITS_MAX - 1)),
    ]);
    let plain = Expression::Sequence(vec![
        Expression::Choice(vec![Expression::text("0"), leading]),
        fraction.clone(),
    ]);
    // A larger exponent would make the number infinite, which readers refuse.
    let large = Expression::Sequence(vec![
        Expression::text("+").optional(),
        Expression::Choice(vec![
            digit().times(1, Some(2)),
            Expression::Sequence(vec![Expression::one_of("12"), digit().times(2, Some(2))]),
            Expression::Sequence(vec![Expression::text("30"), Expression::range('0', '7')]),
        ]),
    ]);
    let small = Expression::Sequence(vec![Expression::text("-"), digit().times(1, Some(3))]);
    let scientific = Expression::Sequence(vec![
        digit(),
        fraction,
        Expression::one_of("eE"),
        Expression::Choice(vec![large, small]),
    ]);
    let number = Expression::Choice(vec![plain, scientific]);
    match is_negative_allowed {
        true => Expression::Sequence(vec![Expression::text("-").optional(), number]),
        false => number,
    }
}

/// Whole numbers from `from` to `to`, where `from` is at least 1.
fn positive(from: i128, to: i128) -> Expression {
    let mut choices = Vec::new();
    let mut begin = from;
    while begin <= to {
        let digits = digits_of(begin).len() as u32;
        let end = to.min(10_i128.pow(digits) - 1);
        if begin == 10_i128.pow(digits - 1) && end != to {
            // Every number of this length, and of each greater length that fits completely.
            let mut longest = digits;
            while 10_i128.pow(longest + 1) - 1 <= to {
                longest += 1;
            }
            choices.push(match longest {
                1 => Expression::range('1', '9'),
                _ => Expression::Sequence(vec![
                    Expression::range('1', '9'),
                    Expression::range('0', '9').times(digits - 1, Some(longest - 1)),
                ]),
            });
            begin = 10_i128.pow(longest);
            continue;
        }
        choices.push(same_length(&digits_of(begin), &digits_of(end)));
        begin = end + 1;
    }
    Expression::any_of(choices)
}

/// Numbers of as many digits as `from` and `to` both have.
fn same_length(from: &[char], to: &[char]) -> Expression {
    let (Some((first, rest)), Some((last, last_rest))) = (from.split_first(), to.split_first())
    else {
        return Expression::Sequence(Vec::new());
    };
    let digit = |from: char, to: char| match from == to {
        true => Expression::text(from),
        false => Expression::range(from, to),
    };
    let then = |digits: Expression, rest: Expression| match rest {
        Expression::Sequence(none) if none.is_empty() => digits,
        rest => Expression::Sequence(vec![digits, rest]),
    };
    if first == last {
        return then(digit(*first, *first), same_length(rest, last_rest));
    }
    let (zeros, nines) = (vec!['0'; rest.len()], vec!['9'; rest.len()]);
    let mut choices = Vec::new();
    let mut full = (*first, *last);
    if rest != zeros {
        choices.push(then(digit(*first, *first), same_length(rest, &nines)));
        full.0 = shifted(*first, 1);
    }
    let ends_full = last_rest == nines;
    if !ends_full {
        full.1 = shifted(*last, -1);
    }
    if full.0 <= full.1 {
        let count = rest.len() as u32;
        let any = match count {
            0 => Expression::Sequence(Vec::new()),
            _ => Expression::range('0', '9').times(count, Some(count)),
        };
        choices.push(then(digit(full.0, full.1), any));
    }
    if !ends_full {
        choices.push(then(digit(*last, *last), same_length(&zeros, last_rest)));
    }
    Expression::any_of(choices)
}

fn digits_of(number: i128) -> Vec<char> {
    number.to_string().chars().collect()
}

fn shifted(digit: char, by: i32) -> char {
    let value = digit.to_digit(10).unwrap_or(0).saturating_add_signed(by);
    char::from_digit(value, 10).unwrap_or('9')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::constraint::expression::Grammar;
    use crate::constraint::regex;

    fn judge(expression: Expression) -> ::regex::Regex {
        let text = regex::print(&Grammar::of_one(expression)).unwrap();
        ::regex::Regex::new(&format!("^(?:{text})$")).unwrap()
    }

    #[test]
    fn numbers_as_libraries_write_them() {
        let judge = judge(number(true));
        for text in [
            "0",
            "-0.5",
            "1e16",
            "1E+16",
            "1.5e300",
            "12345678901234567",
            "5e-324",
            "1.25e-07",
            "0.00012345678901234567",
        ] {
            assert!(judge.is_match(text), "{text}");
        }
        for text in [
            "01", "+1", "1.", ".5", "1e", "1e309", "1e999", "NaN", "10e308", "1 ",
        ] {
            assert!(!judge.is_match(text), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn a_range_holds_its_numbers_and_no_other(
            a in prop_oneof![-200i128..200, -70000i128..70000, any::<i64>().prop_map(i128::from)],
            b in prop_oneof![-200i128..200, -70000i128..70000, any::<i64>().prop_map(i128::from)],
            near in -30i128..30, far in any::<i32>(),
        ) {
            let (min, max) = (a.min(b), a.max(b));
            let judge = judge(integer(Some(min), Some(max)).unwrap());
            for number in [min, max, min + near, max + near, i128::from(far), (min + max) / 2] {
                let is_within = (min..=max).contains(&number);
                prop_assert_eq!(judge.is_match(&number.to_string()), is_within, "{} in {}..={}", number, min, max);
            }
        }
    }

    #[test]
    fn bounds_may_be_missing_or_leave_nothing() {
        assert!(integer(Some(3), Some(2)).is_none());
        let judge_from = judge(integer(Some(-5), None).unwrap());
        assert!(judge_from.is_match("-5") && !judge_from.is_match("-6"));
        assert!(judge_from.is_match("999999999999999999"));
        let judge_to = judge(integer(None, Some(7)).unwrap());
        assert!(judge_to.is_match("-999999999999999999") && !judge_to.is_match("8"));
        assert!(!judge_to.is_match("-0"));
    }
}
