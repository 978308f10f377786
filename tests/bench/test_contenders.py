"""What runs machine code in a race: whoever fails says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrosim.bench.contenders import Contender, OfMachineCode, Peer, Simulated, of_machine_code, opened
from retrosim.bench.engines import MACHINE
from retrosim.bench.workload import job_of_checks, open_at_first_check, prepare
from retrosim.errors import RetrosimError
from retrosim.rom import load_rom

ROM = load_rom("sectors")


def test_a_peer_process_that_dies_is_an_error(tmp_path: Path) -> None:
    load = prepare(MACHINE, ROM, "O2", 12, 1994)
    peer = Peer("nobody", load.isa, load.memory, load.job, tmp_path)
    with pytest.raises(RetrosimError, match="nobody ended: KeyError"):
        peer.run(1)


def test_an_engine_that_did_not_run_gets_no_figure() -> None:
    machine = open_at_first_check(MACHINE, ROM, "O2", 12, 1994, engine="evaluate", timing="off")
    contender = Simulated("interpret", machine, job_of_checks(machine))
    with pytest.raises(RetrosimError, match="ran on 'evaluate'"):
        contender.run(1)


def test_figures_of_machine_code() -> None:
    assert of_machine_code("unicorn", 10.0, 500, 0.25) == OfMachineCode(5000.0, 2.5)
    assert of_machine_code("native-c", 10.0, 500, 0.25) is of_machine_code("evaluate", None, 500, 0.25) is None


class Kept(Contender):
    """Keeps its folder, and notes that it was closed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.is_closed = folder, False

    def close(self) -> None:
        self.is_closed = True


def test_who_cannot_be_opened_has_its_error() -> None:
    """The others have a folder each, until the block ends; then they are closed."""

    def open_one(engine: str, folder: Path) -> Kept:
        if engine == "broken":
            raise RetrosimError("does not start")
        return Kept(folder)

    steps: list[str] = []
    with opened(["one", "broken", "two"], open_one, steps.append) as there:
        one, broken, two = there.values()
        assert isinstance(one, Kept) and isinstance(two, Kept) and str(broken) == "does not start"
        assert one.folder != two.folder and one.folder.is_dir() and not one.is_closed
    assert steps == list(there) == ["one", "broken", "two"]
    assert one.is_closed and two.is_closed and not one.folder.exists()
