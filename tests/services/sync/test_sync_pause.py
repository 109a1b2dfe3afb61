"""A paused account's server is left alone until its owner goes on, and a refused password is put right by connecting again."""

from contracts.facts import AccountState, MessageArrived
from contracts.subjects import AccountSubjects
from tests.services.sync.test_sync_trouble import set_password
from tests.support.dovecot import Dovecot, Mail, User
from tests.support.processes import Installation, until

MAIL = b"Subject: one\r\n\r\nHello.\r\n"


async def test_a_paused_account_lets_go_of_its_server_and_reads_on_when_it_is_resumed(
    installed: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, [Mail(MAIL)])
    with installed.running("sync"):
        account = await installed.add_account(dovecot, mail_user)
        await installed.until_live(account)
        await pause(installed, account, paused=True)
        await until(lambda: state(installed, account, AccountState.DISABLED, "paused"))
        await until(lambda: mail_user.name not in dovecot.doveadm("who"))
        dovecot.deliver(mail_user.name, MAIL.replace(b"one", b"two"))
        await pause(installed, account, paused=False)
        await until(lambda: arrived(installed, account, 2))
        await installed.until_live(account)
    said = [fact.state for fact in await installed.states(account)]
    assert said[-3:] == [AccountState.DISABLED, AccountState.CONNECTING, AccountState.LIVE]


async def test_a_worker_that_starts_anew_leaves_a_paused_account_alone(
    installed: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    with installed.running("sync"):
        account = await installed.add_account(dovecot, mail_user)
        await installed.until_live(account)
    await pause(installed, account, paused=True)
    with installed.running("sync"):
        await until(lambda: state(installed, account, AccountState.DISABLED, "paused"))
        assert mail_user.name not in dovecot.doveadm("who")


async def test_connecting_again_puts_a_refused_password_and_a_wrong_server_right(
    installed: Installation, dovecot_of_its_own: Dovecot, dovecot: Dovecot, mail_user: User
) -> None:
    """The account was at one server, where its password is refused by now, and moves to another."""
    before = dovecot_of_its_own.user()
    dovecot.load(mail_user.name, [Mail(MAIL)])
    with installed.running("sync"):
        account = await installed.add_account(dovecot_of_its_own, before)
        await installed.until_live(account)
        await set_password(installed, account, "changed elsewhere")
        await until(lambda: state(installed, account, AccountState.RECONNECT_REQUIRED, "auth_failed"))
        refused = await installed.connect(dovecot, mail_user, account.user_id, account.account_id, "not this")
        assert isinstance(refused["error"], dict)
        assert refused["error"]["code"] == "auth_failed"
        assert await port(installed, account) == dovecot_of_its_own.port
        assert await installed.connect(dovecot, mail_user, account.user_id, account.account_id) == {"ok": True}
        assert await port(installed, account) == dovecot.port
        await until(lambda: arrived(installed, account, 1))
        await installed.until_live(account)


async def pause(installed: Installation, account: AccountSubjects, *, paused: bool) -> None:
    await installed.db.execute("UPDATE accounts SET paused = $2 WHERE id = $1", account.account_id, paused)


async def state(installed: Installation, account: AccountSubjects, wished: AccountState, code: str) -> bool:
    last = (await installed.states(account))[-1]
    return (last.state, last.code) == (wished, code)


async def arrived(installed: Installation, account: AccountSubjects, count: int) -> bool:
    return sum(isinstance(fact, MessageArrived) for fact in await installed.told(account)) == count


async def port(installed: Installation, account: AccountSubjects) -> int:
    found: int = await installed.db.fetchval(
        "SELECT (imap ->> 'port')::int FROM accounts WHERE id = $1", account.account_id
    )
    return found
