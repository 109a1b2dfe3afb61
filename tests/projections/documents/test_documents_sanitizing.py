"""What cleaned HTML may hold: look and words, nothing that loads, runs, covers or leaks."""

import pytest

from projections.documents import css, read, render, render_with_images, sanitize

HTML = b"From: a@example.org\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"


def cid_url(cid: str) -> str:
    return f"/cid/{cid}"


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("color:red", "color:red"),
        ("COLOR : Red ; ; Margin:0", "color:Red;margin:0"),
        ("position:fixed;color:red", "color:red"),
        ("background:url(https://t.example/x) #fff", "background:#fff"),
        ("background-image:url('https://t.example/x')", ""),
        ("background:u\\72l(https://t.example/x)", ""),
        ("color:expression(alert(1))", ""),
        ("color:red;/* ; */margin:1px", "color:red;margin:1px"),
        ("color:red;/* never closed", "color:red"),
        ("font-family:'A, B',serif", "font-family:'A, B',serif"),
        ("font-family:'A;position:fixed',serif;color:red", "color:red"),
        ("font-family:'A;position:fixed", ""),
        ("width:calc(100% - (2px + 3px))", "width:calc(100% - (2px + 3px))"),
        ("width:calc((100% - 2px)", ""),
        ("color:rgb(1,2,3))", ""),
        ("min-height:100vh;height:50%;height:20px", "height:20px"),
        ("--x:red;color:var(--x)", ""),
        ("background:wm-url-0-wm", "background:wm-url-0-wm"),
        ("color", ""),
    ],
)
def test_only_declarations_that_style_stay(style: str, expected: str) -> None:
    assert css.clean(style, remote=False).text == expected


def test_remote_backgrounds_are_counted_and_come_back_when_allowed() -> None:
    style = "background:url(//t.example/a) no-repeat;list-style:url(https://t.example/b)"
    assert css.clean(style, remote=False).blocked == 2
    allowed = css.clean(style, remote=True)
    assert allowed.text == "background:url('https://t.example/a') no-repeat"


@pytest.mark.parametrize("style", ["color:red", "background:#eee", "background-color:navy"])
def test_colours_make_a_mail_designed(style: str) -> None:
    assert sanitize.clean(f'<p style="{style}">x</p>').designed
    assert not sanitize.clean('<p style="margin:0;background:transparent">x</p>').designed


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="https://x.example/a b">x</a>', '<a href="https://x.example/a%20b" rel="noopener noreferrer">x</a>'),
        ('<a href="#top" id="top">x</a>', '<a href="#m-top" id="m-top" rel="noopener noreferrer">x</a>'),
        ('<a href="/relative">x</a>', '<a rel="noopener noreferrer">x</a>'),
        ('<p class="gmail_quote evil">x</p>', '<p class="gmail_quote">x</p>'),
        ('<img src="relative.png" alt="A">', '<img alt="A">'),
        ('<img src="https://t.example/x" alt="A">', '<img data-blocked="1" alt="A">'),
        (
            '<img alt=\'<img src="cid:x">\' src="cid:y%40z">',
            '<img alt="&lt;img src=&quot;cid:x&quot;&gt;" data-cid="y@z">',
        ),
        ('&lt;img src="cid:x"&gt;', '&lt;img src="cid:x"&gt;'),
        ('<td width="expression(1)" height="100%" bgcolor="url(x)">x</td>', "x"),
        (
            '<body bgcolor="#112233"><p>x</p></body>',
            '<div style="background-color:#112233"><div bgcolor="#112233"><p>x</p></div></div>',
        ),
        ("<form><input value=1>x</form>", "x"),
    ],
)
def test_html_is_kept_as_far_as_it_is_harmless(html: str, expected: str) -> None:
    assert sanitize.clean(html).html == expected


def test_style_sheets_become_style_attributes() -> None:
    cleaned = sanitize.clean(
        "<style>.a{color:green;position:fixed} @media print{.a{color:red}}</style><p class=a>x</p>"
    )
    assert '<p style="color:green">x</p>' in cleaned.html


def test_styles_that_would_cost_too_much_are_left_out() -> None:
    sheet = "".join(f".c{number}{{color:red}}" for number in range(3_000))
    assert "style" not in sanitize.clean(f"<style>{sheet}</style>" + "<p class=c1>x</p>" * 1_100).html


def test_images_are_blocked_until_they_are_asked_for() -> None:
    raw = (
        HTML
        + b'<img src="https://t.example/a?b=1&c=2"><table background="//t.example/b"></table><img src="cid:logo%40x"><p style="background:url(https://t.example/c)">x'
    )
    document = read(raw)
    assert document.blocked == 3
    assert "t.example" not in (document.html or "")
    assert '<img src="/cid/logo@x">' in render(document, cid_url)
    shown = render_with_images(raw, cid_url)
    assert 'src="https://t.example/a?b=1&amp;c=2"' in shown
    assert '<img src="/cid/logo@x">' in shown


def test_what_serves_an_inline_image_can_not_break_out_of_its_attribute() -> None:
    document = read(HTML + b'<img src="cid:&quot;onerror=&quot;x">')
    assert render(document, lambda cid: f'/cid/{cid}"').count('"') == 2


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            '<p>Mine</p><div class="gmail_quote">On x:<div>a</div></div>too',
            '<p>Mine</p><details><summary>•••</summary><div class="gmail_quote">On x:<div>a</div></div></details>too',
        ),
        (
            'a<blockquote type="cite">b<blockquote>c</blockquote></blockquote>',
            'a<details><summary>•••</summary><blockquote type="cite">b<blockquote>c</blockquote></blockquote></details>',
        ),
        (
            '<div>&nbsp;<br></div><blockquote type="cite">b</blockquote>',
            '<div>&nbsp;<br></div><blockquote type="cite">b</blockquote>',
        ),
        (
            'a<div title=" class=&quot;gmail_quote&quot;">b</div>',
            'a<div title=" class=&quot;gmail_quote&quot;">b</div>',
        ),
    ],
)
def test_quoted_mail_is_folded_behind_what_the_sender_wrote(html: str, expected: str) -> None:
    assert render(read(HTML + html.encode()), cid_url) == expected


def test_plain_text_is_escaped_and_never_cleaned() -> None:
    document = read(b"From: a@example.org\r\n\r\nWrite to <user@example.com> & co")
    assert document.html is None
    assert render(document, cid_url) == "<pre>Write to &lt;user@example.com&gt; &amp; co</pre>"


def test_html_over_which_a_library_panics_is_shown_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panic(html: str) -> str:
        raise PanicException

    monkeypatch.setattr(sanitize, "_body_as_div", panic)
    document = read(HTML + b"<p>Hello</p>")
    assert document.html == "<pre> Hello </pre>"
    assert document.warnings == ["The HTML is shown as plain text: a library gave up on it."]


def test_cleaners_of_different_threads_do_not_mix_their_counts() -> None:
    from concurrent.futures import ThreadPoolExecutor

    def blocked(number: int) -> int:
        return sanitize.clean('<img src="https://t.example/">' * number).blocked

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(blocked, range(80))) == list(range(80))
