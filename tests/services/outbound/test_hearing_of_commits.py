"""Outbound hears of what the read model has folded, and does not ask for it again and again."""

from tests.services.outbound.acting import Connect
from tests.support.dovecot import Dovecot, Mail, User
from tests.support.processes import until


async def test_a_change_is_made_when_its_read_model_is_heard_to_have_come_along(
    act_on: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    acting = await act_on(dovecot, mail_user)

    async def heard() -> bool:
        listens = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'webmail_outbound' AND query LIKE 'LISTEN %'"
        return await acting.db.fetchval(listens) == 1

    await until(heard)
    dovecot.load(mail_user.name, [Mail(b"Message-ID: <1@x>\r\nSubject: Plan\r\n\r\nPlan.\r\n")])
    await acting.mirror.equal()
    await acting.done(await acting.flag(await acting.messages(), add=["\\Flagged"]))
    assert await heard()
