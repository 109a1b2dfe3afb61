"""Mozilla's client configuration: of the domain itself, or of the database that Thunderbird's users keep."""

import asyncio
from urllib.parse import quote

from services.http import Answer, Http, HttpError
from services.mail.discovery import clientconfig
from services.mail.discovery.address import Address
from services.mail.discovery.candidates import Candidate, Failed, Method, Nothing

ISPDB = "autoconfig.thunderbird.net"


async def of_domain(address: Address, http: Http) -> Candidate:
    """Both places at once; the first one counts before the second. Raises Nothing, Failed."""
    domain, query = address.domain, f"?emailaddress={quote(address.whole, safe='')}"
    urls = (
        f"https://autoconfig.{domain}/mail/config-v1.1.xml{query}",
        f"https://{domain}/.well-known/autoconfig/mail/config-v1.1.xml{query}",
    )
    answers = await asyncio.gather(*(_read("autoconfig", url, domain, address, http) for url in urls))
    found = next((answer for answer in answers if isinstance(answer, Candidate)), None)
    if found is not None:
        return found
    why = "; ".join(dict.fromkeys(str(answer) for answer in answers))
    raise Failed(why) if any(isinstance(answer, Failed) for answer in answers) else Nothing(why)


async def of_ispdb(address: Address, http: Http) -> Candidate:
    """Raises Nothing, Failed."""
    answer = await _read("ispdb", f"https://{ISPDB}/v1.1/{address.domain}", ISPDB, address, http)
    if isinstance(answer, Candidate):
        return answer
    raise answer


async def _read(source: Method, url: str, within: str, address: Address, http: Http) -> Candidate | Nothing | Failed:
    try:
        answer = await http.get(url, within=within)
    except HttpError as error:
        if error.code == "unknown_host":
            return Nothing("no such host")
        return Failed(error.detail)
    return _candidate(source, answer, address)


def _candidate(source: Method, answer: Answer, address: Address) -> Candidate | Nothing | Failed:
    if answer.status != 200:
        return Nothing(f"HTTP {answer.status}")
    try:
        return clientconfig.candidate(source, answer.body, address)
    except clientconfig.Unusable as error:
        return Failed(str(error))
