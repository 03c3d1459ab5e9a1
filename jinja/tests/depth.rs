//! However deep a template goes, 2 MiB of stack are enough: that is what the threads of tests have.

use tool_hub_jinja::{Error, Limits, Template};

fn render(source: &str) -> Result<String, Error> {
    Template::new(source, Limits::default())?.render(&|_| None)
}

#[track_caller]
fn too_deep(source: &str) {
    let start = &source[..source.len().min(80)];
    match render(source) {
        Err(Error::TooMuch { limit: "depth", .. }) => {}
        other => panic!("{start}: {:?}", other.map(|printed| printed.len())),
    }
}

fn nested(open: &str, inner: &str, close: &str) -> String {
    let times = 20_000 / open.len().max(close.len());
    format!("{}{inner}{}", open.repeat(times), close.repeat(times))
}

#[test]
fn what_is_read_is_not_too_deep_for_the_stack() {
    for (open, inner, close) in [
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("{1:", "1", "}"),
        ("a[", "1", "]"),
        ("f(", "1", ")"),
        ("f(*", "1", ")"),
        ("f(a=", "1", ")"),
        ("1|d(", "1", ")"),
        ("1 is eq(", "1", ")"),
        ("1 is eq [", "1", "]"),
        ("1 if ", "1", " if 1"),
        ("a[:", "1", "]"),
        ("-(", "1", ")"),
        ("not (", "1", ")"),
        ("1 == (", "1", ")"),
        ("1 ** (", "1", ")"),
    ] {
        too_deep(&format!("{{{{ {} }}}}", nested(open, inner, close)));
    }
    for (open, close) in [
        ("{% if 1 %}", "{% endif %}"),
        ("{% for a in [1] %}", "{% endfor %}"),
        ("{% for a in [1] recursive %}", "{% endfor %}"),
        ("{% set a %}", "{% endset %}"),
        ("{% macro m() %}", "{% endmacro %}"),
        ("{% call m() %}", "{% endcall %}"),
        ("{% filter upper %}", "{% endfilter %}"),
        ("{% with a = 1 %}", "{% endwith %}"),
        ("{% generation %}", "{% endgeneration %}"),
    ] {
        too_deep(&nested(open, "1", close));
    }
    too_deep(&format!("{{% set {} = 1 %}}", nested("(", "a", ")")));
}

#[test]
fn what_runs_is_not_too_deep_for_the_stack() {
    for source in [
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% macro m() %}{% set x = m() %}{% endmacro %}{{ m() }}",
        "{% macro m() %}{% if 1 %}{% for a in [1] %}{{ 'a' ~ m() }}{% endfor %}{% endif %}{% endmacro %}{{ m() }}",
        "{% macro m() %}{{ [{'a': ('x' + m(),)}] }}{% endmacro %}{{ m() }}",
        "{% macro m() %}{% call m() %}{{ caller }}{% endcall %}{% endmacro %}{{ m() }}",
        "{% macro m(a=m) %}{% set x %}{{ a() }}{% endset %}{% endmacro %}{{ m() }}",
        "{% macro m() %}{% filter upper %}{{ m(*[1][:0]) | trim }}{% endfilter %}{% endmacro %}{{ m() }}",
        "{% macro m() %}{{ m() if 1 and not 0 else 1 }}{% endmacro %}{{ m() }}",
        "{% macro m() %}{{ (m() == 1) is true }}{% endmacro %}{{ m() }}",
        "{% macro m() %}{% with a = m() %}{% endwith %}{% endmacro %}{{ m() }}",
        "{% macro m(a=none) %}{{ caller() if caller }}{% endmacro %}\
            {% macro n() %}{% call m() %}{{ n() }}{% endcall %}{% endmacro %}{{ n() }}",
        "{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}",
        "{% for a in [1] recursive %}{% set x = loop([1]) %}{% endfor %}",
        "{% for a in [1] recursive %}{% for b in [1] if loop([1]) %}{% endfor %}{% endfor %}",
        "{% macro m() %}{% for a in [1] if m() %}{% endfor %}{% endmacro %}{{ m() }}",
    ] {
        too_deep(source);
    }
    let list = "{% set n = namespace(x=[], y=(), z={}) %}{% for a in range(50000) %}\
        {% set n.x = [n.x] %}{% set n.y = (n.y,) %}{% set n.z = {'z': n.z} %}{% endfor %}";
    for walk in [
        "n.x",
        "n.y",
        "n.z",
        "n.x | tojson",
        "n.z | tojson(indent=1)",
        "n.x == [n.x]",
        "n.z == {'z': n.z}",
        "n.y < (n.y,)",
        "{n.y: 1}",
        "'%r' % n.x",
        "n",
        "[[n.x], n.x] | sort",
        "'{}'.format(n.x)",
        "n.x | upper",
    ] {
        too_deep(&format!("{list}{{{{ {walk} }}}}"));
    }
    // A namespace may hold itself.
    too_deep("{% set n = namespace() %}{% set n.n = n %}{{ n }}");
}
