//! Filters by their names. Those that need chance or a browser are absent.

mod html;
mod lists;
mod numbers;
mod order;
mod pick;
mod texts;
mod wrap;

use crate::error::{Outcome, failed};
use crate::render::{Args, Renderer};
use crate::value::{Members, Value};

/// What a filter makes of a value.
pub(crate) type Run = for<'a> fn(&mut Renderer<'a>, Value<'a>, Args<'a>) -> Outcome<Value<'a>>;

/// A filter.
#[derive(Debug)]
pub(crate) struct Filter {
    pub(crate) name: &'static str,
    pub(crate) run: Run,
}

/// The filter that is written where it is printed, without a text in between.
pub(crate) const WRITTEN: &str = "tojson";

const fn filter(name: &'static str, run: Run) -> Filter {
    Filter { name, run }
}

/// In the order of their names.
static FILTERS: [Filter; 49] = [
    filter("abs", numbers::abs),
    filter("attr", attr),
    filter("batch", lists::batch),
    filter("capitalize", texts::capitalize),
    filter("center", texts::center),
    filter("count", length),
    filter("d", default),
    filter("default", default),
    filter("dictsort", order::dictsort),
    filter("e", html::escape),
    filter("escape", html::escape),
    filter("filesizeformat", numbers::filesizeformat),
    filter("first", lists::first),
    filter("float", numbers::float),
    filter("forceescape", html::forceescape),
    filter("format", texts::format),
    filter("groupby", order::groupby),
    filter("indent", wrap::indent),
    filter("int", numbers::int),
    filter("items", items),
    filter("join", texts::join),
    filter("last", lists::last),
    filter("length", length),
    filter("list", lists::list),
    filter("lower", texts::lower),
    filter("map", pick::map),
    filter("max", order::max),
    filter("min", order::min),
    filter("reject", pick::reject),
    filter("rejectattr", pick::rejectattr),
    filter("replace", texts::replace),
    filter("reverse", lists::reverse),
    filter("round", numbers::round),
    filter("safe", html::safe),
    filter("select", pick::select),
    filter("selectattr", pick::selectattr),
    filter("slice", lists::slice),
    filter("sort", order::sort),
    filter("string", texts::string),
    filter("striptags", html::striptags),
    filter("sum", lists::sum),
    filter("title", texts::title),
    filter(WRITTEN, tojson),
    filter("trim", texts::trim),
    filter("truncate", wrap::truncate),
    filter("unique", order::unique),
    filter("upper", texts::upper),
    filter("urlencode", html::urlencode),
    filter("wordcount", wrap::wordcount),
];

pub(crate) fn find(name: &str) -> Option<&'static Filter> {
    let at = FILTERS.binary_search_by(|filter| filter.name.cmp(name));
    at.ok().map(|at| &FILTERS[at])
}

fn tojson<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Outcome<Value<'a>> {
    let text = it.text(|it| it.write_json_as_asked(value, args))?;
    Ok(Value::Str(text))
}

fn length<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Outcome<Value<'a>> {
    args.none("len")?;
    Ok(Value::Int(it.length(value)? as i128))
}

impl<'a> Renderer<'a> {
    fn length(&mut self, value: Value<'a>) -> Outcome<usize> {
        Ok(match value {
            Value::Str(text) | Value::Markup(text) => {
                self.charge(text.len() / 64)?;
                crate::text::length(text)
            }
            Value::List(items) => items.len(),
            Value::Tuple(items) => items.len(),
            Value::Dict(members) => members.len(),
            Value::View(view) => view.members.len(),
            Value::Range(range) => range.length,
            Value::Undefined(_) => 0,
            Value::Loop(turns) => self.loop_length(turns)?,
            other => return failed(format!("object of type '{}' has no len()", other.kind())),
        })
    }
}

fn default<'a>(_: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Outcome<Value<'a>> {
    let [default, boolean] = args.bind("default", ["default_value", "boolean"])?;
    let replaces_false = boolean.is_some_and(Value::is_true);
    Ok(
        match value.is_undefined() || replaces_false && !value.is_true() {
            true => default.unwrap_or(Value::Str("")),
            false => value,
        },
    )
}

fn attr<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Outcome<Value<'a>> {
    let [name] = args.all("attr", ["name"])?;
    let Some(name) = name.as_text() else {
        return failed("the name of an attribute is a text");
    };
    match value {
        // Members are no attributes.
        Value::Dict(_) => it.attribute(
            Value::Dict(Members::Values(&[])),
            name,
            crate::methods::find(name),
        ),
        other => it.attribute(other, name, crate::methods::find(name)),
    }
}

fn items<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Outcome<Value<'a>> {
    args.none("items")?;
    let members = match value {
        Value::Undefined(_) => Members::Values(&[]),
        Value::Dict(members) => members,
        _ => return failed("Can only get item pairs from a mapping."),
    };
    it.pairs_once(members)
}
