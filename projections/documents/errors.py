"""What can go wrong inside the documents package; nothing of it leaves `read`."""


class DocumentError(Exception):
    """The base of this package's errors."""


class HtmlRefusedError(DocumentError):
    """This HTML is shown as plain text; the message says why."""
