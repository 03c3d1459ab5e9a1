//! The methods that Python's values have, by their names. Those that change a value are refused,
//! as in Jinja's immutable sandbox.

pub(crate) mod texts;

mod case;
mod objects;
mod split;

use crate::filters::Run;
use crate::value::Value;

/// A method of one or several types.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    text: Option<Run>,
    list: Option<Run>,
    dict: Option<Run>,
    object: Option<Run>,
    changes_lists: bool,
    changes_dicts: bool,
}

impl Method {
    const fn new(name: &'static str) -> Self {
        Self {
            name,
            text: None,
            list: None,
            dict: None,
            object: None,
            changes_lists: false,
            changes_dicts: false,
        }
    }

    const fn text(name: &'static str, run: Run) -> Self {
        Self {
            text: Some(run),
            ..Self::new(name)
        }
    }

    const fn dict(name: &'static str, run: Run) -> Self {
        Self {
            dict: Some(run),
            ..Self::new(name)
        }
    }

    const fn object(name: &'static str, run: Run) -> Self {
        Self {
            object: Some(run),
            ..Self::new(name)
        }
    }

    const fn changing(name: &'static str, changes_lists: bool, changes_dicts: bool) -> Self {
        Self {
            changes_lists,
            changes_dicts,
            ..Self::new(name)
        }
    }

    /// What it does with `value`, where its type has it.
    #[inline]
    pub(crate) fn of(&self, value: Value) -> Option<Run> {
        match value {
            Value::Str(_) | Value::Markup(_) => self.text,
            Value::List(_) | Value::Tuple(_) => self.list,
            Value::Dict(_) => self.dict,
            Value::Range(_) if matches!(self.name, "count" | "index") => self.list,
            Value::Loop(_) if matches!(self.name, "cycle" | "changed") => self.object,
            Value::Cycler(_) if matches!(self.name, "next" | "reset") => self.object,
            Value::Float(_) if self.name == "is_integer" => self.object,
            _ => None,
        }
    }

    /// Whether it would change `value`.
    pub(crate) fn changes(&self, value: Value) -> bool {
        match value {
            Value::List(_) => self.changes_lists,
            Value::Dict(_) => self.changes_dicts,
            _ => false,
        }
    }
}

/// In the order of their names.
static METHODS: [Method; 63] = [
    Method::changing("append", true, false),
    Method::text("capitalize", texts::capitalize),
    Method::text("casefold", case::casefold),
    Method::text("center", texts::center),
    Method::object("changed", objects::changed),
    Method::changing("clear", true, true),
    Method {
        dict: Some(objects::copy),
        list: Some(objects::copy),
        ..Method::new("copy")
    },
    Method {
        text: Some(texts::count),
        list: Some(objects::count),
        ..Method::new("count")
    },
    Method::object("cycle", objects::cycle),
    Method::text("endswith", texts::endswith),
    Method::text("expandtabs", texts::expandtabs),
    Method::changing("extend", true, false),
    Method::text("find", texts::find),
    Method::text("format", texts::format),
    Method::text("format_map", texts::format_map),
    Method::dict("get", objects::get),
    Method {
        text: Some(texts::index),
        list: Some(objects::index),
        ..Method::new("index")
    },
    Method::changing("insert", true, false),
    Method::object("is_integer", objects::is_integer),
    Method::text("isalnum", case::isalnum),
    Method::text("isalpha", case::isalpha),
    Method::text("isascii", case::isascii),
    Method::text("isdecimal", case::isdigit),
    Method::text("isdigit", case::isdigit),
    Method::text("islower", case::islower),
    Method::text("isnumeric", case::isnumeric),
    Method::text("isspace", case::isspace),
    Method::text("istitle", case::istitle),
    Method::text("isupper", case::isupper),
    Method::dict("items", objects::items),
    Method::text("join", texts::join),
    Method::dict("keys", objects::keys),
    Method::text("ljust", texts::ljust),
    Method::text("lower", texts::lower),
    Method::text("lstrip", texts::lstrip),
    Method::object("next", objects::next),
    Method::text("partition", split::partition),
    Method::changing("pop", true, true),
    Method::changing("popitem", false, true),
    Method::changing("remove", true, false),
    Method::text("removeprefix", texts::removeprefix),
    Method::text("removesuffix", texts::removesuffix),
    Method::text("replace", texts::replace),
    Method::object("reset", objects::reset),
    Method::changing("reverse", true, false),
    Method::text("rfind", texts::rfind),
    Method::text("rindex", texts::rindex),
    Method::text("rjust", texts::rjust),
    Method::text("rpartition", split::rpartition),
    Method::text("rsplit", split::rsplit),
    Method::text("rstrip", texts::rstrip),
    Method::changing("setdefault", false, true),
    Method::changing("sort", true, false),
    Method::text("split", split::split),
    Method::text("splitlines", split::splitlines),
    Method::text("startswith", texts::startswith),
    Method::text("strip", texts::strip),
    Method::text("swapcase", case::swapcase),
    Method::text("title", case::title),
    Method::changing("update", false, true),
    Method::text("upper", texts::upper),
    Method::dict("values", objects::values),
    Method::text("zfill", texts::zfill),
];

pub(crate) fn find(name: &str) -> Option<&'static Method> {
    let at = METHODS.binary_search_by(|method| method.name.cmp(name));
    at.ok().map(|at| &METHODS[at])
}
