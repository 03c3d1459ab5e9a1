//! Descriptions of the members within a value: the manifest's texts, found by the members' place
//! in a shape.

use tool_hub_manifest::Members;

use crate::shape::{Label, Shape};

/// The texts of one value and of what is within it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texts<'a> {
    /// The texts of the outermost value; none if the manifest describes no member.
    all: Option<&'a Members>,
    /// Where in the outermost value this one stands.
    place: String,
}

impl<'a> Texts<'a> {
    /// The texts `members` of an outermost value.
    pub(crate) fn of(members: &'a Members) -> Self {
        Self {
            all: Some(members).filter(|members| !members.is_empty()),
            place: String::new(),
        }
    }

    /// The description of this value itself.
    pub(crate) fn here(&self) -> Option<&'a str> {
        let text = self.all?.get(&self.place)?;
        Some(text.as_str()).filter(|text| !text.trim().is_empty())
    }

    /// The texts of the member `name`.
    pub(crate) fn member(&self, name: &str) -> Self {
        let place = match &self.all {
            None => String::new(),
            Some(_) => joined(&self.place, name),
        };
        Self {
            all: self.all,
            place,
        }
    }

    /// A line for each of `cases` that has a description, for values that are only a name and so
    /// have no schema of their own.
    pub(crate) fn cases(&self, cases: &[Label]) -> Option<String> {
        let lines = cases.iter().filter_map(|case| {
            let text = self.member(&case.json).here()?;
            let words: Vec<&str> = text.split_whitespace().collect();
            Some(format!("- `{}`: {}", case.json, words.join(" ")))
        });
        let lines: Vec<String> = lines.collect();
        Some(lines.join("\n")).filter(|lines| !lines.is_empty())
    }
}

/// The place of the member `name` within what stands at `place`.
pub(crate) fn joined(place: &str, name: &str) -> String {
    match place {
        "" => name.to_owned(),
        _ => format!("{place}.{name}"),
    }
}

/// True if a value of `shape` has a member at `place`.
pub(crate) fn is_place(shape: &Shape, place: &str) -> bool {
    let mut value = Some(shape);
    place.split('.').all(|name| {
        let found = value.and_then(|shape| member(held(shape), name));
        value = found.flatten();
        found.is_some()
    })
}

/// The shape below lists, options and maps, whose items have no name.
fn held(shape: &Shape) -> &Shape {
    let mut shape = shape;
    loop {
        shape = match shape {
            Shape::List(inner) | Shape::FixedList(inner, _) | Shape::Option(inner) => inner,
            Shape::Map(key, value) if **key == Shape::String => value,
            named => return named,
        }
    }
}

/// The member `name` of `shape`, if there is one, and its shape, if it has one.
fn member<'s>(shape: &'s Shape, name: &str) -> Option<Option<&'s Shape>> {
    let numbered = |index: usize| name == index.to_string();
    match shape {
        Shape::Record(fields) => {
            let mut fields = fields.iter();
            let field = fields.find(|field| field.label.json == name)?;
            Some(Some(&field.shape))
        }
        Shape::Variant(cases) => {
            let mut cases = cases.iter();
            let case = cases.find(|case| case.label.json == name)?;
            Some(case.shape.as_ref())
        }
        Shape::Enum(labels) | Shape::Flags(labels) => labels
            .iter()
            .any(|label| label.json == name)
            .then_some(None),
        Shape::Tuple(items) => {
            let mut items = items.iter().enumerate();
            items
                .find(|(index, _)| numbered(*index))
                .map(|(_, item)| Some(item))
        }
        Shape::Map(key, value) => match name {
            "0" => Some(Some(key)),
            "1" => Some(Some(value)),
            _ => None,
        },
        Shape::Result(ok, err) => match name {
            "ok" => Some(ok.as_deref()),
            "err" => Some(err.as_deref()),
            _ => None,
        },
        _ => None,
    }
}
