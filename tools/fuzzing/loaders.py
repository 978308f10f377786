"""The loaders: tapes, input scripts, scenes, images, programs, manifests, drawings, saved states."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import tempfile
import zlib
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from retrosim.errors import CpuFault, RomError, SceneError, StateError, TapeError

from .mutations import NUMBERS, TEXTS, changed_bytes, changed_json, changed_lines
from .target import ROOT, Find, Target


def shipped(pattern: str, max_bytes: int = 20_000) -> list[Path]:
    """Return shipped files that are not large, in a fixed order."""
    return sorted(path for path in (ROOT / "roms").glob(pattern) if path.stat().st_size <= max_bytes)


def scratch_folder() -> Path:
    """Return a new folder of this process, in memory where the system has one."""
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="fuzz-", dir=memory if os.access(memory, os.W_OK) else None))


class Tape(Target):
    name, about, ci_inputs = "tape", "scenario tapes (.rtape)", 3000
    LINES = (
        b"|0|pad:0", b"|1|pad:31", b"|2147483646|pad:1", b"=0 world=0123456789abcdef", b"END frames=0 world=",
        b";0 hello",
        b"=5 world=0123456789abcdef machine=0123456789abcdef:7", b"@0 sha256=" + b"ab" * 32 + b" off=0 len=4096",
        b"SCENE scene 1", b"SCENE rom tanks", b"SCENE object x=40", b"SCENE ", b"x 1", b"X 1", b"", b"|", b"=", b"END",
    )  # fmt: skip

    @cached_property
    def seeds(self) -> list[tuple[bytes, list[bytes]]]:
        """Header and record lines without checksums, the first few of them and the last."""
        found = []
        for path in shipped("*/tapes/*.rtape"):
            _, head, *records = (line.rpartition(b"|")[0] for line in path.read_bytes().splitlines())
            found.append((head, [*records[:6], *records[-2:]]))
        return found

    def make(self, chance: Random) -> bytes:
        head, records = chance.choice(self.seeds)
        kind, first = chance.randrange(10), b"RTAPE 1.0\n"
        if kind < 3:
            text = json.dumps(
                changed_json(chance, json.loads(head)),
                sort_keys=True,
                separators=(",", ":"),
                ensure_ascii=chance.random() < 0.1,
            )
            head = text.encode("utf-8", "surrogatepass")
        elif kind < 4:
            head = changed_bytes(chance, head, (head, *records))
        elif kind < 8:
            records = changed_lines(chance, records, self.LINES)
        elif kind < 9:
            first = changed_bytes(chance, first, (head,))
        data = _sealed(first, head, records)
        return changed_bytes(chance, data, (data,)) if kind == 9 else data

    def attempt(self, data: bytes) -> bool:
        from retrosim.tape import parse_tape

        try:
            tape = parse_tape(data, "fuzz.rtape")
        except TapeError as error:
            return refused(error)
        again = parse_tape(tape.encode(), "fuzz.rtape")
        if (again.header, again.records) != (tape.header, tape.records):
            raise Find("what was read is not what is written")
        return True

    def mend(self, data: bytes) -> bytes:
        first, head, *records = data.split(b"\n") if data.count(b"\n") > 1 else (b"", b"")
        return _sealed(first + b"\n", head.rpartition(b"|")[0], [line.rpartition(b"|")[0] for line in records if line])


def _sealed(first: bytes, head: bytes, records: list[bytes]) -> bytes:
    from retrosim.tape.records import seal

    return first + seal(head, before=first) + b"".join(seal(record) for record in records)


def refused(error: Exception) -> bool:
    """Return False for a refusal of one short line. Errors: Find."""
    text = str(error)
    if "\n" in text or len(text) > 1000:
        raise Find("a refusal of several lines or of more than 1000 characters")
    return False


class Script(Target):
    name, about, ci_inputs = "script", "scripts of inputs (record --input)", 3000
    SEEDS = (
        b"0 pad=2; 300 pad=16; 301 pad=0",
        b"0 pad=0x1F\n5 pad=3\n",
        b"7 pad=1 pad=2",
        b"9999999999 pad=4294967295;;",
    )

    def make(self, chance: Random) -> bytes:
        return changed_bytes(
            chance, chance.choice(self.SEEDS), (*self.SEEDS, *(t.encode("utf-8", "replace") for t in TEXTS))
        )

    def attempt(self, data: bytes) -> bool:
        from retrosim.tape import parse_script

        try:
            parse_script(data.decode("utf-8", "replace"))
        except ValueError as error:
            return refused(error)
        return True


class Scene(Target):
    name, about, ci_inputs = "scene", "scenes (.scene): read for their ROM, and played on the native machine", 1500
    LINES = (
        b"scene 1", b"rom tanks", b"rom xquest", b"rom ../tanks", b"title x", b"note y", b"seed 7", b"seed 4294967296",
        b"set hits=3", b"default speed=1", b"object x=40 y=60 angle=90", b"object shape=ring", b"object x=-1u",
        b"object",
        b"object x=1e9", b"object " + b"x=40 " * 90, b"set speed=40", b"#", b"object x=\xff", b"object kind=light",
        b"object wait=32767u turn=-32768u speed=32767u", b"object x=0.000000001",
    )  # fmt: skip

    @cached_property
    def seeds(self) -> list[list[bytes]]:
        return [path.read_bytes().splitlines() for path in shipped("*/scenes/*.scene")]

    def make(self, chance: Random) -> bytes:
        lines = list(chance.choice(self.seeds))
        kind = chance.randrange(10)
        if kind < 6:
            at = chance.randrange(len(lines))
            name, equals, value = lines[at].rpartition(b"=")
            number = str(chance.choice((*NUMBERS, chance.randrange(-40_000, 40_000)))).encode()
            lines[at] = name + equals + chance.choice((number, number + b"u", number + b".5", value + b"0"))
        elif kind < 9:
            lines = changed_lines(chance, lines, (*self.LINES, *chance.choice(self.seeds)))
        data = b"\n".join(lines) + b"\n"
        return changed_bytes(chance, data, (data,)) if kind == 9 else data

    def attempt(self, data: bytes) -> bool:
        from retrosim.machine import NativeMachine
        from retrosim.rom import load_rom, parse_scene, rom_names
        from retrosim.rom.scene import rom_of

        try:
            text = data.decode("utf-8", "replace")
            name = rom_of(text)
            scene = parse_scene(text, load_rom(name if name in rom_names() else "tanks"))
        except SceneError as error:
            return refused(error)
        if parse_scene(scene.text, load_rom(scene.rom)).places != scene.places:
            raise Find("what was read is not what a tape embeds")
        machine = NativeMachine(scene.rom, scene=scene)
        machine.run(frames=3)
        other = NativeMachine(scene.rom)
        other.load(machine.save())
        if other.world() != machine.world():
            raise Find("a saved state is another world")
        return True

    def is_limited(self, accepted: bool) -> bool:
        return not accepted  # the first that is played compiles kernels


class Image(Target):
    name, about, ci_inputs = "image", "ELF files: segments, symbols, source lines", 600

    @cached_property
    def seeds(self) -> list[bytes]:
        return [path.read_bytes() for path in shipped("*/*.elf", 16_000)]

    def make(self, chance: Random) -> bytes:
        data = bytearray(chance.choice(self.seeds))
        order = ">" if data[5] == 2 else "<"
        for _ in range(chance.choice((1, 1, 2, 3))):
            start, size = self._entry(chance, data, order)
            width = chance.choice((1, 2, 4, 4))
            place = start + chance.randrange(max(1, size - width + 1)) // width * width
            if place + width > len(data):
                continue
            old = int.from_bytes(data[place : place + width], "big" if order == ">" else "little")
            near = (old + 1, old - 1, old * 2, old + len(data), len(data), len(data) - start)
            value = chance.choice((chance.choice(NUMBERS), chance.choice(near), chance.getrandbits(32)))
            data[place : place + width] = (value & (1 << 8 * width) - 1).to_bytes(
                width, "big" if order == ">" else "little"
            )
        return changed_bytes(chance, bytes(data), (bytes(data),)) if chance.random() < 0.15 else bytes(data)

    @staticmethod
    def _entry(chance: Random, data: bytearray, order: str) -> tuple[int, int]:
        """Return place and size of something that the file has one or many of: headers, symbols, a section."""
        segments, sections = struct.unpack_from(order + "II", data, 28)
        _, segment_count, _, section_count, _ = struct.unpack_from(order + "5H", data, 42)
        kind = chance.randrange(6)
        if kind == 0 or not section_count:
            return 16, 36
        if kind == 1 and segment_count:
            return segments + 32 * chance.randrange(min(segment_count, 64)), 32
        header = sections + 40 * chance.randrange(min(section_count, 256))
        if kind == 2 or header + 40 > len(data):
            return header, 40
        start, size = struct.unpack_from(order + "II", data, header + 16)
        if kind == 3 and size >= 16:
            return start + 16 * chance.randrange(min(size, 1 << 20) // 16), 16
        return start, min(size, 1 << 20)

    def attempt(self, data: bytes) -> bool:
        from retrosim.rom.image import read_image

        try:
            image = read_image(Path("fuzz.elf"), data, None, "")
        except RomError as error:
            return refused(error)
        for address in (0, image.entry, image.segments[0][0], 0xFFFFFFFF):
            image.source_line(address), image.symbol_at(address)
        return True


class Program(Image):
    name, about, ci_inputs = "program", "a user's own executable: opened, and run for some instructions", 40
    MACHINES = {"m68000": "mc68000-8", "m68040": "mc68040-25", "i386": "i386dx-33", "ppc601": "ppc601-80"}  # noqa: RUF012

    @cached_property
    def path(self) -> Path:
        return scratch_folder() / "fuzz.elf"

    def attempt(self, data: bytes) -> bool:
        from retrosim.machine import Machine
        from retrosim.rom import load_program

        self.path.write_bytes(data)
        try:
            image = load_program(self.path)
            machine = Machine(self.MACHINES[image.isa], image, engine="evaluate")
            machine.run(instructions=60, cycles=100_000)
        except (RomError, CpuFault) as error:
            return refused(error)
        return True


class Manifest(Target):
    name, about, ci_inputs = "manifest", "manifests of ROMs (rom.toml)", 800
    VALUES = (
        *(str(number) for number in NUMBERS), *(json.dumps(text) for text in TEXTS[:-3]), "[]", "{}", "true", "1.5",
        "nan", "[[[[[[[[]]]]]]]]", "1979-05-27", "'''a'''", "{a.b.c = 1}", '["a"]', '["pad", "pad"]', "[" * 400,
        "0x" + "F" * 400,
    )  # fmt: skip

    @cached_property
    def seeds(self) -> list[list[bytes]]:
        return [path.read_bytes().splitlines() for path in shipped("*/rom.toml", 60_000)]

    @cached_property
    def folder(self) -> Path:
        return scratch_folder()

    def make(self, chance: Random) -> bytes:
        lines = list(chance.choice(self.seeds))
        if len(lines) > 40 and chance.random() < 0.3:  # most of what follows is the same again
            start = chance.randrange(len(lines) - 30)
            lines = lines[:12] + lines[start : start + 30]
        for _ in range(chance.choice((1, 1, 2, 3))):
            at = chance.randrange(len(lines))
            key, equals, value = lines[at].partition(b" = ")
            kind = chance.randrange(6)
            if kind < 3 and equals:
                lines[at] = key + equals + chance.choice(self.VALUES).encode("utf-8", "replace")
            elif kind == 3 and equals:
                lines[at] = (
                    chance.choice((key + b"." + key, b".".join([key] * chance.choice((7, 9, 3000))), b'"' + key))
                    + equals
                    + value
                )
            else:
                lines = changed_lines(chance, lines, chance.choice(self.seeds)) or [b""]
        return b"\n".join(lines)

    def attempt(self, data: bytes) -> bool:
        from retrosim.rom.drawings import read_pictures
        from retrosim.rom.manifest import read_manifest

        path = self.folder / "rom.toml"
        path.write_bytes(data)
        try:
            rom = read_manifest(path)
        except RomError as error:
            return refused(error)
        try:
            rom.image(rom.images[0].isa)
            if rom.drawings:
                read_pictures(rom.drawings, {})
        except RomError as error:
            refused(error)
        return True


class Drawing(Target):
    name, about, ci_inputs = "drawing", "drawings of sprites and their colours", 800

    @cached_property
    def seeds(self) -> tuple[list[bytes], list[bytes]]:
        """The files with colours, and those with pictures."""
        from retrosim.rom import load_rom, rom_names

        drawn = [rom.drawings for rom in map(load_rom, rom_names()) if rom.drawings]
        colours = [(each.folder / each.colours).read_bytes() for each in drawn]
        return colours, [(each.folder / file).read_bytes() for each in drawn for file in each.files[:3]]

    @cached_property
    def folder(self) -> Path:
        return scratch_folder()

    def make(self, chance: Random) -> bytes:
        colours, pictures = (chance.choice(files) for files in self.seeds)
        if chance.random() < 0.4:
            colours = self._changed(chance, colours)
        else:
            pictures = self._changed(chance, pictures)
        return colours + b"\f" + pictures

    @staticmethod
    def _changed(chance: Random, data: bytes) -> bytes:
        if chance.random() < 0.5:
            return changed_bytes(chance, data, (data,))
        return b"\n".join(changed_lines(chance, data.split(b"\n"), (b"# note", b"", b"X 00FF00", b"." * 300, b"\xff")))

    def attempt(self, data: bytes) -> bool:
        from retrosim.rom.drawings import DrawingFiles, read_colours, read_pictures
        from retrosim.screen.framebuffer import macintosh_palette

        colours, _, pictures = data.partition(b"\f")
        (self.folder / "colours.txt").write_bytes(colours)
        (self.folder / "one.txt").write_bytes(pictures)
        drawn = DrawingFiles(self.folder, "colours.txt", ("one.txt",))
        try:
            read_pictures(drawn, read_colours(drawn, macintosh_palette()))
        except RomError as error:
            return refused(error)
        return True


class State(Target):
    name, about, ci_inputs = "state", "saved states, of a simulated machine and of the native one", 40
    PREFIX, DIGEST, SMALL = 12, 16, 4096

    @cached_property
    def machines(self) -> list[Any]:
        from retrosim.machine import open_machine

        machines = [
            open_machine("mc68040-25", "sectors", parameters={"objects": 3}, engine="evaluate"),
            open_machine("native", "sectors", parameters={"objects": 3}),
        ]
        machines[0].run(instructions=500)
        machines[1].run(frames=1)
        return machines

    @cached_property
    def seeds(self) -> list[bytes]:
        return [machine.save() for machine in self.machines]

    @cached_property
    def parts(self) -> tuple[dict[str, Any], bytes, bytes, bytes]:
        """Header, registers and memory of the simulated machine's state, and memory as the end of a zlib stream."""
        state = self.seeds[0]
        end = self.PREFIX + int.from_bytes(state[8 : self.PREFIX], "big")
        header, content = json.loads(state[self.PREFIX : end]), zlib.decompress(state[end : -self.DIGEST])
        packer, memory = zlib.compressobj(1, wbits=-15), content[header["registers"] :]
        return header, content[: header["registers"]], memory, packer.compress(memory) + packer.flush()

    def make(self, chance: Random) -> bytes:
        kind = chance.randrange(20)
        if kind < 5:
            native = changed_bytes(chance, self.seeds[1][: -self.DIGEST], (self.seeds[1],))
            return self.mend(native + bytes(self.DIGEST))
        if kind < 7:
            return changed_bytes(chance, self.seeds[0], self.seeds)
        header, registers, memory, packed = self.parts
        if kind < 18:
            header = changed_json(chance, header)
        if kind < 16:  # of another length, so that little is unpacked
            content = zlib.compress((registers + bytes(self.SMALL))[: chance.randrange(self.SMALL)], 1)
        else:
            registers = changed_bytes(chance, registers)[: len(registers)].ljust(len(registers), b"\0")
            packer = zlib.compressobj(1)
            check = zlib.adler32(memory, zlib.adler32(registers))
            content = packer.compress(registers) + packer.flush(zlib.Z_FULL_FLUSH) + packed + check.to_bytes(4, "big")
        text = json.dumps(header).encode()
        return self.mend(self.seeds[0][:8] + len(text).to_bytes(4, "big") + text + content + bytes(self.DIGEST))

    def mend(self, data: bytes) -> bytes:
        body = data[: -self.DIGEST]
        return body + hashlib.blake2b(body, digest_size=self.DIGEST).digest()

    def attempt(self, data: bytes) -> bool:
        machine = self.machines[data[:8] != self.seeds[0][:8]]
        before = (machine.frame_number, dict(machine.parameters))
        try:
            machine.load(data)
        except StateError as error:
            if before != (machine.frame_number, dict(machine.parameters)):
                raise Find("a refused state changed the machine") from None
            return refused(error)
        machine.save()
        with suppress(CpuFault):
            machine.run(**({"frames": 1} if machine is self.machines[1] else {"instructions": 3, "cycles": 100_000}))
        machine.load(self.seeds[data[:8] != self.seeds[0][:8]])
        return True


LOADERS = (Tape(), Script(), Scene(), Image(), Program(), Manifest(), Drawing(), State())
