//! Parses and evaluates an expression in one pass, and parses units such as `km/h`.
//!
//! ```text
//! expression = sum { "in" units }
//! sum        = product { ( "+" | "-" ) product }
//! product    = signed { ( "*" | "/" | "of" ) signed }
//! signed     = { "-" | "+" } power
//! power      = percent [ "^" signed ]
//! percent    = atom { "%" }
//! atom       = number [ unit ] | constant | unit | function "(" arguments ")" | "(" expression ")"
//! units      = unit { ( "*" | "/" ) unit }
//! unit       = name [ "^" [ "-" ] number ]
//! ```

use crate::error::{Error, Problem};
use crate::function;
use crate::quantity::Quantity;
use crate::token::{Kind, Token, tokens};
use crate::unit_product::UnitProduct;
use crate::unit_search;

/// Enough for what an agent writes, and too little to keep the parser busy.
const SOURCE_BYTES_MAX: usize = 4096;
/// Parentheses nest on the stack of the component.
const DEPTH_MAX: usize = 64;

/// Evaluates an expression.
///
/// # Errors
/// At the first place that does not fit, with what was expected there.
pub fn evaluate(source: &str) -> Result<Quantity, Error> {
    let mut parser = Parser::new(source)?;
    let value = parser.expression()?;
    parser.finish()?;
    Ok(value)
}

/// Reads a unit such as `km/h`.
///
/// # Errors
/// At the first place that is no unit.
pub fn parse_unit(source: &str) -> Result<UnitProduct, Error> {
    let mut parser = Parser::new(source)?;
    let units = parser.units()?;
    parser.finish()?;
    Ok(units)
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

impl Parser {
    fn new(source: &str) -> Result<Self, Error> {
        if source.len() > SOURCE_BYTES_MAX {
            let problem = Problem::new(
                format!("the expression is longer than {SOURCE_BYTES_MAX} bytes"),
                "evaluate it in parts",
            );
            return Err(problem.at(0));
        }
        Ok(Self {
            tokens: tokens(source)?,
            next: 0,
            depth: 0,
        })
    }

    fn expression(&mut self) -> Result<Quantity, Error> {
        let mut value = self.sum()?;
        while self.takes_word(&["in", "to", "as"]) {
            let position = self.position();
            let target = self.units()?;
            value = value
                .converted(&target)
                .map_err(|problem| problem.at(position))?;
        }
        Ok(value)
    }

    fn sum(&mut self) -> Result<Quantity, Error> {
        let mut value = self.product()?;
        loop {
            let position = self.position();
            let sign = match self.kind() {
                Kind::Sign('+') => 1.0,
                Kind::Sign('-') => -1.0,
                _ => return Ok(value),
            };
            self.next += 1;
            let other = self.product()?;
            value = value
                .plus(&other, sign)
                .map_err(|problem| problem.at(position))?;
        }
    }

    fn product(&mut self) -> Result<Quantity, Error> {
        let mut value = self.signed()?;
        loop {
            let position = self.position();
            let divides = self.takes_sign('/');
            if !divides && !self.takes_sign('*') && !self.takes_word(&["of"]) {
                return Ok(value);
            }
            let other = self.signed()?;
            let result = if divides {
                value.over(&other)
            } else {
                value.times(&other)
            };
            value = result.map_err(|problem| problem.at(position))?;
        }
    }

    fn signed(&mut self) -> Result<Quantity, Error> {
        let position = self.position();
        let mut negative = false;
        loop {
            if self.takes_sign('-') {
                negative = !negative;
            } else if !self.takes_sign('+') {
                break;
            }
        }
        let value = self.power()?;
        if negative {
            value.negated().map_err(|problem| problem.at(position))
        } else {
            Ok(value)
        }
    }

    fn power(&mut self) -> Result<Quantity, Error> {
        let value = self.percent()?;
        let position = self.position();
        if !self.takes_sign('^') {
            return Ok(value);
        }
        let exponent = self.nested(Self::signed)?;
        value
            .power(&exponent)
            .map_err(|problem| problem.at(position))
    }

    fn percent(&mut self) -> Result<Quantity, Error> {
        let mut value = self.atom()?;
        loop {
            let position = self.position();
            if !self.takes_sign('%') {
                return Ok(value);
            }
            if matches!(self.kind(), Kind::Number(_) | Kind::Sign('(')) {
                let problem = Problem::new(
                    "`%` means percent and cannot stand between two numbers",
                    "write `mod(7, 3)` for the remainder, or `7% * 3` for a part",
                );
                return Err(problem.at(position));
            }
            value = Quantity::number(100.0)
                .and_then(|hundred| value.over(&hundred))
                .map_err(|problem| problem.at(position))?;
        }
    }

    fn atom(&mut self) -> Result<Quantity, Error> {
        let position = self.position();
        match self.kind().clone() {
            Kind::Number(value) => {
                self.next += 1;
                let unit = match self.kind() {
                    Kind::Name(name) if !is_word(name) && !self.opens_call() => self.unit()?,
                    _ => UnitProduct::none(),
                };
                Quantity::measured(value, unit).map_err(|problem| problem.at(position))
            }
            Kind::Sign('(') => {
                self.next += 1;
                let value = self.nested(Self::expression)?;
                self.close(position)?;
                Ok(value)
            }
            Kind::Name(name) if self.opens_call() => self.call(&name),
            Kind::Name(name) if !is_word(&name) => {
                let value = match function::constant(&name) {
                    Some(value) => {
                        self.next += 1;
                        Quantity::number(value)
                    }
                    None => Quantity::measured(1.0, self.single_unit()?),
                };
                value.map_err(|problem| problem.at(position))
            }
            _ => Err(self.expected("a number, a unit, a function or `(`")),
        }
    }

    fn call(&mut self, name: &str) -> Result<Quantity, Error> {
        let position = self.position();
        if !function::exists(name) {
            return Err(function::unknown(name).at(position));
        }
        self.next += 2;
        let mut arguments = Vec::new();
        if !matches!(self.kind(), Kind::Sign(')')) {
            arguments.push(self.nested(Self::expression)?);
            while self.takes_sign(',') {
                arguments.push(self.nested(Self::expression)?);
            }
        }
        self.close(position)?;
        function::call(name, arguments).map_err(|problem| problem.at(position))
    }

    fn units(&mut self) -> Result<UnitProduct, Error> {
        let mut product = self.unit()?;
        loop {
            let position = self.position();
            let power = match self.kind() {
                Kind::Sign('*') => 1,
                Kind::Sign('/') => -1,
                _ => return Ok(product),
            };
            self.next += 1;
            product = product
                .times(&self.unit()?, power)
                .map_err(|problem| problem.at(position))?;
        }
    }

    fn unit(&mut self) -> Result<UnitProduct, Error> {
        let unit = self.single_unit()?;
        if !self.takes_sign('^') {
            return Ok(unit);
        }
        let position = self.position();
        let negative = self.takes_sign('-');
        match *self.kind() {
            Kind::Number(power) if power.fract() == 0.0 && (1.0..=100.0).contains(&power) => {
                self.next += 1;
                let sign = if negative { -1 } else { 1 };
                (0..power as u8)
                    .try_fold(UnitProduct::none(), |product, _| product.times(&unit, sign))
                    .map_err(|problem| problem.at(position))
            }
            _ => Err(self.expected("a whole power of the unit, such as `2` in `m^2`")),
        }
    }

    fn single_unit(&mut self) -> Result<UnitProduct, Error> {
        let position = self.position();
        let Kind::Name(name) = self.kind().clone() else {
            return Err(self.expected("a unit, such as `km` or `m/s`"));
        };
        let Some(found) = unit_search::find(&name) else {
            return Err(unknown_name(&name).at(position));
        };
        self.next += 1;
        Ok(UnitProduct::single(found, 1))
    }

    fn nested<T>(&mut self, parse: impl Fn(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth == DEPTH_MAX {
            let problem = Problem::new(
                format!("parentheses and powers nest deeper than {DEPTH_MAX}"),
                "evaluate the inner part first",
            );
            return Err(problem.at(self.position()));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn close(&mut self, opened: usize) -> Result<(), Error> {
        if self.takes_sign(')') {
            return Ok(());
        }
        let mut error = self.expected("`)`");
        if matches!(self.kind(), Kind::End) {
            error.problem.fix = format!("close the parenthesis of position {}", opened + 1);
        }
        Err(error)
    }

    fn finish(&self) -> Result<(), Error> {
        match self.kind() {
            Kind::End => Ok(()),
            _ => Err(self.expected("an operator or the end")),
        }
    }

    fn expected(&self, what: &str) -> Error {
        let previous = self
            .next
            .checked_sub(1)
            .map(|index| &self.tokens[index].kind);
        let after_number = matches!(previous, Some(Kind::Number(_)));
        let after_in = matches!(previous, Some(Kind::Name(name)) if name == "in");
        let fix = match self.kind() {
            Kind::Sign(',') if after_number => {
                "write numbers without commas: `1000` or `1_000`, and `1.5` for one and a half"
            }
            Kind::Sign(')') if what.starts_with("an operator") => {
                "remove this parenthesis or open one before it"
            }
            Kind::Number(_) | Kind::Name(_) | Kind::Sign('(')
                if what.starts_with("an operator") =>
            {
                "write `*` for a product; between units too, as in `5 N*m`"
            }
            Kind::End if after_in => {
                "name the unit to convert into, such as `5 km in mi`; inches are written `inch`"
            }
            Kind::End if self.next == 0 => "write an expression such as `2 + 3` or `5 km in mi`",
            Kind::End => "complete the expression",
            _ => "look at what stands before this place",
        };
        Problem::new(format!("expected {what}"), fix).at(self.position())
    }

    fn opens_call(&self) -> bool {
        matches!(self.kind(), Kind::Name(_))
            && self
                .tokens
                .get(self.next + 1)
                .is_some_and(|token| token.kind == Kind::Sign('('))
    }

    fn takes_sign(&mut self, sign: char) -> bool {
        let takes = *self.kind() == Kind::Sign(sign);
        self.next += usize::from(takes);
        takes
    }

    fn takes_word(&mut self, words: &[&str]) -> bool {
        let takes = matches!(self.kind(), Kind::Name(name) if words.contains(&name.as_str()));
        self.next += usize::from(takes);
        takes
    }

    /// The last token is [`Kind::End`] and is never taken.
    fn kind(&self) -> &Kind {
        &self.tokens[self.next].kind
    }

    fn position(&self) -> usize {
        self.tokens[self.next].position
    }
}

fn is_word(name: &str) -> bool {
    matches!(name, "in" | "to" | "as" | "of")
}

fn unknown_name(name: &str) -> Problem {
    if function::exists(name) {
        return Problem::new(
            format!("`{name}` is a function and needs an argument"),
            format!("write `{name}(…)`"),
        );
    }
    let letters = name.trim_end_matches(|character: char| character.is_ascii_digit());
    let near = unit_search::nearest(name);
    let fix = if letters != name && unit_search::find(letters).is_some() {
        format!(
            "write powers with `^`: `{letters}^{}`",
            &name[letters.len()..]
        )
    } else if near.is_empty() {
        "`list_units` shows every unit; constants are `pi`, `tau` and `e`".to_owned()
    } else {
        format!(
            "did you mean `{}`? `list_units` shows every unit",
            near.join("`, `")
        )
    };
    Problem::new(format!("there is no unit or constant `{name}`"), fix)
}

#[cfg(test)]
mod tests;
