//! Finds functions that a model could confuse, by their names or descriptions.

use std::collections::BTreeSet;

use strsim::damerau_levenshtein;
use tool_hub_manifest::FunctionSpec;

use super::finding::{Finding, Rule};
use super::words::{first_sentence, stem, telling, words};

/// A description with fewer telling words is too short to be compared.
const WORDS_MIN: usize = 3;
/// Two descriptions say the same when so many of a hundred of their words are the same.
const SHARED_PERCENT: usize = 75;
/// Shorter words that differ by a letter are simply other words, as `get` and `set` are.
const LETTERS_MIN: usize = 5;
/// Longer names are not compared letter by letter.
const NAME_LETTERS_MAX: usize = 128;
/// More words of a description are not compared.
const WORDS_MAX: usize = 400;

/// The words of a function that are compared with those of others.
pub(super) struct Profile<'a> {
    name: &'a str,
    /// The name's words, in their order.
    name_words: Vec<String>,
    /// Those of the whole description and of its first sentence.
    description: BTreeSet<String>,
    purpose: BTreeSet<String>,
}

impl<'a> Profile<'a> {
    pub(super) fn of(spec: &'a FunctionSpec) -> Self {
        Self {
            name: &spec.name,
            name_words: words(&spec.name).collect(),
            description: telling(&spec.description).take(WORDS_MAX).collect(),
            purpose: telling(first_sentence(&spec.description))
                .take(WORDS_MAX)
                .collect(),
        }
    }

    fn is_confusable(&self, other: &Self) -> bool {
        let (a, b) = (&self.name_words, &other.name_words);
        if a.len() != b.len() || self.name.len().max(other.name.len()) > NAME_LETTERS_MAX {
            return false;
        }
        let sorted = |words: &[String]| {
            let mut stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
            stems.sort();
            stems
        };
        if sorted(a) == sorted(b) {
            return true;
        }
        let mut different = a.iter().zip(b).filter(|(a, b)| a != b);
        match (different.next(), different.next()) {
            (Some((a, b)), None) => {
                a.chars().count().min(b.chars().count()) >= LETTERS_MIN
                    && damerau_levenshtein(a, b) == 1
            }
            _ => false,
        }
    }

    fn says_the_same(&self, other: &Self) -> bool {
        let is_same = |a: &BTreeSet<String>, b: &BTreeSet<String>| {
            let shared = a.intersection(b).count();
            let all = a.union(b).count();
            a.len().min(b.len()) >= WORDS_MIN && shared * 100 >= all * SHARED_PERCENT
        };
        is_same(&self.description, &other.description) || {
            // The same purpose in the same words, whatever comes after it.
            self.purpose.len() >= WORDS_MIN && self.purpose == other.purpose
        }
    }
}

/// The finding about a function that is like one of the functions before it.
pub(super) fn judge<'a>(
    profile: &Profile<'_>,
    others: impl Iterator<Item = &'a Profile<'a>>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |rule, message: String, instead: &str| {
        findings.push(Finding {
            function: profile.name.to_owned(),
            argument: None,
            rule,
            message,
            instead: instead.to_owned(),
        });
    };
    let (mut is_confusable, mut is_same) = (false, false);
    for other in others {
        let name = other.name;
        if !is_confusable && profile.is_confusable(other) {
            is_confusable = true;
            find(
                Rule::Confusable,
                format!("its name is nearly that of `{name}`"),
                "give one of them a word that the other has not, such as what it works on",
            );
        }
        if !is_same && profile.says_the_same(other) {
            is_same = true;
            find(
                Rule::Overlap,
                format!("its description says nearly what that of `{name}` says"),
                "say what it does that the other does not, and when to choose which",
            );
        }
    }
    findings
}
