"""Tests of the summaries of tables in CSV."""

import unittest

import tables


class Summarise(unittest.TestCase):
    def check_fails(self, text, message, **options):
        with self.assertRaisesRegex(ValueError, message):
            tables.summarise(text, **options)

    def test_numbers_and_texts(self):
        table = tables.summarise("name,age,note\nAda,36,\nBob,41,\nAda,,\n")
        self.assertEqual(table.rows, 3)
        name, age, note = table.columns
        self.assertEqual(name.values, tables.Texts(3, 2, 3, [("Ada", 2), ("Bob", 1)]))
        self.assertEqual((age.name, age.missing), ("age", 1))
        self.assertEqual((age.values.count, age.values.mean, age.values.median), (2, 38.5, 38.5))
        self.assertAlmostEqual(age.values.deviation, 3.5355339059)
        self.assertEqual((note.missing, note.values), (3, None))

    def test_delimiters(self):
        for delimiter in ",;\t|":
            with self.subTest(delimiter=delimiter):
                table = tables.summarise(f"a{delimiter}b\n1{delimiter}x\n")
                self.assertEqual([column.name for column in table.columns], ["a", "b"])
        table = tables.summarise("a:b\n1:2\n", delimiter=":")
        self.assertEqual(len(table.columns), 2)

    def test_quotes_and_short_rows(self):
        table = tables.summarise('\ufeffa,\n"x, ""y""\nz",2\n\nw\n')
        first, second = table.columns
        self.assertEqual(second.name, "column 2")
        self.assertEqual(first.values.frequent, [("w", 1), ('x, "y"\nz', 1)])
        self.assertEqual((second.missing, second.values.mean), (1, 2.0))

    def test_only_plain_numbers_are_numbers(self):
        table = tables.summarise("n\n1\n1_000\nnan\n")
        self.assertIsInstance(table.columns[0].values, tables.Texts)
        table = tables.summarise("n\n-1\n2.5e3\n +4 \n")
        self.assertEqual(table.columns[0].values.greatest, 2500.0)
        self.assertEqual(tables.summarise("n\n7\n").columns[0].values.deviation, 0.0)

    def test_a_header_alone(self):
        table = tables.summarise("a,b")
        self.assertEqual((table.rows, table.columns[0].values), (0, None))

    def test_failures_teach(self):
        self.check_fails("", "first row must name")
        self.check_fails("\n \n", "first row must name")
        self.check_fails("a,b\n1,2,3\n", "ends in line 2 has 3 fields.*names 2 columns")
        self.check_fails('a\n"x"y\n', "line 2 is not valid CSV")
        self.check_fails("a\n1\n", "cannot stand between", delimiter='"')
        self.check_fails("a\n" + "1\n" * tables.CSV_BYTES_MAX, "longer than")


if __name__ == "__main__":
    unittest.main()
