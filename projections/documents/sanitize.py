"""HTML of a mail made safe to show: no scripts, no forms, no remote loads, no way out of its own box."""

import re
import threading
from collections.abc import Callable
from html import escape, unescape
from urllib.parse import unquote

import css_inline
import msgspec
import nh3

from projections.documents import css, guard

# svg and math are never allowed: they animate attributes after they were checked (RUSTSEC-2025-0071).
_TAGS = frozenset(
    """
    a abbr acronym address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del
    details dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main
    mark nav ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th
    thead time tr tt u ul var wbr
    """.split()  # noqa: SIM905 a wall of quotes reads worse
)
_DROPPED_WITH_CONTENT = frozenset(
    [
        "script",
        "style",
        "title",
        "noscript",
        "template",
        "head",
        "object",
        "applet",
        "iframe",
        "textarea",
        "select",
        "svg",
        "math",
        "xml",
    ]
)
_ATTRIBUTES = {
    "*": {
        "style",
        "class",
        "id",
        "dir",
        "lang",
        "title",
        "align",
        "valign",
        "bgcolor",
        "width",
        "height",
        "role",
        "aria-hidden",
        "aria-label",
    },
    "a": {"href", "name"},
    "img": {"src", "alt", "border", "hspace", "vspace"},
    "font": {"color", "face", "size"},
    "table": {"background", "border", "cellpadding", "cellspacing", "summary", "rules", "frame"},
    "td": {"background", "colspan", "rowspan", "nowrap", "headers", "scope", "abbr"},
    "th": {"background", "colspan", "rowspan", "nowrap", "headers", "scope", "abbr"},
    "tr": {"background"},
    "tbody": {"background"},
    "col": {"span"},
    "colgroup": {"span"},
    "div": {"background"},
    "ol": {"start", "type", "reversed"},
    "ul": {"type"},
    "li": {"value", "type"},
    "blockquote": {"type"},
    "hr": {"size", "color", "noshade"},
    "br": {"clear"},
    "time": {"datetime"},
    "details": {"open"},
    "bdo": {"dir"},
    "q": set(),
}
_SCHEMES = {"http", "https", "mailto", "tel", "sms", "webcal", "cid", "data"}
_QUOTE_MARKS = frozenset(
    ("gmail_quote", "gmail_attr", "gmail_extra", "moz-cite-prefix", "yahoo_quoted", "protonmail_quote", "WordSection1")
)

_INVISIBLE = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+")
_LINK = re.compile(r"(?:https?:/*[^/]|mailto:|tel:|sms:|webcal:|#)", re.IGNORECASE)
_RASTER = re.compile(r"data:image/(?:png|gif|jpe?g|webp|bmp|avif);base64,[A-Za-z0-9+/=]*", re.IGNORECASE)
_REMOTE = re.compile(r"(?:https?:)?[/\\]{2}[^\s]+", re.IGNORECASE)
_LENGTH = re.compile(r"\d{1,5}(?:\.\d{1,4})?(?:px|%|\*)?", re.IGNORECASE)
_COLOUR = re.compile(r"#?[0-9A-Za-z]{1,30}|rgba?\([\d\s.,%]{1,40}\)")
_BODY = re.compile(r"<(/?)body\b", re.IGNORECASE)
_STYLE_BLOCK = re.compile(r"<style\b", re.IGNORECASE)
_STYLE_TEXT = re.compile(r"<style\b[^>]*+>(.*?)(?:</style|\Z)", re.IGNORECASE | re.DOTALL)
_BODY_COLOUR = re.compile(r"<body\b[^<>]*?\bbgcolor\s*=\s*[\"']?(#?[0-9A-Za-z]{1,30})", re.IGNORECASE)
# In nh3's canonical output "<" and ">" are escaped in text and in attributes: these match only inside real tags.
_IMAGE_CID = re.compile(r'(<img\b[^<>]*?) src="cid:([^"<>]*)"')
_IMAGE_BLOCKED = re.compile(r'(<img\b[^<>]*?) src="x-blocked:"')
_DATA_CID = re.compile(r'(<img\b[^<>]*?) data-cid="([^"<>]*)"')
_INLINER = css_inline.CSSInliner(load_remote_stylesheets=False, keep_style_tags=False, inline_style_tags=True)
_TAG = re.compile(
    r"<(style|script|title|head)\b.*?(?:</\1\s*+>|\Z)|<!--.*?(?:-->|\Z)|<[^<>]*+>?", re.IGNORECASE | re.DOTALL
)
_MAX_PLAIN = 1_000_000


class Cleaned(msgspec.Struct, frozen=True, kw_only=True):
    html: str
    blocked: int
    designed: bool
    cids: frozenset[str]


def clean(html: str, *, remote: bool = False) -> Cleaned:
    """The body fragment of HTML that `guard.refusal` let pass. Inline images are `data-cid`, without a source."""
    if _STYLE_BLOCK.search(html):
        html = _inline(html)
    return (_WITH_IMAGES if remote else _WITHOUT_IMAGES).clean(_body_as_div(html))


def plain(html: str) -> str:
    """What can be read of HTML that no parser may see, in linear time."""
    return (
        unescape(_TAG.sub(" ", html[:_MAX_PLAIN]))
        if html.count("&") <= guard.MAX_AMPERSANDS
        else _TAG.sub(" ", html[:_MAX_PLAIN])
    )


def preformatted(text: str) -> str:
    """Text is escaped, never cleaned: cleaning would take `<user@example.com>` for a tag."""
    return f"<pre>{escape(text, quote=False)}</pre>"


def show_inline_images(html: str, cid_url: Callable[[str], str]) -> str:
    """Stored HTML with its inline images pointed to where they are served."""
    return _DATA_CID.sub(lambda found: f'{found[1]} src="{escape(cid_url(unescape(found[2])))}"', html)


def _inline(html: str) -> str:
    """Style sheets written into style attributes, which is the only place where styles are let through."""
    sheets = "".join(_STYLE_TEXT.findall(html))
    if not guard.may_inline(html, sheets):
        return html
    try:
        return _INLINER.inline(html)
    except (css_inline.InlineError, ValueError):
        return html


def _body_as_div(html: str) -> str:
    """nh3 drops the body tag with its attributes, and dark mail would lose its ground."""
    colour = _BODY_COLOUR.search(html)
    html = _BODY.sub(r"<\1div", html)
    return f'<div style="background-color:{colour[1]}">{html}</div>' if colour else html


class _Cleaner(threading.local):
    """nh3 and what its callback saw, one of them a thread; `attribute` is trusted code: what it returns is not checked again."""

    def __init__(self, *, remote: bool) -> None:
        self.remote = remote
        self.blocked = 0
        self.designed = False
        self.cids: set[str] = set()
        self.cleaner = nh3.Cleaner(
            tags=_TAGS,
            clean_content_tags=_DROPPED_WITH_CONTENT,
            attributes=_ATTRIBUTES,
            attribute_filter=self.attribute,
            url_schemes=_SCHEMES,
            link_rel="noopener noreferrer",
        )

    def clean(self, html: str) -> Cleaned:
        self.blocked, self.designed, self.cids = 0, False, set()
        cleaned = self.cleaner.clean(html)
        if self.cids:
            cleaned = _IMAGE_CID.sub(r'\1 data-cid="\2"', cleaned)
        if self.blocked:
            cleaned = _IMAGE_BLOCKED.sub(r'\1 data-blocked="1"', cleaned)
        return Cleaned(html=cleaned, blocked=self.blocked, designed=self.designed, cids=frozenset(self.cids))

    def attribute(self, _tag: str, name: str, value: str) -> str | None:
        match name:
            case "style":
                return self.style(value)
            case "src":
                return self.source(value)
            case "href":
                return link(value)
            case "background":
                return self.background(value)
            case "id" | "name":
                return "m-" + value[:100] if value else None
            case "class":
                return " ".join(word for word in value.split() if word in _QUOTE_MARKS) or None
            case "width" | "height":
                return value if _LENGTH.fullmatch(value.strip()) and not (name == "height" and "%" in value) else None
            case "bgcolor" | "color":
                self.designed = True
                return value if _COLOUR.fullmatch(value.strip()) else None
            case _:
                return value

    def style(self, value: str) -> str | None:
        style = css.clean(value, remote=self.remote)
        self.blocked += style.blocked
        self.designed = self.designed or style.designed
        return style.text or None

    def source(self, value: str) -> str | None:
        """An image's source: inline parts and raster data stay, what is remote is blocked, the rest is dropped."""
        url = _INVISIBLE.sub("", value)
        lowered = url[:64].lower()
        if lowered.startswith("cid:"):
            self.cids.add(content_id(url))
            return "cid:" + content_id(url)
        if _RASTER.fullmatch(url):
            return url
        if _REMOTE.fullmatch(url):
            if self.remote:
                return "https:" + url if url.startswith(("//", "\\\\")) else url
            self.blocked += 1
            return "x-blocked:"
        return None

    def background(self, value: str) -> str | None:
        url = _INVISIBLE.sub("", value)
        self.designed = True
        if not _REMOTE.fullmatch(url):
            return None
        if self.remote:
            return "https:" + url if url.startswith(("//", "\\\\")) else url
        self.blocked += 1
        return None


_WITHOUT_IMAGES = _Cleaner(remote=False)
_WITH_IMAGES = _Cleaner(remote=True)


def link(value: str) -> str | None:
    url = _INVISIBLE.sub("", value.strip().replace(" ", "%20"))
    if not _LINK.match(url):
        return None
    return "#m-" + url[1:] if url.startswith("#") else url


def content_id(url: str) -> str:
    """The id that a cid: URL names (RFC 2392: percent-encoded, without brackets)."""
    return unquote(url[4:]).strip("<>")
