"""Every check of the project, one after the other: `./webmail test [--long] [pytest arguments]`."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.programs import DEBIAN_PACKAGES, missing_programs

ROOT = Path(__file__).parent.parent
WEB = ROOT / "web"
BROWSER = "tests/end_to_end/browser"
SOURCES = ["contracts", "projections", "services", "tests", "webmail"]
COVERED = {"documents": "projections/documents/*", "threads": "projections/mail/threads.py"}
FLOOR = 80


@dataclass(frozen=True)
class Check:
    """One command that must end with 0."""

    name: str
    command: Sequence[str]
    cwd: Path = ROOT
    environ: Mapping[str, str] | None = None


def main(arguments: Sequence[str]) -> int:
    """Run all, or with pytest arguments only pytest with these."""
    long = "--long" in arguments
    chosen = [argument for argument in arguments if argument != "--long"]
    cannot = provide_programs()
    checks = (
        [pytest(chosen, long=long)] if chosen else [*static(), *web(), pytest([], long=long), *browser(), *floors()]
    )
    results = [run(check) for check in checks]
    print("\n== summary")
    for check, (passed, seconds) in zip(checks, results, strict=True):
        print(f"{'passed' if passed else 'FAILED'}  {check.name}  ({seconds:.0f} s)")
    for program in cannot:
        print(f"NOT RUN  tests that need {program}, which is not installed: {remedy(program)}")
    failed = sum(not passed for passed, _ in results)
    in_ci = os.environ.get("CI") == "true"
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
    """The scripts of web/package.json: types, lint and unit tests."""
    return [Check(f"web {name}", ["npm", "run", "--silent", name], WEB) for name in ("check",)]


def pytest(arguments: Sequence[str], *, long: bool) -> Check:
    scope = [] if long else ["-m", "not long"]
    if arguments:
        return Check("pytest", [sys.executable, "-m", "pytest", *scope, *arguments])
    coverage = ["--cov=projections/documents", "--cov=projections/mail", "--cov-report="]
    return Check("pytest", [sys.executable, "-m", "pytest", f"--ignore={BROWSER}", *scope, *coverage])


def browser() -> Sequence[Check]:
    """In a process of its own: playwright's synchronous interface runs an event loop that pytest-asyncio can't bear."""
    options = ["-p", "no:asyncio", "-W", "ignore::pytest.PytestConfigWarning"]
    return [Check("browser", [sys.executable, "-m", "pytest", *options, BROWSER])]


def floors() -> Sequence[Check]:
    report = [sys.executable, "-m", "coverage", "report", f"--fail-under={FLOOR}"]
    return [Check(f"coverage of {name}", [*report, f"--include={files}"]) for name, files in COVERED.items()]


def tool(name: str) -> str:
    return str(Path(sys.executable).parent / name)


def run(check: Check) -> tuple[bool, float]:
    print(f"\n== {check.name}", flush=True)
    started = time.monotonic()
    environ = {**os.environ, **(check.environ or {})}
    done = subprocess.run(check.command, cwd=check.cwd, env=environ, stdin=subprocess.DEVNULL, check=False)
    return done.returncode == 0, time.monotonic() - started


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
