//! Matches texts against a constraint in all its formats, which must agree.
//! `regex`, llguidance and our own GBNF matcher read them.

use std::sync::LazyLock;

use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::ApproximateTokEnv;
use llguidance::{Matcher, ParserFactory};

use super::gbnf::Gbnf;
use super::*;

/// Every byte is a token, so that every text can be written.
static FACTORY: LazyLock<ParserFactory> = LazyLock::new(|| {
    let mut factory = ParserFactory::new_simple(&ApproximateTokEnv::single_byte_env()).unwrap();
    factory.quiet();
    factory
});

/// A constraint in all formats that can say it, as their readers understand it.
pub(super) struct Matchers {
    regex: Option<::regex::Regex>,
    lark: (String, Matcher),
    gbnf: (String, Gbnf),
}

impl Matchers {
    #[track_caller]
    pub(super) fn of(constraint: &Constraint) -> Self {
        let regex = match constraint.compile(Format::Regex) {
            Ok(regex) => Some(
                ::regex::RegexBuilder::new(&format!("^(?:{})$", regex.text))
                    .size_limit(256 << 20)
                    .build()
                    .unwrap(),
            ),
            Err(ConstraintError::Recursive { .. }) => None,
            Err(error) => panic!("{error}"),
        };
        let lark = constraint.compile(Format::Lark).unwrap().text;
        let mut matcher = matcher(TopLevelGrammar::from_lark(lark.clone()), &lark);
        assert_eq!(matcher.grammar_warnings(), [""; 0], "{lark}");
        let gbnf = constraint.compile(Format::Gbnf).unwrap().text;
        Self {
            regex,
            lark: (lark, matcher),
            gbnf: (gbnf.clone(), Gbnf::read(&gbnf)),
        }
    }

    /// True if all formats accept `text`. They have to agree.
    #[track_caller]
    pub(super) fn accept(&self, text: &str) -> bool {
        let by_lark = accepts(&self.lark.1, text);
        let by_gbnf = self.gbnf.1.accepts(text);
        assert_eq!(by_lark, by_gbnf, "{text}\n{}\n{}", self.lark.0, self.gbnf.0);
        if let Some(regex) = &self.regex {
            assert_eq!(
                by_lark,
                regex.is_match(text),
                "{text}\n{regex}\n{}",
                self.lark.0
            );
        }
        by_lark
    }

    #[track_caller]
    pub(super) fn agree(&self, text: &str, is_accepted: bool) {
        assert_eq!(self.accept(text), is_accepted, "{text}\n{}", self.lark.0);
    }
}

/// The parser of llguidance for a grammar.
#[track_caller]
fn matcher(grammar: TopLevelGrammar, shown: &str) -> Matcher {
    let matcher = Matcher::new(FACTORY.create_parser(grammar));
    assert!(!matcher.is_error(), "{:?}\n{shown}", matcher.get_error());
    matcher
}

/// True if `text`, all of it and nothing more, can be written.
fn accepts(matcher: &Matcher, text: &str) -> bool {
    let mut matcher = matcher.deep_clone();
    let tokens: Vec<u32> = text.bytes().map(u32::from).collect();
    let taken = matcher.try_consume_tokens(&tokens).unwrap();
    taken == tokens.len() && matcher.is_accepting().unwrap()
}
