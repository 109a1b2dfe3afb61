"""What a mail server holds arrives in the log exactly once, newest first."""

from contracts.facts import AccountState, AccountStateChanged, MessageArrived
from tests.support.corpus import messages
from tests.support.dovecot import Dovecot, Mail, User
from tests.support.processes import Installation, until


async def test_a_mailbox_arrives_exactly_once_and_newest_first(
    installed: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    mails = [Mail(message.raw) for message in list(messages("easy-ham-1"))[:300]]
    dovecot.load(mail_user.name, mails)
    with installed.running("sync"):
        account = await installed.add_account(dovecot, mail_user)

        async def live() -> bool:
            return any(
                isinstance(fact, AccountStateChanged) and fact.state is AccountState.LIVE
                for _, fact in await installed.facts(account)
            )

        await until(live)
    facts = [fact for _, fact in await installed.facts(account)]
    arrived = [fact for fact in facts if isinstance(fact, MessageArrived)]
    assert [fact.uid for fact in arrived] == list(range(300, 0, -1))
