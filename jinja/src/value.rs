//! The values that templates work with. They are copied, never owned: what is not in the
//! conversation or the template stands in the arena of one rendering, and goes with it.

use std::cell::Cell;
use std::fmt;

use serde_json::{Map, Value as Json};

use crate::kind::Kind;
use crate::methods::Method;
use crate::range::Range;
use crate::render::Frame;
use crate::{Error, ast};

/// A value. It is copied all the time, so what is large stands behind a reference.
#[derive(Clone, Copy)]
pub(crate) enum Value<'a> {
    Undefined(Undefined<'a>),
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Str(&'a str),
    /// A text that is safe in HTML, and escapes what is put to it.
    Markup(&'a str),
    List(Items<'a>),
    Tuple(&'a [Value<'a>]),
    Dict(Members<'a>),
    View(&'a View<'a>),
    Range(&'a Range),
    Generator(&'a Generator<'a>),
    Namespace(&'a Namespace<'a>),
    Loop(&'a Loop<'a>),
    Macro(&'a Closure<'a>),
    Cycler(&'a Cycler<'a>),
    Joiner(&'a Joiner<'a>),
    Function(Function<'a>),
    Bound(&'a Bound<'a>),
}

const _: () = assert!(size_of::<Value<'static>>() == 32);

/// What is not there, for the message when something is done with it.
#[derive(Clone, Copy)]
pub(crate) enum Undefined<'a> {
    Name(&'a str),
    Attribute(Kind, &'a str),
    /// The element as Python writes it.
    Element(Kind, &'a str),
    Because(&'a str),
}

impl fmt::Display for Undefined<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "'{name}' is undefined"),
            Self::Attribute(Kind::None, name) => write!(f, "'None' has no attribute '{name}'"),
            Self::Attribute(kind, name) => write!(f, "'{kind} object' has no attribute '{name}'"),
            Self::Element(Kind::None, element) => write!(f, "None has no element {element}"),
            Self::Element(kind, element) => write!(f, "{kind} object has no element {element}"),
            Self::Because(why) => f.write_str(why),
        }
    }
}

/// The items of a list.
#[derive(Clone, Copy)]
pub(crate) enum Items<'a> {
    Json(&'a [Json]),
    Values(&'a [Value<'a>]),
}

impl<'a> Items<'a> {
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Json(items) => items.len(),
            Self::Values(items) => items.len(),
        }
    }

    pub(crate) fn get(self, index: usize) -> Option<Value<'a>> {
        match self {
            Self::Json(items) => items.get(index).map(Value::from),
            Self::Values(items) => items.get(index).copied(),
        }
    }

    pub(crate) fn iter(self) -> impl DoubleEndedIterator<Item = Value<'a>> {
        (0..self.len()).filter_map(move |at| self.get(at))
    }
}

/// The members of a dict, in their order.
#[derive(Clone, Copy)]
pub(crate) enum Members<'a> {
    Json(&'a Map<String, Json>),
    Values(&'a [(Value<'a>, Value<'a>)]),
}

/// Up to how many members are looked through faster than one of them is found by its hash.
const SCANNED_MAX: usize = 12;

impl<'a> Members<'a> {
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Json(members) => members.len(),
            Self::Values(members) => members.len(),
        }
    }

    /// The member with a text for a key.
    pub(crate) fn get(self, name: &str) -> Option<Value<'a>> {
        match self {
            Self::Json(members) => in_json(members, name).map(Value::from),
            Self::Values(members) => {
                let mut members = members.iter();
                let found = members.find(|(key, _)| key.as_text() == Some(name));
                found.map(|(_, value)| *value)
            }
        }
    }

    pub(crate) fn iter(self) -> MemberIter<'a> {
        match self {
            Self::Json(members) => MemberIter::Json(members.iter()),
            Self::Values(members) => MemberIter::Values(members.iter()),
        }
    }
}

/// The member of that name.
#[inline]
pub(crate) fn in_json<'a>(members: &'a Map<String, Json>, name: &str) -> Option<&'a Json> {
    if members.len() > SCANNED_MAX {
        return members.get(name);
    }
    let mut members = members.iter();
    let found = members.find(|(key, _)| key.as_str() == name);
    found.map(|(_, value)| value)
}

#[derive(Clone)]
pub(crate) enum MemberIter<'a> {
    Json(serde_json::map::Iter<'a>),
    Values(std::slice::Iter<'a, (Value<'a>, Value<'a>)>),
}

impl<'a> Iterator for MemberIter<'a> {
    type Item = (Value<'a>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Json(members) => {
                let (key, value) = members.next()?;
                Some((Value::Str(key), value.into()))
            }
            Self::Values(members) => members.next().copied(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Json(members) => members.size_hint(),
            Self::Values(members) => members.size_hint(),
        }
    }
}

impl ExactSizeIterator for MemberIter<'_> {}

/// What `keys()`, `values()` and `items()` of a dict give.
pub(crate) struct View<'a> {
    pub(crate) members: &'a [(Value<'a>, Value<'a>)],
    pub(crate) part: Part,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Keys,
    Values,
    Items,
}

/// What filters give that make one item after the other: it can be gone through once.
pub(crate) struct Generator<'a> {
    pub(crate) items: &'a [Value<'a>],
    pub(crate) taken: Cell<usize>,
}

impl<'a> Generator<'a> {
    /// What was not taken yet, which is taken.
    pub(crate) fn rest(&self) -> &'a [Value<'a>] {
        &self.items[self.taken.replace(self.items.len())..]
    }
}

/// The one kind of value that a template changes.
pub(crate) struct Namespace<'a> {
    pub(crate) members: Cell<&'a [(Value<'a>, Cell<Value<'a>>)]>,
}

impl<'a> Namespace<'a> {
    pub(crate) fn find(&self, name: &str) -> Option<&'a Cell<Value<'a>>> {
        let mut members = self.members.get().iter();
        let found = members.find(|(key, _)| key.as_text() == Some(name));
        found.map(|(_, value)| value)
    }
}

/// The variable `loop`.
pub(crate) struct Loop<'a> {
    pub(crate) definition: &'a ast::For,
    /// Around the loop.
    pub(crate) frame: &'a Frame<'a>,
    pub(crate) depth: usize,
    pub(crate) source: Source<'a>,
    /// How many items of the source were looked at.
    pub(crate) taken: Cell<usize>,
    /// How many turns there were, this one included.
    pub(crate) index: Cell<usize>,
    pub(crate) before: Cell<Option<Value<'a>>>,
    pub(crate) current: Cell<Option<Value<'a>>>,
    /// Items that were looked at ahead.
    pub(crate) ahead: Cell<&'a [Value<'a>]>,
    pub(crate) changed: Cell<Option<&'a [Value<'a>]>>,
}

/// What is gone through, by index.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Items(Items<'a>),
    Pairs(&'a [(Value<'a>, Value<'a>)]),
    Range(Range),
}

impl Source<'_> {
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Items(items) => items.len(),
            Self::Pairs(pairs) => pairs.len(),
            Self::Range(range) => range.length,
        }
    }
}

/// A macro, and where it was made.
pub(crate) struct Closure<'a> {
    pub(crate) definition: &'a ast::Macro,
    pub(crate) frame: &'a Frame<'a>,
}

pub(crate) struct Cycler<'a> {
    pub(crate) items: &'a [Value<'a>],
    pub(crate) at: Cell<usize>,
}

pub(crate) struct Joiner<'a> {
    pub(crate) separator: Value<'a>,
    pub(crate) is_used: Cell<bool>,
}

#[derive(Clone, Copy)]
pub(crate) enum Function<'a> {
    Range,
    Dict,
    Namespace,
    Cycler,
    Joiner,
    Given(&'a Given<'a>),
}

/// A function that the caller gives to a template: it takes a text and returns one.
///
/// [`Error::Raised`] and [`Error::Failed`] are what it fails with.
pub type Given<'g> = dyn Fn(&str) -> Result<String, Error> + 'g;

/// A method and whose it is.
pub(crate) struct Bound<'a> {
    pub(crate) receiver: Value<'a>,
    pub(crate) method: &'static Method,
}

impl<'a> From<&'a Json> for Value<'a> {
    fn from(json: &'a Json) -> Self {
        match json {
            Json::Null => Self::None,
            Json::Bool(flag) => Self::Bool(*flag),
            Json::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(number), _) => Self::Int(number.into()),
                (None, Some(number)) => Self::Int(number.into()),
                (None, None) => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Self::Str(text),
            Json::Array(items) => Self::List(Items::Json(items)),
            Json::Object(members) => Self::Dict(Members::Json(members)),
        }
    }
}

impl<'a> Value<'a> {
    pub(crate) fn as_text(self) -> Option<&'a str> {
        match self {
            Self::Str(text) | Self::Markup(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list or a tuple.
    pub(crate) fn as_items(self) -> Option<Items<'a>> {
        match self {
            Self::List(items) => Some(items),
            Self::Tuple(items) => Some(Items::Values(items)),
            _ => None,
        }
    }

    pub(crate) fn as_integer(self) -> Option<i128> {
        match self {
            Self::Int(number) => Some(number),
            Self::Bool(flag) => Some(flag.into()),
            _ => None,
        }
    }

    pub(crate) fn as_float(self) -> Option<f64> {
        match self {
            Self::Float(number) => Some(number),
            other => other.as_integer().map(|number| number as f64),
        }
    }

    pub(crate) fn is_undefined(self) -> bool {
        matches!(self, Self::Undefined(_))
    }

    pub(crate) fn is_true(self) -> bool {
        match self {
            Self::Undefined(_) | Self::None => false,
            Self::Bool(flag) => flag,
            Self::Int(number) => number != 0,
            Self::Float(number) => number != 0.0,
            Self::Str(text) | Self::Markup(text) => !text.is_empty(),
            Self::List(items) => items.len() > 0,
            Self::Tuple(items) => !items.is_empty(),
            Self::Dict(members) => members.len() > 0,
            Self::View(view) => !view.members.is_empty(),
            Self::Range(range) => range.length > 0,
            _ => true,
        }
    }

    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Undefined(_) => Kind::Undefined,
            Self::None => Kind::None,
            Self::Bool(_) => Kind::Bool,
            Self::Int(_) => Kind::Int,
            Self::Float(_) => Kind::Float,
            Self::Str(_) => Kind::Str,
            Self::Markup(_) => Kind::Markup,
            Self::List(_) => Kind::List,
            Self::Tuple(_) => Kind::Tuple,
            Self::Dict(_) => Kind::Dict,
            Self::View(view) => match view.part {
                Part::Keys => Kind::Keys,
                Part::Values => Kind::Values,
                Part::Items => Kind::Items,
            },
            Self::Range(_) => Kind::Range,
            Self::Generator(_) => Kind::Generator,
            Self::Namespace(_) => Kind::Namespace,
            Self::Loop(_) => Kind::Loop,
            Self::Macro(_) => Kind::Macro,
            Self::Cycler(_) => Kind::Cycler,
            Self::Joiner(_) => Kind::Joiner,
            Self::Function(_) => Kind::Function,
            Self::Bound(_) => Kind::Bound,
        }
    }

    /// A text that is marked as safe where `self` is.
    pub(crate) fn like(self, text: &'a str) -> Self {
        match self {
            Self::Markup(_) => Self::Markup(text),
            _ => Self::Str(text),
        }
    }
}
