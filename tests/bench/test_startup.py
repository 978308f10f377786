"""How long a newcomer waits: each start in a process of its own."""

import pytest

from retrosim.bench.engines import MACHINE
from retrosim.bench.startup import region_times, startup_times
from retrosim.errors import RetrosimError
from tests.helpers.amount import usually


@pytest.mark.full
def test_regions_are_compiled_once_and_loaded_once():
    texts = []
    regions = region_times(MACHINE, "fast", ["off"], texts.append)
    assert texts == ["regions of fast, timing off, cold", "regions of fast, timing off, warm"]
    assert len({region.address for region in regions}) == len(regions) > 3
    for region in regions:
        assert (region.build, region.timing) == ("fast", "off")
        assert 1 <= region.blocks <= region.instructions
        assert region.cold > 0 and region.warm > 0
    assert sum(region.warm for region in regions) < sum(region.cold for region in regions)


@pytest.mark.full
@pytest.mark.parametrize("machine", usually(["mc68000-8"], ["mc68000-8", "native"]))
def test_starts_are_timed_in_their_own_processes(machine):
    """By default of a machine, which compiles least."""
    texts = []
    times = startup_times(machine, cold=1, warm=1, progress=texts.append)
    assert texts == ["cold start 1 of 1", "warm start 1 of 1"]
    for kind in ("cold", "warm"):
        assert times[kind].starts == 1
        inside = sum(times[kind].seconds[stage] for stage in ("import", "open", "frame"))
        assert 0 < inside < times[kind].seconds["process"]


def test_what_cannot_be_started():
    with pytest.raises(ValueError, match="cold 0, warm 1"):
        startup_times("mc68000-8", cold=0, warm=1)
    with pytest.raises(RetrosimError, match="machine 'nothing'"):
        startup_times("nothing", cold=1, warm=1)
