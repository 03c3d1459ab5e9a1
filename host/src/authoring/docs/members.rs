//! Reads WIT doc comments on record fields and cases within a type, each by its path in a value.
//! Cases are those of variants, enums and flags.

use tool_hub_manifest::Members;
use wit_parser::{Resolve, Type, TypeDefKind};

use crate::authoring::docs::text::text;
use crate::values::descriptions::joined;
use crate::values::types::{Budget, snake};

/// The most text that is taken from all comments on members within one value. A type that is named
/// twice is read twice, so a short WIT text could make gigabytes of descriptions.
const TEXTS_BYTES_MAX: usize = 64 << 10;

/// The comments on the members within a value of type `ty`.
pub(super) fn of(resolve: &Resolve, ty: &Type) -> Members {
    let mut reader = Reader {
        resolve,
        budget: Budget::new(),
        bytes_left: TEXTS_BYTES_MAX,
        found: Members::default(),
    };
    reader.read(ty, "", 0);
    reader.found
}

/// The same for what a function answers where it does not fail.
pub(super) fn of_answer(resolve: &Resolve, ty: &Type) -> Members {
    match kind(resolve, ty) {
        Some(TypeDefKind::Result(result)) => match &result.ok {
            Some(ok) => of(resolve, ok),
            None => Members::default(),
        },
        _ => of(resolve, ty),
    }
}

/// The kind of a type that is defined, whatever names lead to it.
fn kind<'r>(resolve: &'r Resolve, ty: &Type) -> Option<&'r TypeDefKind> {
    let mut ty = ty;
    loop {
        let Type::Id(id) = ty else { return None };
        ty = match &resolve.types[*id].kind {
            TypeDefKind::Type(alias) => alias,
            kind => return Some(kind),
        };
    }
}

struct Reader<'r> {
    resolve: &'r Resolve,
    /// A function whose types have more parts cannot be offered.
    budget: Budget,
    bytes_left: usize,
    found: Members,
}

impl Reader<'_> {
    fn read(&mut self, ty: &Type, place: &str, depth: usize) {
        if self.budget.charge(depth).is_err() {
            return;
        }
        let resolve = self.resolve;
        let Some(kind) = kind(resolve, ty) else {
            return;
        };
        let depth = depth + 1;
        match kind {
            TypeDefKind::List(item)
            | TypeDefKind::FixedLengthList(item, _)
            | TypeDefKind::Option(item) => self.read(item, place, depth),
            TypeDefKind::Map(Type::String, value) => self.read(value, place, depth),
            TypeDefKind::Map(key, value) => {
                self.member("0", None, Some(key), place, depth);
                self.member("1", None, Some(value), place, depth);
            }
            TypeDefKind::Tuple(tuple) => {
                for (index, item) in tuple.types.iter().enumerate() {
                    self.member(&index.to_string(), None, Some(item), place, depth);
                }
            }
            TypeDefKind::Result(result) => {
                self.member("ok", None, result.ok.as_ref(), place, depth);
                self.member("err", None, result.err.as_ref(), place, depth);
            }
            TypeDefKind::Record(record) => {
                for field in &record.fields {
                    let docs = field.docs.contents.as_deref();
                    self.member(&field.name, docs, Some(&field.ty), place, depth);
                }
            }
            TypeDefKind::Variant(variant) => {
                for case in &variant.cases {
                    let docs = case.docs.contents.as_deref();
                    self.member(&case.name, docs, case.ty.as_ref(), place, depth);
                }
            }
            TypeDefKind::Enum(cases) => {
                for case in &cases.cases {
                    let docs = case.docs.contents.as_deref();
                    self.member(&case.name, docs, None, place, depth);
                }
            }
            TypeDefKind::Flags(flags) => {
                for flag in &flags.flags {
                    let docs = flag.docs.contents.as_deref();
                    self.member(&flag.name, docs, None, place, depth);
                }
            }
            _ => {}
        }
    }

    /// Reads the member `name` of what stands at `place`.
    fn member(
        &mut self,
        name: &str,
        docs: Option<&str>,
        ty: Option<&Type>,
        place: &str,
        depth: usize,
    ) {
        let place = joined(place, &snake(name));
        let text = text(docs).map(|text| in_paragraphs(&text));
        if let Some(text) = text.filter(|text| text.len() <= self.bytes_left) {
            self.bytes_left -= text.len();
            self.found.insert(place.clone(), text);
        }
        if let Some(ty) = ty {
            self.read(ty, &place, depth);
        }
    }
}

/// The text with its paragraphs and list items on a line each. Other line breaks of a comment mean
/// nothing, and agents would read all of them.
fn in_paragraphs(comment: &str) -> String {
    let mut text = String::new();
    for line in comment.lines() {
        let line = line.trim();
        let begins = line.is_empty() || line.starts_with("- ") || line.starts_with("* ");
        if !text.is_empty() {
            text.push(if begins || text.ends_with('\n') {
                '\n'
            } else {
                ' '
            });
        }
        text.push_str(line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_on_in_their_paragraph() {
        for (comment, expect) in [
            ("One.", "One."),
            ("One,\n  and two.", "One, and two."),
            ("One.\n\nTwo,\nthree.", "One.\n\nTwo, three."),
            ("One:\n- a\n  b\n* c", "One:\n- a b\n* c"),
        ] {
            assert_eq!(in_paragraphs(comment), expect);
        }
    }
}
