"""What the operators' page says is what the code reads."""

from pathlib import Path

from services.admin.__main__ import COMMANDS
from services.config import PLAIN, SECRETS

ROOT = Path(__file__).parents[2]


def test_every_setting_is_told_to_operators() -> None:
    told = (ROOT / "docs" / "operating.md").read_text()
    assert [name for name in sorted(PLAIN | SECRETS.keys()) if f"`{name}`" not in told] == []


def test_every_command_is_in_the_readme_or_the_operators_page() -> None:
    told = (ROOT / "README.md").read_text() + (ROOT / "docs" / "operating.md").read_text()
    assert [name for name in COMMANDS if f"webmail {name}" not in told] == []


def test_every_folder_of_the_map_exists() -> None:
    rows = [line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("| `")]
    named = [row.split("`")[1] for row in rows]
    assert named, "the map is a table"
    assert [name for name in named if not (ROOT / name).is_dir()] == []
