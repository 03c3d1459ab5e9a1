"""Sample functions for the schema tests: docstrings in all their shapes."""


def one_line(): "Says it in one line."


def joined():
    "Says it " "in two parts."


def raw():
    r"""Keeps \n and \d as they are."""


def escaped():
    """Tab\there, quote \" and \' there, \x41\u00e9\U0001f600, \101, unknown \d, back \\ slash."""


def continued():
    """Goes \
on."""


def unicode_text(a: str):
    """Sagt „Grüß Gott“ — 你好 🎉.

    Args:
        a: Größe in µm.
    """


def control():
    """Has \x01 and \x7f and \x1f inside."""


def blank_lines(a: int, b: int):
    """

    Begins late.


    And has a second paragraph.

    Args:

        a: The first.

        b: The second,

            which goes on.


    """


def no_blank_before_args(a: int):
    """Says it.
    Args:
        a: The first.
    Returns:
        Nothing."""


def several_lines(a: int, b: str):
    """Says it.

    Args:
        a: The first one,
            on two lines,
          and a third.
        b:
            Below its name.
    """


def same_indentation(a: int, b: str):
    """Says it.

    Args:
        a: The first one
        which goes on unindented.
        b: The second.
    """


def colon_inside(a: str, b: str):
    """Says it: like this.

    Args:
        a: One of: x, y
        b: A time such as 12:30
            note: indented deeper
    """


def colon_line(a: str, b: str):
    """Says it.

    Args:
        a: The first
        note: this is not a parameter
        b: The second
    """


def extra_documented(a: str):
    """Says it.

    Args:
        a: The first.
        z: Not there.
    """


def documented_twice(a: str):
    """Says it.

    Args:
        a: The first.
        a: The second.
    """


def typed_in_docstring(a: str):
    """Says it.

    Args:
        a (str): The first.
    """


def empty_text(a: str, b: str):
    """Says it.

    Args:
        a:
        b: The second.
    """


def last_empty(a: str):
    """Says it.

    Args:
        a:
    """


def tabs(a: int, b: int):
	"""Says it.

	Args:
		a: The	first.
		b: The second.
	"""


def mixed_tabs(a: int):
    """Says	it.

    Args:
	a: The first.
    """


def unindented(a: int):
    """Says it.

Args:
    a: The first.
"""


def first_line_args(a: int):
    """Args:
        a: The first.
    """


def first_blank_args(a: int):
    """
    Args:
        a: The first.
    """


def args_in_sentence(a: int):
    """Takes Args: as a word.

    Args:
        a: The first.
    """


def args_on_one_line(a: int):
    """Says it.

    Args: a: The first.
    """


def args_with_space_after(a: int):
    """Says it.

    Args: 
        a: The first.
    """


def raises(a: int) -> int:
    """Says it.

    Args:
        a: The first.

    Raises:
        ValueError: When it is wrong.

    Returns:
        The same.
    """
    return a


def raises_last(a: int) -> int:
    """Says it.

    Args:
        a: The first.

    Returns:
        The same,
        on two lines.

    Raises:
        ValueError: When it is wrong.
    """
    return a


def raises_first() -> int:
    """Says it.

    Raises:
        ValueError: Always.
    """
    raise ValueError


def returns_before_args(a: int) -> int:
    """Says it.

    Returns:
        The same.

    Args:
        a: The first.
    """
    return a


def returns_on_one_line() -> int:
    """Says it.

    Returns: a number.
    """
    return 1


def returns_empty() -> int:
    """Says it.

    Returns:

    Raises:
        ValueError: Sometimes.
    """
    return 1


def examples_section(a: int) -> int:
    """Says it.

    Args:
        a: The first.

    Returns:
        The same.

    Examples:
        >>> examples_section(1)
        1
    """
    return a


def examples_in_args(a: int):
    """Says it.

    Args:
        a: The first.

    Example:
        examples_in_args(1)
    """


def arguments_heading(a: int):
    """Says it.

    Arguments:
        a: The first.
    """


def lower_heading(a: int):
    """Says it.

    args:
        a: The first.
    """


def numpy_style(a: int):
    """Says it.

    Parameters
    ----------
    a : int
        The first.
    """


def sphinx_style(a: int):
    """Says it.

    :param a: The first.
    """


def choices(a: str, b: int, c: str):
    """Says it.

    Args:
        a: The drink (choices: ["tea", "coffee"])
        b: The size (choices: [1, 2, 3])
        c: The taste (Choices:   [" sweet ", "sour"] )
    """


def choices_in_the_middle(a: str):
    """Says it.

    Args:
        a: The drink (choices: ["tea", "coffee"]), please.
    """


def choices_on_two_lines(a: str):
    """Says it.

    Args:
        a: The drink (choices: ["tea",
            "coffee"])
    """


def choices_of_all_kinds(a: str):
    """Says it.

    Args:
        a: One (choices: ["x", 1, 2.5, true, null, [1], {"k": "v"}])
    """


def choices_of_an_object(a: str):
    """Says it.

    Args:
        a: One (choices: {"x": 1, "y": 2})
    """


def choices_none(a: str):
    """Says it.

    Args:
        a: One (choices: [])
    """


def choices_with_brackets(a: str):
    """Says it.

    Args:
        a: A smile (or two) (choices: [":)", ":("])
    """


def choices_alone(a: str):
    """Says it.

    Args:
        a: (choices: ["x"])
    """


def carriage():
    """Has a form feed \f and a vertical \v tab."""


def trailing_spaces(a: int):   
    """Says it.   

    Args:
        a: The first.   
        	
    """


def name_with_digits(a1: int, _b: int, über: int):
    """Says it.

    Args:
        a1: The first.
        _b: The second.
        über: The third.
    """


def hyphenated(a: int):
    """Says it.

    Args:
        a: The first.
        - a: a point
        * b: a star
    """


def url(a: str):
    """Fetches https://example.com:8080/x.

    Args:
        a: A URL such as
            https://example.com/y
            or http: something.
    """


def comment_first(a: int):
    # A comment stands before.
    """Says it.

    Args:
        a: The first.
    """


def single_quotes(a: int):
    '''Says "it".

    Args:
        a: The "first".
    '''


def unicode_prefix():
    u"""Says it."""


def three_quotes_inside():
    '''Has """ inside.'''


def separators():
    """Has \u2028 line and \x85 next and \xa0 hard\u3000wide spaces.\u3000"""


def lead():
    """   Is indented at once.
       And again.
     Less.
    """
