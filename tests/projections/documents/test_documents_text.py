"""Characters, words and snippets: what a person reads is what the sender wrote."""

from datetime import UTC, datetime

import pytest

from projections.documents import addresses, charsets, dates, ids, read, text, words


@pytest.mark.parametrize(
    ("data", "label", "expected"),
    [
        (b"plain", "no-such-charset", "plain"),
        ("żółw".encode(), "iso-8859-1", "żółw"),
        ("Łódź".encode("iso-8859-2"), "iso-8859-2", "Łódź"),
        (b"\x93quoted\x94", "iso-8859-1", "“quoted”"),
        ("朱镕基".encode("gb18030"), "gb2312", "朱镕基"),
        ("テスト".encode("iso-2022-jp"), "ISO-2022-JP", "テスト"),
        ("한국어".encode("cp949"), "ks_c_5601-1987", "한국어"),
        (
            b"price \xa35 and some more words to be sure of it, as in a letter",
            "x-unknown",
            "price £5 and some more words to be sure of it, as in a letter",
        ),
        (b"\xef\xbb\xbfmarked", "us-ascii", "marked"),
        (b"\xff\xfea\x00b\x00", "", "ab"),
        ("Приглашение на встречу".encode("cp1251"), "utf-8", "Приглашение на встречу"),
        ("Приглашение на встречу".encode("koi8-r"), "unknown-8bit", "Приглашение на встречу"),
        (
            "one bad byte in a long text ż".encode() + b"\xff" + b" goes on",
            "utf-8",
            "one bad byte in a long text ż\ufffd goes on",
        ),
        ("ciężka próba".encode()[:-1] + "ó".encode()[:1], "x-unknown", "ciężka prób\ufffd"),
        ("件名テスト".encode("iso-2022-jp"), "", "件名テスト"),
        (b"+AGE-", "unicode-1-1-utf-7", "a"),
        (b"rot", "rot13", "rot"),
    ],
)
def test_bytes_are_read_whatever_their_label_says(data: bytes, label: str, expected: str) -> None:
    assert charsets.decode(data, label) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"=?utf-8?q?a?= =?utf-8?q?b?=", "ab"),
        (b"=?utf-8?q?a?= and =?utf-8?q?b?=", "a and b"),
        (b"=?utf-8?q?a_raw blank?=", "a raw blank"),
        (b"=?utf-8*en?q?a?=", "a"),
        (b"=?utf-8?b?PT91dGYtOD9xP3R3aWNlPz0=?=", "twice"),
        (b"=?utf-8?q?never ends", "=?utf-8?q?never ends"),
        (b"=?utf-8?b?xbzFgg?=", "żł"),
        (b"=??q?no_charset?=", "no charset"),
        ("a\u202egnp.exe".encode(), "agnp.exe"),
        (b"a\x00b\tc", "a b c"),
    ],
)
def test_header_words_are_decoded(value: bytes, expected: str) -> None:
    assert words.unstructured(value, "") == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Mon, 06 Oct 2025 10:00:00 +0200", (2025, 10, 6, 8, 0, 0)),
        ("Mon Oct  6 10:00:00 2025", (2025, 10, 6, 10, 0, 0)),
        ("Mon Oct  6 10:00:00 EDT 2025", (2025, 10, 6, 14, 0, 0)),
        ("October 6, 2025 3:04 PM", (2025, 10, 6, 15, 4, 0)),
        ("2025-10-06T10:00:00.123Z", (2025, 10, 6, 10, 0, 0)),
        ("2025-10-06 10:00:00 +02:00", (2025, 10, 6, 8, 0, 0)),
        ("Monday, 06-Oct-99 10:00:00 GMT", (1999, 10, 6, 10, 0, 0)),
        ("6 Oct 2025 10:00:60 +9999", (2025, 10, 6, 10, 0, 59)),
        ("6 Oct 2025", (2025, 10, 6, 0, 0, 0)),
        ("Thu, 22 Aug 0102 12:07:35 +0800", (2002, 8, 22, 4, 7, 35)),
        ("31 Feb 2025 10:00", None),
        ("6 Oct 1066 10:00", None),
        ("6 Oct 2025 10:00:xx", None),
        ("1 Jan 0001 00:00 +1400", None),
        ("", None),
    ],
)
def test_a_date_is_a_real_moment_or_none(value: str, expected: tuple[int, int, int, int, int, int] | None) -> None:
    assert dates.parse(value) == (datetime(*expected, tzinfo=UTC) if expected else None)


def test_the_first_date_that_can_be_read_counts() -> None:
    assert read(b"Date: soon\r\nDate: 6 Oct 2025 10:00 +0000\r\n\r\n").date == datetime(2025, 10, 6, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"ann@example.org (Ann)", [("Ann", "ann@example.org")]),
        (b"Ann ann@example.org", [("Ann", "ann@example.org")]),
        (b'"quoted local"@example.org', [("", "quotedlocal@example.org")]),
        (b'"An\\"n" <ann@example.org>', [('An"n', "ann@example.org")]),
        (b"<@route.example:ann@example.org>", [("", "ann@example.org")]),
        (b"=?utf-8?q?=3Cspy=40example=2Ecom=3E?= <ann@example.org>", [("<spy@example.com>", "ann@example.org")]),
        (b"Ann <ann@example.org", [("Ann", "ann@example.org")]),
        (b"Ann (a (nested) one <ann@example.org>", [("Ann a nested) one", "ann@example.org")]),
        (b"one@example.org; two@example.org", [("", "one@example.org"), ("", "two@example.org")]),
        (b"'ann@example.org'", [("", "ann@example.org")]),
        (b"one@example.org two@example.org", [("", "one@example.org"), ("", "two@example.org")]),
        (b"One <one@example.org> Two <two@example.org>", [("One", "one@example.org"), ("Two", "two@example.org")]),
        (b"=?utf-8?q?Ann_=3Cann=40example.org=3E?=", [("Ann", "ann@example.org")]),
        (b"Mail Delivery System", [("Mail Delivery System", "")]),
        (b"", []),
    ],
)
def test_every_address_is_found_and_none_is_made_up(value: bytes, expected: list[tuple[str, str]]) -> None:
    assert [(one.name, one.email) for one in addresses.parse(value, "")] == expected


def test_an_id_that_is_an_address_of_the_message_names_no_message() -> None:
    document = read(
        b"From: Ann@example.org\r\nTo: bob@example.net\r\nMessage-ID: <ann@example.org>\r\nReferences: <x> <a@b> <bob@example.net>\r\n\r\n"
    )
    assert (document.message_id, document.references) == (None, ["a@b"])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b'<"a b"@EXAMPLE.org>', ["ab@example.org"]),
        (b"a@b, c@d", ["a@b", "c@d"]),
        (b"Your message of Monday, a@b", []),
        (b"<a@b> <a@b>", ["a@b"]),
        (b"=?utf-8?q?=3Ca=40b=3E?=", ["a@b"]),
        (b"<@b> <a@> <@>", ["a@"]),
        (b"a@b (added by postmaster@example.org)", ["a@b"]),
    ],
)
def test_ids_are_normalised(value: bytes, expected: list[str]) -> None:
    assert ids.parse([value]) == expected


def test_of_too_many_ids_the_first_and_the_last_are_kept() -> None:
    every = [f"{number}@example.org" for number in range(3_000)]
    raw = f"References: {' '.join(f'<{one}>' for one in every)}\r\n\r\n".encode()
    kept = read(raw).references
    assert len(kept) == ids.MAX_IDS
    assert kept[0] == every[0]
    assert kept[-900:] == every[-900:]
    assert kept == [one for one in every if one in set(kept)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("<div>one</div>two", "one\ntwo"),
        ("one<br>two<br><br>three", "one\ntwo\n\nthree"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("<pre>a\n  b</pre>", "a\nb"),
        ("seen<div style='display:none'>hidden</div><p hidden>too</p>", "seen"),
        ("<title>t</title><style>p{}</style><script>s</script>only", "only"),
        ("a&nbsp;&zwnj; b", "a b"),
        ("a&zwnj;&nbsp;&zwnj;&nbsp;&zwnj;&nbsp;b", "a b"),
        ("می‌خواهم", "می‌خواهم"),
        ("<img alt='Only a'><img><img alt=' picture'>", "Only a picture"),
        ("", ""),
    ],
)
def test_html_becomes_text_with_its_blocks_apart(html: str, expected: str) -> None:
    assert text.from_html(html).text == expected


@pytest.mark.parametrize(
    ("subject", "codec", "label"),
    [
        ("Réunion à l'été", "iso-8859-1", "iso-8859-1"),
        ("Привет всем", "koi8-r", "us-ascii"),
        ("Żółw", "utf-8", "iso-8859-1"),
    ],
)
def test_a_raw_subject_is_read_by_the_bodys_charset_or_by_its_bytes(subject: str, codec: str, label: str) -> None:
    raw = b"Subject: " + subject.encode(codec) + f"\r\nContent-Type: text/plain; charset={label}\r\n\r\nx".encode()
    assert read(raw).subject == subject


def test_a_raw_japanese_subject_is_read() -> None:
    assert read(b"Subject: " + "件名".encode("iso-2022-jp") + b"\r\n\r\n").subject == "件名"


def test_html_without_a_label_is_read_by_its_own() -> None:
    raw = (
        b'Content-Type: text/html\r\n\r\n<meta http-equiv=x content="text/html; charset=iso-8859-2"><p>'
        + "Łódź ąę".encode("iso-8859-2")
    )
    assert read(raw).text == "Łódź ąę"


def test_quoted_html_is_in_the_text_but_not_among_the_senders_words() -> None:
    found = text.from_html(
        '<p>Mine</p><div class="gmail_quote">On x wrote:<blockquote>Theirs</blockquote></div><p>Mine too</p>'
    )
    assert "Theirs" in found.text
    assert found.own == "Mine\n\nMine too"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Hello\n> quoted\nthere", "Hello there"),
        ("On Mon, Ann Sender wrote:\n> quoted\n\nMy answer", "My answer"),
        ("W dniu 6 października Anna Nowak napisała:\n> cytat\nOdpowiedź", "Odpowiedź"),
        ("On Mon, 6 Oct 2025, Ann Sender\n<ann@example.org> wrote:\n> quoted\nMine", "Mine"),
        ("Mine\n-----Original Message-----\nFrom: x", "Mine"),
        ("Mine\n-- \nAnn", "Mine"),
        ("=====\nMine", "Mine"),
        ("> only\n> quoted", "> only > quoted"),
        ("word " * 100, ("word " * 32).strip() + "…"),
        ("x" * 500, "x" * 160 + "…"),
        ("", ""),
    ],
)
def test_a_snippet_is_the_senders_own_words(body: str, expected: str) -> None:
    assert text.snippet(body) == expected


def test_a_snippet_of_nothing_but_quotes_is_the_quote() -> None:
    assert read(b"Content-Type: text/html\r\n\r\n<blockquote type=cite>Quoted</blockquote>").snippet == "Quoted"
