"""The original under an answer."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from projections.documents import Document, payload, read, render
from services.mail.compose import quote

WARSAW = ZoneInfo("Europe/Warsaw")
RAW = """\
From: "Ann <b>" <ann@x.example>
To: Bob <bob@x.example>, cy@x.example
Date: Wed, 01 Jul 2026 22:30:00 +0000
Subject: Plan & <more>
Content-Type: multipart/related; boundary=b

--b
Content-Type: text/html

<p>Hello <b>you</b></p><img alt="A" src="cid:a%20b"><img alt="gone" src="cid:none"><img alt="far" src="https://far.example/x.png"><script>x</script>
--b
Content-Type: image/png; name=a.png
Content-ID: <a b>

PNG
--b--
""".replace("\n", "\r\n").encode()


def plain(text: str) -> Document:
    return read(f"From: Ann <ann@x.example>\nDate: Wed, 01 Jul 2026 22:30:00 +0000\n\n{text}".encode())


def test_a_reply_says_who_wrote_when_in_the_readers_language_and_time() -> None:
    message = plain("Hi")
    assert quote(message, "reply", "en", WARSAW).text.startswith(
        "On 2 July 2026 at 00:30, Ann <ann@x.example> wrote:\n> Hi"
    )
    assert quote(message, "reply_all", "pl", UTC).text.startswith(
        "W dniu 1 lipca 2026 o 22:30, Ann <ann@x.example> napisał(a):\n"
    )


def test_a_message_without_a_date_has_the_servers_or_none() -> None:
    message = replace(plain("Hi"), date=None)
    assert "On 2 March 2024 at" in quote(message, "reply", "en", UTC, datetime(2024, 3, 2, tzinfo=UTC)).text
    assert quote(message, "reply", "en", UTC).text == "Ann <ann@x.example> wrote:\n> Hi"
    assert quote(replace(message, date=datetime.max.replace(tzinfo=UTC)), "reply", "en", WARSAW).text.startswith(
        "On 31 December 9999"
    )


def test_text_is_quoted_a_level_deeper_and_flows_into_nothing() -> None:
    assert quote(plain("one  \n> two\n>> three\n\n-- \nAnn\n"), "reply", "en", UTC).text.partition("\n")[2] == (
        "> one\n>> two\n>>> three\n>\n> --\n> Ann"
    )


def test_a_reply_is_a_quote_that_our_reader_folds_away() -> None:
    made = quote(read(RAW), "reply", "en", UTC)
    again = read(b"Content-Type: text/html\r\n\r\n<p>Yes</p>" + made.html.encode())
    assert "<details" in render(again, lambda cid: cid)
    assert again.snippet == "Yes"


def test_markup_in_names_and_subjects_stays_text() -> None:
    reply, forward = (quote(read(RAW), kind, "en", UTC).html for kind in ("reply", "forward"))
    assert "Ann &lt;b&gt; &lt;ann@x.example&gt; wrote:" in reply
    assert "Subject: Plan &amp; &lt;more&gt;<br>" in forward


def test_a_forwarded_message_names_its_header_and_is_not_marked() -> None:
    assert quote(read(RAW), "forward", "en", UTC).text.split("\n")[:7] == [
        "---------- Forwarded message ----------",
        "From: Ann <b> <ann@x.example>",
        "Date: 1 July 2026 at 22:30",
        "Subject: Plan & <more>",
        "To: Bob <bob@x.example>, cy@x.example",
        "",
        "Hello you",
    ]
    assert "Temat: Plan &amp; &lt;more&gt;<br>Do: Bob" in quote(read(RAW), "forward", "pl", UTC).html


def test_inline_images_go_with_the_quote_under_ids_of_their_own() -> None:
    made = quote(read(RAW), "reply", "en", UTC)
    [image] = made.images
    assert payload(RAW, image.attachment) == b"PNG"
    assert f'<img alt="A" src="cid:{image.content_id}">' in made.html
    assert " " not in image.content_id


def test_images_that_can_not_be_shown_leave_their_words() -> None:
    html = quote(read(RAW), "reply", "en", UTC).html
    assert "gone" in html
    assert "far" in html
    assert "far.example" not in html
    assert html.count("<img") == 1


def test_images_that_need_no_part_of_the_mail_stay() -> None:
    image = '<img alt="x" src="https://far.example/x.png">'
    made = quote(replace(read(RAW), html=f"<p>{image}</p>"), "forward", "en", UTC)
    assert image in made.html
    assert made.images == []


def test_the_quote_of_text_keeps_its_lines_and_blanks() -> None:
    html = quote(plain("def x():\n    y < z\n\nend"), "forward", "en", UTC).html
    assert "<div>def x():</div><div>&nbsp;&nbsp;&nbsp; y &lt; z</div><div><br></div><div>end</div>" in html
