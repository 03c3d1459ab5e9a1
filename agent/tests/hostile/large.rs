//! Hostile chat templates that ask for much memory, much time or other templates.

use crate::Outcome::{self, Limit, Printed, Refused};

/// Memory that is asked for all at once, or little by little.
pub(crate) const LARGE: &[(&str, Outcome)] = &[
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
pub(crate) const SLOW: &[&str] = &[
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{% for a in range(99999) %}{% for b in range(99999) %}{% set x = 1 %}{% endfor %}{% endfor %}",
    "{% set x = range(500) | list %}{% set y = range(500) | list %}\
        {% for a in range(99999) %}{% for b in range(99) %}{{ '' if [x] == [y] }}{% endfor %}{% endfor %}",
    "{% set x = 'a' * 60000 %}{% set y = 'a' * 60000 %}\
        {% for a in range(99999) %}{% for b in range(99) %}{{ '' if x == y }}{% endfor %}{% endfor %}",
    "{% set x = range(500) | list %}{% for a in range(99999) %}{% for b in range(99) %}{% set z = {x: 1} %}{% endfor %}{% endfor %}",
    "{% set x = range(500) | list %}{% for a in range(99999) %}{% for b in range(99) %}{{ '' if [[x]] | unique }}{% endfor %}{% endfor %}",
];

pub(crate) const OTHER_TEMPLATES: &[&str] = &[
    "{% include 'chat template' %}",
    "{% include 'x' ignore missing %}",
    "{% extends 'chat template' %}",
    "{% import 'chat template' as x %}",
    "{% from 'chat template' import x %}",
    "{{ self }}{{ self.x() }}",
    "{{ debug() }}",
    "{{ super() }}",
];
