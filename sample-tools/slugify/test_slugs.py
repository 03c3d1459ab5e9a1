"""Tests of making slugs, one or a list of different ones, and of transliteration to ASCII."""

import unittest

import slugs


class Slugify(unittest.TestCase):
    def check(self, text, expected, **options):
        self.assertEqual(slugs.slugify(text, **options), expected)

    def test_texts(self):
        self.check("Hello, World!", "hello-world")
        self.check("  spaces   and\ttabs ", "spaces-and-tabs")
        self.check("Crème Brûlée & Straße №1", "creme-brulee-and-strasse-no1")
        self.check("Don't stop", "dont-stop")
        self.check("Don’t stop", "dont-stop")
        self.check("100% sure + more", "100-percent-sure-plus-more")
        self.check("Щука и ёж", "shchuka-i-yozh")
        self.check("Ελλάδα", "ellada")
        self.check("Łódź Øresund", "lodz-oresund")
        self.check("e\u0301te\u0301", "ete")
        self.check("日本", "")
        self.check("日本 2020", "2020")
        self.check("!!!", "")
        self.check("", "")

    def test_options(self):
        self.check("My First Post", "my_first_post", separator="_")
        self.check("My First Post", "My.First.Post", separator=".", keep_case=True)
        self.check("My First Post", "my-first", longest=12)
        self.check("My First Post", "my-first", longest=8)
        self.check("Extraordinarily", "extra", longest=5)

    def test_slugs_of_a_list_differ(self):
        self.assertEqual(
            slugs.slugify_all(["Intro", "Intro", "Más", "!!!", "intro 2", "INTRO"]),
            ["intro", "intro-2", "mas", "untitled", "intro-2-2", "intro-3"],
        )
        self.assertEqual(
            slugs.slugify_all(["A", "a"], keep_case=True), ["A", "a-2"],
        )
        self.assertEqual(slugs.slugify_all(["abcdef", "abcdef"], longest=5), ["abcde", "abc-2"])
        self.assertEqual(slugs.slugify_all([]), [])
        with self.assertRaisesRegex(ValueError, "too few"):
            slugs.slugify_all(["a", "a"], longest=2)


class Transliterate(unittest.TestCase):
    def check(self, text, expected):
        written = slugs.transliterate(text)
        self.assertEqual(written, expected)
        self.assertTrue(written.isascii())

    def test_scripts(self):
        self.check("Привет, Ελλάδα – “œuvre”", 'Privet, Ellada - "oeuvre"')
        self.check("Æther ÆTHER Þór", "Aether AeTHER Thor")
        self.check("Київ, Њујорк", "Kiyiv, Njujork")
        self.check("½ ① ﬁ ２", "1/2 1 fi 2")
        self.check("日本", "??")
        self.check("plain ASCII, kept!", "plain ASCII, kept!")
        self.check("", "")


if __name__ == "__main__":
    unittest.main()
