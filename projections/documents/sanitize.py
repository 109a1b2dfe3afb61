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
from projections.documents.errors import HtmlRefusedError

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
_BODY = re.compile(r"<(/?)(?i:body)\b")  # case is ignored behind the "<", so that it is looked for as it is
_STYLE_BLOCK = re.compile(r"<(?i:style)\b")
_STYLE_TEXT = re.compile(r"<(?i:style)\b[^>]*+>(.*?)(?:</(?i:style)|\Z)", re.DOTALL)
_BODY_COLOUR = re.compile(r"<(?i:body\b[^<>]*?\bbgcolor)\s*=\s*[\"']?(#?[0-9A-Za-z]{1,30})")
# In nh3's canonical output "<" and ">" are escaped in text and in attributes: these match only inside real tags.
_IMAGE_CID = re.compile(r'(<img\b[^<>]*?) src="cid:([^"<>]*)"')
_IMAGE_BLOCKED = re.compile(r'(<img\b[^<>]*?) src="x-blocked:"')
_DATA_CID = re.compile(r'(<img\b[^<>]*?) data-cid="([^"<>]*)"')
_INLINER = css_inline.CSSInliner(load_remote_stylesheets=False, keep_style_tags=False, inline_style_tags=True)
_TAG = re.compile(
    r"<(style|script|title|head)\b.*?(?:</\1\s*+>|\Z)|<!--.*?(?:-->|\Z)|<[^<>]*+>?", re.IGNORECASE | re.DOTALL
)
_MAX_PLAIN = 1_000_000
_MAX_INLINED = 3_000_000


class Cleaned(msgspec.Struct, frozen=True, kw_only=True):
    html: str
    blocked: int
    designed: bool
    cids: frozenset[str]


def clean(html: str, *, remote: bool = False) -> Cleaned:
    """The body fragment, or `HtmlRefusedError`. Inline images are `data-cid`, without a source."""
    check(html)
    cleaner = _CLEANERS.with_images if remote else _CLEANERS.without_images
    try:
        return cleaner.clean(_body_as_div(_inline(html) if _STYLE_BLOCK.search(html) else html))
    except BaseException as panic:  # a Rust panic is no Exception, and its class can't be imported
        if type(panic).__name__ != "PanicException":
            raise
        raise HtmlRefusedError("a library gave up on it") from panic


def check(html: str) -> None:
    """Raises HtmlRefusedError for what no parser may see."""
    if reason := guard.refusal(html):
        raise HtmlRefusedError(reason)


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
        inlined = _INLINER.inline(html)
    except (css_inline.InlineError, ValueError):
        return html
    return inlined if len(inlined) <= _MAX_INLINED else html


def _body_as_div(html: str) -> str:
    """nh3 drops the body tag with its attributes, and dark mail would lose its ground."""
    colour = _BODY_COLOUR.search(html)
    html = _BODY.sub(r"<\1div", html)
    return f'<div style="background-color:{colour[1]}">{html}</div>' if colour else html


class _Cleaner:
    """nh3 and what its callback saw; the rules are trusted code: what they return is not checked again."""

    def __init__(self, *, remote: bool) -> None:
        self.remote = remote
        self.blocked = 0
        self.designed = False
        self.cids: set[str] = set()
        rules: dict[str, Callable[[str], str | None]] = {
            "style": self.style,
            "src": self.source,
            "background": self.background,
            "bgcolor": self.colour,
            "color": self.colour,
            "href": link,
            "id": anchor,
            "name": anchor,
            "class": quote_marks,
            "width": length,
            "height": height,
        }
        self.cleaner = nh3.Cleaner(
            tags=_TAGS,
            clean_content_tags=_DROPPED_WITH_CONTENT,
            attributes=_ATTRIBUTES,
            attribute_filter=lambda _, name, value: rule(value) if (rule := rules.get(name)) else value,
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

    def style(self, value: str) -> str | None:
        text, blocked, designed = css.clean(value, remote=self.remote)
        self.blocked += blocked
        self.designed |= designed
        return text or None

    def source(self, value: str) -> str | None:
        """An image's source: inline parts and raster data stay, what is remote is blocked, the rest is dropped."""
        url = _INVISIBLE.sub("", value)
        if url[:4].lower() == "cid:":
            self.cids.add(content_id(url))
            return "cid:" + content_id(url)
        return url if _RASTER.fullmatch(url) else self.remote_image(url, "x-blocked:")

    def background(self, value: str) -> str | None:
        self.designed = True
        return self.remote_image(_INVISIBLE.sub("", value), None)

    def remote_image(self, url: str, instead: str | None) -> str | None:
        if not _REMOTE.fullmatch(url):
            return None
        if self.remote:
            return "https:" + url if url[0] in "/\\" else url
        self.blocked += 1
        return instead

    def colour(self, value: str) -> str | None:
        self.designed = True
        return value if _COLOUR.fullmatch(value.strip()) else None


class _Cleaners(threading.local):
    """One pair a thread: a cleaner counts what it sees."""

    def __init__(self) -> None:
        self.without_images = _Cleaner(remote=False)
        self.with_images = _Cleaner(remote=True)


def anchor(value: str) -> str | None:
    """Ids of a mail don't meet those of the page around it."""
    return "m-" + value[:100] if value else None


def quote_marks(value: str) -> str | None:
    return " ".join(word for word in value.split() if word in _QUOTE_MARKS) or None


def length(value: str) -> str | None:
    return value if (value.isdecimal() and len(value) < 6) or _LENGTH.fullmatch(value.strip()) else None


def height(value: str) -> str | None:
    """No percentages: a mail as high as its frame grows for ever."""
    return length(value) if "%" not in value else None


def link(value: str) -> str | None:
    url = _INVISIBLE.sub("", value.strip().replace(" ", "%20"))
    if not _LINK.match(url):
        return None
    return "#m-" + url[1:] if url.startswith("#") else url


def content_id(url: str) -> str:
    """The id that a cid: URL names (RFC 2392: percent-encoded, without brackets)."""
    return unquote(url[4:]).strip("<>")


_CLEANERS = _Cleaners()
