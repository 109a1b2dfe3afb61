"""The mail read model: what is where, and which conversation it belongs to."""

from contracts.facts import (
    AccountRemoved,
    ContentChanged,
    DeleteRequested,
    FlagsChanged,
    FlagsRequested,
    GenerationAbandoned,
    GenerationCommitted,
    GenerationOpened,
    MailboxFound,
    MailboxLost,
    MailboxMarked,
    MessageArrived,
    MessagesExpunged,
    MoveRequested,
    RequestApplied,
    RequestExpired,
    RequestRefused,
)
from projections import sql
from projections.engine.projection import Projection
from projections.mail import arrivals, flags, generations, requests

mail = Projection(
    "mail",
    version=3,
    schema=sql.text("projections.mail", "schema.sql"),
    indexes=sql.text("projections.mail", "indexes.sql"),
    grants=sql.text("projections.mail", "grants.sql"),
    documents=True,
)

mail.on(MessageArrived)(arrivals.arrive)
mail.on(ContentChanged)(arrivals.change)

mail.on(FlagsChanged)(flags.flag)
mail.on(MessagesExpunged)(flags.expunge)
mail.on(MailboxMarked)(flags.observe)

mail.on(MailboxFound)(generations.find)
mail.on(MailboxLost)(generations.lose)
mail.on(GenerationOpened)(generations.open_)
mail.on(GenerationCommitted)(generations.commit)
mail.on(GenerationAbandoned)(generations.abandon)
mail.on(AccountRemoved)(generations.remove)

mail.on(FlagsRequested)(requests.ask)
mail.on(MoveRequested)(requests.ask)
mail.on(DeleteRequested)(requests.ask)
mail.on(RequestApplied)(requests.settle)
mail.on(RequestRefused)(requests.roll_back)
mail.on(RequestExpired)(requests.roll_back)
