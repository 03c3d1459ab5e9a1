//! Hostile chat templates that nest, chain or recurse, make deep values, or are long and flat.

pub(crate) fn nested_sources() -> Vec<String> {
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
    // Nesting is found even if a tag or a string after it is left open.
    sources.push(format!("{}{{{{ ", "{% if 1 %}".repeat(6_000)));
    sources.push(format!("{}{{{{ ' ", "{% if 1 %}".repeat(6_000)));
    sources
}

pub(crate) fn long_tags() -> Vec<String> {
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

/// Templates that are long but not deep.
pub(crate) fn wide_sources() -> Vec<String> {
    vec![
        "{% if 1 %}a{% endif %}".repeat(2_500),
        "{% set x = [1] %}".repeat(2_500),
        format!("{{{{ '{}' }}}}", "x".repeat(50_000)),
        format!("{{# {} #}}", "(".repeat(50_000)),
        format!("{{% raw %}}{}{{% endraw %}}", "{% if 1 %}".repeat(6_000)),
    ]
}

pub(crate) const RECURSIONS: &[&str] = &[
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

pub(crate) fn deep_values() -> Vec<String> {
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

/// The deepest values that can be assigned, made deeper by an expression and walked in every way,
/// at the end of the deepest recursion.
pub(crate) fn deepest_values() -> Vec<String> {
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
