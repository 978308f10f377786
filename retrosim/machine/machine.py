"""A simulated machine: CPU, memory, clock, devices and services."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from retrosim.checks import check_choice, check_integer
from retrosim.cpu.engines.core import Core, memory_chunks
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.tiers import Tiers
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.cpu.spec.host import Call
from retrosim.errors import RetrosimError
from retrosim.rom import Image, Rom, load_rom
from retrosim.rom.parameters import all_parameters
from retrosim.rom.reading import Reader
from retrosim.scenarios.shapes import shapes_of
from retrosim.screen.palette import macintosh_palette
from retrosim.screen.shapes import Shapes

from . import memory, state_file
from .clockwork import FOREVER, Clockwork
from .options import chosen_service_clocks, memory_parameters
from .presets import preset
from .registers import Registers
from .result import Measurement
from .world import World

ENGINES = ("auto", "evaluate", "interpret", "recompile")
TIMINGS = ("off", "table", "full")


class Machine(Clockwork):
    """A machine of 1994 that runs one ROM; many can live in one process.

    name, rom, image, parameters, clock_hz
    tick_hz         timer interrupts per second; frame_hz: of the clock that `yield_frame` waits for, both exact
    frame_period    what a period of that clock is called
    frame_number    frames completed since power-on
    frame_cycles    CPU clocks that the last completed frame was busy
    frame_instructions  instructions of the last completed frame
    instructions    executed since power-on
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
        progress: Callable[[str], None] = lambda text: None,
    ) -> None:
        """Build the machine and switch it on.

        name        a preset's name
        rom         a shipped ROM's name, a folder or manifest, a loaded Rom, or an Image (a user's own ELF)
        build       which of the ROM's builds, None for its default
        engine      "evaluate" (Python integers, no compiler), "interpret" (compiled handlers), "recompile" (regions of
                    the program compiled as a whole) or "auto": starts quickly and recompiles while it runs
        timing      "off", "table" or "full"; where the CPU has a pipeline "causes": full, with clocks counted by cause
        parameters  the ROM's parameters, for example objects=100, seed=7
        mode        what the ROM does: "demo", or another that its manifest names as a constant mode_...
        service_clocks  clocks of a service beyond its trap, None for the preset's
        memory_clocks  parameters of caches and bus that differ from the preset's, for example {"copyback": 0}
        progress    gets a line of text before long work
        Errors      ValueError, RomError
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
        memory_part = "-".join(str(clocks) for clocks in self.memory_clocks.values())
        services = f"services {self.service_clocks}"
        self.timing_revision = f"{self.preset.timing_revision} {timing} {services} {memory_part}".strip()
        self.rom, self.image = self._open(rom, build)
        self.parameters = all_parameters(self.rom, parameters, mode)
        self._core = Core(self.preset.cpu(self.image.boot), timing)
        self._host = self._core.cpu.host
        self.regs = Registers(self._core)
        self._big = self._core.cpu.big_endian
        self._load_image()
        self._engine = self._make_engine(engine, progress)
        self.reset()

    def _open(self, rom: Rom | Image | str | Path, build: str | None) -> tuple[Rom | None, Image]:
        if isinstance(rom, Image):
            if rom.isa != self.preset.isa:
                raise ValueError(f"image for {rom.isa}: {self.name} runs {self.preset.isa}")
            return None, rom
        loaded = rom if isinstance(rom, Rom) else load_rom(rom)
        return loaded, loaded.image(self.preset.isa, build)

    def _make_engine(self, engine: str, progress: Callable[[str], None]) -> Evaluator | Tiers:
        if engine == "evaluate":
            return Evaluator(self._core)
        return Tiers(self._core, self.code_roots, engine, progress)

    @property
    def code_roots(self) -> list[int]:
        """Addresses where code begins, as far as the image says."""
        return [self.image.entry, *(each.address for each in self.image.symbols.values() if each.kind == "function")]

    def reset(self) -> None:
        """Switch off and on: memory, registers, clock and devices start anew with the present `parameters`.

        Errors   ValueError for a changed parameter that is not allowed; the machine is then as before
        """
        self.parameters = all_parameters(self.rom, self.parameters, self.mode)
        core = self._core
        self._load_image()
        for field in core.state.dtype.names:
            core.state[field] = 0
        core.state["written_low"] = 0xFFFFFFFF
        core.state["limit"] = FOREVER
        core.state["memory"][: len(self.memory_clocks)] = list(self.memory_clocks.values())
        core.cpu.reset(core.state)
        self.set_stack(memory.STACK_START)
        self._host.go(core.state, self.image.entry)
        for number, (red, green, blue) in enumerate(macintosh_palette().tolist()):
            self._poke(memory.PALETTE_START + 4 * number, red << 16 | green << 8 | blue)
        self._write_parameters()
        self.frame_number = self.frame_cycles = self.frame_instructions = self.instructions = 0
        self._frame_start = (0, 0)
        self.restart_ticks(False)
        self.exit_status: int | None = None

    def _load_image(self) -> None:
        self._core.replace(memory_chunks(self.image.segments))

    def _write_parameters(self) -> None:
        if self.rom is None:
            return
        constants = self.rom.constants
        self._poke(memory.PARAMETER_WORDS + 4 * constants.get("mode_word", 0), constants.get(f"mode_{self.mode}", 0))
        for name, value in self.parameters.items():
            self._poke(memory.PARAMETER_WORDS + 4 * self.rom.parameters[name].word, value)

    def _poke(self, address: int, value: int) -> None:
        self._core.write(address, (value & 0xFFFFFFFF).to_bytes(4, "big" if self._big else "little"))

    def _peek(self, address: int) -> int:
        return int.from_bytes(self.mem[address : address + 4].tobytes(), "big" if self._big else "little")

    @property
    def mem(self) -> np.ndarray:
        """All memory: uint8[2**24], a view. Write code through `write`, so that decoded copies are dropped."""
        return self._core.ram[: ADDRESS_MASK + 1]

    def write(self, address: int, data: bytes) -> None:
        """Write bytes into memory. Errors: ValueError outside 0..2**24-1."""
        if not 0 <= address <= ADDRESS_MASK + 1 - len(data):
            raise ValueError(f"address {address}: allowed 0..{ADDRESS_MASK + 1 - len(data)} for {len(data)} bytes")
        self._core.write(address, bytes(data))

    @property
    def frame(self) -> np.ndarray:
        """Video memory: uint8[480, 640] palette indices, a view."""
        size = memory.VIDEO_WIDTH * memory.VIDEO_HEIGHT
        pixels = self._core.ram[memory.VIDEO_START : memory.VIDEO_START + size]
        return pixels.reshape(memory.VIDEO_HEIGHT, memory.VIDEO_WIDTH)

    @property
    def palette(self) -> np.ndarray:
        """The palette now: uint8[256, 3] red, green, blue."""
        size = 4 * memory.PALETTE_ENTRIES
        words = self._core.ram[memory.PALETTE_START : memory.PALETTE_START + size].reshape(-1, 4)
        return words[:, 1:].copy() if self._big else words[:, 2::-1].copy()

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
        if isinstance(self._engine, Tiers):
            self._engine.stop_compiling()

    def set_input(self, device: str, value: int) -> None:
        """Set what the program reads from a device. Errors: ValueError."""
        check_choice("device", device, tuple(memory.INPUT_WORDS))
        address, most = memory.INPUT_WORDS[device]
        self._poke(address, check_integer(device, value, 0, most))

    def address(self, symbol: str | int) -> int:
        """Return the address of a symbol, or the address itself. Errors: ValueError."""
        if isinstance(symbol, str):
            if symbol not in self.image.symbols:
                raise ValueError(f"symbol {symbol!r}: not in the image; it has {', '.join(sorted(self.image.symbols))}")
            return self.image.symbols[symbol].address
        if not 0 <= symbol <= ADDRESS_MASK:
            raise ValueError(f"address {symbol}: allowed 0..{ADDRESS_MASK}")
        return symbol

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
            insn = self._core.decode(pc & ADDRESS_MASK)
            code = self.mem[insn.pc : insn.pc + insn.length].tobytes()
            lines.append(f"{insn.pc:06X}  {code.hex(' ', 2):<24} {insn.text}")
            pc = insn.end
        return lines

    def set_stack(self, top: int) -> None:
        """Put an empty stack below an address. Errors: ValueError where the CPU cannot have one."""
        self._host.set_stack(self._core.state, top)

    def argument_bits(self, convention: str = "c") -> int:
        """Return the width of an argument. Errors: ValueError for a convention that the CPU does not have."""
        check_choice("convention", convention, tuple(self._host.call))
        return self._host.call[convention].argument_bits

    def enter(self, symbol: str | int, *arguments: int, convention: str = "c") -> None:
        """Call a routine, to return to RETURN_ADDRESS; arguments as for `measure`. Errors: ValueError."""
        bits, entry = self.argument_bits(convention), self.address(symbol)
        words = [check_integer("argument", word, -(1 << bits - 1), (1 << bits) - 1) for word in arguments]

        def write(address: int, data: bytes) -> None:
            self._core.write(address & ADDRESS_MASK, data)

        self._host.call[convention].enter(Call(self._core.state, write, entry, memory.RETURN_ADDRESS, words))
        self._wait_until(self.cycles)

    def measure(
        self, symbol: str | int, *arguments: int, convention: str = "c", most: int = 1_000_000_000
    ) -> Measurement:
        """Call a routine and return what it cost; registers and program counter are kept.

        symbol      name or address of the routine
        arguments   words of 32 bits, in real mode of 16 bits
        convention  "c", or in real mode "pascal": a far call
        most        instructions after which the call is given up
        Errors     ValueError; CpuFault, RetrosimError when the routine does not return
        """
        saved = self._core.state.copy()
        self.enter(symbol, *arguments, convention=convention)
        result = self.run(instructions=most, until=memory.RETURN_ADDRESS)
        value = self.regs[self._host.result[0]]
        clocks = {f: self._core.state[f] for f in ("cycles", *self._core.cpu.stage_fields)}
        self._core.state[()] = saved
        for field, clock in clocks.items():
            self._core.state[field] = clock
        if result.reason != "until":
            raise result.fault or RetrosimError(f"{symbol} did not return within {most} instructions ({result.reason})")
        return Measurement(result.cycles, result.instructions, value)

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
        return Reader(self.mem, self.image.symbols, is_big=self._big)

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
        digest.update(state_file.registers(self._core))
        digest.update(self.mem)
        return digest.hexdigest()

    def save(self) -> bytes:
        """Return the whole state for `load` of a machine of the same name and ROM image."""
        return state_file.save(self)

    def snapshot(self) -> bytes:
        """Return the state quickly, for `restore` of this machine in this process."""
        return state_file.snapshot(self)

    def restore(self, state: bytes) -> None:
        """Go back to a snapshot."""
        state_file.restore(self, state)

    def load(self, state: bytes) -> None:
        """Go on from a saved state; a refused state changes nothing. Errors: StateError."""
        state_file.load(self, state)
