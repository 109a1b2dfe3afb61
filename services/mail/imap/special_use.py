"""What a mailbox is for: RFC 6154 attributes, else XLIST's, else the names that mail programs give."""

from collections.abc import Iterable

from contracts.facts import SpecialUse

# Compared in lower case: Cyrus says \archive. \Spam, \Starred and \AllMail are XLIST's.
ATTRIBUTES = {
    "\\inbox": SpecialUse.INBOX,
    "\\sent": SpecialUse.SENT,
    "\\drafts": SpecialUse.DRAFTS,
    "\\trash": SpecialUse.TRASH,
    "\\junk": SpecialUse.JUNK,
    "\\spam": SpecialUse.JUNK,
    "\\archive": SpecialUse.ARCHIVE,
    "\\all": SpecialUse.ALL,
    "\\allmail": SpecialUse.ALL,
}

# English, German, French, Spanish, Italian, Dutch, Polish, Czech, Swedish, Japanese.
NAMES = {
    SpecialUse.SENT: (
        "sent;sent items;sent mail;sent messages;gesendet;gesendete elemente;gesendete objekte;envoyés;éléments envoyés;"
        "messages envoyés;enviados;elementos enviados;posta inviata;inviata;verzonden;verzonden items;wysłane;"
        "elementy wysłane;odeslané;odeslaná pošta;skickat;送信済み;送信済みメール"
    ),
    SpecialUse.DRAFTS: "drafts;draft;entwürfe;brouillons;borradores;bozze;concepten;szkice;kopie robocze;koncepty;utkast;下書き",
    SpecialUse.TRASH: (
        "trash;deleted items;deleted messages;deleted;bin;papierkorb;gelöschte elemente;gelöschte objekte;corbeille;"
        "éléments supprimés;papelera;elementos eliminados;cestino;posta eliminata;prullenbak;verwijderde items;kosz;"
        "elementy usunięte;koš;papperskorgen;ゴミ箱"
    ),
    SpecialUse.JUNK: (
        "junk;spam;junk e-mail;junk email;bulk mail;spamverdacht;unerwünscht;courrier indésirable;indésirables;pourriel;"
        "correo no deseado;posta indesiderata;ongewenste e-mail;wiadomości-śmieci;niechciane;nevyžádaná pošta;skräppost;"
        "迷惑メール"
    ),
    SpecialUse.ARCHIVE: "archive;archives;archiv;archivo;archivio;archief;archiwum;archivovat;arkiv;アーカイブ",
}
BY_NAME = {name: use for use, names in NAMES.items() for name in names.split(";")}


def assign(mailboxes: Iterable[tuple[str, str | None, frozenset[str]]]) -> dict[str, SpecialUse]:
    """From (path, delimiter, attributes) to the use of each path that has one; no use is given twice.

    What the server says counts before any name; of names, the one nearest to the root.
    """
    uses: dict[str, SpecialUse] = {}
    taken: set[SpecialUse] = set()

    def give(path: str, use: SpecialUse | None) -> None:
        if use is not None and use not in taken and path not in uses:
            uses[path] = use
            taken.add(use)

    known = list(mailboxes)
    give("INBOX", SpecialUse.INBOX if any(path == "INBOX" for path, _, _ in known) else None)
    for path, _, attributes in known:
        for attribute in sorted(attributes):
            give(path, ATTRIBUTES.get(attribute.lower()))
    for path, delimiter, _ in sorted(known, key=lambda mailbox: (depth(*mailbox[:2]), mailbox[0])):
        parts = path.split(delimiter) if delimiter else [path]
        if len(parts) == 1 or (len(parts) == 2 and parts[0].upper() == "INBOX"):
            give(path, BY_NAME.get(parts[-1].casefold()))
    return uses


def depth(path: str, delimiter: str | None) -> int:
    return path.count(delimiter) if delimiter else 0
