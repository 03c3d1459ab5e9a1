"""Tests of running code: its value, its errors, and what is kept for the next run."""

import unittest

import interpreter
from values import Media, from_json, to_json


def run(code, state=None, variables=None, functions=None):
    return interpreter.run(code, variables or {}, functions or {}, state)


class Values(unittest.TestCase):
    def check(self, code, expected):
        ran = run(code)
        self.assertEqual((ran.has_value, ran.value), expected, code)

    def test_the_last_statement_has_the_value(self):
        self.check("1 + 1", (True, 2))
        self.check("a = 2\na * 3", (True, 6))
        self.check("a = 2", (True, 2))
        self.check("print('a')", (False, None))
        self.check("for n in [1]:\n    n", (False, None))
        self.check("", (False, None))

    def test_variables_and_functions_are_there(self):
        ran = run("add(a, 2)", variables={"a": 1}, functions={"add": lambda a, b: a + b})
        self.assertEqual(ran.value, 3)

    def test_what_is_printed_is_bounded(self):
        self.assertEqual(run("print('a'); print(1)").printed, "a\n1\n")
        printed = run("while_ = [print('x' * 1000) for _ in range(100)]").printed
        self.assertEqual(len(printed), interpreter.PRINTED_CHARACTERS_MAX + len("\n[the rest was cut off]\n"))

    def test_media_go_through_json(self):
        media = Media("image/png", b"\x89PNG")
        self.assertEqual(from_json({"a": [{"media_type": "image/png", "data": "iVBORw=="}]}), {"a": [media]})
        self.assertEqual(to_json({"a": media}), '{"a": {"media_type": "image/png", "data": "iVBORw=="}}')
        with self.assertRaises(TypeError):
            to_json({"a": object()})


class Errors(unittest.TestCase):
    def check(self, code, *said):
        with self.assertRaises(interpreter.CodeError) as raised:
            run(code)
        self.assertEqual(str(raised.exception), "\n".join(said))

    def test_they_tell_the_line(self):
        self.check("a = 1\nb = a / 0", "ZeroDivisionError: division by zero", "in line 2: b = a / 0")
        self.check("a = (1", "SyntaxError: '(' was never closed", "in line 1: a = (1")
        self.check("def f():\n    return x\nf()", "NameError: name 'x' is not defined", "in line 2: return x")
        self.check("import sys\nsys.exit(3)", "SystemExit: 3", "in line 2: sys.exit(3)")

    def test_what_was_printed_before_is_told(self):
        self.check("print('so far')\n1/0", "ZeroDivisionError: division by zero", "in line 2: 1/0",
                   "Printed before that:", "so far\n")


class State(unittest.TestCase):
    def test_variables_functions_and_classes_are_kept(self):
        first = run("import math\na = [1, 2]\ndef twice(x):\n    return 2 * x\n"
                    "class P:\n    def __init__(self, x):\n        self.x = x\np = P(7)", state="")
        self.assertEqual(first.lost, [])
        second = run("a.append(twice(p.x)); b = math.floor(2.5)", state=first.state)
        third = run("(a, b)", state=second.state)
        self.assertEqual(third.value, ([1, 2, 14], 2))

    def test_an_error_in_earlier_code_tells_the_line_that_calls_it(self):
        first = run("def f():\n    return 1 / 0", state="")
        with self.assertRaises(interpreter.CodeError) as raised:
            run("1\n2\nf()", state=first.state)
        self.assertEqual(str(raised.exception), "ZeroDivisionError: division by zero\nin line 3: f()")

    def test_what_cannot_be_kept_is_named(self):
        ran = run("f = lambda: 1\ng = (n for n in [])\na = 1", state="")
        self.assertEqual(ran.lost, ["f", "g"])
        self.assertEqual(run("a", state=ran.state).value, 1)

    def test_a_definition_that_runs_something_is_not_run_twice(self):
        calls = []
        functions = {"tool": lambda: calls.append(1)}
        ran = run("def f(x=tool()):\n    return x", state="", functions=functions)
        self.assertEqual((calls, ran.lost), ([1], ["f"]))
        run("1", state=ran.state, functions=functions)
        self.assertEqual(calls, [1])

    def test_a_large_variable_is_lost_and_the_rest_is_kept(self):
        ran = run(f"a = 'x' * {interpreter.STATE_BYTES_MAX}\nb = 1", state="")
        self.assertEqual(ran.lost, ["a"])
        self.assertEqual(run("b", state=ran.state).value, 1)

    def test_functions_of_the_toolbox_are_not_kept(self):
        ran = run("b = add(1)", state="", functions={"add": lambda n: n})
        self.assertEqual(ran.lost, [])
        with self.assertRaises(interpreter.CodeError):
            run("add(1)", state=ran.state)

    def test_a_state_that_no_run_left_is_told(self):
        for state in ["@x", "AAAA", "x"]:
            with self.assertRaises(interpreter.StateError):
                run("1", state=state)


if __name__ == "__main__":
    unittest.main()
