"""What no linter knows of this house: where the environment is read, what a fold may touch, whose rows a statement sees."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

CLOCKS = {
    "datetime.now",
    "datetime.utcnow",
    "datetime.today",
    "date.today",
    "time.time",
    "time.time_ns",
    "time.monotonic",
    "time.perf_counter",
    "time.localtime",
    "time.gmtime",
}
CHANCES = {"uuid.uuid1", "uuid.uuid4", "uuid1", "uuid4", "os.urandom", "os.getrandom"}
IMPURE_MODULES = {"random", "secrets", "socket", "ssl", "http", "urllib.request", "subprocess", "multiprocessing"}

_STATEMENT = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)
_TABLE = re.compile(r"\bINTO\s+([a-z_]+)|\b(?:FROM|JOIN|UPDATE|USING)\s+([a-z_]+)\b(?!\s*\()", re.IGNORECASE)
_CREATED = re.compile(r"CREATE TABLE (?:IF NOT EXISTS )?([a-z_]+)", re.IGNORECASE)
_BOUND = re.compile(r"\buser_id\s*=\s*(?:\$1|\w+\.user_id)|INTO \w+ \(user_id\b|\(\s*user_id\s*,", re.IGNORECASE)


def modules(*packages: str) -> Iterator[Path]:
    for package in packages:
        yield from sorted((ROOT / package).rglob("*.py"))


def environment_reads(source: str) -> list[str]:
    """Every way to the process' environment, by whatever name it was imported."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and ast.unparse(node) in {
            "os.environ",
            "os.environb",
            "os.getenv",
            "os.getenvb",
        }:
            found.append(f"{node.lineno}: {ast.unparse(node)}")
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            names = {alias.name for alias in node.names} & {"environ", "environb", "getenv", "getenvb"}
            found += [f"{node.lineno}: from os import {name}" for name in sorted(names)]
    return found


def impurities(source: str) -> list[str]:
    """Clocks, chance and the network: what makes a fold give different rows the second time."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _ends_with(ast.unparse(node.func), CLOCKS | CHANCES):
            found.append(f"{node.lineno}: {ast.unparse(node.func)}()")
        found += [f"{node.lineno}: import {name}" for name in _imported(node) if _within(name, IMPURE_MODULES)]
    return found


def foreign_imports(source: str, allowed: set[str]) -> list[str]:
    """Top-level packages that are neither of the standard library nor allowed."""
    known = allowed | sys.stdlib_module_names
    tree = ast.walk(ast.parse(source))
    return [
        f"{node.lineno}: {name}" for node in tree for name in _imported(node) if name.partition(".")[0] not in known
    ]


def tables(schema: str) -> set[str]:
    return set(_CREATED.findall(schema))


def statements(text: str) -> dict[str, str]:
    """Named statements of a file, without comments."""
    parts = _STATEMENT.split(text)
    return {name: re.sub(r"--.*", "", body) for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def unbound(statement: str, known: set[str]) -> bool:
    """Whether a statement touches a table of the projection more often than it says whose rows it means."""
    touched = [table for table in map("".join, _TABLE.findall(statement)) if table in known]
    return bool(touched) and ("$1" not in statement or len(_BOUND.findall(statement)) < len(touched))


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def _ends_with(name: str, wanted: set[str]) -> bool:
    return any(name == one or name.endswith(f".{one}") for one in wanted)


def _within(name: str, packages: set[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)
