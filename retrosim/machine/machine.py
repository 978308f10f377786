"""A simulated machine: CPU, memory, clock, devices and services."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from retrosim.checks import check_choice, check_integer, did_you_mean
from retrosim.cpu.engines.core import Core, memory_chunks
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.profiling import Profile
from retrosim.cpu.engines.tiers import Tiers
from retrosim.cpu.spec.cpu import ADDRESS_MASK, FAULT, RUNNING, SERVICE, STOPPED
from retrosim.cpu.spec.host import Call
from retrosim.cpu.spec.sources import changed_readings
from retrosim.errors import BudgetUsedUp, CpuFault, RetrosimError, SystemCall
from retrosim.rom import Image, Rom, load_program
from retrosim.rom.image import SYSTEM_START
from retrosim.rom.manifest import all_parameters
from retrosim.rom.reading import MemoryReader
from retrosim.rom.scene import Scene, parse_scene
from retrosim.rom.symbols import SOME_NAMES
from retrosim.scenarios.shapes import shapes_of
from retrosim.screen.framebuffer import macintosh_palette
from retrosim.screen.png import png_bytes, write_png
from retrosim.screen.shapes import Shapes

from . import memory, placing, state_file, systems
from .budget import Budget
from .choices import ENGINES, MAX_INSTRUCTIONS, MAX_WARM_CALLS, NO_REGISTERS, RESULT_TYPES, WARM_CALLS
from .console import write_text
from .interface import Measurement, RunResult
from .interval import intervals
from .memory import EXIT, FOREVER, MICROSECONDS, WRITE_TEXT, YIELD_FRAME
from .presets import chosen_service_clocks, memory_parameters, preset, revision
from .registers import FirstUses, Registers
from .world import World

FOR_TOOLS = frozenset((
    "argument_bits", "attach_profile", "begin_call", "clocks_in_frame", "code_roots", "core", "given", "preset",
    "profile_counts", "register_values", "restart_ticks", "set_stack",
))  # fmt: skip
"""Public names of a machine that only the rest of the package needs."""
MAX_TEXT = 1 << 16  # characters of `text` that are kept, the last ones


class Observer(Protocol):
    """What looks on while a machine runs, such as a debugger's `retrosim.debug.observer.Observer`."""

    @property
    def due(self) -> int:
        """Clock at which a run is looked at whatever happens."""

    def begin(self) -> None:
        """A run begins."""

    def note(self, is_between: bool = False) -> None:
        """An instruction was executed, or an interrupt taken between two."""

    def is_stopped(self) -> bool:
        """Tell, between two slices, whether the run ends here."""

    def end(self) -> None:
        """A run ends."""


class Machine:
    """A machine of 1994 that runs one ROM; many can live in one process.

    name, rom, image, parameters, clock_hz
    scene           where the objects are placed when the first frame is complete, or None; a change, like one of the
                    parameters, takes effect at the next `reset`
    tick_hz         timer interrupts per second; frame_hz: of the clock that `yield_frame` waits for, both exact
    frame_period    what a period of that clock is called
    frame_number    frames completed since power-on
    frame_cycles    CPU clocks that the last completed frame was busy
    frame_instructions  instructions of the last completed frame
    instructions    executed since power-on
    text            what the program has written on the screen as text since power-on, the last 65,536 characters; it is
                    not part of saved states
    budget          what runs may use up; without limits unless it is replaced
    given           names of the readings and of the board's parameters that were given, be it as they are by default
    core            CPU, memory, state fields and decoded instructions, for tools that look inside
    """

    def __init__(
        self,
        name: str,
        rom: Rom | Image | str | Path = "sectors",
        *,
        build: str | None = None,
        engine: str = "auto",
        timing: str = "full",
        parameters: Mapping[str, int] | None = None,
        mode: str = "demo",
        service_clocks: int | None = None,
        memory_clocks: Mapping[str, int] | None = None,
        readings: Mapping[str, str] | None = None,
        scene: Scene | str | Path | None = None,
        progress: Callable[[str], None] = lambda text: None,
    ) -> None:
        """Build the machine and switch it on.

        name        a preset's name
        rom         a shipped ROM's name, a folder or manifest, an ELF file of the user's own, a Rom or an Image
        build       which of the ROM's builds, None for its default
        engine      "evaluate" (Python integers, no compiler), "interpret" (compiled handlers), "recompile" (regions of
                    the program compiled as a whole) or "auto": starts quickly and recompiles while it runs
        timing      "off", "table" or "full"; where the CPU has a pipeline "causes": full, with clocks counted by cause
        parameters  the ROM's parameters, for example objects=100, seed=7
        mode        what the ROM does: "demo", or another that its manifest names as a constant mode_...
        service_clocks  clocks of a service beyond its trap, None for the preset's
        memory_clocks  parameters of caches and bus that differ from the preset's, for example {"copyback": 0}
        readings    how open questions of the clocks are answered, for example {"lead": "printed"}
        scene       a shipped scene's name, a file, or a Scene; the number of objects and the seed follow from it
        progress    gets a line of text before long work
        Errors      ValueError, RomError, SceneError
        """
        check_choice("engine", engine, ENGINES)
        self.preset = preset(name)
        check_choice("timing", timing, tuple(self.preset.cpu().timing))
        self.name, self.clock_hz = name, self.preset.clock_hz
        self.tick_hz, self.frame_hz = self.preset.tick_hz, self.preset.frame_hz
        self.frame_period = self.preset.frame_period
        self.timing, self.mode = timing, mode
        self.service_clocks = chosen_service_clocks(self.preset, service_clocks)
        self.spec_revision = self.preset.spec_revision
        self.memory_clocks = memory_parameters(self.preset, memory_clocks)
        board = () if service_clocks is None else ("service_clocks",)
        self.given = frozenset([*board, *(memory_clocks or ()), *(readings or ())])
        self.rom, self.image = self._open(rom, build)
        cpu = self.preset.cpu(self.image.boot).with_readings(readings)
        self.readings = dict(cpu.choices)
        settings = timing, self.service_clocks, self.memory_clocks
        self.timing_revision = revision(self.preset, *settings, changed_readings(cpu.readings, cpu.choices))
        self.scene = placing.scene_for(self.rom, scene)
        self.parameters = self._checked_parameters(parameters)
        self.core = Core(cpu, timing)
        self.regs = Registers(self.core)
        self._host = self.core.cpu.host
        self._first_uses = FirstUses(self.core, self.image.has)
        self.budget = Budget()
        for address, data in self.image.segments:
            self.core.write(address, data)
        self._observer: Observer | None = None
        self._power_on()
        self._engine_name = engine
        self._engine = self._make_engine(engine, progress)
        self._engines = {self.core.timing_mode: self._engine}

    def _open(self, rom: Rom | Image | str | Path, build: str | None) -> tuple[Rom | None, Image]:
        isa = self.preset.isa
        program = load_program(rom, isa) if isinstance(rom, str | Path) else rom
        if isinstance(program, Rom):
            return program, program.image(isa, build)
        if program.isa != isa:
            raise ValueError(f"image for {program.isa}: {self.name} runs {isa}")
        return None, program

    def _make_engine(
        self, engine: str, progress: Callable[[str], None] = lambda text: None, quick: bool = False
    ) -> Evaluator | Tiers:
        if engine == "evaluate":
            return Evaluator(self.core)
        return Tiers(self.core, self.code_roots, engine, progress, quick)

    def _observe_reads(self, on: bool) -> None:
        """Run on engines that notice loads and exceptions, or on those that do not."""
        self.core.observe_reads(on)
        mode = self.core.timing_mode
        if mode not in self._engines:  # nobody waits for regions that are needed for a while only
            engine = "auto" if self._engine_name == "recompile" else self._engine_name
            self._engines[mode] = self._make_engine(engine, quick=True)
        if self._engine is not self._engines[mode]:
            self._engine.break_at(())
            self._engine = self._engines[mode]

    @cached_property
    def debugger(self) -> Any:
        """What stops the machine where one wants, and goes back in its time: a `retrosim.debug.Debugger`.

        Debugging is a layer above the machine, so it is imported by name when it is first asked for; a machine without
        a debugger pays nothing.
        """
        return import_module("retrosim.debug").Debugger(self)

    def on(self, where: int | str, function: Callable[[Machine], object]) -> object:
        """Call a function whenever the program gets to an instruction, before it is executed.

        where     an address, symbol or source line ("file.c:12")
        function  gets the machine and may change it. What it raises ends the run with the machine whole. Under the
                  debugger it may return True to stop.
        Returns   what `machine.debugger.remove` takes the function away by
        Errors    ValueError
        """
        return self.debugger.hook(where, function)

    def watch(
        self, where: int | str, size: int, function: Callable[[Machine, Any], object], access: str = "write"
    ) -> object:
        """Call a function after every instruction that touches some memory; it gets the machine and what was touched.

        access   "read", "write", "access" (either) or "change"
        the rest as for `on`
        """
        return self.debugger.hook(where, function, size, access)

    def __repr__(self) -> str:
        program = f"{self.rom.name} {self.image.build}" if self.rom else "a program"
        return f"<Machine {self.name}: {program}, frame {self.frame_number:,}, {self.cycles:,} cycles>"

    def __dir__(self) -> list[str]:
        """Name what users of a machine need."""
        return [name for name in super().__dir__() if name[0] != "_" and name not in FOR_TOOLS]

    def _repr_png_(self) -> bytes:
        """Return the screen, for notebooks."""
        return png_bytes(self.frame, self.palette)

    @property
    def code_roots(self) -> list[int]:
        """Addresses where code begins, as far as the image says."""
        return [self.image.entry, *(each.address for each in self.image.symbols.values() if each.kind == "function")]

    def reset(self) -> None:
        """Switch off and on: memory, registers, clock and devices start anew with the present `parameters`.

        Errors   ValueError for a changed parameter that is not allowed; the machine is then as before
        """
        self.parameters = self._checked_parameters(self.parameters)
        self.core.replace(memory_chunks(self.image.segments))
        self._power_on()

    def _checked_parameters(self, given: Mapping[str, int] | None) -> dict[str, int]:
        """Return all parameters. Errors: ValueError; SceneError for a scene that does not fit into the program."""
        if self.rom is None or self.scene is None:
            return all_parameters(self.rom, given, self.mode)
        placing.check_room(self.scene, self.rom, self.image)
        return all_parameters(self.rom, placing.with_scene(self.rom, self.scene, given), self.mode)

    def _end_first_frame(self) -> None:
        """Place what a scene gives."""
        if self.rom is not None and self.scene is not None:
            for address, data in placing.writes_of(self.scene, self.rom, self.image, self._peek):
                self.core.write(address & ADDRESS_MASK, data)

    def _power_on(self) -> None:
        """Start with the image in memory, and nothing else."""
        core = self.core
        for field in core.cpu.layout.fields:
            core.state[field] = 0
        core.state["written_low"] = 0xFFFFFFFF
        core.state["limit"] = FOREVER
        core.state["memory"][: len(self.memory_clocks)] = list(self.memory_clocks.values())
        core.cpu.reset(core.state)
        self.set_stack(memory.STACK_START)
        self._host.go(core.state, self.image.entry)
        colours = [red << 16 | green << 8 | blue for red, green, blue in macintosh_palette().tolist()]
        core.write(memory.PALETTE_START, b"".join(each.to_bytes(4, self.image.byte_order) for each in colours))
        self._write_parameters()
        systems.prepare(self)
        self.frame_number = self.frame_cycles = self.frame_instructions = self.instructions = 0
        self._frame_start = (0, 0)
        self.restart_ticks(False)
        self.exit_status: int | None = None
        self.text = ""

    def _write_parameters(self) -> None:
        if self.rom is None:
            return
        constants = self.rom.constants
        self._poke(memory.PARAMETER_WORDS + 4 * constants.get("mode_word", 0), constants.get(f"mode_{self.mode}", 0))
        for name, value in self.parameters.items():
            self._poke(memory.PARAMETER_WORDS + 4 * self.rom.parameters[name].word, value)

    def _poke(self, address: int, value: int) -> None:
        self.core.write(address, (value & 0xFFFFFFFF).to_bytes(4, self.image.byte_order))

    def _peek(self, address: int) -> int:
        return int.from_bytes(self.mem[address : address + 4].tobytes(), self.image.byte_order)

    def write(self, where: str | int, data: bytes) -> None:
        """Write bytes into memory, of words those of the program's byte order: `machine.image.byte_order`.

        where    "symbol", "symbol+0x10" or an address
        Errors   ValueError outside 0..2**24-1, and for what is no bytes
        """
        if isinstance(data, int | str):
            raise ValueError(f"data {data!r}: allowed bytes; of a number, its to_bytes")
        content = bytes(data)
        self.core.write(self._start_of(where, len(content)), content)

    def read(self, where: str | int, size: int) -> bytes:
        """Return bytes of memory; arguments and errors as for `write`."""
        start = self._start_of(where, size)
        return self.mem[start : start + size].tobytes()

    def _start_of(self, where: str | int, size: int) -> int:
        """Return the address of a place that has so many bytes. Errors: ValueError."""
        start, last = self.address(where), ADDRESS_MASK + 1 - check_integer("size", size, 0, ADDRESS_MASK + 1)
        if start > last:
            raise ValueError(f"address {start}: allowed 0..{last} for {size} bytes")
        return start

    @property
    def frame(self) -> np.ndarray:
        """Video memory: uint8[480, 640] palette indices, a view."""
        size = memory.VIDEO_WIDTH * memory.VIDEO_HEIGHT
        pixels = self.core.ram[memory.VIDEO_START : memory.VIDEO_START + size]
        return pixels.reshape(memory.VIDEO_HEIGHT, memory.VIDEO_WIDTH)

    @property
    def palette(self) -> np.ndarray:
        """The palette now: uint8[256, 3] red, green, blue."""
        size = 4 * memory.PALETTE_ENTRIES
        words = self.core.ram[memory.PALETTE_START : memory.PALETTE_START + size].reshape(-1, 4)
        return words[:, 1:].copy() if self.core.cpu.big_endian else words[:, 2::-1].copy()

    @property
    def engine(self) -> str:
        """The engine that runs: "evaluate", "interpret", or "recompile" where regions of the program are compiled."""
        return self._engine.name

    @property
    def is_compiling(self) -> bool:
        """Is code being compiled in the background, after which the machine runs faster?"""
        return isinstance(self._engine, Tiers) and self._engine.is_compiling

    def stop_compiling(self) -> None:
        """Say that the machine is done with: nothing more is compiled for it in the background."""
        for engine in self._engines.values():
            if isinstance(engine, Tiers):
                engine.stop_compiling()

    def set_input(self, device: str, value: int) -> None:
        """Set what the program reads from a device. Errors: ValueError."""
        check_choice("device", device, tuple(memory.INPUT_WORDS))
        address, maximum = memory.INPUT_WORDS[device]
        self._poke(address, check_integer(device, value, 0, maximum))

    def press(self, *keys: str) -> None:
        """Hold keys of the pad down, and no others, from the next frame on: press("right", "fire"); press() lets go.

        keys     "left", "right", "up", "down", "fire"
        Errors   ValueError
        """
        self.set_input("pad", memory.pad_word(keys))

    def screenshot(self, path: str | Path | None = None, *, overwrite: bool = False) -> np.ndarray:
        """Return the screen in colours: uint8[480, 640, 3] red, green, blue.

        path       a PNG file to write it to; one that exists stays untouched unless `overwrite` is set
        Errors     RetrosimError  the file exists, or cannot be written
        """
        if path is not None:
            write_png(path, self.frame, self.palette, overwrite=overwrite)
        return self.palette[self.frame]

    def step(self) -> str:
        """Execute one instruction; return its listing. Errors: CpuFault."""
        text = self.listing(self.regs["pc"], 1)[0]
        result = self.run(instructions=1)
        if result.fault:
            raise result.fault
        return text

    def listing(self, pc: int, count: int = 1) -> list[str]:
        """Return the next `count` instructions from `pc`: address, code words, text."""
        lines = []
        for _ in range(count):
            insn = self.core.decode(pc & ADDRESS_MASK)
            code = self.mem[insn.pc : insn.pc + insn.length].tobytes()
            lines.append(f"{insn.pc:06X}  {code.hex(' ', 2):<24} {insn.text}")
            pc = insn.end
        return lines

    def world(self) -> World:
        """Return the ROM's objects as its manifest describes them. Errors: ValueError without a manifest."""
        if self.rom is None:
            raise ValueError("an image without a manifest describes no world")
        columns, reader = {}, self._reader
        for column in self.rom.world:
            count = 1 if column.count == "1" else self._peek(self.address(column.count))
            columns[column.name] = reader.column(column.symbol, column.offset, column.stride, column.type, count)
        return World(columns)

    @property
    def _reader(self) -> MemoryReader:
        return MemoryReader(self.mem, self.image.symbols, is_big=self.core.cpu.big_endian)

    def shapes(self) -> Shapes | None:
        """Return what the ROM's routine tested, read from memory; None for an image without a manifest."""
        if self.rom is None:
            return None
        reader = self._reader
        return shapes_of(self.rom.name, self.world().columns, lambda source, columns: source.auxiliary(reader, columns))

    def hash(self, kind: str = "world") -> str:
        """Return 16 hex digits of the "world", or of the "machine": registers, memory, clock."""
        check_choice("hash", kind, ("world", "machine"))
        if kind == "world":
            return self.world().hash()
        digest = hashlib.blake2b(digest_size=8)
        digest.update(state_file.registers(self.core))
        digest.update(self.mem.data)
        return digest.hexdigest()

    def _identity(self) -> state_file.Identity:
        return state_file.Identity(self.name, self.spec_revision, self.timing_revision, self.image.sha256, self.mode)

    def _counters(self) -> state_file.Counters:
        return state_file.Counters(
            parameters=self.parameters,
            frame_number=self.frame_number,
            frame_cycles=self.frame_cycles,
            frame_instructions=self.frame_instructions,
            frame_start=self._frame_start,
            instructions=self.instructions,
            exit_status=self.exit_status,
            tick_pending=int(self._tick_pending),
            scene=None if self.scene is None else self.scene.text,
        )

    def _count_on(self, counters: state_file.Counters) -> None:
        """Go on from what was counted when a state was saved."""
        self.parameters = counters.parameters
        self.frame_number, self._frame_start = counters.frame_number, counters.frame_start
        self.frame_cycles, self.frame_instructions = counters.frame_cycles, counters.frame_instructions
        self.instructions, self.exit_status = counters.instructions, counters.exit_status
        self.restart_ticks(bool(counters.tick_pending))
        self.scene = self._scene_of(counters.scene)

    def _scene_of(self, text: str | None) -> Scene | None:
        """Return the scene that a state was saved with. Errors: SceneError, ValueError."""
        if text is None or (self.scene is not None and self.scene.text == text):
            return self.scene if text is not None else None
        if self.rom is None:
            raise ValueError("scene: the program has no manifest")
        scene = parse_scene(text, self.rom, "the state's scene")
        placing.check_room(scene, self.rom, self.image)
        return scene

    def save(self) -> bytes:
        """Return the whole state for `load` of a machine of the same name and ROM image."""
        return state_file.save(self.core, self._identity(), self._counters())

    def load(self, state: bytes) -> None:
        """Go on from a saved state; a refused state changes nothing. Errors: StateError."""
        self._count_on(state_file.load(self.core, self._identity(), self._check_settings, state))

    def _check_settings(self, parameters: dict[str, int], scene: str | None) -> None:
        """Errors: ValueError or SceneError for parameters or a scene that are not for the ROM, or not allowed."""
        if parameters.keys() != self.parameters.keys():
            raise ValueError(f"parameters: allowed {', '.join(self.parameters) or 'none'}, all of them")
        all_parameters(self.rom, parameters, self.mode)
        if (found := self._scene_of(scene)) is not None and self.rom is not None:
            placing.with_scene(self.rom, found, parameters)

    def snapshot(self) -> bytes:
        """Return the state quickly, for `restore` of this machine in this process."""
        return state_file.snapshot(self.core, self._counters())

    def restore(self, state: bytes) -> None:
        """Go back to a snapshot."""
        self._count_on(state_file.restore(self.core, state))

    def set_stack(self, top: int) -> None:
        """Put an empty stack below an address. Errors: ValueError where the CPU cannot have one."""
        self._host.set_stack(self.core.state, top)

    def argument_bits(self, convention: str = "c") -> int:
        """Return the width of an argument. Errors: ValueError for a convention that the CPU does not have."""
        check_choice("convention", convention, tuple(self._host.call))
        return self._host.call[convention].argument_bits

    def enter(
        self,
        symbol: str | int,
        *arguments: int | str,
        convention: str = "c",
        registers: Mapping[str, int | str] = NO_REGISTERS,
    ) -> None:
        """Begin a call of a routine, to return to `return_address`; arguments as for `call`. Errors: ValueError.

        Nothing is under way then: the pipeline is empty, the bus is idle, and code is fetched from elsewhere.
        """
        bits, entry = self.argument_bits(convention), self.address(symbol)
        words = [self._word("argument", word, bits) for word in arguments]
        values = self.register_values(registers)

        def write(address: int, data: bytes) -> None:
            self.core.write(address & ADDRESS_MASK, data)

        self.regs.update(values)
        self._set_bases(symbol, entry)
        self._host.call[convention].enter(Call(self.core.state, write, entry, self.return_address, words))
        self.regs.update(values)  # also what the convention has taken
        self._settle()

    def _word(self, what: str, given: int | str, bits: int) -> int:
        """Return a word, or the address of a symbol. Errors: ValueError."""
        value = self.address(given) if isinstance(given, str) else given
        return check_integer(what, value, -(1 << bits - 1), (1 << bits) - 1)

    def register_values(self, given: Mapping[str, int | str]) -> dict[str, int]:
        """Return register -> value; symbols become addresses, negative words their bits. Errors: ValueError."""
        values = {}
        known = self._host.registers
        for alias, value in given.items():
            name = self._host.aliases.get(alias, alias)
            check_choice("register", name, [each for each in known if each != "pc"])
            bits = known[name].bits
            values[name] = self._word(f"register {name}", value, bits) & ((1 << bits) - 1)
        return values

    def begin_call(self, entry: int, back: int) -> None:
        """Enter a routine without arguments by the C convention, to return to `back`."""
        self._host.call["c"].enter(Call(self.core.state, self.core.write, entry, back, ()))

    @property
    def return_address(self) -> int:
        """Where a routine returns to that is called from outside."""
        own = self.image.return_address
        return memory.RETURN_ADDRESS if own is None else own

    def _set_bases(self, symbol: str | int, entry: int) -> None:
        """Give the registers that point to the program's data their values, where the program has not done so yet.

        Errors  RetrosimError where the image does not say what a register that the routine uses points to
        """
        symbols = self.image.symbols
        for register, base in self._host.bases.items():
            if self.regs[register]:
                continue
            found = next((symbols[name].address for name in base.symbols if name in symbols), None)
            if found is not None:
                self.regs[register] = found
            elif insn := self._first_uses.find(entry, base.number):
                where = f"{symbol if isinstance(symbol, str) else f'{symbol:#x}'}: {insn.text} at {insn.pc:#x}"
                link = f"link the program with {' or '.join(base.symbols)}"
                raise RetrosimError(
                    f"{where} uses {register}, which nothing has set; {link}, "
                    f"or set machine.regs[{register!r}] (`retrosim cost --reg {register}=ADDRESS`)"
                )

    def _run_routine(
        self,
        symbol: str | int,
        arguments: tuple[int | str, ...],
        convention: str,
        registers: Mapping[str, int | str],
        max_instructions: int,
    ) -> tuple[RunResult, list[int]]:
        """Run a routine to its return; return how, and the registers of a result. All registers are as before.

        So is the pipeline, which is empty. Caches stay: a call fills them for whatever runs next.
        """
        saved = self.core.state.copy()
        self.enter(symbol, *arguments, convention=convention, registers=registers)
        result = self.run(instructions=max_instructions, until=self.return_address)
        values = [self.regs[name] for name in self._host.result]
        cpu = self.core.cpu
        for field in {*cpu.layout.registers, *cpu.in_registers, "pc", "stopped", "reason", "detail", "access"}:
            self.core.state[field] = saved[field]
        self._wait_until(self.cycles)
        if result.reason == "budget":
            raise BudgetUsedUp(self.budget.spent)
        if result.reason != "until":
            raise result.fault or RetrosimError(
                f"{symbol} did not return within {max_instructions} instructions"
                + (f" ({result.reason})" if result.reason != "instructions" else "")
            )
        return result, values

    def warm_up(
        self,
        symbol: str | int,
        *arguments: int | str,
        calls: int = WARM_CALLS,
        convention: str = "c",
        registers: Mapping[str, int | str] = NO_REGISTERS,
        max_instructions: int = MAX_INSTRUCTIONS,
    ) -> None:
        """Call a routine and undo what it did to memory and frames: caches and the like stay as it has left them.

        calls   how often, 0 or more, each from the same memory
        Errors  as for `measure`
        """
        for _ in range(check_integer("warm", calls, 0, MAX_WARM_CALLS)):
            with self._undone():
                self._run_routine(symbol, arguments, convention, registers, max_instructions)

    @contextmanager
    def _undone(self) -> Iterator[None]:
        """Put memory, frames and counted instructions back at the end; time goes on."""
        names = ("frame_number", "frame_cycles", "frame_instructions", "instructions", "exit_status")
        contents, counters = self.mem.copy(), {name: getattr(self, name) for name in names}
        try:
            yield
        finally:
            self.core.replace([contents])
            for name, value in counters.items():
                setattr(self, name, value)

    def call(
        self,
        symbol: str | int,
        *arguments: int | str,
        returns: str = "int",
        convention: str = "c",
        registers: Mapping[str, int | str] = NO_REGISTERS,
        max_instructions: int = MAX_INSTRUCTIONS,
    ) -> int:
        """Call a routine as C would and return its result.

        What it writes into memory stays, and its time has passed; registers and program counter are as before, so that
        the program can go on. `measure` says what a call costs.

        symbol      name or address of the routine
        arguments   words of 32 bits, in real mode of 16 bits; for pointers addresses, or symbols
        returns     type of the result: "int" is a signed word as wide as an argument; or u8, s8, u16, s16, u32, s32
        convention  "c", or another that the CPU has: "pascal" (68K; real mode: a far call), "regparm" (x86)
        registers   name -> word or symbol: what the routine finds in registers, as hand-written code expects it
        max_instructions  after which the call is given up
        Errors      ValueError; CpuFault, RetrosimError when the routine does not return
        """
        check_choice("returns", returns, ("int", *RESULT_TYPES))
        word = self.argument_bits(convention)
        bits, is_signed = (word, True) if returns == "int" else (int(returns[1:]), returns[0] == "s")
        low, high = self._run_routine(symbol, arguments, convention, registers, max_instructions)[1]
        value = ((low & ((1 << word) - 1)) | high << word) & ((1 << bits) - 1)
        return value - (1 << bits) if is_signed and value >> bits - 1 else value

    def measure(
        self,
        symbol: str | int,
        *arguments: int | str,
        warm: int = WARM_CALLS,
        interval: bool = False,
        convention: str = "c",
        registers: Mapping[str, int | str] = NO_REGISTERS,
        max_instructions: int = MAX_INSTRUCTIONS,
    ) -> Measurement:
        """Call a routine and return what it cost; arguments and effects are those of one `call`.

        warm      calls before the one that counts, see `warm_up`: caches are then as a routine finds them that is
                  called every frame. 0: as they are now, empty after power-on. Nothing else is under way (`enter`)
        interval  also return `low` and `high`, for which the routine runs again on every alternative (see `interval`)
        Errors    ValueError; CpuFault, RetrosimError when the routine does not return
        """
        given: dict[str, Any] = {"convention": convention, "registers": registers}
        given["max_instructions"] = max_instructions

        def count(machine: Machine) -> list[int]:
            return [machine.measure(symbol, *arguments, warm=0, **given).cycles]

        self.warm_up(symbol, *arguments, calls=warm, **given)
        found = intervals(self, count)[0] if interval else None
        result, values = self._run_routine(symbol, arguments, convention, registers, max_instructions)
        low, high = found.around(result.cycles) if found else (None, None)
        return Measurement(result.cycles, result.instructions, values[0], warm, low, high)

    @property
    def mem(self) -> np.ndarray:
        """All memory: uint8[2**24], a view. Write code through `write`, so that decoded copies are dropped."""
        return self.core.ram[: ADDRESS_MASK + 1]

    @property
    def cycles(self) -> int:
        """CPU clocks since power-on, waiting for ticks included."""
        return int(self.core.state["cycles"])

    @property
    def ticks(self) -> int:
        """Timer ticks since power-on."""
        return math.floor(self.cycles * self.tick_hz / self.clock_hz)

    @property
    def retraces(self) -> int:
        """Periods of the frame clock since power-on."""
        return math.floor(self.cycles * self.frame_hz / self.clock_hz)

    def address(self, symbol: str | int) -> int:
        """Return the address of "symbol" or "symbol+0x10", or the address itself. Errors: ValueError."""
        if isinstance(symbol, str):
            place = self.image.symbol_table.place(symbol)
            if place is None:
                names = sorted(self.image.symbols)
                near = did_you_mean(symbol, names) or f"; it has {', '.join(names[:SOME_NAMES]) or 'none'}"
                raise ValueError(f"symbol {symbol!r}: not in the image{near}")
            symbol = place
        return check_integer("address", symbol, 0, ADDRESS_MASK)

    def run(
        self,
        frames: int | None = None,
        cycles: int | None = None,
        instructions: int | None = None,
        until: int | str | Iterable[int | str] | None = None,
    ) -> RunResult:
        """Run until the first of the given limits, the program's exit, a fault, or the end of the budget.

        frames, cycles, instructions  0 or more
        until     an address or a symbol, or several: stop before the instruction there
        Returns   RunResult, its numbers those of this call; its pc says which address was reached
        Errors    ValueError
        """
        limits = {"frames": frames, "cycles": cycles, "instructions": instructions}
        for limit, value in limits.items():
            if value is not None and (value < 0 or value % 1):
                raise ValueError(f"{limit} {value}: allowed 0 or more, a whole number")
        several = until if isinstance(until, Iterable) and not isinstance(until, str) else [until]
        stops = frozenset(self.address(each) for each in several if each is not None)
        if not stops and all(v is None for v in limits.values()):
            raise ValueError("run without a limit: allowed frames, cycles, instructions or until")
        return self._run(frames, cycles, instructions, stops)

    def _run(
        self, frames: int | None, cycles: int | None, instructions: int | None, stops: frozenset[int]
    ) -> RunResult:
        observer = self._observer
        if observer is not None:
            observer.begin()
        state, start = self.core.state, (self.frame_number, self.cycles, self.instructions)
        end_frame = None if frames is None else start[0] + frames
        end_cycle = FOREVER if cycles is None else min(FOREVER, start[1] + cycles)
        fault, engine, budget = None, self._engine, self.budget
        while True:
            left = engine.SLICE if instructions is None else instructions - (self.instructions - start[2])
            if self.exit_status is not None:
                reason = "exit"
            elif end_frame is not None and self.frame_number >= end_frame:
                reason = "frames"
            elif self.cycles >= end_cycle:
                reason = "cycles"
            elif left <= 0:
                reason = "instructions"
            elif stops and int(state["pc"]) in stops:
                reason = "until"
            elif state["stopped"] and self._ticks_masked:
                reason, fault = "fault", self._fault("stopped with all interrupts masked")
            elif budget.is_spent(self.cycles, self.clocks_in_frame, self.clock_hz, is_timed=self.timing != "off"):
                reason = "budget"
            else:
                last = budget.end_cycle(self._frame_start[0], self.clock_hz)
                stop = end_cycle if last is None else min(end_cycle, last)
                if observer is not None:
                    stop = min(stop, observer.due)
                if state["stopped"]:
                    self._wait_until(min(stop, self._next_tick))
                else:
                    held, masked = self._host.in_shadow(state), self._ticks_masked
                    self._host.end_shadow(state)  # also one that the program counter was taken away from
                    state["limit"] = stop if masked else min(stop, self._next_tick)
                    self.instructions += self._advance(1 if held else min(left, engine.SLICE), stops)
                    if observer is not None:
                        observer.note()
                    if state["reason"] == STOPPED and self._host.is_bad_stop(state):
                        state["stopped"] = 0
                        Evaluator(self.core).between(self._host.bad_stop)
                    if state["reason"] == SERVICE:
                        self._serve(int(state["detail"]))
                self._tick()
                if observer is not None:
                    observer.note(is_between=True)
                self.core.notice_writes()
                if state["reason"] == FAULT and (fault := self._ended(int(state["detail"]))):
                    reason = "fault"
                    break
                if observer is not None and observer.is_stopped():
                    reason = "point"
                    break
                continue
            break
        done = (self.frame_number - start[0], self.cycles - start[1], self.instructions - start[2])
        if observer is not None:
            observer.end()
        return RunResult(reason, *done, int(state["pc"]), fault)

    @property
    def clocks_in_frame(self) -> int:
        """Clocks since the present frame began; where they are not counted, one for each instruction."""
        clocks, instructions = self.cycles - self._frame_start[0], self.instructions - self._frame_start[1]
        return instructions if self.timing == "off" else clocks

    def _advance(self, count: int, stops: frozenset[int]) -> int:
        """Run the engine; while the CPU traces, one instruction at a time on the evaluator."""
        state, host = self.core.state, self._host
        trace, pc = int(state[host.tracing]) if host.tracing else 0, int(state["pc"])
        if not trace:
            return self._engine.run(count, stops)
        insn = self.core.decode(pc)
        evaluator = Evaluator(self.core)
        done = evaluator.run(1)
        if state["reason"] not in (FAULT, SERVICE) and host.traced(evaluator, trace, insn):
            state["stopped"] = 0  # a traced STOP does not wait
            evaluator.between(host.trace, pc)
        return done

    def attach_profile(self, profile: Profile | None) -> None:
        """Count in a profile from now on; None: no more. Errors: ValueError for a machine on the evaluator."""
        if not isinstance(self._engine, Tiers):
            raise ValueError(f"engine {self._engine.name!r}: has no profile; allowed auto, interpret, recompile")
        self._engine.attach(profile)

    def profile_counts(self) -> dict[int, list[int]]:
        """Return address -> [visits, clocks] of the attached profile; -1: clocks that are no instruction's."""
        assert isinstance(self._engine, Tiers)
        return self._engine.counted()

    def restart_ticks(self, pending: bool) -> None:
        """Count ticks from the present clock on; `pending` tells that one has not interrupted the CPU yet."""
        self._tick_pending = pending
        self._next_tick = math.ceil((self.ticks + 1) * self.clock_hz / self.tick_hz)

    @property
    def _ticks_masked(self) -> bool:
        """Does the CPU ignore ticks now? Whatever changes that gives control back to the host."""
        return not self.core.cpu.accepts(self.core.state, self.preset.tick_level)

    def _tick(self) -> None:
        """Count the ticks that have passed, and interrupt the CPU for one when its mask allows."""
        if self.cycles >= self._next_tick:
            self.restart_ticks(pending=True)
        state = self.core.state
        ready = state["reason"] not in (FAULT, SERVICE) and self._tick_pending
        if ready and not self._ticks_masked and self.exit_status is None:
            self._tick_pending = False
            state["stopped"] = 0
            Evaluator(self.core).between(lambda m: m.cpu.interrupt(m, self.preset.tick_level))

    def _serve(self, number: int) -> None:
        """Perform a service; the trap instruction itself has been executed and counted."""
        self._wait_until(self.cycles + (0 if self.timing == "off" else self.service_clocks))
        if number == YIELD_FRAME:
            self.frame_number += 1
            self.frame_cycles = self.cycles - self._frame_start[0]
            self.frame_instructions = self.instructions - self._frame_start[1]
            self._wait_until(math.ceil((self.retraces + 1) * self.clock_hz / self.frame_hz))
            self._frame_start = (self.cycles, self.instructions)
            if self.frame_number == 1:
                self._end_first_frame()
        elif number == MICROSECONDS:
            now = self.cycles * 1_000_000 // self.clock_hz
            low, high = self._host.result
            self.regs[low], self.regs[high] = now & 0xFFFFFFFF, now >> 32 & 0xFFFFFFFF
        elif number == EXIT:
            self.exit_status = self.regs[self._host.result[0]]
        elif number == WRITE_TEXT:
            self.text = (self.text + write_text(self.core, *(self.regs[name] for name in self._host.result)))[
                -MAX_TEXT:
            ]
        else:
            Evaluator(self.core).refuse_service()

    def _wait_until(self, cycle: int) -> None:
        """Let clocks pass with nothing in the pipeline."""
        for field in ("cycles", *self.core.cpu.stage_fields):
            self.core.state[field] = cycle

    def _settle(self) -> None:
        """Let clocks pass until nothing is under way, as before a call from elsewhere."""
        state, cpu = self.core.state, self.core.cpu
        self._wait_until(max(int(state[field].max()) for field in ("cycles", *cpu.busy_fields)))
        for field, value in cpu.blank.items():
            state[field] = value

    def _ended(self, vector: int) -> CpuFault | None:
        """Return why the program cannot go on after an exception without a handler; None if it asked for its end."""
        system = systems.asked(self, vector)
        if system is None:
            return self._fault(self.core.cpu.vector_name(vector))
        if system.exits is not None:
            self.exit_status = system.exits
            self.core.state["reason"] = RUNNING
            return None
        pc = self.regs["pc"]
        if pc >= SYSTEM_START:
            pc = systems.call_of(self)
        insn = self.core.decode(pc)
        code = self.mem[insn.pc : insn.pc + insn.length].tobytes()
        return SystemCall(system.what, self.core.cpu.model, insn.pc, code, insn.text)

    def _fault(self, reason: str) -> CpuFault:
        pc = int(self.core.state["pc"])
        insn = self.core.decode(pc)
        vector = int(self.core.state["detail"]) if self.core.state["reason"] == FAULT else None
        kind = CpuFault if vector is None else self._host.faults.get(vector, CpuFault)
        return kind(reason, self.core.cpu.model, pc, self.mem[pc : pc + insn.length].tobytes(), insn.text)
