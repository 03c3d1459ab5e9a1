//! What templates print. The expected texts were taken from Jinja2, as Transformers sets it up.

use serde_json::{Value, json};
use tool_hub_jinja::{Error, Global, Limits, Template};

fn render_within(source: &str, limits: Limits) -> Result<String, Error> {
    let variables: Value = json!({
        "s": " Hello, World ",
        "n": 7,
        "l": [3, 1, 2],
        "d": {"a": 1, "b": "it's", "c": null},
        "o": [{"name": "x", "age": 3}, {"name": "Y", "age": 1}, {"name": "z", "age": 1}],
    });
    let stop = |why: &str| Err(Error::Raised(why.to_owned()));
    Template::new(source, limits)?.render(&|name| match name {
        "stop" => Some(Global::Function(&stop)),
        name => variables.get(name).map(Global::Json),
    })
}

fn render(source: &str) -> Result<String, Error> {
    render_within(source, Limits::default())
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (source, expect) in cases {
        assert_eq!(render(source).as_deref(), Ok(*expect), "{source}");
    }
}

#[test]
fn white_space_is_kept_and_taken_as_tags_say() {
    check(&[
        ("a\n{% if 1 %}\nb\n{% endif %}\nc\n", "a\nb\nc"),
        (
            "a\n  {% if 1 %}  \n  b\n  {%+ endif +%}\nc",
            "a\n  \n  b\n  \nc",
        ),
        ("a {%- if 1 -%} b {%- endif -%} c", "abc"),
        ("a \n {{- 1 -}} \n b", "a1b"),
        ("a\n  {# no #}\nb{#- no -#} c", "a\nbc"),
        ("{% raw %}\n {{ x }}\n{%- endraw %}\nz", "\n {{ x }}z"),
        ("a\r\n{% if 1 %}\r\nb{% endif %}\r", "a\nb"),
        ("  {{ 1 }}\n\n", "  1\n"),
        (
            "{% raw -%}  {% for %} {{ '{%' }} {%- endraw %}",
            "{% for %} {{ '{%' }}",
        ),
    ]);
}

#[test]
fn operators_are_python_s() {
    check(&[
        (
            "{{ 7 // -2 }} {{ 7 % -3 }} {{ -7 // 2 }} {{ 7 / 2 }} {{ 2 ** 3 ** 2 }} {{ 2 ** -1 }}",
            "-4 -2 -4 3.5 64 0.5",
        ),
        (
            "{{ -7.5 // 2 }} {{ -7.5 % 2 }} {{ 1e16 }} {{ 1e-5 }} {{ 0.1 + 0.2 }} {{ 1e300 * 1e10 }}",
            "-4.0 0.5 1e+16 1e-05 0.30000000000000004 inf",
        ),
        (
            "{{ 1 == 1.0 == true }} {{ 1 < 2 < 2 }} {{ 'a' in 'cat' }} {{ 4 not in l }} {{ [1, 2] < [1, 3] }}",
            "True False True True True",
        ),
        (
            "{{ 'ab' * 2 ~ 1 ~ none }} {{ [1] + [2] }} {{ (1,) * 2 }} {{ not 1 or 2 }} {{ 0 and x }}",
            "abab1None [1, 2] (1, 1) 2 0",
        ),
        (
            "{{ -n ** 2 }} {{ -1 | abs }} {{ 1 if 0 }}|{{ 'a' if 0 else 'b' if 1 else 'c' }}",
            "49 1 |b",
        ),
        (
            "{{ 'x' '\\x41\\u00e9\\101\\q' }} {{ 0x1f + 0b11 + 1_000 }}",
            "xAéA\\q 1034",
        ),
        (
            "{{ '%s is %05.1f, %d%%' % ('a', 2.25, 7) }} {{ '{:>5}|{0!r}'.format('a') if 0 else '{:>5}|{!r:.2}'.format('a', 'b') }}",
            "a is 002.2, 7%     a|'b",
        ),
    ]);
}

#[test]
fn values_print_as_python_prints_them() {
    check(&[
        (
            "{{ [1, 'a', \"it's\", '\"', 2.0, none, true, (1,), ()] }}",
            "[1, 'a', \"it's\", '\"', 2.0, None, True, (1,), ()]",
        ),
        (
            "{{ {'a': 1, 2: [none]} }} {{ d.items() }} {{ range(3) }} {{ d.keys() }}",
            "{'a': 1, 2: [None]} dict_items([('a', 1), ('b', \"it's\"), ('c', None)]) range(0, 3) dict_keys(['a', 'b', 'c'])",
        ),
        (
            "{{ nothing }}|{{ [nothing] }}|{{ 'é\\n\\u200b😀' }}|{{ ['é\\n\\u200b😀\\x7f'] }}",
            "|[Undefined]|é\n\u{200b}😀|['é\\n\\u200b😀\\x7f']",
        ),
        (
            "{{ namespace(a=1) }} {{ ['<' | escape] }}",
            "<Namespace {'a': 1}> [Markup('&lt;')]",
        ),
    ]);
}

#[test]
fn members_are_attributes_or_items_first() {
    check(&[
        (
            "{{ d.a }} {{ d['a'] }} {{ d.items is callable }} {{ {'items': 1}['items'] }} {{ {'items': 1}.items is callable }}",
            "1 1 True 1 True",
        ),
        (
            "{{ l[-1] }} {{ l[0:2] }} {{ l[::-1] }} {{ 'añb'[1] }} {{ 'añb'[-2:] }} {{ l.0 }} {{ l[9] is defined }}",
            "2 [3, 1] [2, 1, 3] ñ ñb 3 False",
        ),
        (
            "{{ d.get('x', 5) }} {{ d.get('c') }} {{ d.nothing is undefined }} {{ l.append is defined }} {{ s.nothing is defined }}",
            "5 None True False False",
        ),
    ]);
}

#[test]
fn filters_are_jinja_s() {
    check(&[
        (
            "{{ s | trim | upper | replace('L', 'r', 1) }} {{ 'a b-c' | title }} {{ 'ab' | capitalize }} {{ '' | default('x', true) }} {{ nothing | d(1) }}",
            "HErLO, WORLD A B-C Ab x 1",
        ),
        (
            "{{ l | sort | join(',') }} {{ l | sort(reverse=true) }} {{ ['b', 'A'] | sort }} {{ d | dictsort(by='value') if 0 else d | dictsort | first }} {{ l | sum }} {{ l | max }}",
            "1,2,3 [3, 2, 1] ['A', 'b'] ('a', 1) 6 3",
        ),
        (
            "{{ o | map(attribute='name') | join }} {{ o | selectattr('age', 'gt', 1) | list }} {{ o | rejectattr('age', 'eq', 1) | map(attribute='name') | list }} {{ l | select('odd') | list }}",
            "xYz [{'name': 'x', 'age': 3}] ['x'] [3, 1]",
        ),
        (
            "{% for age, items in o | groupby('age') %}{{ age }}:{{ items | length }} {% endfor %}{{ [1, 2, 3] | batch(2, 0) | list }} {{ [1, 2, 3] | slice(2) | list }} {{ [1, 1.0, 'a', 'A'] | unique | list }}",
            "1:2 3:1 [[1, 2], [3, 0]] [[1, 2], [3]] [1, 'a']",
        ),
        (
            "{{ '42' | int }} {{ 'x' | int(3) }} {{ '0x1f' | int(base=16) }} {{ 2.5 | round }} {{ 2.675 | round(2) }} {{ 42 | round }} {{ 2.1 | round(0, 'ceil') }} {{ '1e3' | float }}",
            "42 3 31 2.0 2.67 42 3.0 1000.0",
        ),
        (
            "{{ 'a\nb\n\nc' | indent(2) }}|{{ 'a\nb' | indent('> ', true) }}|{{ 'a long text' | truncate(8, leeway=0) }}|{{ 'a' | center(5) }}|{{ 'a b' | wordcount }}",
            "a\n  b\n\n  c|> a\n> b|a...|  a  |2",
        ),
        (
            "{{ {'b': [1, 'é'], 'a': none} | tojson }} {{ {'b': 1, 'a': 2} | tojson(sort_keys=true, separators=(',', ':')) }} {{ ['é'] | tojson(ensure_ascii=true) }} {{ [1, {}] | tojson(indent=2) }}",
            "{\"b\": [1, \"é\"], \"a\": null} {\"a\":2,\"b\":1} [\"\\u00e9\"] [\n  1,\n  {}\n]",
        ),
        (
            "{{ '<&\"' | e }} {{ '<' | safe ~ '<' }} {{ ('<' | safe) + '<' }} {{ '<' + ('<' | safe) }} {{ '<' | e | e }} {{ '<' | e | forceescape }} {{ '<b>a</b>' | striptags }}",
            "&lt;&amp;&#34; << <&lt; &lt;< &lt; &amp;lt; a",
        ),
    ]);
}

#[test]
fn methods_are_python_s() {
    check(&[
        (
            "{{ s.strip().split(', ') }} {{ 'a b  c'.split() }} {{ 'a b c'.split(' ', 1) }} {{ 'a b c'.rsplit(' ', 1) }} {{ 'abc'.partition('b') }} {{ 'a\\nb\\r\\nc'.splitlines() }}",
            "['Hello', 'World'] ['a', 'b', 'c'] ['a', 'b c'] ['a b', 'c'] ('a', 'b', 'c') ['a', 'b', 'c']",
        ),
        (
            "{{ 'abc'.startswith(('x', 'a')) }} {{ 'abc'.endswith('c', 0, 2) }} {{ 'abcb'.find('b', 2) }} {{ 'abcb'.count('b') }} {{ 'xxaxx'.strip('x') }} {{ 'abc'.removeprefix('a') }}",
            "True False 3 2 a bc",
        ),
        (
            "{{ 'a-b'.replace('-', '+') }} {{ ','.join(['a', 'b']) }} {{ 'ab'.center(5, '*') }} {{ '-7'.zfill(4) }} {{ 'aB'.swapcase() }} {{ \"it's\".title() }}",
            "a+b a,b **ab* -007 Ab It'S",
        ),
        (
            "{{ '{0}-{a}-{b[0]}'.format(1, a=2, b=l) }} {{ '{:,}'.format(1234567) }} {{ '{:08.3f}'.format(3.14159) }} {{ '{:^7}|{:<3}|{:+}'.format('a', 'b', 1) }}",
            "1-2-3 1,234,567 0003.142    a   |b  |+1",
        ),
        (
            "{{ l.index(1) }} {{ l.count(3) }} {{ d.items() | list }} {{ d.values() | list }} {{ 'é'.isalpha() }} {{ '7'.isdigit() }} {{ 'aB'.isupper() }}",
            "1 1 [('a', 1), ('b', \"it's\"), ('c', None)] [1, \"it's\", None] True True False",
        ),
    ]);
}

#[test]
fn tests_are_jinja_s() {
    check(&[
        (
            "{{ 7 is odd }} {{ 7 is divisibleby 7 }} {{ none is none }} {{ 1 is number }} {{ true is number }} {{ true is integer }} {{ 1.0 is float }}",
            "True True True True True False True",
        ),
        (
            "{{ d is mapping }} {{ 'a' is sequence }} {{ none is iterable }} {{ l is iterable }} {{ 'a' is string }} {{ 1 is not string }} {{ 'upper' is filter }} {{ 'odd' is test }}",
            "True True False True True True True True",
        ),
        (
            "{{ 1 is in [1] }} {{ 2 is gt 1 }} {{ 'a' is eq('a') }} {{ none is sameas none }} {{ 'a' is lower }} {{ 'a' | e is escaped }} {{ nothing is defined }}",
            "True True True True True True False",
        ),
    ]);
}

#[test]
fn loops_know_where_they_are() {
    check(&[
        (
            "{% for a in l %}{{ loop.index }}{{ loop.first }}{{ loop.last }}{{ loop.revindex0 }} {% else %}no{% endfor %}",
            "1TrueFalse2 2FalseFalse1 3FalseTrue0 ",
        ),
        (
            "{% for a in l if a != 1 %}{{ loop.index }}/{{ loop.length }}:{{ a }}{{ loop.previtem }}{{ loop.nextitem }} {% endfor %}",
            "1/2:32 2/2:23 ",
        ),
        (
            "{% for a in [] %}x{% else %}no{% endfor %}{% for a in 'ab' %}{{ a }}{% if loop.index == 1 %}{% continue %}{% endif %}!{% break %}{% endfor %}",
            "noab!",
        ),
        (
            "{% for a in [1, [2, [3]]] recursive %}{% if a is iterable %}<{{ loop(a) }}>{% else %}{{ a }}@{{ loop.depth }}{% endif %}{% endfor %}",
            "1@1<2@2<3@3>>",
        ),
        (
            "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}{% for a, (b, c) in [[1, (2, 3)]] %}{{ a + b + c }}{% endfor %}",
            "a=1;b=it's;c=None;6",
        ),
        (
            "{% for a in [1, 1, 2] %}{{ loop.changed(a) }}{{ loop.cycle('x', 'y') }} {% endfor %}{{ loop is defined }}",
            "Truex Falsey Truex False",
        ),
    ]);
}

#[test]
fn variables_stay_in_their_scope() {
    check(&[
        (
            "{% set a = 1 %}{% for i in [1, 2] %}{{ a }}{% set a = a + 1 %}{{ a }} {% endfor %}{{ a }}",
            "12 12 1",
        ),
        (
            "{% set ns = namespace(a=1) %}{% for i in [1, 2] %}{% set ns.a = ns.a + 1 %}{% endfor %}{{ ns.a }}",
            "3",
        ),
        (
            "{% if 1 %}{% set a = 1 %}{% endif %}{{ a }}{% if 0 %}{% set n = 1 %}{% endif %}{{ n }}",
            "17",
        ),
        (
            "{% set a %}x{% set b = 1 %}{{ n }}{% endset %}{{ a }}{{ b }}",
            "x7",
        ),
        (
            "{% with a = 1, b = n %}{{ a }}{{ b }}{% set n = 2 %}{{ n }}{% endwith %}{{ n }}{{ a }}",
            "1727",
        ),
        (
            "{% set a, b = 1, (2, 3) %}{{ a }}{{ b }}{% set n = n ~ '!' %}{{ n }}",
            "1(2, 3)7!",
        ),
        (
            "{% set a | upper %}x{{ n }}y{% endset %}{{ a }}{% filter trim | upper %} b {% endfilter %}c",
            "X7YBc",
        ),
        (
            "{{ m is defined }}{% set x = 1 %}{% macro f() %}{{ x }}{% endmacro %}{% set x = 2 %}{{ f() }}",
            "False2",
        ),
        (
            "{% generation %}{% set n = 1 %}{{ n }}{% endgeneration %}{{ n }}",
            "17",
        ),
    ]);
}

#[test]
fn macros_take_what_they_are_given() {
    check(&[
        (
            "{% macro f(a, b=a, c='c') %}{{ a }}{{ b }}{{ c }} {% endmacro %}{{ f(1) }}{{ f(1, 2) }}{{ f(1, c=3) }}{{ f() }}",
            "11c 12c 113 c ",
        ),
        (
            "{% macro f() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1, 2, a=3) }}",
            "(1, 2){'a': 3}",
        ),
        (
            "{% macro f(x) %}[{{ caller(x, 2) }}]{% endmacro %}{% call(a, b) f(1) %}{{ a }}{{ b }}{{ n }}{% endcall %}",
            "[127]",
        ),
        (
            "{% macro f(n) %}{{ n }}{% if n > 1 %}{{ f(n - 1) }}{% endif %}{{ n }}{% endmacro %}{{ f(3) }}",
            "321123",
        ),
        (
            "{% macro f(n) %}{% if n %}{% call f(n - 1) %}{{ n }}{% endcall %}{% endif %}{{ caller() if caller }}{% endmacro %}{{ f(2) }}",
            "12",
        ),
        (
            "{% macro f(a, b=1) %}{% endmacro %}{{ f.name }}{{ f.arguments }}{{ f.catch_kwargs }}{{ f(*[1]) }}{{ f(**{'a': 1}) }}",
            "f('a', 'b')False",
        ),
    ]);
}

#[test]
fn functions_make_values() {
    check(&[
        (
            "{{ range(1, 10, 3) | list }} {{ dict(a=1, **{'b': 2}) }} {% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }}",
            "[1, 4, 7] {'a': 1, 'b': 2} abab",
        ),
        (
            "{% set j = joiner('; ') %}{{ j() }}a{{ j() }}b{{ j() }}",
            "a; b; ",
        ),
    ]);
}

#[test]
fn what_cannot_be_done_is_said_in_a_line() {
    for (source, expect) in [
        (
            "\n{{ none + 1 }}",
            "line 2: unsupported operand type(s) for +: 'NoneType' and 'int'",
        ),
        ("{{ nothing.more }}", "line 1: 'nothing' is undefined"),
        (
            "{{ d.nothing.more }}",
            "line 1: 'dict object' has no attribute 'nothing'",
        ),
        (
            "{{ d.c.more.less }}",
            "line 1: 'None' has no attribute 'more'",
        ),
        (
            "{{ l.append(1) }}",
            "line 1: access to attribute 'append' of 'list' object is unsafe.",
        ),
        (
            "{{ 'a' + 1 }}",
            "line 1: can only concatenate str (not \"int\") to str",
        ),
        (
            "{{ 1 < 'a' }}",
            "line 1: '<' not supported between instances of 'int' and 'str'",
        ),
        (
            "{% for a in 5 %}\n{% endfor %}",
            "line 1: 'int' object is not iterable",
        ),
        (
            "{% for a, b in [[1]] %}{% endfor %}",
            "line 1: not enough values to unpack (expected 2, got 1)",
        ),
        ("{{ 1 / 0 }}", "line 1: division by zero"),
        ("{{ n() }}", "line 1: 'int' object is not callable"),
        (
            "{{ n | length }}",
            "line 1: object of type 'int' has no len()",
        ),
        ("{{ {[]: 1} }}", "line 1: unhashable type: 'list'"),
        (
            "{{ nothing | tojson }}",
            "line 1: Object of type Undefined is not JSON serializable",
        ),
        (
            "{% set n.a = 1 %}",
            "line 1: cannot assign attribute on non-namespace object",
        ),
        (
            "{{ '%d' % 'a' }}",
            "line 1: %d format: a real number is required, not str",
        ),
        (
            "{{ 'a'.join([1]) }}",
            "line 1: sequence item 0: expected str instance, int found",
        ),
        (
            "{{ (l | map('string')) | length }}",
            "line 1: object of type 'generator' has no len()",
        ),
        (
            "{% if 1 %}\n{{ 1 | f }}{% endif %}",
            "line 2: there is no filter 'f'",
        ),
        ("{{ 1 | f }}", "line 1: there is no filter 'f'"),
        ("\n\n{% if %}", "line 3: expected an expression, found '%}'"),
        (
            "{% if 1 %}",
            "line 1: 'elif' or 'else' or 'endif' is missing",
        ),
        (
            "{% include 'a' %}",
            "line 1: 'include' needs other templates, and there are none",
        ),
        ("{% break %}", "line 1: 'break' stands in no loop"),
        ("{{ 2 ** 200 }}", "line 1: an integer is too large"),
        ("{{ stop('so') }}", "so"),
    ] {
        let error = render(source).expect_err(source);
        assert_eq!(error.to_string(), expect, "{source}");
    }
}

#[test]
fn nothing_is_without_limit() {
    let small = Limits {
        template_bytes: 300,
        steps: 10_000,
        printed_bytes: 10_000,
        memory_bytes: 100_000,
    };
    let grown = "{% set n = namespace(x=[1, 2]) %}{% for a in range(99) %}{% set n.x = n.x + n.x %}{% endfor %}";
    let long = "{% set n = namespace(x='xxxxxxxx') %}{% for a in range(99) %}{% set n.x = n.x ~ n.x %}{% endfor %}";
    for (source, expect) in [
        ("x".repeat(301).as_str(), "template_bytes"),
        (
            "{% for a in range(9999) %}{% set x = a %}{% endfor %}",
            "steps",
        ),
        ("{{ range(99999) | list | length }}", "steps"),
        ("{{ [1] * 99999 }}", "steps"),
        ("{{ ('x' * 9999) * 9999 }}", "steps"),
        ("{{ 'x'.center(99999) }}", "steps"),
        (
            "{% for a in range(2000) %}xxxxxx{% endfor %}",
            "printed_bytes",
        ),
        (long, "printed_bytes"),
        (grown, "memory_bytes"),
    ] {
        match render_within(source, small) {
            Err(Error::TooMuch { limit, .. }) => assert_eq!(limit, expect, "{source}"),
            other => panic!("{source}: {other:?}"),
        }
    }
}

#[test]
fn what_has_no_order_is_sorted_all_the_same() {
    let source = "{% set nan = 'nan' | float %}{% set l = [3, nan, 1, nan, 2] * 50 %}\
        {{ l | sort | length }},{{ {nan: 1, 2: 3, 1: 1} | dictsort | length }}";
    check(&[(source, "250,3")]);
    let mixed = "{{ ([3, 1, 2] * 50 + ['a'] + [4, 0] * 50) | sort }}";
    let error = render(mixed).expect_err(mixed);
    assert!(error.to_string().contains("'<' not supported"), "{error}");
}

#[test]
fn a_template_says_which_names_it_reads() {
    let reads = |source: &str, name: &str| {
        let template = Template::new(source, Limits::default()).expect(source);
        template.reads(name)
    };
    assert!(reads("{% for t in tools %}{% endfor %}", "tools"));
    assert!(reads("{% macro m() %}{{ tools }}{% endmacro %}", "tools"));
    assert!(reads(
        "{% if x %}{% set tools = 1 %}{% endif %}{{ tools }}",
        "tools"
    ));
    assert!(!reads("{% set tools = 1 %}{{ tools }}", "tools"));
    assert!(!reads("{{ 'tools' }}{# tools #}{{ x.tools }}", "tools"));
}
