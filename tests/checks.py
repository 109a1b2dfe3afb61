"""Every check of the project, one after the other: `./webmail test [--long] [pytest arguments]`."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.support.programs import DEBIAN_PACKAGES, missing_programs

ROOT = Path(__file__).parent.parent
WEB = ROOT / "web"
PROJECTIONS = "tests/projections"
BROWSER = "tests/end_to_end/browser"
# playwright's synchronous interface runs an event loop of its own, which pytest-asyncio can't bear
WITHOUT_ASYNCIO = ["-p", "no:asyncio", "-W", "ignore::pytest.PytestConfigWarning"]
# many of these tests wait more than they work
SHARED = ["--numprocesses=4", "--dist=worksteal"]
# an installation and a Chromium for each of two; what a file's tests share is made once
BY_FILE = ["--numprocesses=2", "--dist=loadfile"]
# whatever the machine says: making the tests' code anew costs each of a run's dozen processes seconds
KEPT = {"PYTHONDONTWRITEBYTECODE": ""}
LONGEST = 1200  # seconds of one check, unless asked for --long; what hangs is ended, and has failed
SOURCES = ["contracts", "projections", "services", "tests", "webmail"]
COVERED = {
    "documents": "projections/documents/*",
    "mail and threads": "projections/mail/*",
    "search": "projections/search/*",
}
BENCHES = (("rebuild", "ingest", "sync", "accounts"), ("lists", "latency", "act", "login"))
"""Side by side four at a time: what they gate on here does not depend on how busy the machine is."""

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
    turns: list[Sequence[Check]] = [[check] for check in tests]
    if not chosen:
        turns = [[*static(), *web()], *turns, floors(), *benches()]
    checks = [check for turn in turns for check in turn]
    results = [result for turn in turns for result in run(turn, within=None if long else LONGEST)]
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
    """The scripts of web/package.json; the bundle, whose size is one, is as its sources are since `./webmail` began."""
    scripts = ("types", "lint", "test", "size")
    return [Check(f"web {script}", ["npm", "run", "--silent", f"check:{script}"], WEB) for script in scripts]


def pytest(arguments: Sequence[str], *, long: bool) -> Sequence[Check]:
    """Projections by themselves, since being watched for coverage makes everything slower; they can share the cores."""
    command = [sys.executable, "-m", "pytest", "--durations=10", *(["--timeout=0"] if long else ["-m", "not long"])]
    if arguments:
        in_browser = any(argument.startswith(BROWSER) for argument in arguments)
        return [Check("pytest", [*command, *(WITHOUT_ASYNCIO if in_browser else []), *arguments])]
    coverage = ["--cov=projections/documents", "--cov=projections/mail", "--cov=projections/search", "--cov-report="]
    return [
        Check("projections", [*command, "--numprocesses=2", *coverage, PROJECTIONS]),
        Check("everything else", [*command, *SHARED, f"--ignore={PROJECTIONS}", f"--ignore={BROWSER}"]),
        Check("browser", [*command, *WITHOUT_ASYNCIO, *BY_FILE, BROWSER]),
    ]


def floors() -> Sequence[Check]:
    report = [sys.executable, "-m", "coverage", "report", f"--fail-under={FLOOR}"]
    return [Check(f"coverage of {name}", [*report, f"--include={files}"]) for name, files in COVERED.items()]


def benches() -> Sequence[Sequence[Check]]:
    """The quick forms: what is certain on any machine must hold, what depends on how busy this one is, is told."""
    command = [sys.executable, "-m"]
    return [
        [Check(f"bench {name}", [*command, f"tests.bench.{name}", "--quick"], environ={"CI": "true"}) for name in turn]
        for turn in BENCHES
    ]


def tool(name: str) -> str:
    return str(Path(sys.executable).parent / name)


def run(turn: Sequence[Check], *, within: int | None) -> Sequence[tuple[bool, float]]:
    """All of a turn at once; of several, each is shown when it has ended."""
    with ThreadPoolExecutor(len(turn)) as threads:
        return list(threads.map(partial(run_one, shown=len(turn) == 1, within=within), turn))


def run_one(check: Check, *, shown: bool, within: int | None) -> tuple[bool, float]:
    """Whether it passed, and its seconds."""
    if shown:
        print(f"\n== {check.name}", flush=True)
    started = time.monotonic()
    child = subprocess.Popen(
        check.command,
        cwd=check.cwd,
        env={**os.environ, **KEPT, **check.environ},
        stdin=subprocess.DEVNULL,
        stdout=None if shown else subprocess.PIPE,
        stderr=None if shown else subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = child.communicate(timeout=within)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        output, _ = child.communicate()
        print(f"{check.name} did not end within {within} s", flush=True)
    except BaseException:  # Ctrl-C here does not reach another session
        os.killpg(child.pid, signal.SIGINT)
        child.wait()
        raise
    if not shown:
        print(f"\n== {check.name}\n{output}", end="", flush=True)
    return child.returncode == 0, time.monotonic() - started


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
