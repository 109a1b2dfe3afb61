"""Two-step sign-in: a code after the password, each good once; and ways back in when the app is lost."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import httpx
import pyotp
import pytest

from services.gateway.auth import totp
from services.gateway.deps import Gateway

PASSWORD = "correct horse battery"
Browsers = Callable[..., Any]


def refused(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


class App:
    """An authenticator app that shows the code of whichever half minute is wanted, from now."""

    def __init__(self, secret: str) -> None:
        self._totp = pyotp.TOTP(secret)

    def code(self, steps: int = 0) -> str:
        return self._totp.at(int(time.time()) + 30 * steps)


async def sign_in(browser: Any, code: str = "", password: str = PASSWORD) -> httpx.Response:
    answer: httpx.Response = await browser.post(
        "/api/auth/login", json={"handle": "anna", "password": password, "code": code}
    )
    return answer


async def set_up(browser: Any) -> App:
    answer = await browser.post("/api/auth/totp/setup", json={"password": PASSWORD})
    assert answer.status_code == 200, answer.text
    return App(answer.json()["secret"])


@pytest.fixture
async def anna(browser: Any) -> Any:
    await browser.sign_up("anna")
    return browser


@pytest.fixture
async def app(anna: Any, parts: Gateway) -> App:
    """Of Anna, who has switched it on a while ago."""
    app = await set_up(anna)
    anna.recovery = (await anna.post("/api/auth/totp/enable", json={"code": app.code()})).json()["codes"]
    await parts.db.execute("UPDATE users SET totp_step = 0")
    return app


async def test_the_secret_is_shown_as_a_picture_and_as_text(anna: Any) -> None:
    answer = (await anna.post("/api/auth/totp/setup", json={"password": PASSWORD})).json()
    assert pyotp.parse_uri(answer["uri"]).secret == answer["secret"]
    assert answer["uri"].startswith("otpauth://totp/mail.test:anna%40mail.test?")
    assert answer["qr"].startswith("<svg ")
    assert answer["secret"] not in answer["qr"]


async def test_nothing_is_asked_for_until_a_code_was_given(anna: Any, open_browser: Browsers) -> None:
    app = await set_up(anna)
    assert (await sign_in(open_browser())).status_code == 200
    assert refused(await anna.post("/api/auth/totp/enable", json={"code": app.code(-3)})) == (403, "wrong_code")
    assert (await anna.get("/api/auth/totp")).json() == {"enabled": False, "recovery_codes_left": 0}
    codes = (await anna.post("/api/auth/totp/enable", json={"code": app.code()})).json()["codes"]
    assert len(set(codes)) == 10
    assert (await anna.get("/api/auth/totp")).json() == {"enabled": True, "recovery_codes_left": 10}
    assert refused(await sign_in(open_browser())) == (401, "code_required")


async def test_a_secret_is_set_up_with_the_password_and_not_over_another(anna: Any, app: App) -> None:
    answer = await anna.post("/api/auth/totp/setup", json={"password": "wrong wrong wrong"})
    assert refused(answer) == (403, "wrong_password")
    answer = await anna.post("/api/auth/totp/setup", json={"password": PASSWORD})
    assert refused(answer) == (409, "already_enabled")
    answer = await anna.post("/api/auth/totp/enable", json={"code": app.code()})
    assert refused(answer) == (409, "not_set_up")


async def test_only_the_secret_that_was_shown_last_counts(anna: Any) -> None:
    first, second = await set_up(anna), await set_up(anna)
    assert refused(await anna.post("/api/auth/totp/enable", json={"code": first.code()})) == (403, "wrong_code")
    assert (await anna.post("/api/auth/totp/enable", json={"code": second.code()})).status_code == 200


@pytest.mark.parametrize("steps", [-1, 0, 1])
async def test_a_code_is_taken_half_a_minute_early_or_late(app: App, open_browser: Browsers, steps: int) -> None:
    assert (await sign_in(open_browser(), app.code(steps))).status_code == 200


def test_the_window_is_one_step_to_each_side_and_no_more() -> None:
    secret, now = totp.fresh(), 1_790_000_000.0
    taken = [n for n in range(-4, 5) if totp.step(secret, pyotp.TOTP(secret).at(int(now) + 30 * n), now) is not None]
    assert taken == [-1, 0, 1]


@pytest.mark.parametrize("code", ["000000 ", "12345", "1234567", "abcdef", "١٢٣٤٥٦", "\0", "x" * 5000])
async def test_a_wrong_code_is_refused(app: App, open_browser: Browsers, code: str) -> None:
    other = open_browser()
    assert refused(await sign_in(other, code)) == (401, "wrong_code")
    assert (await other.get("/api/auth/me")).status_code == 401


async def test_the_password_is_looked_at_first_and_a_code_says_nothing_of_it(app: App, open_browser: Browsers) -> None:
    answer = await sign_in(open_browser(), app.code(), "wrong wrong wrong")
    assert refused(answer) == (401, "invalid_credentials")
    assert (await sign_in(open_browser(), app.code())).status_code == 200


async def test_a_code_is_good_once_also_when_it_comes_twice_at_once(app: App, open_browser: Browsers) -> None:
    answers = await asyncio.gather(*(sign_in(open_browser(f"192.0.2.{n}"), app.code()) for n in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401]


async def test_a_code_from_before_the_last_one_is_worth_nothing(app: App, open_browser: Browsers) -> None:
    assert (await sign_in(open_browser(), app.code(1))).status_code == 200
    assert refused(await sign_in(open_browser(), app.code())) == (401, "wrong_code")


async def test_the_code_that_switched_it_on_signs_nobody_in(anna: Any, open_browser: Browsers) -> None:
    app = await set_up(anna)
    code = app.code()
    assert (await anna.post("/api/auth/totp/enable", json={"code": code})).status_code == 200
    assert refused(await sign_in(open_browser(), code)) == (401, "wrong_code")


async def test_a_recovery_code_works_once_however_it_is_typed(anna: Any, app: App, open_browser: Browsers) -> None:
    code = anna.recovery[3]
    assert (await sign_in(open_browser(), code.upper().replace("-", " "))).status_code == 200
    assert refused(await sign_in(open_browser(), code)) == (401, "wrong_code")
    assert (await anna.get("/api/auth/totp")).json()["recovery_codes_left"] == 9


async def test_new_recovery_codes_take_the_place_of_the_old(anna: Any, app: App, open_browser: Browsers) -> None:
    both = {"password": PASSWORD, "code": app.code()}
    fresh = (await anna.post("/api/auth/totp/recovery-codes", json=both)).json()["codes"]
    assert not set(fresh) & set(anna.recovery)
    assert refused(await sign_in(open_browser(), anna.recovery[0])) == (401, "wrong_code")
    assert (await sign_in(open_browser(), fresh[0])).status_code == 200


async def test_it_is_switched_off_with_both_and_with_neither_alone(anna: Any, app: App, open_browser: Browsers) -> None:
    async def off(password: str, code: str) -> httpx.Response:
        answer: httpx.Response = await anna.post("/api/auth/totp/disable", json={"password": password, "code": code})
        return answer

    assert refused(await off("wrong wrong wrong", app.code())) == (403, "wrong_password")
    assert refused(await off(PASSWORD, "")) == (403, "wrong_code")
    assert refused(await off(PASSWORD, app.code(-5))) == (403, "wrong_code")
    assert (await off(PASSWORD, app.code())).status_code == 204
    assert (await anna.get("/api/auth/totp")).json() == {"enabled": False, "recovery_codes_left": 0}
    assert (await sign_in(open_browser())).status_code == 200


async def test_wrong_codes_are_counted_like_wrong_passwords(app: App, open_browser: Browsers) -> None:
    for n in range(10):
        assert refused(await sign_in(open_browser(f"192.0.2.{n}"), "000000")) == (401, "wrong_code")
    answer = await sign_in(open_browser("198.51.100.7"), app.code())
    assert refused(answer) == (429, "too_many_attempts")
    assert 0 < int(answer.headers["retry-after"]) <= 900


async def test_a_session_alone_guesses_ten_times_and_no_more(anna: Any, app: App) -> None:
    both = {"password": PASSWORD, "code": "000000"}
    answers = [await anna.post("/api/auth/totp/disable", json=both) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [403] * 10 + [429]


async def test_good_two_step_sign_ins_are_not_counted(app: App, open_browser: Browsers, parts: Gateway) -> None:
    for _ in range(7):
        assert refused(await sign_in(open_browser())) == (401, "code_required")
        await parts.db.execute("UPDATE users SET totp_step = 0")
        assert (await sign_in(open_browser(), app.code())).status_code == 200


async def test_neither_secret_nor_codes_can_be_read_in_the_database(anna: Any, app: App, parts: Gateway) -> None:
    secret = app._totp.secret
    rows = await parts.db.fetch("SELECT users::text AS row FROM users UNION ALL SELECT r::text FROM recovery_codes r")
    kept = "".join(row["row"] for row in rows)
    sealed = await parts.db.fetchval("SELECT totp_secret FROM users")
    assert secret.encode() not in sealed
    for plain in (secret, *anna.recovery, *(code.replace("-", "") for code in anna.recovery)):
        assert plain not in kept
        assert plain.encode().hex() not in kept


async def test_a_secret_copied_to_another_user_opens_nothing(
    app: App, open_browser: Browsers, parts: Gateway, database: str
) -> None:
    """Whoever can write rows still can't make another's second factor their own."""
    await open_browser().sign_up("bob")
    await parts.db.execute(
        "UPDATE users SET totp_secret = (SELECT totp_secret FROM users WHERE handle = 'anna@mail.test')"
    )
    body = {"handle": "bob", "password": PASSWORD, "code": app.code()}
    assert (await open_browser().post("/api/auth/login", json=body)).status_code == 500
