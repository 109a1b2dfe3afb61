"""A process that died is known to have died; of strangers nothing is said."""

import subprocess
import sys

from services.owner import has_died, this_process

NAME = "from services.owner import this_process; print(this_process())"


def test_a_living_process_has_not_died() -> None:
    assert not has_died(this_process())


def test_a_process_that_ended_has_died() -> None:
    ended = subprocess.run([sys.executable, "-c", NAME], check=True, capture_output=True, text=True).stdout.strip()
    assert has_died(ended)


def test_another_process_under_the_same_number_does_not_hide_the_death() -> None:
    *rest, started = this_process().split("/")
    assert has_died("/".join([*rest, str(int(started) + 1)]))


def test_of_another_machine_or_boot_nothing_is_said() -> None:
    machine, boot, pid, started = this_process().split("/")
    assert not has_died(f"other/{boot}/{pid}/1")
    assert not has_died(f"{machine}/other/{pid}/1")
    assert not has_died("another worker")
    assert not has_died("")
    assert started != "1"
