"""A simulated machine: CPU, memory, clock, devices and services."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrosim.checks import check_choice, check_integer
from retrosim.cpu.engines.core import Core, memory_chunks
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.tiers import Tiers
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.cpu.spec.readings import changed_readings
from retrosim.rom import Image, Rom, load_program
from retrosim.rom.parameters import all_parameters
from retrosim.rom.reading import Reader
from retrosim.rom.scene import Scene, parse_scene
from retrosim.scenarios.shapes import shapes_of
from retrosim.screen.palette import macintosh_palette
from retrosim.screen.png import png_bytes
from retrosim.screen.shapes import Shapes

from . import memory, placing, state_file, systems
from .budget import Budget
from .calls import Calls, FirstUses
from .choices import ENGINES
from .clockwork import FOREVER
from .options import chosen_service_clocks, memory_parameters, revision
from .presets import preset
from .registers import Registers
from .world import World

if TYPE_CHECKING:
    from retrosim.debug import Debugger, Point, Stop



class Machine(Calls):
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
        self._observer = None
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
    def debugger(self) -> Debugger:
        """What stops the machine where one wants, and goes back in its time; a machine without one pays nothing."""
        from retrosim.debug import Debugger

        return Debugger(self)

    def on(self, where: int | str, function: Callable[[Machine], object]) -> Point:
        """Call a function whenever the program gets to an instruction, before it is executed.

        where     an address, symbol or source line ("file.c:12")
        function  gets the machine and may change it. What it raises ends the run with the machine whole. Under the
                  debugger it may return True to stop.
        Returns   what `machine.debugger.remove` takes the function away by
        Errors    ValueError
        """
        return self.debugger.hook(where, function)

    def watch(
        self, where: int | str, size: int, function: Callable[[Machine, Stop], object], access: str = "write"
    ) -> Point:
        """Call a function after every instruction that touches some memory; it gets the machine and what was touched.

        access   "read", "write", "access" (either) or "change"
        the rest as for `on`
        """
        return self.debugger.hook(where, function, size, access)

    def __repr__(self) -> str:
        program = f"{self.rom.name} {self.image.build}" if self.rom else "a program"
        return f"<Machine {self.name}: {program}, frame {self.frame_number:,}, {self.cycles:,} cycles>"

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

    def write(self, address: int, data: bytes) -> None:
        """Write bytes into memory. Errors: ValueError outside 0..2**24-1."""
        if not 0 <= address <= ADDRESS_MASK + 1 - len(data):
            raise ValueError(f"address {address}: allowed 0..{ADDRESS_MASK + 1 - len(data)} for {len(data)} bytes")
        self.core.write(address, bytes(data))

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
    def _reader(self) -> Reader:
        return Reader(self.mem, self.image.symbols, is_big=self.core.cpu.big_endian)

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
