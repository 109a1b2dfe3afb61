"""The document that a message's HTML is shown in: a frame of its own with its own policy, never a script (web.md §2).

A `srcdoc` frame would inherit the app's policy, so allowed remote images would never load.
"""

from typing import Literal

Theme = Literal["light", "dark"]

_SANDBOX = "sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox"
FONT = '14px/22px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif'
_STYLE = """
html{overflow:hidden;background:%(background)s;color:%(text)s}
body{margin:0;font:%(font)s;overflow-wrap:anywhere}
#wm-root{display:flow-root}
%(content)s"""
_CONTENT = """
a{color:%(link)s}
img,video{max-width:100%%}
img:not([height]){height:auto}
pre{white-space:pre-wrap;font:13px/20px ui-monospace,SFMono-Regular,Consolas,monospace}
blockquote{margin:0 0 0 8px;padding-left:12px;border-left:2px solid %(line)s}
summary{cursor:pointer;width:max-content;color:%(quiet)s}
"""
_LIGHT = {"background": "#FFFFFF", "text": "#1C1B19", "link": "#1B6A5A", "line": "#E3E0DA", "quiet": "#6B675F"}
_DARK = {"background": "#191C1D", "text": "#ECEEEE", "link": "#74C7B2", "line": "#2C3133", "quiet": "#969DA0"}


def headers(*, remote: bool, keep: bool) -> dict[str, str]:
    """`remote`: images from anywhere over TLS. `keep`: the same address will give the same document for an hour."""
    images = "img-src 'self' data: https:" if remote else "img-src 'self' data:"
    return {
        "Content-Security-Policy": (
            f"default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; {images}; font-src 'self'; "
            f"form-action 'none'; base-uri 'none'; frame-ancestors 'self'; {_SANDBOX}"
        ),
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, max-age=3600" if keep else "no-store",
    }


def content_style() -> str:
    """Of what stands in a message, on paper."""
    return _CONTENT % _LIGHT


def document(fragment: str, *, theme: Theme, designed: bool) -> bytes:
    """`fragment`: sanitized. `designed`: mail with colours of its own keeps a light sheet, whatever the theme."""
    scheme = "light" if designed else theme
    colours = _DARK if scheme == "dark" else _LIGHT
    style = _STYLE % {**colours, "font": FONT, "content": _CONTENT % colours}
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><meta name="color-scheme" content="{scheme}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><base target="_blank">'
        f'<style>{style}</style></head><body><div id="wm-root">{fragment}</div></body></html>'
    ).encode()
