"""Several sources and objects as one program, the C preprocessor, projects: without any compiler but where said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from retrosim import Machine
from retrosim.asm import linking
from retrosim.asm.linking import link_sources
from retrosim.asm.project import FAMILIES, LANGUAGES, elf_of, load_for, new_files
from retrosim.errors import AssemblyError, RetrosimError, RomError
from retrosim.machine.presets import PRESETS, machines_for
from retrosim.rom import Image, load_elf
from retrosim.rom.image import family_of

SAMPLES = Path(__file__).resolve().parents[1] / "rom" / "samples"
CALLS = {
    "mc68000-8": " move.l 8(sp),-(sp)\n move.l 8(sp),-(sp)\n jsr divide\n addq.l #8,sp\n add.l more,d0\n rts\n",
    "i386dx-33": " push dword [esp+8]\n push dword [esp+8]\n call divide\n add esp,8\n add eax,[more]\n ret\n",
    "ppc601-80": " mflr r14\n bl divide\n lis r4,more@ha\n lwz r4,more@l(r4)\n add r3,r3,r4\n mtlr r14\n blr\n",
}
RESULT = -100 // 7 + 1 + 1 + ord("i")  # of divide(-100, 7), towards 0: see samples/count.c


def write(folder: Path, **texts: str) -> list[Path]:
    paths = [folder / name.replace("_", ".") for name in texts]
    for path, text in zip(paths, texts.values()):
        path.write_text(text)
    return paths


@pytest.mark.parametrize("machine", CALLS)
def test_assembly_calls_an_object_and_the_kit(machine: str, tmp_path: Path) -> None:
    """divide() comes from a compiler, calls a function of the kit on the 68000; `more` from another source."""
    family = FAMILIES[family_of(PRESETS[machine].isa).machine]
    sources = write(tmp_path, a_s=" .globl go\ngo:\n" + CALLS[machine], b_s=" .globl more\n data\nmore: .long 5\n")
    image = link_sources([*sources, SAMPLES / f"count-{family}.o"], machine)
    built = tmp_path / "c.elf"
    with pytest.raises(RetrosimError, match="calls draw, defined nowhere"):
        elf_of(image)
    whole = Machine(machine, image, engine="evaluate", timing="off")
    assert whole.call("go", -100, 7) == RESULT + 5
    files = {file.rpartition("/")[2] for _, file, _ in image.lines}
    assert {"a.s", "count.c"} <= files
    write(tmp_path, d_s=" .globl draw\ndraw: nop\n")
    complete = link_sources([*sources, tmp_path / "d.s", SAMPLES / f"count-{family}.o"], machine)
    built.write_bytes(elf_of(complete))
    again = load_elf(built, PRESETS[machine].isa)
    assert (again.segments, again.entry) == (complete.segments, complete.entry)
    assert again.symbols["divide"].address == complete.symbols["divide"].address and again.lines == complete.lines
    assert Machine(machine, again, engine="evaluate", timing="off").call("go", -100, 7) == RESULT + 5


def test_a_source_that_names_no_mode_is_assembled_for_the_one_that_is_asked_for(tmp_path: Path) -> None:
    plain, flat, real, c = write(
        tmp_path,
        plain_asm="f: mov ax,7\n ret\n",
        flat_asm=" bits 32\nf: ret\n",
        real_asm=" bits 16\nf: ret\n",
        count_c="int f(void) { return 3; }\n",
    )
    for boot, code in (("", "66b80700c3"), ("flat", "66b80700c3"), ("real", "b80700c3")):
        image = load_for(plain, "i386dx-33", boot=boot).program
        assert isinstance(image, Image) and image.segments[0][1].hex() == code and image.boot == boot
        assert Machine("i386dx-33", image, engine="evaluate", timing="off").call("f") & 0xFFFF == 7
    for path, boot, words in (
        (flat, "real", "flat.asm: begins with bits 32, and 16 bits are asked for"),
        (real, "flat", "real.asm: begins with bits 16, and 32 bits are asked for"),
        (c, "real", "count.c: is compiled to 32-bit code, and 16 bits are asked for"),
    ):
        with pytest.raises(RomError) as raised:
            load_for(path, "i386dx-33", boot=boot)
        assert str(raised.value).endswith(words)
    assert load_for(flat, "i386dx-33", boot="flat").program.boot == "flat"


def test_one_name_twice_is_refused(tmp_path: Path) -> None:
    one, two = write(tmp_path, one_s=" globl x\nx: rts\n", two_s=" globl x\nx: nop\n rts\n")
    with pytest.raises(RomError, match=r"two.s: defines x, which one.s defines too"):
        link_sources([one, two], "mc68000-8")


def test_names_that_are_not_exported_stay_apart(tmp_path: Path) -> None:
    one, two = write(
        tmp_path,
        one_s=" globl a\na: bsr own\n bra b\nown: moveq #1,d1\n rts\n",
        two_s=" globl b\nb:\nown: moveq #2,d0\n rts\n",
    )
    machine = Machine("mc68000-8", link_sources([one, two], "mc68000-8"), engine="evaluate", timing="off")
    assert machine.call("a") == 2


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a.s", "b.txt"], "b.txt: cannot be linked with others; allowed .s, "),
        (["a.s", "b.s"], "b.s: no such file"),
        (["a.s", "b.o"], "b.o: no such file"),
        (["a.s", "b.c"], "b.c: no such file"),
    ],
)
def test_refusals(names: list[str], message: str, tmp_path: Path) -> None:
    write(tmp_path, a_s=" rts\n")
    with pytest.raises((RomError, AssemblyError)) as caught:
        load_for(tmp_path / names[0], "mc68000-8", others=[tmp_path / name for name in names[1:]])
    assert message in str(caught.value)


def test_an_object_of_another_processor(tmp_path: Path) -> None:
    (source,) = write(tmp_path, a_s=" rts\n")
    with pytest.raises(RomError, match="is for i386, the machine runs m68000"):
        link_sources([source, SAMPLES / "count-i386.o"], "mc68000-8")


def test_an_object_says_which_machine_a_program_is_for(tmp_path: Path) -> None:
    (source,) = write(tmp_path, a_s=" .long 1\n")
    for family, isa in (("i386", "i386"), ("ppc", "ppc601")):
        machine = load_for(source, None, others=[SAMPLES / f"count-{family}.o"]).machine
        assert PRESETS[machine].isa == isa
    with pytest.raises(ValueError, match="runs on several machines"):
        load_for(source, None)


def test_lines_of_the_preprocessor_say_where_a_line_comes_from(tmp_path: Path) -> None:
    (source,) = write(tmp_path, a_s='# 1 "a.S"\n# 7 "inc.h" 1\n moveq #1,d0\n# 2 "a.S" 2\n rts\n')
    image = link_sources([source], "mc68000-8")
    assert [(file.rpartition("/")[2], line) for _, file, line in image.lines] == [("inc.h", 7), ("a.S", 2)]


def test_the_preprocessor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One is called for sources that need it, and for those only."""
    needy, plain = tmp_path / "a.S", tmp_path / "b.S"
    needy.write_text('#include "n.h"\n#ifdef __m68k__\n moveq #N,d0\n#endif\n rts\n')
    plain.write_text(" moveq #3,d0\n rts\n")
    (tmp_path / "n.h").write_text("#define N 3\n")
    if shutil.which("cpp") or shutil.which("m68k-linux-gnu-gcc"):
        image = link_sources([needy], "mc68000-8")
        assert image.segments == [(0x2000, bytes.fromhex("70034e75"))] and image.lines[0][2] == 3
    monkeypatch.setenv("PATH", "/nonexistent")
    assert link_sources([plain], "mc68000-8").segments == [(0x2000, bytes.fromhex("70034e75"))]
    with pytest.raises(AssemblyError, match="needs a C preprocessor, and none is installed: apt-get install cpp"):
        link_sources([needy], "mc68000-8")


@pytest.mark.parametrize("machine", ["mc68000-8", "i386dx-33", "ppc601-80"])
def test_a_new_project_in_assembly_does_what_its_test_says(machine: str, tmp_path: Path) -> None:
    for name, text in new_files("hello", machine, "asm").items():
        (tmp_path / name).write_text(text)
    loaded = load_for(tmp_path, None)
    assert loaded.machine == machine and isinstance(loaded.program, Image)
    made = Machine(machine, loaded.program, engine="evaluate", timing="off")
    registers = {"mc68000-8": "d0 d1 d2 d3", "i386dx-33": "eax ebx ecx edx", "ppc601-80": "r3 r4 r5 r6"}[
        machine
    ].split()
    for x, y, overlaps in ((31, 0, 1), (32, 0, 0), (-31, -31, 1), (0, -32, 0)):
        assert made.call("overlap", registers=dict(zip(registers, (0, 0, x, y)))) == overlaps
    assert "retro.cost(PROGRAM" in (tmp_path / "test_program.py").read_text()


def test_new_projects_have_the_files_of_their_language() -> None:
    for machine in machines_for({"m68000", "m68040", "i386", "i486", "ppc601"}):
        for language in LANGUAGES:
            files = new_files("hello", machine, language)
            assert {"retrosim.toml", "test_program.py"} < set(files) and "@" not in files["test_program.py"]
            compile(files["test_program.py"], "test_program.py", "exec")
    assert set(new_files("hello", "m68040", "c")) >= {"start.s", "main.c", "retrosim.h", "link.ld"}
    with pytest.raises(ValueError, match="name '1x': allowed a letter"):
        new_files("1x", "m68000", "asm")
    with pytest.raises(ValueError, match="flat mode"):
        new_files("x", "i386-real", "asm")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "name: is missing"),
        ('name = "a"\nmachine = "z80"\nsources = ["a.s"]', "machine: 'z80' is not allowed"),
        ('name = "a"\nmachine = "mc68000-8"\nsources = []', "sources: names no file"),
        ('name = "a"\nmachine = "mc68000-8"\nsources = ["/etc/passwd"]', "'/etc/passwd' is not allowed"),
        ('name = "a"\nmachine = "mc68000-8"\nsources = ["a.s"]\nx = 1', "x: unknown key"),
    ],
)
def test_a_bad_project_file_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "retrosim.toml").write_text(text)
    with pytest.raises(RomError) as caught:
        load_for(tmp_path, None)
    assert message in str(caught.value)


def test_what_pascal_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler of the processor, the first that is there; system.pp beside the unit; then each object by its name."""
    unit, said, ran = tmp_path / "game.pas", [], []
    with pytest.raises(ValueError, match="no Free Pascal is known for the 16-bit code of the i286"):
        linking.compiled_units(unit, "i286", said.append)
    monkeypatch.setattr(linking.shutil, "which", lambda command: None)
    with pytest.raises(ValueError, match=r"needs Free Pascal for i386 \(ppcross386 or ppc386\), and none is installed"):
        linking.compiled_units(unit, "i386", said.append)
    monkeypatch.setattr(linking.shutil, "which", lambda command: command if command == "ppc386" else None)
    with pytest.raises(ValueError, match=r"needs system\.pp beside it"):
        linking.compiled_units(unit, "i386", said.append)

    def run(command: list[str], folder: Path) -> None:
        ran.append(command)
        name = "game" if command[-1].endswith("game.pas") else "system"
        (folder / f"{name}.o").write_bytes(name.encode())

    (tmp_path / "system.pp").write_text("unit system;")
    monkeypatch.setattr(linking, "run_compiler", run)
    assert linking.compiled_units(unit, "i386", said.append) == {"game.o": b"game", "system.pp": b"system"}
    assert [command[0] for command in ran] == ["ppc386", "ppc386"] and "-Us" in ran[0] and "-Us" not in ran[1]
    assert len(said) == 1 and said[0].startswith("ppc386 ") and said[0].endswith("game.pas")
