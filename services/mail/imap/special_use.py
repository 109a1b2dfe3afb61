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

# English, German, French, Spanish, Italian, Dutch, Polish, Czech, Swedish, Japanese, Portuguese, Russian, Ukrainian, Danish,
# Norwegian, Finnish, Hungarian, Romanian, Turkish, Greek, Slovak, Bulgarian, Croatian, Catalan, Chinese, Korean.
NAMES = {
    SpecialUse.SENT: (
        "sent;sent items;sent mail;sent messages;gesendet;gesendete elemente;gesendete objekte;envoyés;éléments envoyés;"
        "messages envoyés;enviados;elementos enviados;posta inviata;inviata;verzonden;verzonden items;wysłane;"
        "elementy wysłane;odeslané;odeslaná pošta;skickat;送信済み;送信済みメール;itens enviados;mensagens enviadas;отправленные;"
        "надіслані;відправлені;sendt;sendt post;sendte elementer;lähetetyt;elküldött;elküldött elemek;trimise;mesaje trimise;"
        "gönderilmiş öğeler;gönderilenler;gönderilmiş;απεσταλμένα;odoslané;odoslaná pošta;изпратени;poslano;poslane poruke;"
        "enviats;已发送;已发送邮件;寄件備份;已傳送的郵件;보낸편지함;보낸 편지함"
    ),
    SpecialUse.DRAFTS: (
        "drafts;draft;entwürfe;brouillons;borradores;bozze;concepten;szkice;kopie robocze;koncepty;utkast;下書き;rascunhos;"
        "черновики;чернетки;kladder;kladde;luonnokset;piszkozatok;ciorne;schițe;taslaklar;πρόχειρα;rozpísané;чернови;skice;"
        "esborranys;草稿;草稿箱;草稿匣;임시보관함;임시 보관함"
    ),
    SpecialUse.TRASH: (
        "trash;deleted items;deleted messages;deleted;bin;papierkorb;gelöschte elemente;gelöschte objekte;corbeille;"
        "éléments supprimés;papelera;elementos eliminados;cestino;posta eliminata;prullenbak;verwijderde items;kosz;"
        "elementy usunięte;koš;papperskorgen;ゴミ箱;lixo;lixeira;itens excluídos;itens eliminados;корзина;удаленные;удалённые;"
        "кошик;видалені;papirkurv;slettet post;slettede elementer;papirkurven;søppel;roskakori;poistetut;lomtár;kuka;"
        "törölt elemek;coș de gunoi;gunoi;elemente șterse;çöp kutusu;çöp;silinmiş öğeler;κάδος απορριμμάτων;διαγραμμένα;"
        "kôš;odstránená pošta;odstraněná pošta;кошче;изтрити;smeće;otpad;izbrisano;paperera;已删除;已删除邮件;垃圾桶;回收站;"
        "刪除的郵件;휴지통;지운 편지함"
    ),
    SpecialUse.JUNK: (
        "junk;spam;junk e-mail;junk email;bulk mail;spamverdacht;unerwünscht;courrier indésirable;indésirables;pourriel;"
        "correo no deseado;posta indesiderata;ongewenste e-mail;wiadomości-śmieci;niechciane;nevyžádaná pošta;skräppost;"
        "迷惑メール;lixo eletrônico;lixo eletrónico;correio publicitário;спам;нежелательная почта;небажана пошта;uønsket mail;"
        "uønsket post;uønsket e-post;søppelpost;roskaposti;levélszemét;e-mail nedorit;gereksiz e-posta;önemsiz e-posta;"
        "ανεπιθύμητη αλληλογραφία;ανεπιθύμητα;nevyžiadaná pošta;нежелана поща;neželjena pošta;neželjeno;correu brossa;"
        "垃圾邮件;垃圾郵件;스팸편지함;스팸메일함;정크 메일"
    ),
    SpecialUse.ARCHIVE: (
        "archive;archives;archiv;archivo;archivio;archief;archiwum;archivovat;arkiv;アーカイブ;arquivo;arquivo morto;архив;архів;"
        "arkivoitu;arkisto;archívum;arhivă;arşiv;arşivlenen;αρχείο;αρχειοθήκη;archív;arhiva;arxiu;归档;存档;封存;보관함"
    ),
}
BY_NAME = {name.casefold(): use for use, names in NAMES.items() for name in names.split(";")}


def assign(mailboxes: Iterable[tuple[str, str | None, frozenset[str]]]) -> dict[str, SpecialUse]:
    """From (path, delimiter, attributes) to the use of each path that has one; no use is given twice.

    What the server says counts before any name. Names count at the top level only, which is below INBOX where the server
    keeps everything there.
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
    root = _root(known)
    for path, delimiter, _ in sorted(known):
        name = path.removeprefix(root)
        if delimiter is None or delimiter not in name:
            give(path, BY_NAME.get(name.casefold()))
    return uses


def guessed(attributes: frozenset[str], use: SpecialUse | None) -> bool:
    """Whether only its name says what a mailbox is for."""
    return use not in (None, SpecialUse.INBOX) and use not in {ATTRIBUTES.get(one.lower()) for one in attributes}


def _root(mailboxes: list[tuple[str, str | None, frozenset[str]]]) -> str:
    """`INBOX.` where all other mailboxes are below it, else nothing."""
    others = [(path, f"INBOX{delimiter}") for path, delimiter, _ in mailboxes if path != "INBOX"]
    return others[0][1] if others and all(path.startswith(below) for path, below in others) else ""
