"""The text that stands for HTML, and its flowed form (RFC 3676)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.documents.flowed import unflow
from services.mail.compose import html_of, text_of
from services.mail.compose.flowed import flow
from tests.services.compose.expected import canonical, unflowed


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<div>one</div><div>two</div>", "one\ntwo"),
        ("<div>one</div><div><br></div><div>two</div>", "one\n\ntwo"),
        ("<div>one<br></div><div>two<br><br>three</div>", "one\ntwo\n\nthree"),
        ("<p>one</p><p>two</p>three", "one\n\ntwo\n\nthree"),
        ("  a \n <b>bold</b>   word ", "a bold word"),
        ("a&nbsp;&nbsp; b", "a   b"),
        ("<h1>Head</h1>body", "Head\n\nbody"),
        ("a<hr>b", "a\n----------------------------------------\nb"),
        ("<ul><li>one<ul><li>deep</li></ul></li><li>two<br>more</li></ul>end", "- one\n  - deep\n- two\n  more\n\nend"),
        ('<ol start="9"><li>nine<li>ten</ol>', "9. nine\n10. ten"),
        ("<li>stray</li>", "- stray"),
        ('<a href="https://example.com/a">here</a>!', "here <https://example.com/a>!"),
        ('<a href="https://example.com/">example.com</a>', "example.com"),
        ('<a href="https://example.com">https://example.com/</a>', "https://example.com/"),
        ('<a href="mailto:a@example.com">a@example.com</a> <a href="mailto:a@example.com">A</a>', "a@example.com A <a@example.com>"),
        ('<a href="#part">part</a> <a name="x">x</a>', "part x"),
        ('<a href="https://example.com/p"><img alt="Photo" src="cid:x"></a>', "[Photo] <https://example.com/p>"),
        ('<img src="cid:x"><img alt=" " src="cid:y">', ""),
        ("Bob wrote:<blockquote>one<blockquote>two</blockquote>three</blockquote>four", "Bob wrote:\n> one\n>> two\n>\n> three\n\nfour"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ("<table><tr><th>Name</th><th>Sum</th></tr><tr><td>x</td><td>1</td></tr></table>", "Name | Sum\nx | 1"),
        ("<pre>  def x():\n\n    y</pre>z", "  def x():\n\n    y\n\nz"),
        ("<div>Hi</div><div>--</div><div>Jane</div>", "Hi\n-- \nJane"),
        ("<style>p{}</style><script>x</script><p hidden>no</p><title>t</title>yes", "yes"),
        ("&lt;not a tag&gt; &amp;amp;", "<not a tag> &amp;"),
        ("", ""),
    ],
)  # fmt: skip
def test_html_is_written_as_a_person_would(html: str, text: str) -> None:
    assert text_of(html) == text


def test_html_that_no_parser_may_see_still_gives_its_text() -> None:
    assert text_of("<div>" * 50_000 + "deep") == "deep"
    assert text_of("<ul><li>" * 300 + "deep").endswith("- deep")


def test_nesting_makes_no_flood_of_text() -> None:
    for opening in ("<blockquote>", "<ul><li>"):
        html = opening * 390 + "<p>x</p>" * 1_000
        assert len(text_of(html)) < 12 * len(html)


TEXT = st.text(
    st.one_of(
        st.sampled_from(" \n>-ab\t\xa0&<"),
        st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]),
    )
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(TEXT)
def test_text_made_html_comes_back_as_it_was(text: str) -> None:
    lines = [line.replace("\xa0", " ").rstrip(" ") for line in text.expandtabs(4).split("\n")]
    assert text_of(html_of(text)) == "\n".join("-- " if line == "--" else line for line in lines).strip("\n")


@settings(max_examples=500, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from(["word", " ", "  ", ">", "> ", "\n", "-- ", "--", "From ", "x" * 90, "żółć", "\n\n", "-"]))
)
def test_flowed_text_is_unflowed_to_what_it_was(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert unflowed(flow(text) + "\n") == canonical(text)
    assert unflow(flow(text) + "\n", {"format": "flowed", "delsp": "no"}) == canonical(text) + "\n"


def test_flowed_lines_are_short_wherever_there_is_a_blank() -> None:
    flowed = flow("> > " + "word " * 100 + "\n" + "From " + "żółć " * 100 + "\n" + "x" * 200)
    assert max(map(len, flowed.split("\n")[:-1])) <= 78
    assert flowed.split("\n")[0].startswith(">> word word")
    assert " From żółć" in flowed
    assert flowed.split("\n")[-1] == "x" * 200


def test_a_line_that_already_fits_is_left_whole() -> None:
    assert flow("> " + "w " * 37 + "w") == "> " + "w " * 37 + "w"


def test_a_signature_is_never_flowed_into_its_neighbours() -> None:
    assert flow("text\n-- \nJane\n> -- \n> Bob") == "text\n-- \nJane\n> -- \n> Bob"
    assert "\n-- \n" not in f"\n{flow('-- ' + 'x' * 100)}\n"
