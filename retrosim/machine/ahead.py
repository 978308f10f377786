"""What can be compiled in advance for the programs of ROMs, and which parts of it the cache holds already."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product

from retrosim.cpu.engines.compiled import is_compiled
from retrosim.cpu.engines.handlers.handler_cache import full_handler_cache, handler_cache, handlers_of
from retrosim.cpu.engines.regions.compiled_region import CompiledRegion, region_name
from retrosim.cpu.engines.regions.regions import Region, discover
from retrosim.rom import Rom

from .machine import Machine
from .presets import Preset

Step = tuple[str, Callable[[], object]]
"""What is compiled, in words, and what compiles it."""


@dataclass(frozen=True)
class RomBuild:
    """One build of a ROM on a machine; nothing is opened before it is needed.

    machine, rom, build   names
    is_default            this is the build that runs when none is chosen
    """

    machine: str
    rom: Rom
    build: str
    is_default: bool

    @cached_property
    def _opened(self) -> Machine:
        return Machine(self.machine, self.rom, build=self.build, engine="evaluate")

    @cached_property
    def _discovered(self) -> dict[str, list[Region]]:
        return {}

    def regions(self, timing: str) -> list[Region]:
        """Return the regions that the recompiler makes of the code."""
        core = self._opened.core
        if timing not in self._discovered:
            roots = self._opened.code_roots
            self._discovered[timing] = discover(core, roots, timing=core.cpu.timing_class(timing))
        return self._discovered[timing]

    @property
    def model(self) -> str:
        """The CPU's model."""
        return self._opened.core.cpu.model

    def count_compiled(self, timing: str) -> int:
        """Return how many of the regions the cache holds."""
        cpu = self._opened.core.cpu
        return sum(is_compiled(region_name(cpu, timing, region)) for region in self.regions(timing))

    def handlers(self, timing: str) -> Iterator[Step]:
        """Yield what the interpreter needs."""
        cpu = self._opened.core.cpu
        if timing in cpu.timing:
            handlers = handlers_of(insn for region in self.regions(timing) for insn in region.insns)
            yield self._named(timing, f"{len(handlers)} handlers"), partial(handler_cache, cpu, timing, handlers)

    def whole(self, timing: str) -> Iterator[Step]:
        """Yield what the recompiler needs: the handlers for what runs between regions, and the regions."""
        yield from self.handlers(timing)
        regions = self.regions(timing)
        for number, region in enumerate(regions, start=1):
            text = f"region {number} of {len(regions)}, {len(region.blocks)} blocks"
            yield self._named(timing, text), partial(CompiledRegion, self._opened.core.cpu, timing, region)

    def instruction_set(self, timing: str) -> Step:
        """Return what compiles every instruction of the CPU, whether the program has it or not."""
        text = f"every instruction of the {self.model}, timing {timing}"
        return text, partial(full_handler_cache, self._opened.core.cpu, timing)

    def _named(self, timing: str, what: str) -> str:
        return f"{self.rom.name} {self.build} for the {self.model}, timing {timing}: {what}"


def programs_of(presets: Iterable[Preset], roms: Iterable[Rom]) -> Iterator[RomBuild]:
    """Yield the builds of ROMs on one machine of every instruction set."""
    by_isa: dict[str, Preset] = {}
    for preset in presets:
        by_isa.setdefault(preset.isa, preset)
    for preset, rom in product(by_isa.values(), roms):
        for info in rom.images:
            if info.isa == preset.isa:
                yield RomBuild(preset.name, rom, info.build, info.default and not rom.is_library)
