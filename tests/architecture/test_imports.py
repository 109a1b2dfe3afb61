"""Who may import whom: the contracts in pyproject.toml hold, and each of them bites."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.support.rules import ROOT

PACKAGES = ("contracts", "projections", "services")
CONTRACTS = {
    contract["name"]: contract
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}
VIOLATIONS = {
    "Services know projections, projections know contracts, and never the other way": ("contracts", "projections.sql"),
    "Processes do not import each other": ("services/sync", "services.projector"),
    "Processes are started by what is above them and know nothing of it": ("services/sync", "services.embedded.up"),
    "What processes share knows no process": ("services/state", "services.gateway"),
    "A projection's fold knows no other projection": ("projections/accounts_state", "projections.mail"),
    "The engine knows no projection": ("projections/engine", "projections.catalog"),
    "The gateway never opens IMAP or SMTP": ("services/gateway", "imaplib"),
    "Projections have no network": ("projections/documents", "socket"),
}


def verdicts(folder: Path) -> dict[str, str]:
    """What import-linter says of each contract."""
    tool = str(Path(sys.executable).parent / "lint-imports")
    command = [tool, "--no-cache"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    said = re.findall(r"^(.+?) (KEPT|BROKEN)\b", done.stdout, re.MULTILINE)
    assert said, done.stdout + done.stderr
    return dict(said)


def test_every_contract_has_a_violation_here() -> None:
    assert set(VIOLATIONS) == set(CONTRACTS)


def test_every_contract_bites(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder, imported in VIOLATIONS.values():
        (tmp_path / folder / f"offender_of_{imported.replace('.', '_')}.py").write_text(f"import {imported}\n")
    assert verdicts(tmp_path) == dict.fromkeys(CONTRACTS, "BROKEN")


def test_every_process_and_projection_is_under_the_rules() -> None:
    processes = {f"services.{path.parent.name}" for path in (ROOT / "services").glob("*/__main__.py")} - {
        "services.admin"
    }
    projections = {f"projections.{path.parent.name}" for path in (ROOT / "projections").glob("*/projector.py")}
    assert processes == set(CONTRACTS["Processes do not import each other"]["modules"])
    assert projections == set(CONTRACTS["A projection's fold knows no other projection"]["modules"])
