"""The document that a conversation is printed from: each body in a shadow root of its own, so that no mail styles another (web.md §2)."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from services.gateway.messages import frame
from services.mail.compose import Language

_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "from": "From",
        "to": "To",
        "cc": "Cc",
        "bcc": "Bcc",
        "date": "Date",
        "subject": "Subject",
        "files": "Attachments",
        "left_out": "Messages of this conversation that are left out here: {count}.",
    },
    "pl": {
        "from": "Od",
        "to": "Do",
        "cc": "DW",
        "bcc": "UDW",
        "date": "Data",
        "subject": "Temat",
        "files": "Załączniki",
        "left_out": "Wiadomości tej rozmowy, które tu pominięto: {count}.",
    },
}

# What is in a mail stays in its own box, whatever its margins say.
_STYLE = f"""
@page{{margin:15mm}}
html{{background:#FFFFFF;color:#1C1B19}}
body{{margin:0;font:{frame.FONT};overflow-wrap:anywhere}}
h1{{font-size:20px;line-height:26px;margin:0 0 16px}}
article{{border-top:1px solid #E3E0DA;padding:12px 0 20px}}
header,.files{{break-inside:avoid}}
header{{break-after:avoid}}
dl{{display:grid;grid-template-columns:max-content 1fr;gap:0 12px;margin:0 0 12px;font-size:13px;line-height:19px}}
dt{{color:#6B675F}}
dd{{margin:0}}
.body{{contain:content}}
.files{{margin:12px 0 0;padding:8px 0 0 20px;border-top:1px dashed #E3E0DA;font-size:13px}}
"""


class Printed(NamedTuple):
    """A message: lines of its header by name, its body as a clean fragment, and its files as people call them."""

    lines: Sequence[tuple[str, str]]
    fragment: str
    files: Sequence[str]


def headers(*, remote: bool) -> dict[str, str]:
    """`remote`: a message in it has images from elsewhere. The page that shows it may print it (`allow-modals`)."""
    images = "img-src 'self' data: https:" if remote else "img-src 'self' data:"
    return {
        "Content-Security-Policy": (
            f"default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; {images}; form-action 'none'; "
            "base-uri 'none'; frame-ancestors 'self'; sandbox allow-same-origin allow-modals"
        ),
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }


def document(subject: str, messages: Sequence[Printed], *, left_out: int, language: Language) -> bytes:
    words = _WORDS[language]
    note = f"<p>{escape(words['left_out'].format(count=left_out))}</p>" if left_out else ""
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{escape(subject)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{escape(subject)}</h1>{note}"
        f"{''.join(_article(one, words) for one in messages)}</body></html>"
    ).encode()


def _article(one: Printed, words: dict[str, str]) -> str:
    lines = "".join(f"<dt>{escape(words[name])}</dt><dd>{escape(text)}</dd>" for name, text in one.lines if text)
    files = "".join(f"<li>{escape(name)}</li>" for name in one.files)
    listed = f'<ul class="files" aria-label="{escape(words["files"])}">{files}</ul>' if files else ""
    return (
        f"<article><header><dl>{lines}</dl></header>"
        f'<div class="body"><div><template shadowrootmode="open"><style>{frame.content_style()}</style>'
        f"{one.fragment}</template></div></div>{listed}</article>"
    )
