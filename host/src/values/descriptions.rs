//! Finds the manifest's descriptions of a value's members by path, and tells if a member exists.

use tool_hub_manifest::Members;

use crate::values::types::{Label, Type};

/// The texts of one value and of what is within it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Descriptions<'a> {
    /// The texts of the outermost value; none if the manifest describes no member.
    all: Option<&'a Members>,
    /// The path of this value in the outermost one.
    path: String,
}

impl<'a> Descriptions<'a> {
    /// The texts `members` of an outermost value.
    pub(crate) fn of(members: &'a Members) -> Self {
        Self {
            all: Some(members).filter(|members| !members.is_empty()),
            path: String::new(),
        }
    }

    /// The description of this value itself.
    pub(crate) fn here(&self) -> Option<&'a str> {
        let text = self.all?.get(&self.path)?;
        Some(text.as_str()).filter(|text| !text.trim().is_empty())
    }

    /// The texts of the member `name`.
    pub(crate) fn member(&self, name: &str) -> Self {
        let path = match &self.all {
            None => String::new(),
            Some(_) => joined(&self.path, name),
        };
        Self {
            all: self.all,
            path,
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

/// The path of the member `name` within what stands at `path`.
pub(crate) fn joined(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        _ => format!("{path}.{name}"),
    }
}

/// True if a value of type `ty` has a member at `path`, names with points between them.
pub(crate) fn has_member(ty: &Type, path: &str) -> bool {
    let mut value = Some(ty);
    path.split('.').all(|name| {
        let found = value.and_then(|ty| member(held(ty), name));
        value = found.flatten();
        found.is_some()
    })
}

/// The type below lists, options and maps, whose items have no name.
fn held(ty: &Type) -> &Type {
    let mut ty = ty;
    loop {
        ty = match ty {
            Type::List(inner) | Type::FixedList(inner, _) | Type::Option(inner) => inner,
            Type::Map(key, value) if **key == Type::String => value,
            named => return named,
        }
    }
}

/// The member `name` of `ty`, if there is one, and its type, if it has one.
fn member<'s>(ty: &'s Type, name: &str) -> Option<Option<&'s Type>> {
    let numbered = |index: usize| name == index.to_string();
    match ty {
        Type::Record(fields) => {
            let mut fields = fields.iter();
            let field = fields.find(|field| field.label.json == name)?;
            Some(Some(&field.ty))
        }
        Type::Variant(cases) => {
            let mut cases = cases.iter();
            let case = cases.find(|case| case.label.json == name)?;
            Some(case.ty.as_ref())
        }
        Type::Enum(labels) | Type::Flags(labels) => labels
            .iter()
            .any(|label| label.json == name)
            .then_some(None),
        Type::Tuple(items) => {
            let mut items = items.iter().enumerate();
            items
                .find(|(index, _)| numbered(*index))
                .map(|(_, item)| Some(item))
        }
        Type::Map(key, value) => match name {
            "0" => Some(Some(key)),
            "1" => Some(Some(value)),
            _ => None,
        },
        Type::Result(ok, err) => match name {
            "ok" => Some(ok.as_deref()),
            "err" => Some(err.as_deref()),
            _ => None,
        },
        _ => None,
    }
}
