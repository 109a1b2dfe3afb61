"""A small Internet on this machine: names in a DNS server of its own, public addresses that lead to local ports, and a CA.

Only the last step is not real: what would be sent to `20.0.0.7:993` goes to the local port that stands for it. So what is
refused is refused as it would be out there.
"""

import asyncio
import contextlib
import ipaddress
import socket
import ssl
import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import dns.asyncresolver
import dns.flags
import dns.message
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.resolver
import dns.rrset
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from msgspec import Struct

from services.http import Http
from services.mail import dial
from services.mail.discovery.dns import Dns
from services.mail.discovery.outside import Outside
from services.reach import AddressInfo, Reach


class Map(Struct, frozen=True):
    """All that a process needs to be in that Internet: JSON for its environment. `ports`: "address:port" to a local port."""

    dns: int
    certificate: str
    ports: dict[str, int]


class Record(NamedTuple):
    """One line of a zone; `data` as in a zone file."""

    name: str
    kind: str
    data: str


class Zone(asyncio.DatagramProtocol):
    """Answers by UDP what it holds; NXDOMAIN for every other name. `asked` are the names in order."""

    def __init__(self, records: Iterable[Record]) -> None:
        self.records = list(records)
        self.asked: list[tuple[str, str]] = []
        self.silent = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, address: Any) -> None:
        query = dns.message.from_wire(data)
        question = query.question[0]
        name, kind = str(question.name).rstrip(".").lower(), dns.rdatatype.to_text(question.rdtype)
        self.asked.append((name, kind))
        if self.silent:
            return
        answer = dns.message.make_response(query)
        answer.flags |= dns.flags.RA
        known = [record for record in self.records if record.name == name]
        found = [record.data for record in known if record.kind == kind]
        if found:
            answer.answer.append(dns.rrset.from_text(question.name, 60, dns.rdataclass.IN, question.rdtype, *found))
        elif not known:
            answer.set_rcode(dns.rcode.NXDOMAIN)
        self._transport.sendto(answer.to_wire(), address)  # type: ignore[attr-defined] # a datagram's


class Authority:
    """A CA of one run, and certificates for any names."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "stand-in CA")])
        certificate = self._signed(self._name, self._key, x509.BasicConstraints(ca=True, path_length=0), [])
        self.path = folder / "ca.pem"
        self.path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def server(self, names: Sequence[str]) -> ssl.SSLContext:
        """For a server that is all of these hosts."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
        certificate = self._signed(subject, key, x509.BasicConstraints(ca=False, path_length=None), names)
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        path = self._folder / f"{names[0]}.pem"
        path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + private)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context

    def _signed(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, basic: x509.BasicConstraints, names: Sequence[str]
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        own = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=30))
            .add_extension(basic, critical=True)
            .add_extension(own, critical=False)
            .add_extension(issuer, critical=False)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(map(x509.DNSName, names)), critical=False)
        return builder.sign(self._key, hashes.SHA256())


class Internet:
    """Made of `place`d servers and of records; what nobody stands for is refused as a closed port is."""

    def __init__(self, folder: Path, zone: Zone, dns_port: int) -> None:
        self.authority = Authority(folder)
        self.zone = zone
        self._dns_port = dns_port
        self._ports: dict[str, int] = {}
        self._servers: list[asyncio.Server] = []
        self._free = ipaddress.ip_address("20.0.0.1")

    def add(self, name: str, kind: str, data: str) -> None:
        self.zone.records.append(Record(name, kind, data))

    def host(self, name: str, ports: Mapping[int, int]) -> str:
        """A name with a public address of its own whose ports are these local ones; the address."""
        address, self._free = str(self._free), self._free + 1
        self.add(name, "A", address)
        self._ports.update({f"{address}:{port}": local for port, local in ports.items()})
        return address

    async def serve(self, name: str, port: int, talk: Any, context: ssl.SSLContext | None = None) -> None:
        """A host that speaks as `talk(reader, writer)` does, over TLS when there is a context."""

        async def spoken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError, EOFError):
                await talk(reader, writer)
            writer.close()

        server = await asyncio.start_server(spoken, "127.0.0.1", 0, ssl=context)
        self._servers.append(server)
        self.host(name, {port: server.sockets[0].getsockname()[1]})

    async def website(self, name: str, pages: Mapping[str, bytes]) -> list[str]:
        """An HTTPS server that has these pages, by path with their query; gives the list of paths that are asked for."""
        asked: list[str] = []

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n\r\n")
            asked.append(head.split(b" ")[1].decode())
            page = pages.get(asked[-1], pages.get(asked[-1].partition("?")[0]))
            if page is None:
                page = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
            writer.write(page)
            await writer.drain()

        await self.serve(name, 443, talk, self.authority.server([name]))
        return asked

    @property
    def map(self) -> Map:
        return Map(self._dns_port, str(self.authority.path), self._ports)

    async def stop(self) -> None:
        for server in self._servers:
            server.close()


def page(body: bytes, kind: str = "text/xml") -> bytes:
    """A whole answer."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def moved(where: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nLocation: {where}\r\nContent-Length: 0\r\n\r\n".encode()


@contextlib.asynccontextmanager
async def internet(*records: Record) -> AsyncIterator[Internet]:
    """An empty one but for the records."""
    with tempfile.TemporaryDirectory(prefix="wm-net-") as folder:
        zone = Zone(records)
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: zone, local_addr=("127.0.0.1", 0)
        )
        made = Internet(Path(folder), zone, transport.get_extra_info("sockname")[1])
        try:
            yield made
        finally:
            await made.stop()
            transport.close()


def within(map_: Map, allowed: Sequence[str] = ()) -> Outside:
    """The world of a process in that Internet, which must also `redirect` its connections."""
    resolver = dns.asyncresolver.Resolver(configure=False)
    resolver.nameservers, resolver.port = ["127.0.0.1"], map_.dns
    trust = ssl.create_default_context(cafile=map_.certificate)
    reach = Reach([ipaddress.ip_network(network) for network in allowed], resolve=_resolving(resolver))
    return Outside(reach, trust, Dns(resolver), Http(reach, trust))


def redirected(map_: Map) -> Any:
    """What stands for `services.mail.dial._connect`: the real one, to the local port that is meant."""
    connect = dial._connect

    async def connect_there(address: AddressInfo) -> socket.socket:
        family, kind, protocol, name, target = address
        if ipaddress.ip_address(target[0]).is_loopback:
            return await connect(address)
        local = map_.ports.get(f"{target[0]}:{target[1]}")
        if local is None:
            raise ConnectionRefusedError
        return await connect((family, kind, protocol, name, ("127.0.0.1", local)))

    return connect_there


def _resolving(resolver: dns.asyncresolver.Resolver) -> Any:
    async def resolve(host: str, port: int) -> Sequence[AddressInfo]:
        try:
            found = [str(ipaddress.ip_address(host))]
        except ValueError:
            try:
                found = [str(one) for one in await resolver.resolve(host, "A", search=False)]
            except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
                raise socket.gaierror(socket.EAI_NONAME, "no such name") from None
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    return resolve
