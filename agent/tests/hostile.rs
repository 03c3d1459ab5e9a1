//! Templates of strangers that ask for too much: each is printed or refused in little time and
//! memory, on a thread with the stack that threads usually have.

#![allow(clippy::print_stdout, reason = "the figures are worth reading")]

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use tool_hub_agent::{Chat, ChatTemplate, TemplateError};

const STACK_BYTES: usize = 2 << 20;
/// More than any needs, for a machine that is busy.
const TIME_MAX: Duration = Duration::from_secs(30);
#[cfg(target_os = "linux")]
const MEMORY_KIB_MAX: usize = 300 << 10;

#[derive(Debug, PartialEq)]
enum Outcome {
    Printed,
    Limit(&'static str),
    Refused,
}
use Outcome::{Limit, Printed, Refused};

/// What comes of a template with a message that long.
fn outcome(source: &str, content_bytes: usize) -> Outcome {
    let message = json!({"role": "user", "content": "x".repeat(content_bytes)});
    let chat = Chat {
        messages: vec![serde_json::from_value(message).unwrap()],
        ..Chat::default()
    };
    let begin = Instant::now();
    let outcome = thread::scope(|scope| {
        let usual = thread::Builder::new().stack_size(STACK_BYTES);
        let render = || ChatTemplate::new(source).and_then(|template| template.render(&chat));
        let thread = usual.spawn_scoped(scope, render).unwrap();
        match thread.join().unwrap() {
            Ok(_) => Printed,
            Err(TemplateError::TooMuch { limit, .. }) => Limit(limit),
            Err(TemplateError::Syntax { .. } | TemplateError::Failed { .. }) => Refused,
            Err(other) => panic!("{other}"),
        }
    });
    let (time, start) = (begin.elapsed(), &source[..source.len().min(100)]);
    println!("{time:>10.1?} {:>7} KiB {outcome:?} {start}", memory_kib());
    assert!(time < TIME_MAX, "{time:?}: {start}");
    outcome
}

#[track_caller]
fn check(source: &str, expect: &Outcome) {
    let start = &source[..source.len().min(100)];
    assert_eq!(outcome(source, 1), *expect, "{start}");
}

/// The most memory that this process has had.
#[cfg(target_os = "linux")]
fn memory_kib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.unwrap().trim().trim_end_matches(" kB");
    peak.parse().unwrap()
}

#[cfg(not(target_os = "linux"))]
fn memory_kib() -> usize {
    0
}

/// One test, because the memory is that of the process.
#[test]
fn whatever_a_template_asks_for_it_gets_little() {
    for source in nested_sources() {
        check(&source, &Limit("depth"));
    }
    for source in long_tags() {
        check(&source, &Limit("tag_tokens"));
    }
    for source in wide_sources() {
        check(&source, &Printed);
    }
    for source in RECURSIONS {
        check(source, &Limit("depth"));
    }
    for source in deep_values() {
        check(&source, &Limit("depth"));
    }
    for source in deepest_values() {
        let found = outcome(&source, 1);
        let is_known = matches!(found, Printed | Refused);
        assert!(is_known, "{found:?}: {source}");
    }
    for (source, expect) in LARGE {
        check(source, expect);
    }
    for source in SLOW {
        check(source, &Limit("steps"));
    }
    for source in OTHER_TEMPLATES {
        check(source, &Refused);
    }
    let too_long = "x".repeat((128 << 10) + 1);
    check(&too_long, &Limit("template_bytes"));
    check(&too_long[..100_000], &Limit("line_bytes"));
    // With as much conversation as raises the limits.
    for (source, _) in LARGE {
        outcome(source, 2_000_000);
    }
    let copies = "l, ".repeat(34);
    outcome(
        &format!("{{% set l = ['x' * 3000000] %}}{{{{ [{copies}] ~ '' }}}}"),
        2_000_000,
    );
    let printed = "{% for a in range(50) %}{{ messages[0].content }}{% endfor %}";
    assert_eq!(outcome(printed, 2_000_000), Limit("printed_bytes"));
    #[cfg(target_os = "linux")]
    assert!(memory_kib() < MEMORY_KIB_MAX, "{} KiB", memory_kib());
}

fn nested_sources() -> Vec<String> {
    let nested = |open: &str, inner: &str, close: &str| {
        let times = 60_000 / (open.len() + close.len());
        format!("{}{inner}{}", open.repeat(times), close.repeat(times))
    };
    let expressions = [
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("{1:", "1", "}"),
        ("a[", "1", "]"),
        ("a[:", "1", "]"),
        ("f(", "1", ")"),
        ("f(*", "1", ")"),
        ("f(**", "1", ")"),
        ("f(a=", "1", ")"),
        ("1|d(", "1", ")"),
        ("1 is eq(", "1", ")"),
        ("1 is eq [", "1", "]"),
        ("-(", "1", ")"),
        ("not (", "1", ")"),
        ("1 == (", "1", ")"),
        ("1 ** (", "1", ")"),
    ];
    let statements = [
        ("{% if 1 %}", "{% endif %}"),
        ("{% if 1 %}{% else %}", "{% endif %}"),
        ("{% for a in [1] %}", "{% endfor %}"),
        ("{% for a in [1] %}{% else %}", "{% endfor %}"),
        ("{% for a in [1] recursive %}", "{% endfor %}"),
        ("{% set a %}", "{% endset %}"),
        ("{% set a | trim %}", "{% endset %}"),
        ("{% macro m() %}", "{% endmacro %}"),
        ("{% call m() %}", "{% endcall %}"),
        ("{% call(a) m() %}", "{% endcall %}"),
        ("{% filter upper %}", "{% endfilter %}"),
        ("{% with a = 1 %}", "{% endwith %}"),
        ("{% autoescape true %}", "{% endautoescape %}"),
        ("{% generation %}", "{% endgeneration %}"),
        ("{% if 0 %}{% elif 1 %}", "{% endif %}"),
    ];
    let expressions = expressions.map(|(open, inner, close)| nested(open, inner, close));
    let tags = expressions.into_iter().map(|it| format!("{{{{ {it} }}}}"));
    let statements = statements.map(|(open, close)| nested(open, "1", close));
    let mut sources: Vec<String> = tags.chain(statements).collect();
    let branches = "{%elif 0%}".repeat(6_000);
    sources.push(format!("{{{{ {}", "(".repeat(50_000)));
    sources.push(format!("{{% set {}", "(".repeat(50_000)));
    sources.push(format!("{{%if 0%}}{branches}{{%endif%}}"));
    // Neither an end that ends nothing nor a tag that is left open hides what is before.
    sources.push(format!("{}{{{{ ", "{% if 1 %}".repeat(6_000)));
    sources.push(format!("{}{{{{ ' ", "{% if 1 %}".repeat(6_000)));
    sources
}

fn long_tags() -> Vec<String> {
    let chain = |begin: &str, link: &str, end: &str| {
        let links = 60_000 / link.len();
        format!("{{{{ {begin}{}{end} }}}}", link.repeat(links))
    };
    let links = [
        ("", "not ", "1"),
        ("", "-", "1"),
        ("1", "+1", ""),
        ("1", "~1", ""),
        ("1", "*1", ""),
        ("1", "**1", ""),
        ("1", " or 1", ""),
        ("1", " and 1", ""),
        ("1", "==1", ""),
        ("1", " in 1", ""),
        ("1", "|abs", ""),
        ("1", " is odd", ""),
        ("a", ".a", ""),
        ("a", "[0]", ""),
        ("a", "()", ""),
        ("", "1 if 0 else ", "1"),
        ("1", " if 1", ""),
        ("'a'", " 'a'", ""),
        ("[", "1,", "]"),
        ("f(", "1,", ")"),
    ];
    let expressions = links.map(|(begin, link, end)| chain(begin, link, end));
    let mut sources = expressions.to_vec();
    sources.push(format!("{{% set {}a = 1 %}}", "a,".repeat(30_000)));
    sources.push(format!("{{% with {}a = 1 %}}", "a = [a],".repeat(7_000)));
    sources
}

/// What is long without being deep.
fn wide_sources() -> Vec<String> {
    vec![
        "{% if 1 %}a{% endif %}".repeat(2_500),
        "{% set x = [1] %}".repeat(2_500),
        format!("{{{{ '{}' }}}}", "x".repeat(50_000)),
        format!("{{# {} #}}", "(".repeat(50_000)),
        format!("{{% raw %}}{}{{% endraw %}}", "{% if 1 %}".repeat(6_000)),
    ]
}

const RECURSIONS: &[&str] = &[
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% macro m() %}{% set x = m() %}{% endmacro %}{{ m() }}",
    "{% macro m() %}{% if 1 %}{% for a in [1] %}{{ 'a' ~ m() }}{% endfor %}{% endif %}{% endmacro %}{{ m() }}",
    "{% macro m() %}{{ [{'a': ('x' + m(),)}] }}{% endmacro %}{{ m() }}",
    "{% macro m(a) %}{{ m([a]) }}{% endmacro %}{{ m([]) }}",
    "{% macro m(a) %}{{ m(a=[a]) }}{% endmacro %}{{ m() }}",
    "{% macro m() %}{% call m() %}{% endcall %}{{ caller }}{% endmacro %}{% call m() %}{% endcall %}",
    "{% macro m(a=m) %}{% set x %}{{ a() }}{% endset %}{% endmacro %}{{ m(m) }}",
    "{% macro m() %}{% filter upper %}{{ m() | trim }}{% endfilter %}{% endmacro %}{{ m() }}",
    "{% macro m() %}{{ m() if 1 and not 0 else 1 }}{% endmacro %}{{ m() }}",
    "{% macro m() %}{{ (m() == 1) is true }}{% endmacro %}{{ m() }}",
    "{% macro m() %}{% with a = m() %}{% endwith %}{% endmacro %}{{ m() }}",
    "{% macro m() %}{% for a in [1] if m() %}{% endfor %}{% endmacro %}{{ m() }}",
    "{% macro m() %}{{ caller() if caller }}{% endmacro %}\
        {% macro n() %}{% call m() %}{{ n() }}{% endcall %}{% endmacro %}{{ n() }}",
    "{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "{% for a in [1] recursive %}{{ loop([[a]]) }}{% endfor %}",
    "{% for a in [1] recursive %}{% set x = loop([1]) %}{% endfor %}",
];

fn deep_values() -> Vec<String> {
    let grown = |make: &str| {
        format!(
            "{{% set n = namespace(x=[]) %}}{{% for a in range(500) %}}{{% for b in range(100) %}}\
             {{% set n.x = {make} %}}{{% endfor %}}{{% endfor %}}"
        )
    };
    let makes = [
        "[n.x]",
        "(n.x,)",
        "{'z': n.z or n.x}",
        "{'z': n.x}",
        "dict(z=n.x)",
        "[[[[n.x]]]]",
        "[n.x] | list",
        "[n.x] | batch(1)",
        "n.x | batch(1) | list or [[]]",
        "[n.x][0:]",
        "[n.x] + []",
        "[n.x] | map('list')",
        "[[n.x], 1] | zip",
    ];
    let mut sources: Vec<String> = makes.iter().map(|make| grown(make)).collect();
    sources.push("{%set x=[x]%}\n".repeat(4_600));
    sources.push("{%set x=[[[[[[[[[[x]]]]]]]]]]%}\n".repeat(2_000));
    sources.push("{%with x=[x]%}{%set y=[y,x]%}{%endwith%}{%set x=[x]%}\n".repeat(1_000));
    sources.push("{%set x={'a':(x,)}%}\n".repeat(3_000));
    sources
}

/// The deepest values that can be assigned, made deeper by an expression and walked in every way, at
/// the end of the deepest recursion.
fn deepest_values() -> Vec<String> {
    let open = "[".repeat(20);
    let close = "]".repeat(20);
    let walks = [
        "X",
        "X ~ X",
        "X | string",
        "X | upper",
        "X | tojson",
        "X | tojson(indent=1)",
        "X == Y",
        "X < Y",
        "X in [Y]",
        "{X: 1}[Y]",
        "[X, Y] | sort",
        "[X, Y] | unique | list",
        "[X, Y] | join",
        "'%s' | format(X)",
        "'{}'.format(X)",
        "[X] | map('tojson') | list",
        "[X].count(Y)",
        "n",
    ];
    let x = format!("{open}n.x{close}");
    let y = format!("{open}n.y{close}");
    let sources = walks.iter().map(|walk| {
        let walk = walk.replace('X', &x).replace('Y', &y);
        format!(
            "{{% set n = namespace(x={{}}, y={{}}) %}}{{% for a in range(97) %}}\
             {{% set n.x = {{'a': (n.x,)}} %}}{{% set n.y = {{'a': (n.y,)}} %}}{{% endfor %}}\
             {{% macro m(i) %}}{{{{ m(i - 1) if i else {walk} }}}}{{% endmacro %}}{{{{ m(30) }}}}"
        )
    });
    sources.collect()
}

/// Memory that is asked for all at once, or little by little.
const LARGE: &[(&str, Outcome)] = &[
    ("{{ 'a' * 1000000000 }}", Limit("steps")),
    ("{{ 'a' * 10**9 }}", Limit("steps")),
    ("{{ 1000000000 * 'a' }}", Limit("steps")),
    ("{{ ('a' * 1000000) * 1000000 }}", Limit("steps")),
    ("{{ [1] * 1000000000 }}", Refused),
    ("{{ '' ~ [1] * 100000000 }}", Refused),
    ("{{ 100000000 * [1] }}", Refused),
    ("{{ 2 * 3 * [1] }}", Refused),
    ("{% set l = [1] %}{{ '' ~ (l + l) * 100000000 }}", Refused),
    ("{{ (100000000 * messages)|string }}", Refused),
    ("{{ (1,) * 100000000 }}", Refused),
    ("{{ range(1000000000) | list }}", Refused),
    ("{{ '%1000000000d' | format(1) }}", Limit("steps")),
    ("{{ '%.1000000000f' | format(1.5) }}", Limit("steps")),
    ("{{ '{:1000000000}'.format(1) }}", Limit("steps")),
    ("{{ '{:{}}'.format(1, 1000000000) }}", Refused),
    (
        "{{ '{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}'.format('x' * 100000000) }}",
        Limit("steps"),
    ),
    (
        "{{ ('a' * 1000000).replace('a', 'b' * 1000000) }}",
        Limit("steps"),
    ),
    (
        "{{ ('a' * 1000000) | replace('', 'b' * 1000000) }}",
        Limit("steps"),
    ),
    ("{{ ('b' * 1000000).join('a' * 1000000) }}", Limit("steps")),
    (
        "{{ ('a' * 1000000) | join('b' * 1000000) }}",
        Limit("steps"),
    ),
    ("{{ range(100000) | join('b' * 1000000) }}", Limit("steps")),
    (
        "{{ ('a' * 100000000).split('a') | length }}",
        Limit("steps"),
    ),
    (
        "{{ ('\n' * 100000000).splitlines() | length }}",
        Limit("steps"),
    ),
    ("{{ ('a' * 100000000) | list | length }}", Limit("steps")),
    ("{{ ('a\n' * 1000000) | indent(1000000) }}", Limit("steps")),
    ("{{ messages | tojson(indent=1000000000) }}", Limit("steps")),
    (
        "{{ messages | tojson(separators=('a' * 100000000, 'b' * 100000000)) }}",
        Limit("steps"),
    ),
    ("{{ 1 | round(1000000000) }}", Printed),
    ("{{ [1] | batch(1000000000, 1) | list }}", Limit("steps")),
    ("{{ [1] | slice(1000000000, 1) | list }}", Limit("steps")),
    (
        "{% set ns = namespace(x='xxxxxxxx') %}{% for a in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
        Limit("value_bytes"),
    ),
    (
        "{% set ns = namespace(x=[1, 2]) %}{% for a in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
        Limit("value_bytes"),
    ),
    (
        "{% set ns = namespace(x=[1]) %}{% for a in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
        Limit("value_bytes"),
    ),
    (
        "{% set ns = namespace(x='x') %}{% for a in range(60) %}{% set ns.x %}{{ ns.x }}{{ ns.x }}{% endset %}{% endfor %}",
        Limit("value_bytes"),
    ),
    (
        "{% macro m(a) %}{{ m([a, a, a, a]) }}{% endmacro %}{{ m([1]) }}",
        Limit("value_bytes"),
    ),
    (
        "{% macro m(a) %}{{ caller([a, a, a, a]) }}{% endmacro %}{% macro n(b) %}{% call(c) m(b) %}{{ n(c) }}{% endcall %}{% endmacro %}{{ n([1]) }}",
        Limit("value_bytes"),
    ),
    (
        "{% for a in [[1]] recursive %}{{ loop([[a, a], [a, a]]) }}{% endfor %}",
        Limit("value_bytes"),
    ),
    (
        "{% set ns = namespace(x=[]) %}{% for a in range(100000) %}{% set ns.x = ns.x + ['x' * 1000] %}{% endfor %}",
        Limit("value_bytes"),
    ),
    (
        "{% for a in range(100000) %}{{ 'x' * 1000 }}{% endfor %}",
        Limit("steps"),
    ),
    ("{% set n = namespace() %}{% set n.n = n %}{{ n }}", Refused),
    (
        "{% set n = namespace() %}{% set n.n = [n] %}{{ n }}",
        Refused,
    ),
    (
        "{% for a in [1] %}{{ loop.changed(1, [loop]) }}{% endfor %}",
        Refused,
    ),
    (
        "{% for n in [namespace()] %}{% set n.l = loop %}{{ n }}{% endfor %}",
        Refused,
    ),
];

/// Time without end, with little memory.
const SLOW: &[&str] = &[
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{% for a in range(99999) %}{% for b in range(99999) %}{% set x = 1 %}{% endfor %}{% endfor %}",
    "{% set x = range(500) | list %}{% set y = range(500) | list %}\
        {% for a in range(99999) %}{% for b in range(99) %}{{ '' if [x] == [y] }}{% endfor %}{% endfor %}",
    "{% set x = 'a' * 60000 %}{% set y = 'a' * 60000 %}\
        {% for a in range(99999) %}{% for b in range(99) %}{{ '' if x == y }}{% endfor %}{% endfor %}",
    "{% set x = range(500) | list %}{% for a in range(99999) %}{% for b in range(99) %}{% set z = {x: 1} %}{% endfor %}{% endfor %}",
    "{% set x = range(500) | list %}{% for a in range(99999) %}{% for b in range(99) %}{{ '' if [[x]] | unique }}{% endfor %}{% endfor %}",
];

const OTHER_TEMPLATES: &[&str] = &[
    "{% include 'chat template' %}",
    "{% include 'x' ignore missing %}",
    "{% extends 'chat template' %}",
    "{% import 'chat template' as x %}",
    "{% from 'chat template' import x %}",
    "{{ self }}{{ self.x() }}",
    "{{ debug() }}",
    "{{ super() }}",
];
