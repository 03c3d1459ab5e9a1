"""Makes templates by chance, always the same ones, and prints what Jinja2 prints of them, as JSON lines.

usage: templates.py SEED COUNT

The first line has the variables that the templates find.
"""

import json
import random
import sys

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment

VARIABLES = {
    "s": "Hello, World",
    "e": "",
    "u": "Zürich é😀 ß",
    "ws": "  a b\n c\t",
    "html": "<b>&\"'</b>",
    "num": "42",
    "n": 7,
    "m": -3,
    "z": 0,
    "f": 2.5,
    "g": -0.1,
    "big": 1e20,
    "t": True,
    "no": False,
    "x": None,
    "l": [3, 1, 2],
    "w": ["b", "A", "c", "a"],
    "mixed": [1, "a", None, 2.0, True, [1]],
    "d": {"a": 1, "b": "two", "items": [1], "c": None},
    "o": [
        {"name": "x", "age": 3, "tags": ["p", "q"]},
        {"name": "Y", "age": 1, "tags": []},
        {"name": "z", "age": 1, "on": True},
    ],
    "deep": {"k": {"a": [1, {"b": "it's"}], "ü": 1.5}},
}
NAMES = list(VARIABLES)
KINDS = {
    "text": ["s", "e", "u", "ws", "html", "num"],
    "number": ["n", "m", "z", "f", "g", "big", "t", "no"],
    "list": ["l", "w", "mixed", "o"],
    "dict": ["d", "deep"],
    "other": ["x", "missing"],
}


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


class Generation(jinja2.ext.Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_say"), [], [], body).set_lineno(line)

    def _say(self, caller):
        return caller()


class Namespace(jinja2.utils.Namespace):
    def __init__(*args, **kwargs):
        self, args = args[0], args[1:]
        attrs = dict(*args, **kwargs)
        for name in attrs:
            Namespace.check(name)
        jinja2.utils.Namespace.__init__(self, attrs)

    def __setitem__(self, name, value):
        Namespace.check(name)
        jinja2.utils.Namespace.__setitem__(self, name, value)

    @staticmethod
    def check(name):
        if isinstance(name, str) and name.startswith("_"):
            raise jinja2.exceptions.SecurityError(name)


class Dict:
    def __call__(self, *args, **kwargs):
        return dict(*args, **kwargs)


def environment():
    made = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    made.filters["tojson"] = tojson
    made.globals.update(raise_exception=raise_exception, dict=Dict(), namespace=Namespace)
    return made


class Maker:
    """Makes templates."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = []

    def one(self, *choices):
        return self.random.choice(choices)

    def maybe(self, chance=0.5):
        return self.random.random() < chance

    def text_literal(self):
        return self.one(
            "'a'", "''", "' '", "'l'", "'o'", "'b c'", "'é'", "'\\n'", "'\"'", '"it\'s"', "'%s'", "'ab' 'cd'", "'name'", "'x'",
            "'\\u00e9\\t'", "'A-b c'", "'<'",
        )

    def number_literal(self):
        return self.one("0", "1", "2", "-1", "3", "10", "1.5", "0.1", "1e3", "1_000", "0x1f", "100")

    def small(self):
        return self.one("0", "1", "2", "-1", "3", "-2", "5")

    def text(self, depth):
        if depth <= 0 or self.maybe(0.25):
            return self.one(self.text_literal(), self.random.choice(KINDS["text"]))
        text = lambda: self.text(depth - 1)
        return self.one(
            lambda: f"{text()} + {text()}",
            lambda: f"({text()} ~ {self.any(depth - 1)})",
            lambda: f"{text()} * {self.small()}",
            lambda: f"({text()})[{self.small()}]",
            lambda: f"({text()})[{self.slice()}]",
            lambda: f"({text()}).{self.text_method(depth - 1)}",
            lambda: f"({text()})|{self.text_filter(depth - 1)}",
            lambda: f"({self.any(depth - 1)})|{self.one('string', 'trim', 'upper', 'tojson', 'lower', 'title', 'e', 'safe', 'capitalize')}",
            lambda: f"({self.list(depth - 1)})|join({self.text_literal()})",
            lambda: f"({text()}).join({self.list(depth - 1)})",
            lambda: f"{self.percent()}",
            lambda: f"{self.braces()}",
        )()

    def text_method(self, depth):
        t, s = self.text_literal, self.small
        return self.one(
            "strip()", "lstrip()", "rstrip()", f"strip({t()})", f"lstrip({t()})", f"rstrip({t()})", "upper()", "lower()",
            "title()", "capitalize()", "swapcase()", f"replace({t()}, {t()})", f"replace({t()}, {t()}, {s()})", f"center({s()})",
            f"center(15, '*')", f"ljust(14, '.')", f"rjust(14)", f"zfill(14)", f"removeprefix({t()})", f"removesuffix({t()})",
            "expandtabs(4)", "casefold()", f"format({t()})", f"join({self.text(depth)})", "format()", "upper", "encode",
        )

    def text_filter(self, depth):
        t, s = self.text_literal, self.small
        return self.one(
            "trim", f"trim({t()})", "upper", "lower", "capitalize", "title", f"replace({t()}, {t()})", f"replace({t()}, {t()}, {s()})",
            "indent", f"indent({s()}, true)", "indent(2, first=true, blank=true)", "indent('> ')", "center(20)", "truncate(5)",
            "truncate(5, true)", "truncate(6, false, '', 0)", "wordcount", "e", "escape", "forceescape", "safe", "striptags", "urlencode",
            "reverse", "first", "last", "length", "list", f"default({t()})", f"default({t()}, true)", "string", "tojson", "format(1)",
            f"format({t()}, 2)", "int", "float", "count", "d", "unique|list", "sort", "batch(2)|list", "slice(2)|list", "join('-')",
        )

    def percent(self):
        spec = self.one("%s", "%d", "%5d", "%-5s|", "%05.1f", "%x", "%r", "%+d", "%%", "%.2f", "%e", "%g", "%c", "%(a)s", "%5.1f", "%#x", "% d", "%.3d")
        return f"('{spec}' % {self.one('n', 'f', 's', '(1,)', 'l', 'd', 'm', '(1, 2)', 'x', 'big', 't', 'missing', 'g')})"

    def braces(self):
        spec = self.one(
            "{}", "{0}", "{:>8}", "{:<8}|", "{:^8}", "{:*^9}", "{:.2f}", "{:05d}", "{:,}", "{!r}", "{a}", "{0[0]}", "{0.a}", "{:x}", "{:e}",
            "{:g}", "{:%}", "{:+}", "{{}}", "{:.1}", "{:_}", "{:#x}", "{:08.2f}", "{:c}", "{:{}}", "{0[a]}", "{", "}", "{}{}", "{:=+6}", "{:n}",
        )
        return f"('{spec}'.format({self.one('n', 'f', 's', 'l', 'd', 'm', '(1, 2)', 'x', 'big', 't', 'n, 5', 'a=1', '*l', '**d', 'missing', 'u')}))"

    def slice(self):
        part = lambda: self.one("", "0", "1", "2", "-1", "-2", "5", "-9", "none")
        return self.one(f"{part()}:{part()}", f"{part()}:{part()}", f"{part()}:{part()}:{self.one('', '1', '2', '-1', '-2', '0')}")

    def number(self, depth):
        if depth <= 0 or self.maybe(0.25):
            return self.one(self.number_literal(), self.random.choice(KINDS["number"]))
        number = lambda: self.number(depth - 1)
        return self.one(
            lambda: f"({number()} {self.one('+', '-', '*', '/', '//', '%')} {number()})",
            lambda: f"({number()} {self.one('+', '-', '*', '/', '//', '%')} {number()})",
            lambda: f"({number()} ** {self.one('0', '1', '2', '-1', '0.5', '3')})",
            lambda: f"-{number()}",
            lambda: f"+{number()}",
            lambda: f"({self.any(depth - 1)})|{self.one('length', 'int', 'float', 'count', 'int(5)', 'float(1.5)')}",
            lambda: f"({number()})|{self.one('abs', 'round', 'round(1)', 'int', 'float', 'round(0, `ceil`)', 'round(1, `floor`)', 'string', 'filesizeformat', 'round(-1)')}".replace("`", "'"),
            lambda: f"({self.list(depth - 1)})|{self.one('sum', 'max', 'min', 'first', 'last', 'length')}",
            lambda: f"({self.text(depth - 1)}).{self.one('find', 'rfind', 'count', 'index', 'rindex')}({self.text_literal()}{self.one('', '', ', 1', ', -3', ', 1, 4')})",
            lambda: f"({self.text(depth - 1)})|int({self.one('', '1', '0, 16', 'base=2')})",
            lambda: f"({self.list(depth - 1)}).{self.one('index', 'count')}({self.any(0)})",
        )()

    def list(self, depth):
        if depth <= 0 or self.maybe(0.25):
            return self.one(
                self.random.choice(KINDS["list"]), "[]", "[1, 2]", "['a', 'b']", "(1, 2, 3)", "(1,)", "()", "range(3)", "range(5, 0, -2)", "[[1, 2], [3]]",
                "[('a', 1), ('b', 2)]", "[none, 1.0, 'x']", "[true, 1, 1.0, 0]",
            )
        items = lambda: self.list(depth - 1)
        return self.one(
            lambda: f"[{self.any(depth - 1)}, {self.any(depth - 1)}]",
            lambda: f"({self.any(depth - 1)},)",
            lambda: f"({items()} + {items()})",
            lambda: f"({items()} * {self.small()})",
            lambda: f"({items()})[{self.slice()}]",
            lambda: f"({self.text(depth - 1)}).{self.one('split()', 'split(None, 1)', 'rsplit()', 'rsplit(None, 1)', 'splitlines()', 'splitlines(true)')}",
            lambda: f"({self.text(depth - 1)}).{self.one('split', 'rsplit', 'partition', 'rpartition')}({self.text_literal()})",
            lambda: f"({self.text(depth - 1)}).{self.one('split', 'rsplit')}({self.text_literal()}, {self.small()})",
            lambda: f"({self.dict(depth - 1)}).{self.one('items()', 'keys()', 'values()')}{self.one('', '|list')}",
            lambda: f"({self.dict(depth - 1)})|{self.one('items|list', 'dictsort', 'list', 'dictsort(reverse=true)', 'dictsort(false, `value`)', 'dictsort(true)')}".replace("`", "'"),
            lambda: f"({items()})|{self.list_filter(depth - 1)}",
            lambda: f"({items()})|{self.list_filter(depth - 1)}",
            lambda: f"o|{self.object_filter()}",
            lambda: f"o|{self.object_filter()}",
        )()

    def list_filter(self, depth):
        return self.one(
            "list", "sort", "sort(reverse=true)", "sort(case_sensitive=true)", "unique|list", "reverse|list", "map('string')|list", "map('upper')|list",
            "map('length')|list", "select|list", "reject|list", "select('string')|list", "reject('none')|list", "select('gt', 1)|list", "batch(2)|list",
            "batch(2, 'x')|list", "slice(2)|list", "slice(2, 0)|list", "map('default', 3)|list", "map('tojson')|list", "first", "last", "select('in', [1, 'a'])|list",
            "map('int')|list", "map('replace', 'a', 'b')|list", "string|list", "map('first')|list", "select('defined')|list", "map('nofilter')|list", "select('odd')|list",
            "map(attribute=0)|list", "map('abs')|list", "map('round', 1)|list", "map('join', '-')|list", "reverse", "items|list", "tojson", "min", "max", "sum", "sum(start=5)",
        )

    def object_filter(self):
        return self.one(
            "map(attribute='name')|list", "selectattr('tags')|list", "selectattr('age', 'gt', 1)|list", "rejectattr('on')|list", "map(attribute='age')|sum",
            "sum('age')", "sort(attribute='name')", "sort(attribute='age,name')", "groupby('age')", "groupby('age')|map(attribute='grouper')|list", "unique(attribute='age')|list",
            "map(attribute='on', default='-')|join(',')", "selectattr('on', 'defined')|list", "rejectattr('on', 'undefined')|list", "max(attribute='age')", "min(attribute='name')",
            "join(',', attribute='name')", "map(attribute='tags.0')|list", "groupby('on', default=false)", "selectattr('name', 'equalto', 'x')|first", "map('items')|map('list')|list",
            "sort(attribute='on')", "selectattr('nothing.more')|list", "groupby('name', case_sensitive=true)", "map(attribute='name')|map('upper')|join", "first", "last", "length",
        )

    def dict(self, depth):
        if depth <= 0 or self.maybe(0.4):
            return self.one(
                self.random.choice(KINDS["dict"]), "{}", "{'a': 1}", "{'b': 2, 'a': [1]}", "dict(a=1, b=2)", "dict([('k', 1)])", "{1: 'one', 2.5: none, none: 1, true: 3}", "o[0]",
                "{'a': 1, 'a': 2}", "dict({'a': 3}, b=4)",
            )
        return self.one(
            lambda: f"{{{self.text_literal()}: {self.any(depth - 1)}, {self.text_literal()}: {self.any(depth - 1)}}}",
            lambda: f"{{{self.any(depth - 1)}: {self.any(depth - 1)}}}",
            lambda: f"dict({self.dict(depth - 1)}, k={self.any(depth - 1)})",
            lambda: f"dict(({self.dict(depth - 1)})|dictsort)",
            lambda: f"({self.dict(depth - 1)}).copy()",
        )()

    def member(self, depth):
        return self.one(
            lambda: f"({self.dict(depth)}).{self.one('a', 'b', 'items', 'nothing', 'keys', 'get', 'k', 'name', 'update', '__class__')}",
            lambda: f"({self.dict(depth)})[{self.one(self.text_literal(), '1', 'none', '2.5', '[]', self.any(depth - 1))}]",
            lambda: f"({self.dict(depth)}).get({self.one(self.text_literal(), '1', self.text_literal() + ', 5')})",
            lambda: f"({self.list(depth)})[{self.one('0', '1', '-1', '9', 'true', self.text_literal(), '1.0')}]",
            lambda: f"({self.list(depth)}).{self.one('0', '1', 'append(1)', 'count(1)', 'nothing', 'pop()', 'copy()', 'sort()')}",
            lambda: f"({self.any(depth)}).{self.one('nothing', 'a', 'real', 'is_integer()', 'items()', 'upper()')}",
            lambda: f"({self.any(depth)})|attr({self.one(self.text_literal(), chr(39) + 'upper' + chr(39))})",
            lambda: "deep.k.a[1].b",
            lambda: "deep['k']['ü']",
        )()

    def condition(self, depth):
        if depth <= 0:
            return self.one("true", "false", "t", "x", "n", "missing", "e", "l", "no")
        any = lambda: self.any(depth - 1)
        return self.one(
            lambda: f"{any()} {self.one('==', '!=')} {any()}",
            lambda: f"{self.number(depth - 1)} {self.one('<', '<=', '>', '>=', '==', '!=')} {self.number(depth - 1)}",
            lambda: f"{self.number(depth - 1)} < {self.number(depth - 1)} <= {self.number(depth - 1)}",
            lambda: f"{self.text(depth - 1)} {self.one('<', '>', '==', 'in', 'not in')} {self.text(depth - 1)}",
            lambda: f"{any()} {self.one('in', 'not in')} {self.one(self.list, self.dict, self.text)(depth - 1)}",
            lambda: f"{self.list(depth - 1)} {self.one('<', '==', '>=')} {self.list(depth - 1)}",
            lambda: f"({any()}) is {self.one('', 'not ')}{self.test()}",
            lambda: f"({any()}) is {self.one('', 'not ')}{self.test()}",
            lambda: f"({self.text(depth - 1)}).{self.one('startswith', 'endswith')}({self.one(self.text_literal(), '(' + self.text_literal() + ', ' + self.text_literal() + ')')}{self.one('', ', 1', ', 0, 2')})",
            lambda: f"({self.text(depth - 1)}).{self.one('isdigit', 'isalpha', 'isalnum', 'isupper', 'islower', 'isspace', 'istitle', 'isascii', 'isnumeric', 'isdecimal')}()",
            lambda: f"not {self.condition(depth - 1)}",
        )()

    def test(self):
        return self.one(
            "defined", "undefined", "none", "string", "number", "integer", "float", "boolean", "true", "false", "mapping", "sequence", "iterable", "callable", "odd",
            "even", "divisibleby(2)", "divisibleby 3", "lower", "upper", "eq(1)", "equalto 'a'", "in [1, 'a', none]", "gt 1", "lt(2)", "ne 3", "sameas none", "sameas(true)",
            "escaped", "filter", "test", "ge(1)", "le 1", "nothing", "string('x')", "in 'abc'",
        )

    def any(self, depth):
        if depth <= 0:
            return self.one(self.random.choice(NAMES), self.text_literal(), self.number_literal(), "none", "missing", "[]", "true", *self.names)
        return self.one(
            lambda: self.text(depth), lambda: self.text(depth), lambda: self.number(depth), lambda: self.list(depth), lambda: self.list(depth), lambda: self.dict(depth),
            lambda: self.member(depth), lambda: self.member(depth), lambda: f"({self.condition(depth)})", lambda: self.any(0),
            lambda: f"({self.any(depth - 1)} {self.one('and', 'or')} {self.any(depth - 1)})",
            lambda: f"({self.any(depth - 1)} if {self.condition(depth - 1)} else {self.any(depth - 1)})",
            lambda: f"({self.any(depth - 1)} if {self.condition(depth - 1)})",
            lambda: f"({self.any(depth - 1)})|default({self.any(0)}{self.one('', ', true')})",
            lambda: f"{self.any(depth - 1)} {self.one('+', '-', '*', '~', '/', '%', '//')} {self.any(depth - 1)}",
        )()

    def expression(self):
        expression = self.any(self.random.randint(1, 3))
        return self.one(f"{{{{ {expression} }}}}", f"{{{{ [{expression}] }}}}", f"{{{{- {expression} -}}}}", f"{{{{ ({expression})|tojson }}}}")

    def open(self):
        return self.one("{% ", "{%- ", "{%", "{%+ ", "{% ")

    def close(self):
        return self.one(" %}", " -%}", "%}", " +%}", " %}")

    def tag(self, inside):
        return self.open() + inside + self.close()

    def space(self):
        return self.one("", "\n", " ", "  \n", "\n  ", "x", "x\n", "\n\n", " y ", "\t")

    def block(self, depth):
        return "".join(self.space() + self.statement(depth) + self.space() for _ in range(self.random.randint(1, 3)))

    def name(self):
        return self.one("a", "b", "c", "s", "n")

    def statement(self, depth):
        small = lambda: self.any(self.random.randint(0, 1))
        if depth <= 0:
            name = self.name()
            return self.one(
                lambda: f"{{{{ {self.name()} }}}}", lambda: f"{{{{ {small()} }}}}", lambda: self.tag(f"set {name} = {small()}"), lambda: "text", lambda: "{# note #}", lambda: "{#- note -#}",
                lambda: self.tag(f"set {name} = {name} ~ 1"), lambda: self.tag(f"set ns.v = {small()}"), lambda: "{{ ns.v }}", lambda: self.tag(f"set {name}, b = {small()}, 2"),
                lambda: "{{ loop.index }}", lambda: "{{ loop.last }}{{ loop.first }}", lambda: "{{ loop.nextitem }}", lambda: "{{ loop.length }}", lambda: "{{ caller() }}", lambda: "{{ m(1) }}",
                lambda: "{{ m(b=2) }}", lambda: "{{ m(1, 2, 3) }}", lambda: "{{ loop.previtem }}", lambda: "{{ loop.cycle('p', 'q') }}", lambda: "{{ loop.changed(a) }}",
                lambda: "{{ loop.revindex }}{{ loop.index0 }}", lambda: "{{ m() }}", lambda: "{{ m(1, z=3) }}", lambda: "{{ loop(x) }}", lambda: "{{ loop.depth }}",
            )()
        block = lambda: self.block(depth - 1)
        t = self.tag
        return self.one(
            lambda: t(f"if {self.condition(1)}") + block() + t("endif"),
            lambda: t(f"if {self.condition(1)}") + block() + t(f"elif {self.condition(1)}") + block() + t("else") + block() + t("endif"),
            lambda: t(f"for a in {self.list(1)}") + block() + t("endfor"),
            lambda: t(f"for a in {self.list(1)}") + block() + t("endfor"),
            lambda: t(f"for a in {self.any(1)} if {self.condition(1)}") + block() + t("else") + block() + t("endfor"),
            lambda: t("for a in l if a != 1") + block() + t("endfor"),
            lambda: t("for a, b in d.items()") + block() + t("endfor"),
            lambda: t("for k, v in d|dictsort") + "{{ k }}" + block() + t("endfor"),
            lambda: t(f"for a in {self.list(1)}") + block() + t(f"if {self.condition(1)}") + t(self.one("break", "continue")) + t("endif") + block() + t("endfor"),
            lambda: t("for a in [[1, [2]], [3]] recursive") + self.one("{{ loop.depth }}", "") + "{% if a is iterable %}{{ loop(a) }}{% else %}{{ a }}{% endif %}" + block() + t("endfor"),
            lambda: t(f"set {self.name()}") + block() + t("endset"),
            lambda: t(f"set {self.name()}|{self.one('upper', 'trim', 'length', 'replace(`a`, `b`)')}".replace("`", "'")) + block() + t("endset"),
            lambda: t(f"macro m(a{self.one('', '=1')}, b={small()})") + block() + t("endmacro") + "{{ m(1) }}",
            lambda: t(f"macro m(a{self.one('', '=1')}{self.one('', ', caller=none')})") + block() + "{{ caller(a) if caller }}" + t("endmacro") + t(f"call{self.one('', '(b)')} m({small()})") + block() + t("endcall"),
            lambda: t(f"with a = {small()}, b = {self.one('a', '1')}") + block() + t("endwith"),
            lambda: t(f"filter {self.one('upper', 'trim', 'indent', 'upper|trim', 'nofilter')}") + block() + t("endfilter"),
            lambda: t("generation") + block() + t("endgeneration"),
            lambda: self.one("{% raw %}", "{%- raw -%}") + self.space() + "{{ a }}" + self.space() + self.one("{% endraw %}", "{%- endraw -%}"),
            lambda: t("set ns = namespace(v=1)") + block() + "{{ ns.v }}",
            lambda: t("block part") + block() + t("endblock"),
            lambda: block(),
            lambda: self.expression(),
        )()

    def template(self):
        self.names = []
        if self.maybe(0.6):
            return self.expression()
        self.names = ["a", "b", "c"]
        prefix = self.one("", "{% set ns = namespace(v=0) %}", "{% macro m(a, b=2) %}<{{ a }}{{ b }}{{ c }}>{% endmacro %}")
        return prefix + self.block(self.random.randint(1, 3)) + self.space()


def main(seed, count):
    made = environment()
    maker = Maker(int(seed))
    print(json.dumps(VARIABLES))
    for _ in range(int(count)):
        source = maker.template()
        case = {"source": source}
        try:
            case["printed"] = made.from_string(source).render(**VARIABLES)
        except Exception as error:  # whatever it is: it is the answer
            case["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(case))


main(*sys.argv[1:])
