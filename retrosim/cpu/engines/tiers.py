"""Starts at once and gets faster: which engine runs what, and when it is compiled.

    interpret   the handlers that the known code needs
    recompile   those, and every region of the known code, before the first instruction; of a large program, regions in
                which it runs often (tiers.py), as soon as that shows
    auto        what the disk cache holds, else quickly compiled handlers; once the machine has been busy for a while, a
                thread compiles better handlers, then region after region, used from the next slice on; of a large
                program those in which it runs often

Code that is found only at run time starts on the evaluator, gets quickly compiled handlers when it is executed often,
and regions when the machine has gone on for a while. What cannot be compiled stays with the engine that runs it, which
is said once. Nothing of this shows in what the machine does.
"""

from __future__ import annotations

import atexit
import gc
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from retrosim.cache.store import warn_once

from .compiled import is_compiled
from .core import Core
from .handlers.handler_cache import HandlerCache, Key, handler_cache, handlers_of, is_ready
from .handlers.interpret import Interpreter
from .profiling import SLICE as PROFILE_SLICE
from .profiling import Profile
from .regions.compiled_region import CompiledRegion, region_name
from .regions.regions import Region, discover, region_without, switching_regions

# Which regions of a large program are hot, and so worth compiling: those in which it is met again and again.
#
# Samples of the program counter (looks) tell. The longer the program has run, the more instructions lie between two of
# them: so compiling ends soon, and what becomes busy later is found as well.

FIRST_INTERVAL = 20_000  # instructions between two looks, in the beginning
LOOKS = 128  # a run of N instructions is looked at every N / LOOKS from then on
LOOKS_TO_COMPILE = 3  # that have met a region


class Heat:
    """The regions that are not worth compiling yet."""

    def __init__(self) -> None:
        self._region_at: dict[int, Region] = {}  # by address of an instruction
        self._looks: dict[int, int] = {}  # that have met a region, by its identity

    def __bool__(self) -> bool:
        return bool(self._looks)

    def __contains__(self, region: Region) -> bool:
        return id(region) in self._looks

    def add(self, region: Region) -> None:
        self._looks[id(region)] = 0
        self._region_at |= {insn.pc: region for insn in region.own_insns}

    def drop(self, region: Region) -> None:
        """Forget a region, if it is here."""
        if self._looks.pop(id(region), None) is not None:
            for insn in region.own_insns:
                self._region_at.pop(insn.pc, None)

    def interval(self, done: int) -> int:
        """Return how many instructions to run before the next look, after `done` of them."""
        return max(FIRST_INTERVAL, done // LOOKS)

    def look(self, pc: int) -> Region | None:
        """Note that the program is at an address; return the region that is worth compiling now, and forget it."""
        region = self._region_at.get(pc)
        if region is None:
            return None
        self._looks[id(region)] += 1
        if self._looks[id(region)] < LOOKS_TO_COMPILE:
            return None
        self.drop(region)
        return region


MODES = ("auto", "interpret", "recompile")
BUSY = 20_000_000  # instructions before anything is compiled in the background
MISSES_TO_COMPILE = 2000  # instructions bridged by the evaluator before their handlers are compiled
SETTLED = 500_000  # instructions in which nothing new is met, before regions are made of code that was met at run time
LOOK_AFTER = 5_000_000  # instructions after which that is done however much is met
MAX_AT_ONCE = 6000  # instructions of a program that is compiled as a whole: ten to twenty seconds
MIN_PART = 8  # instructions that remain for each that is overwritten again and again, to be worth a region
MAX_REGIONS = 200
SWITCH_SECONDS = 0.0005  # after which the compiler gives the interpreter lock to a thread that waits for it

Compiled = HandlerCache | CompiledRegion
FAILURES = (RuntimeError, MemoryError)  # of the compiler


class Tiers:
    """The engine of a machine: an interpreter that takes in what has been compiled.

    name   "interpret", or "recompile" as soon as a region runs
    """

    SLICE = Interpreter.SLICE

    def __init__(
        self,
        core: Core,
        roots: Iterable[int],
        mode: str = "auto",
        progress: Callable[[str], None] = lambda text: None,
        quick: bool = False,
    ) -> None:
        """Make the engine ready to run.

        roots     addresses where code begins, as far as they are known
        mode      one of MODES
        progress  gets a line of text before each piece of long work
        quick     compile handlers quickly in every mode
        """
        self._wanted: deque[Callable[[], Compiled]] = deque()
        self._made: deque[Compiled | Exception] = deque()
        self.core, self.mode, self.name = core, mode, "interpret"
        cpu, timing = core.cpu, core.timing_mode
        regions = discover(core, roots)
        handlers = handlers_of(insn for region in regions for insn in region.insns)
        self._quick = (quick or mode == "auto") and not is_ready(cpu, timing, handlers)
        if not is_ready(cpu, timing, handlers):
            progress(f"compiling the {cpu.model} for this program (first run only)")
        self._interpreter = Interpreter(core, handler_cache(cpu, timing, handlers, self._quick))
        self._worker: threading.Thread | None = None
        self._found, self._heat = regions, Heat()
        self._seen = self._met = 0  # addresses that the interpreter has met, and those that regions were made of
        self._asked: set[Key] = set()  # handlers that have been asked for at run time
        self._done = self._grew = self._looked = self._regions = 0
        self._parts: list[CompiledRegion] = []  # what is recompiled of regions without what is to be avoided
        self._unsteady = 0  # addresses that are overwritten again and again, when that was done last
        self._avoid_after = SETTLED  # instructions before it is done again
        self._is_urgent = False
        if self._quick and mode == "auto":
            self._wanted.append(lambda: handler_cache(cpu, timing, handlers))
        if mode == "recompile":
            some = "the busiest parts" if self._is_large else f"{len(regions)} regions"
            progress(f"recompiling {some} of this program (first run only)")
        if mode != "interpret":
            self._want_all(regions)

    def attach(self, profile: Profile | None) -> None:
        """Count in a profile from now on, in regions made for it, where regions are compiled; None: no more."""
        self.SLICE = PROFILE_SLICE if profile else Interpreter.SLICE
        self._interpreter.attach(profile)
        cpu, timing = self.core.cpu, self.core.timing_mode
        if profile is None or self.mode == "interpret":
            return
        for region in self._found[:MAX_REGIONS]:
            is_wanted = self.mode == "recompile" and region not in self._heat
            if is_wanted or is_compiled(region_name(cpu, timing, region)):
                counting = profile.counting(region)
                if counting is not None:
                    self._take_in(_result(partial(CompiledRegion, cpu, timing, region, counting=counting)))

    def counted(self) -> dict[int, list[int]]:
        """Return what the profile has counted, see `Interpreter.counted`."""
        return self._interpreter.counted()

    @property
    def is_compiling(self) -> bool:
        """Is something being compiled in the background?"""
        return self._worker is not None

    def stop_compiling(self) -> None:
        """Drop what the background has not begun to compile: the engine is not going to run any more."""
        self._wanted.clear()

    def __del__(self) -> None:
        self.stop_compiling()

    def run(self, instructions: int, stops: Collection[int] = ()) -> int:
        """Execute up to `instructions`, or to one of the addresses `stops`; return how many. The state tells why."""
        while self._made:
            self._take_in(self._made.popleft())
        if self._heat:
            instructions = min(instructions, self._heat.interval(self._done))
        done = self._interpreter.run(instructions, stops)
        self._done += done
        if self._interpreter.bridged >= MISSES_TO_COMPILE:
            self._add_handlers()
        if self.mode != "interpret":
            self._watch()
        return done

    def break_at(self, addresses: Iterable[int]) -> None:
        """End every run before the instructions at some addresses, which take the place of those before.

        What is recompiled of the code around such an instruction is recompiled without it.
        """
        self._interpreter.break_at(addresses)
        self._recompile_parts()

    @property
    def _avoided(self) -> frozenset[int]:
        """Addresses of instructions that no region has: where runs end, and what is overwritten again and again."""
        return self._interpreter.breaks | self.core.unsteady

    def _recompile_parts(self) -> None:
        """Have regions recompiled without the instructions that are to be avoided now."""
        for compiled in self._parts:
            self._interpreter.uninstall(compiled)
        self._parts.clear()
        for region in {id(r): r for at in sorted(self._avoided) for r in self._interpreter.regions_at(at)}.values():
            self._leave_out(region)

    def _leave_out(self, region: Region) -> None:
        """Have a region recompiled without the instructions to avoid, if much remains."""
        part = region_without(region, self._avoided)
        if part is None or len(list(part.insns)) < MIN_PART * len(part.left_out & self.core.unsteady):
            return
        cpu, timing = self.core.cpu, self.core.timing_mode
        if is_compiled(region_name(cpu, timing, part)):
            self._take_in(_result(partial(CompiledRegion, cpu, timing, part)))
        elif self.mode != "interpret":  # in the background in every mode: whoever sets breakpoints does not wait
            self._wanted.appendleft(lambda: CompiledRegion(cpu, timing, part))
            self._is_urgent = True

    def _take_in(self, made: Compiled | Exception) -> None:
        if isinstance(made, FAILURES):
            warn_once("compiler", f"some code could not be compiled and runs more slowly: {made}")
        elif isinstance(made, Exception):
            raise made
        elif isinstance(made, HandlerCache):
            self._interpreter.use(made)
        elif not made.region.left_out <= self._avoided:
            return  # it was made for breakpoints that are there no more
        else:
            self.name = "recompile"
            self._interpreter.install(made)
            if made.region.left_out:
                self._parts.append(made)
            elif not self._avoided.isdisjoint(insn.pc for insn in made.region.insns):
                self._leave_out(made.region)

    def _add_handlers(self) -> None:
        """Have what the evaluator has bridged compiled quickly: at once, in `auto` by the thread."""
        cpu, timing = self.core.cpu, self.core.timing_mode
        missing = self._interpreter.missing
        handlers = handlers_of(insn for key, insn in missing.items() if key not in self._asked)
        self._asked |= missing.keys()
        self._interpreter.forget_missing()
        if self.mode != "auto":
            self._take_in(_result(partial(handler_cache, cpu, timing, handlers, quick=True)))
        elif handlers:
            self._wanted.appendleft(lambda: handler_cache(cpu, timing, handlers, quick=True))
            self._wanted.append(lambda: handler_cache(cpu, timing, handlers))

    def _watch(self) -> None:
        """Make regions of what has been met at run time; have what is wanted compiled."""
        hot = self._heat.look(int(self.core.state["pc"])) if self._heat else None
        if hot is not None:
            self._want(hot)
        self._interpreter.note_missed()
        targets = len(self._interpreter.indirect_targets) + len(self._interpreter.direct_targets)
        if targets > self._seen:
            self._seen, self._grew = targets, self._done
        is_time = self._done - self._grew >= SETTLED or self._done - self._looked >= LOOK_AFTER
        if targets > self._met and is_time:
            self._met, self._looked = targets, self._done
            self._make_regions()
        if len(self.core.unsteady) > self._unsteady and self._done >= self._avoid_after:
            self._unsteady, self._avoid_after = len(self.core.unsteady), max(2 * self._done, SETTLED)
            self._recompile_parts()
        if self._wanted and self._worker is None and (self._done >= BUSY or self._asked or self._is_urgent):
            arguments = weakref.ref(self), self._wanted, self._made
            self._worker = threading.Thread(target=_compile, args=arguments, name="compiler", daemon=True)
            _workers.add(self._worker)
            self._worker.start()

    def _make_regions(self) -> None:
        """Make regions of code that was met and is in none, with the functions whose computed jumps may lead there."""
        indirect, direct = self._interpreter.indirect_targets, self._interpreter.direct_targets
        leaders = {start for region in self._found for start in region.blocks}
        entries = {entry for region in self._found for entry in region.entries}
        switching = switching_regions(self._found, [pc for pc in indirect if pc not in entries])
        if not switching and leaders.issuperset(indirect) and leaders.issuperset(direct):
            return
        for region in switching:
            self._heat.drop(region)
        others = [region for region in self._found if region not in switching]
        known = {insn.pc for region in others for insn in region.own_insns}
        roots = sorted(start for region in switching for start in region.functions or region.entries)
        new_indirect, new_direct = ([pc for pc in each if pc not in known] for each in (indirect, direct))
        regions = discover(self.core, roots, known, new_indirect, new_direct, others)
        self._found = others + regions
        self._want_all(regions)

    @property
    def _is_large(self) -> bool:
        """Would compiling all that is known take long?"""
        return sum(1 for region in self._found for _ in region.own_insns) > MAX_AT_ONCE

    def _want_all(self, regions: list[Region]) -> None:
        """Have regions compiled: all of a small program, of a large one those that the cache on disk holds."""
        is_large = self._is_large
        for region in regions[: MAX_REGIONS - self._regions]:
            self._regions += 1
            if is_large and not is_compiled(region_name(self.core.cpu, self.core.timing_mode, region)):
                self._heat.add(region)
            else:
                self._want(region)

    def _want(self, region: Region) -> None:
        """Have a region compiled: at once what the cache on disk holds, and in `recompile`; else by the thread."""
        cpu, timing = self.core.cpu, self.core.timing_mode
        if self.mode == "recompile" or is_compiled(region_name(cpu, timing, region)):
            self._take_in(_result(partial(CompiledRegion, cpu, timing, region)))
        else:
            self._wanted.append(partial(CompiledRegion, cpu, timing, region))


def _compile(
    engine: weakref.ref[Tiers], wanted: deque[Callable[[], Compiled]], made: deque[Compiled | Exception]
) -> None:
    """Compile what is wanted, in order (the worker thread, which keeps no machine in memory)."""
    while wanted and not _ending.is_set():
        job = wanted.popleft()
        with _yielding():
            made.append(_result(job))
    served = engine()
    if served is not None:
        served._worker = None
    _workers.discard(threading.current_thread())


def _result(job: Callable[[], Compiled]) -> Compiled | Exception:
    """Return what a job makes, or its error: `run` tells of it, where somebody can see it."""
    try:
        return job()
    except Exception as error:
        return error


_compiling = threading.Lock()


@contextmanager
def _yielding() -> Iterator[None]:
    """Compile without making other threads wait.

    They would wait longest for the garbage collector: what a compilation allocates makes it traverse all live objects,
    for up to half a second. Instead it traverses only what the compilation leaves, once, at its end.
    """
    with _compiling:
        interval, is_collecting = sys.getswitchinterval(), gc.isenabled()
        sys.setswitchinterval(min(interval, SWITCH_SECONDS))
        gc.disable()
        try:
            yield
        finally:
            gc.collect(1)
            if is_collecting:
                gc.enable()
            sys.setswitchinterval(interval)


_workers: set[threading.Thread] = set()
_ending = threading.Event()


@atexit.register
def _end_workers() -> None:
    """Let the compiler finish: the process must not end while it runs."""
    _ending.set()
    for worker in list(_workers):
        worker.join()
