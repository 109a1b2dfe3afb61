"""Every check of the project, one after the other: `./webmail test [--long] [pytest arguments]`."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.programs import DEBIAN_PACKAGES, missing_programs

ROOT = Path(__file__).parent.parent
WEB = ROOT / "web"
PROJECTIONS = "tests/projections"
BROWSER = "tests/end_to_end/browser"
# playwright's synchronous interface runs an event loop of its own, which pytest-asyncio can't bear
WITHOUT_ASYNCIO = ["-p", "no:asyncio", "-W", "ignore::pytest.PytestConfigWarning"]
SOURCES = ["contracts", "projections", "services", "tests", "webmail"]
COVERED = {
    "documents": "projections/documents/*",
    "mail and threads": "projections/mail/*",
    "search": "projections/search/*",
}
BENCHES = ("rebuild", "lists", "ingest", "latency")
FLOOR = 80


@dataclass(frozen=True)
class Check:
    """One command that must end with 0."""

    name: str
    command: Sequence[str]
    cwd: Path = ROOT
    environ: Mapping[str, str] = field(default_factory=dict)


def main(arguments: Sequence[str]) -> int:
    """Run all, or with pytest arguments only pytest with these."""
    long = "--long" in arguments
    chosen = [argument for argument in arguments if argument != "--long"]
    cannot = provide_programs()
    tests = pytest(chosen, long=long)
    checks = tests if chosen else [*static(), *web(), *tests, *floors(), *benches()]
    results = [run(check) for check in checks]
    print("\n== summary")
    for check, (passed, seconds) in zip(checks, results, strict=True):
        print(f"{'passed' if passed else 'FAILED'}  {check.name}  ({seconds:.0f} s)")
    for program in cannot:
        print(f"NOT RUN  tests that need {program}, which is not installed: {remedy(program)}")
    failed = sum(not passed for passed, _ in results)
    in_ci = os.environ.get("CI") == "true"
    print(f"checks: {len(checks) - failed} passed, {failed} failed", flush=True)
    return 1 if failed or (cannot and in_ci) else 0


def provide_programs() -> Sequence[str]:
    """Install what tests need where that is ours to do, root on Debian; return what is still missing."""
    missing = missing_programs()
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        packages = sorted({package for program in missing for package in DEBIAN_PACKAGES[program]})
        print(f"== installing {' '.join(packages)}", flush=True)
        environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *packages]):
            subprocess.call(["apt-get", *command], env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        missing = missing_programs()
    return missing


def remedy(program: str) -> str:
    return f"on Debian, as root: apt-get install {' '.join(DEBIAN_PACKAGES[program])}"


def static() -> Sequence[Check]:
    return [
        Check("ruff", [tool("ruff"), "check", *SOURCES]),
        Check("ruff format", [tool("ruff"), "format", "--check", *SOURCES]),
        Check("mypy", [tool("mypy")]),
        Check("import-linter", [tool("lint-imports")]),
    ]


def web() -> Sequence[Check]:
    """The script of web/package.json for types, lint, unit tests and sizes."""
    return [Check("web", ["npm", "run", "--silent", "check"], WEB)]


def pytest(arguments: Sequence[str], *, long: bool) -> Sequence[Check]:
    """Projections by themselves, since being watched for coverage makes everything slower; they can share the cores."""
    command = [sys.executable, "-m", "pytest", "--durations=10", *(["--timeout=0"] if long else ["-m", "not long"])]
    if arguments:
        in_browser = any(argument.startswith(BROWSER) for argument in arguments)
        return [Check("pytest", [*command, *(WITHOUT_ASYNCIO if in_browser else []), *arguments])]
    coverage = ["--cov=projections/documents", "--cov=projections/mail", "--cov=projections/search", "--cov-report="]
    return [
        Check("projections", [*command, "--numprocesses=2", *coverage, PROJECTIONS]),
        Check("everything else", [*command, f"--ignore={PROJECTIONS}", f"--ignore={BROWSER}"]),
        Check("browser", [*command, *WITHOUT_ASYNCIO, BROWSER]),
    ]


def floors() -> Sequence[Check]:
    report = [sys.executable, "-m", "coverage", "report", f"--fail-under={FLOOR}"]
    return [Check(f"coverage of {name}", [*report, f"--include={files}"]) for name, files in COVERED.items()]


def benches() -> Sequence[Check]:
    """The quick forms: what is certain on any machine must hold, what depends on how busy this one is, is told."""
    command = [sys.executable, "-m"]
    return [
        Check(f"bench {name}", [*command, f"tests.bench.{name}", "--quick"], environ={"CI": "true"}) for name in BENCHES
    ]


def tool(name: str) -> str:
    return str(Path(sys.executable).parent / name)


def run(check: Check) -> tuple[bool, float]:
    print(f"\n== {check.name}", flush=True)
    started = time.monotonic()
    environ = {**os.environ, **check.environ}
    done = subprocess.run(check.command, cwd=check.cwd, env=environ, stdin=subprocess.DEVNULL, check=False)
    return done.returncode == 0, time.monotonic() - started


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
