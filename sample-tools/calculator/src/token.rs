//! Splits an expression into numbers, names and signs.

use crate::error::{Error, Problem};

/// A piece of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A number, finite and not negative.
    Number(f64),
    /// The name of a unit, a constant, a function, or a word such as `in`.
    Name(String),
    /// One of `+ - * / ^ % ( ) ,`.
    Sign(char),
    /// Behind the last piece.
    End,
}

/// A piece and where it begins, in characters from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// The kind of token.
    pub kind: Kind,
    /// The place of its first character.
    pub position: usize,
}

/// Splits `source`; the last token is [`Kind::End`].
///
/// # Errors
/// At a character that means nothing here, or a number that is none.
pub fn tokens(source: &str) -> Result<Vec<Token>, Error> {
    let characters: Vec<char> = source.chars().collect();
    let mut found = Vec::new();
    let mut position = 0;
    while let Some(&character) = characters.get(position) {
        let rest = &characters[position..];
        let (kind, length) = match character {
            _ if character.is_whitespace() => {
                position += 1;
                continue;
            }
            '0'..='9' | '.' => number(rest).map_err(|problem| problem.at(position))?,
            '-' if rest.get(1) == Some(&'>') => (Kind::Name("in".to_owned()), 2),
            '*' if rest.get(1) == Some(&'*') => (Kind::Sign('^'), 2),
            '+' | '-' | '*' | '/' | '^' | '%' | '(' | ')' | ',' => (Kind::Sign(character), 1),
            '×' | '·' | '⋅' => (Kind::Sign('*'), 1),
            '÷' => (Kind::Sign('/'), 1),
            '−' | '–' => (Kind::Sign('-'), 1),
            _ if begins_name(character) => name(rest),
            _ => return Err(unknown_character(character).at(position)),
        };
        found.push(Token { kind, position });
        position += length;
    }
    let position = characters.len();
    found.push(Token {
        kind: Kind::End,
        position,
    });
    Ok(found)
}

fn number(rest: &[char]) -> Result<(Kind, usize), Problem> {
    let digits = |from: usize| {
        rest[from..]
            .iter()
            .take_while(|character| character.is_ascii_digit() || **character == '_')
            .count()
    };
    let mut length = digits(0);
    if rest.get(length) == Some(&'.') {
        length += 1;
        length += digits(length);
    }
    if matches!(rest.get(length), Some('e' | 'E')) {
        let sign = usize::from(matches!(rest.get(length + 1), Some('+' | '-')));
        if rest
            .get(length + 1 + sign)
            .is_some_and(char::is_ascii_digit)
        {
            length += 1 + sign;
            length += digits(length);
        }
    }
    let written: String = rest[..length].iter().collect();
    if rest.get(length) == Some(&'.') {
        return Err(Problem::new(
            format!("`{written}.` is not a number"),
            "write one decimal point at most, and group digits with `_`: 1_000_000.5",
        ));
    }
    match written.replace('_', "").parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((Kind::Number(value), length)),
        Ok(_) => Err(Problem::new(
            format!("`{written}` is too large"),
            "use numbers up to 1.7e308",
        )),
        Err(_) => Err(Problem::new(
            format!("`{written}` is not a number"),
            "write numbers like `3`, `0.5` or `1.2e-3`",
        )),
    }
}

fn name(rest: &[char]) -> (Kind, usize) {
    let name: String = rest
        .iter()
        .take_while(|&&character| {
            begins_name(character) || character.is_ascii_digit() || character == '_'
        })
        .collect();
    let length = name.chars().count();
    (Kind::Name(name), length)
}

fn begins_name(character: char) -> bool {
    character.is_alphabetic() || matches!(character, '°' | '℃' | '℉')
}

fn unknown_character(character: char) -> Problem {
    let fix = match character {
        '[' | ']' | '{' | '}' => "use round parentheses",
        '=' => "write only the expression to evaluate, without `=`",
        '$' | '€' | '£' => "leave the currency out: amounts of money are plain numbers here",
        '²' => "write `^2`",
        '³' => "write `^3`",
        '\'' => "write `ft` for feet",
        '"' => "write `inch` for inches",
        '!' => "write `factorial(5)`",
        '√' => "write `sqrt(2)`",
        _ => "use numbers, units, names of functions, parentheses and `+ - * / ^ %`",
    };
    Problem::new(format!("`{character}` has no meaning here"), fix)
}
