"""rom.toml: what the shipped one says, and every way a file can be wrong."""

from __future__ import annotations

import hashlib
import random
import re
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from fuzzing.work import scaled

from retrosim.errors import RomError
from retrosim.rom import ISAS, ImageInfo, Parameter, WorldColumn, load_rom
from retrosim.rom.fields import MAX_FILE_BYTES
from tests.helpers.amount import FULL
from tests.helpers.rom.elf_builder import elf, symbol

CODE = b"\x4e\x75"
NAMES = b"\0gState\0gCount\0"
TABLE = symbol(0, 0, 0, 0, 0) + symbol(1, 0x2000, 8, 0x11, 2) + symbol(8, 0x2008, 4, 0x11, 2)
SECTIONS = [
    (".text", 1, 6, b"", 0),
    (".bss", 8, 3, b"", 0),
    (".symtab", 2, 0, TABLE, 4),
    (".strtab", 3, 0, NAMES, 0),
]
IMAGE = elf([(0x1000, CODE, 2), (0x2000, b"", 12)], sections=SECTIONS)

GOOD = f"""
format = 1
name = "mine"
title = "A ROM"
description = "Two\\nlines."
authors = ["Somebody"]
inputs = ["pad"]

[parameters.speed]
word = 3
default = 5
minimum = 1
maximum = 9

[constants]
answer = 42

[[world]]
name = "state"
symbol = "gState"
offset = 2
stride = 4
type = "s16"
count = "gCount"

[[images]]
isa = "m68040"
build = "fast"
file = "mine.elf"
sha256 = "{hashlib.sha256(IMAGE).hexdigest()}"
compiler = "by hand"
flags = ["-x", "-y"]
default = true
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rom.toml").write_text(GOOD)
    (tmp_path / "mine.elf").write_bytes(IMAGE)
    return tmp_path


def changed(folder: Path, old: str, new: str) -> Path:
    assert old in GOOD
    (folder / "rom.toml").write_text(GOOD.replace(old, new, 1))
    return folder


def test_sectors() -> None:
    rom = load_rom("sectors")
    assert (rom.name, rom.inputs) == ("sectors", ["pad"])
    assert any("Tom Moertel" in author for author in rom.authors)
    assert rom.parameters == {
        "objects": Parameter(default=200, minimum=1, maximum=200, word=1),
        "seed": Parameter(default=1994, minimum=0, maximum=2**32 - 1, word=2),
    }
    assert rom.constants == {"mode_word": 0, "mode_demo": 0, "mode_harness": 1, "harness_minimum_objects": 0}
    assert [column.name for column in rom.world] == [
        *("count", "frame", "random", "pad_before", "px", "py", "vx", "vy", "collided")
    ]
    assert [column.count for column in rom.world] == ["1"] * 4 + ["gNumObjects"] * 5
    builds = ("O0", "O1", "O2", "period", "period-calls", "period-68000", "period-registers", "fast")
    assert [(info.isa, info.build) for info in rom.images] == [
        *(("m68040", build) for build in builds),
        *(("m68000", build) for build in ("O0", "O2", "fast")),
        *((isa, build) for isa in ("i386", "i486") for build in ("O0", "O2")),
        *(("ppc601", build) for build in ("O0", "O1", "O2")),
        *(("ppc601", f"period{end}") for end in ("", "-calls", "-divide", "-level0")),
    ]
    assert {info.build for info in rom.images if info.default} == {"O2"}
    for info in rom.images:
        assert info.file == f"sectors-{info.isa}-{info.build}.elf"
        assert bool(info.description) != info.build.startswith("O")
        assert hashlib.sha256((rom.path / info.file).read_bytes()).hexdigest() == info.sha256
        assert (rom.path / info.file).stat().st_size < 20_000
    assert all(path.suffix == ".rtape" for path in rom.tapes())


def test_xquest() -> None:
    """What it shares with other ROMs stands in their folders."""
    rom = load_rom("xquest")
    assert [(info.isa, info.build, info.default) for info in rom.images] == [
        (isa, "O2", True) for isa in ("m68040", "m68000", "i386", "i486", "ppc601")
    ]
    assert {"../sectors/src/sectors.c", "../sectors/src/memory.c"} <= set(rom.recipe.sources)
    for info in rom.images:
        assert info.sources[0] in {f"../masks/src/mask_{cpu}.S" for cpu in ("m68k", "i386", "ppc")}
        assert hashlib.sha256((rom.path / info.file).read_bytes()).hexdigest() == info.sha256
    used = {*rom.recipe.sources, *(name for info in rom.images for name in info.sources)}
    assert all((rom.path / name).is_file() for name in used)
    assert all((rom.path / file).is_file() for file in rom.drawings.files)
    assert len(rom.tapes()) >= 2


def test_shapes() -> None:
    """A library whose table is made when it is built."""
    rom = load_rom("shapes")
    assert (rom.is_library, rom.parameters, rom.inputs, rom.world) == (True, {}, [], [])
    assert {info.isa: info.default for info in rom.images} == dict.fromkeys(
        ("m68040", "m68000", "i386", "i486", "ppc601"), True
    )
    assert rom.recipe.tables == ("src/sines.c",) and not (rom.path / "src" / "sines.c").exists()
    assert all((rom.path / name).is_file() for name in (*rom.recipe.sources, rom.recipe.script))


def test_tanks() -> None:
    """Its rectangles and blocks are those of `shapes`, its figures those of `xquest`."""
    rom = load_rom("tanks")
    assert {info.isa for info in rom.images} == {"m68040", "m68000", "i386", "i486", "ppc601"}
    assert {"../shapes/src/oriented.c", "../shapes/src/blocks.c"} <= set(rom.recipe.sources)
    assert rom.recipe.tables == ("../shapes/src/sines.c",) and "../xquest/art/digits.txt" in rom.drawings.files
    assert all((rom.path / name).is_file() for name in (*rom.recipe.sources, *rom.drawings.files))
    assert len(rom.tapes()) >= 2


def test_masks() -> None:
    """A library in Pascal and in C."""
    rom = load_rom("masks")
    assert (rom.name, rom.is_library, rom.parameters, rom.inputs, rom.world) == ("masks", True, {}, [], [])
    made = {(info.isa, info.build): (info.boot, info.default) for info in rom.images}
    for isa in ("i386", "i486"):
        assert (made[isa, "real"], made[isa, "flat"]) == (("real", True), ("", False))
    assert made["i286", "real"] == ("real", True)
    assert {isa for isa, build in made if build == "O2"} == {"m68000", "m68040", "ppc601"} and len(made) == 8


def test_a_rom_of_the_users_own(folder: Path) -> None:
    for path in (folder, str(folder), folder / "rom.toml"):
        rom = load_rom(path)
        assert (rom.name, rom.title, rom.description) == ("mine", "A ROM", "Two lines.")
        assert (rom.authors, rom.path, rom.recipe) == (["Somebody"], folder, None)
        assert rom.parameters == {"speed": Parameter(5, 1, 9, 3)}
        assert rom.constants == {"answer": 42}
        assert rom.world == [WorldColumn("state", "gState", 2, 4, "s16", "gCount")]
        digest = hashlib.sha256(IMAGE).hexdigest()
        assert rom.images == [ImageInfo("m68040", "fast", "mine.elf", digest, True, "by hand", ("-x", "-y"))]
    image = rom.image("m68040")
    assert image.sha256 == rom.image("m68040", "fast").sha256 == digest
    assert (image.build, image.segments, image.bss) == ("fast", [(0x1000, CODE)], [(0x2000, 12)])
    assert rom.tapes() == []
    (folder / "tapes").mkdir()
    for name in ("b.rtape", "a.rtape", "notes.txt"):
        (folder / "tapes" / name).touch()
    assert [path.name for path in rom.tapes()] == ["a.rtape", "b.rtape"]


@pytest.mark.parametrize(
    ("isa", "build", "reason"),
    [
        ("m68000", None, "no image for m68000; there are: m68040 fast"),
        ("m68040", "slow", "no image for m68040 build slow; there are: m68040 fast"),
    ],
)
def test_images_that_are_not_there(folder: Path, isa: str, build: str | None, reason: str) -> None:
    with pytest.raises(RomError, match=reason):
        load_rom(folder).image(isa, build)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("format = 1", "format = 2", r"format: must be a whole number 1..1"),
        ("format = 1", "", "format: is missing"),
        ("format = 1", "format = true", "format: must be"),
        ("format = 1", "format = 1.0", "format: must be"),
        ("format = 1", "format = 1\nextra = 1", "extra: unknown key"),
        ('"mine"', '"Mine"', "name: 'Mine' is not allowed"),
        ('"mine"', '"../mine"', "name"),
        ('"mine"', "1", "name: must be a text"),
        ('"mine"', '""', "name: must be a text"),
        ('"A ROM"', '"A' + 401 * "x" + '"', "title: must be a text of 1..400"),
        ('"A ROM"', '"\\u001b[2J"', "title: holds control characters"),
        ('["Somebody"]', '"Somebody"', "authors: must be a list"),
        ('["Somebody"]', "[1]", "authors: must be a text"),
        ('["Somebody"]', str(["x"] * 65).replace("'", '"'), "authors: must be a list of at most 64"),
        ('["pad"]', '["mouse"]', "inputs: 'mouse': allowed pad"),
        ("[parameters.speed]", '[parameters."a b"]', "parameters: the name 'a b' is not allowed"),
        ("[parameters.speed]", "[parameters]\nother = 1\n[parameters.speed]", "parameters.other: is not a table"),
        ("word = 3", "word = 8", "parameters.speed.word: must be a whole number 0..7"),
        ("word = 3", "word = 3\nunit = 'px'", "parameters.speed.unit: unknown key"),
        ("default = 5", "default = 10", "default: must be a whole number 1..9"),
        ("minimum = 1", "minimum = -1", "minimum"),
        ("maximum = 9", "maximum = 0", "maximum: must be a whole number 1.."),
        ("maximum = 9", "maximum = 4294967296", "maximum"),
        ("maximum = 9", "maximum = 9\n[parameters.x]\nword=3\ndefault=1\nminimum=1\nmaximum=1", "share a word"),
        ("answer = 42", "answer = 'x'", "constants.answer"),
        ('"gState"', '"g State"', r"world\[0\].symbol"),
        ("offset = 2", "offset = 65537", "offset"),
        ("stride = 4", "stride = 0", "stride"),
        ("stride = 4", "stride = 1", "entries overlap"),
        ('"s16"', '"s8"', "type: 's8': allowed u8, s16"),
        ('"gCount"', '"2"', "count: '2': allowed"),
        ('"gCount"', "1", "count: must be a text"),
        ("[[world]]", "[world]", "world: must be a list"),
        ("[[images]]", "[images]", "images: must be a list"),
        ("[[images]]", "[[images]]\n[[images]]", r"images\[0\].isa: is missing"),
        ('"m68040"', '"z80"', "isa: 'z80': allowed m68040"),
        ('"fast"', '"a/b"', "build"),
        ('"mine.elf"', '"../mine.elf"', "file: '../mine.elf' is not allowed"),
        ('"mine.elf"', '"/etc/passwd"', "file: '/etc/passwd' is not allowed"),
        ('"mine.elf"', '"sub/mine.elf"', "file: 'sub/mine.elf' is not allowed"),
        ('"mine.elf"', '"..\\\\mine.elf"', "file"),
        ('"mine.elf"', '".."', "file"),
        ('sha256 = "', 'sha256 = "0', "sha256"),
        ("default = true", "default = 1", "default: must be true or false"),
        ('compiler = "by hand"\n', "", r"compiler: is missing; without it, a table \[build\]"),
        ('sha256 = "', 'unknown = "', "sha256: is missing"),
        ('flags = ["-x", "-y"]', "flags = [[]]", "flags: must be a text"),
        ('flags = ["-x", "-y"]', "flags = ['x']", "flags: 'x' is not allowed: an option: - and"),
        ('flags = ["-x", "-y"]', "flags = ['-x y']", "flags: '-x y' is not allowed"),
        ('flags = ["-x", "-y"]', "boot = 'flat'", "boot 'flat': allowed none on m68040"),
        ('flags = ["-x", "-y"]', "sources = ['../x.c']", r"images\[0\].sources: '../x.c' is not allowed"),
        ('flags = ["-x", "-y"]', "description = 1", r"images\[0\].description: must be a text"),
        ("format = 1", "format = 1\n[build]\nsources = ['../x.c']", "build.sources"),
        ("format = 1", "format = 1\n[build]\nsources = ['../../other/x.c']", "build.sources"),
        ("format = 1", "format = 1\n[build]\nsources = ['../other/../x.c']", "build.sources"),
        ("[[images]]", "[drawings]\nfiles = []\n[[images]]", "drawings.colours: is missing"),
        ("[[images]]", "[drawings]\ncolours = '../c.txt'\n[[images]]", "drawings.colours: '../c.txt' is not allowed"),
        ("[[images]]", "[drawings]\ncolours = 'c'\nfiles = ['a/x.txt', 'b/x.txt']\n[[images]]", "share a name"),
        ("format = 1", "format = 1\nlibrary = 1", "library: must be true or false"),
        ("format = 1", "format = ", "is not TOML"),
        ("format = 1", "format = " + "9" * 5000, "is not TOML"),
        ("format = 1", "format = " + "[" * 20_000, "nested too deeply|is not TOML"),
        ("format = 1", "format = 1979-05-27", "format: must be"),
        ("format = 1", "format = nan", "format: must be"),
    ],
)
def test_wrong_manifests(folder: Path, old: str, new: str, reason: str) -> None:
    with pytest.raises(RomError, match=reason):
        load_rom(changed(folder, old, new))


def duplicate(**keys: str) -> str:
    """Return a second entry in the list of images."""
    entry = GOOD[GOOD.index("[[images]]") :].replace("default = true", "default = false")
    for key, value in keys.items():
        entry = re.sub(rf"(?m)^{key} = .*$", f"{key} = {value!r}", entry)
    return entry


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (duplicate(file="second.elf"), "share a file, or ISA and build"),
        (duplicate(build="slow"), "share a file"),
        (duplicate(build="slow", file="second.elf").replace("= false", "= true"), "of several builds for m68040"),
        (GOOD[GOOD.index("[[world]]") : GOOD.index("[[images]]")], "two columns share a name"),
    ],
)
def test_entries_that_contradict_each_other(folder: Path, more: str, reason: str) -> None:
    (folder / "rom.toml").write_text(GOOD + more)
    with pytest.raises(RomError, match=reason):
        load_rom(folder)


def test_no_images(folder: Path) -> None:
    (folder / "rom.toml").write_text(GOOD[: GOOD.index("[[images]]")])
    with pytest.raises(RomError, match=r"images: there is none, and no table \[build\]"):
        load_rom(folder)


SHORTEST = """
format = 1
name = "mine"
title = "A ROM"

[build]
sources = ["src/mine.c"]
"""


def test_what_a_manifest_may_leave_out(tmp_path: Path) -> None:
    """Without a list of images there is one for each ISA that runs 32-bit code; none of them is built yet."""
    (tmp_path / "rom.toml").write_text(SHORTEST)
    rom = load_rom(tmp_path, require_built=False)
    assert (rom.description, rom.authors, rom.is_library) == ("", [], False)
    assert rom.images == [ImageInfo(isa, "O2", f"mine-{isa}-O2.elf", "", default=True) for isa in ISAS if isa != "i286"]
    with pytest.raises(RomError, match=r"m68040 O2 is not built yet; build it with tools/build_roms\.py --rom mine"):
        load_rom(tmp_path)
    image = "[[images]]\nisa = 'i386'\n"
    (tmp_path / "rom.toml").write_text(SHORTEST + image)
    assert load_rom(tmp_path, require_built=False).images == [ImageInfo("i386", "O2", "mine-i386-O2.elf", "", True)]
    (tmp_path / "rom.toml").write_text(f"{SHORTEST}{image}sha256 = '{64 * '0'}'\n{image}build = 'O1'\ndefault = true")
    assert [info.default for info in load_rom(tmp_path, require_built=False).images] == [False, True]
    with pytest.raises(RomError, match="images: i386 O1 is not built yet"):
        load_rom(tmp_path)


def test_what_a_column_of_the_world_may_leave_out(folder: Path) -> None:
    short = GOOD.replace("offset = 2\nstride = 4\n", "").replace('count = "gCount"\n', "")
    (folder / "rom.toml").write_text(short)
    assert load_rom(folder).world == [WorldColumn("state", "gState", 0, 2, "s16", "1")]
    with pytest.raises(RomError, match=r"world\[0\].stride: is missing"):
        load_rom(changed(folder, "stride = 4\n", ""))


def remove(folder: Path) -> None:
    (folder / "mine.elf").unlink()


def empty(folder: Path) -> None:
    (folder / "mine.elf").write_bytes(b"")


def turn_a_bit(folder: Path) -> None:
    (folder / "mine.elf").write_bytes(IMAGE[:-1] + bytes((IMAGE[-1] ^ 1,)))


def lead_outside(folder: Path) -> None:
    outside = folder / "elsewhere"
    outside.mkdir()
    (folder / "mine.elf").rename(outside / "mine.elf")
    (folder / "mine.elf").symlink_to(outside / "mine.elf")


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (remove, "no such file"),
        (empty, "has SHA-256 e3b0c44298fc1c14..., the manifest says"),
        (turn_a_bit, "has SHA-256"),
        (lead_outside, "outside the folder"),
    ],
)
def test_images_that_are_not_what_the_manifest_says(folder: Path, damage: Callable[[Path], None], reason: str) -> None:
    damage(folder)
    with pytest.raises(RomError, match=reason):
        load_rom(folder).image("m68040")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"gState"', '"gOther"', "has no object gOther"),
        ("offset = 2", "offset = 7", "gState is too small"),
        ('"gCount"', '"gOther"', "has no 32-bit object gOther"),
    ],
)
def test_worlds_that_the_image_does_not_have(folder: Path, old: str, new: str, reason: str) -> None:
    with pytest.raises(RomError, match=reason):
        load_rom(changed(folder, old, new)).image("m68040")


def test_manifests_that_cannot_be_read(tmp_path: Path) -> None:
    manifest = tmp_path / "rom.toml"
    with pytest.raises(RomError, match=r"neither rom\.toml nor retrosim.toml"):
        load_rom(tmp_path)
    for content, reason in [
        (b"", "format: is missing"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"#" * (MAX_FILE_BYTES + 1), f"longer than {MAX_FILE_BYTES}"),
        (b"\x7fELF", "is not TOML"),
    ]:
        manifest.write_bytes(content)
        with pytest.raises(RomError, match=reason):
            load_rom(manifest)


@pytest.mark.parametrize("name", ["nosuchrom", "no/such/path", "x" * 5000, "zero\0byte", "", Path("nowhere")])
def test_unknown_names(name: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RomError):
        load_rom(name)


def test_unknown_name_says_what_there_is() -> None:
    with pytest.raises(RomError, match=r"nosuchrom: no such file or folder, and no such ROM; there are: .*sectors"):
        load_rom("nosuchrom")


def test_damaged_manifests(tmp_path: Path) -> None:
    """Whatever is changed in the text, the answer is a ROM or RomError."""
    manifest = tmp_path / "rom.toml"
    draw = random.Random(1994)
    good = (load_rom("sectors").path / "rom.toml").read_bytes()
    refused, count = 0, 600 if FULL else 200
    for _ in range(count):
        damaged = bytearray(good)
        for _ in range(draw.choice((1, 2, 8))):
            start = draw.randrange(len(damaged))
            damaged[start : start + draw.choice((0, 1, 5, 300))] = draw.choice(
                (b"", b"\0", b'"', b"[", b"]]", b"= 1", b"\n", b"-1", b"e", draw.randbytes(2))
            )
        manifest.write_bytes(damaged)
        try:
            load_rom(manifest)
        except RomError:
            refused += 1
    assert count * 2 // 3 < refused < count


K64 = 64 * 1024
HOSTILE = {
    "dotted key": "a." * (K64 // 2 - 4) + "a=1",
    "dotted table": "[" + "a." * (K64 // 2 - 4) + "a]",
    "dotted in a table": "x={" + "a." * (K64 // 2 - 8) + "a=1}",
    "quoted parts": '"\\"".' * (K64 // 5 - 2) + "a=1",
    "long parts": ('"' + "a" * 101 + '".') * 620 + "a=1",
    "literal parts": "'.'." * (K64 // 4 - 2) + "a=1",
    "escapes": '\\"' * (K64 // 2 - 1),
    "many deep keys": "[a.a.a.a.a.a.a.a]\n" + "\n".join(f"b.b.b.b.b.b.b.b{i}=1" for i in range(2900)),
    "brackets": "x=" + "[" * (K64 - 3),
    "braces": "x=" + "{a=" * (K64 // 3 - 3),
    "digits": "x=" + "9" * (K64 - 10),
}


@pytest.mark.first_case
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_manifests_are_refused_at_once(text: str, tmp_path: Path) -> None:
    """Each of 64 KB; the first took two minutes and 4 GB when tomllib saw it."""
    (tmp_path / "rom.toml").write_text(text)
    begun = time.process_time()
    tracemalloc.start()
    with pytest.raises(RomError):
        load_rom(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert time.process_time() - begun < scaled(4)  # 0.2 without tracemalloc
    assert peak < 64 << 20
