"""Links of objects written by hand: where everything lies, what is put into each place, and what is refused."""

from __future__ import annotations

import pytest

from retrosim.rom.formats import elf
from retrosim.rom.formats.elf import GOT, PAGE, SMALL_OFFSET, link
from retrosim.rom.formats.objects import (
    ABSOLUTE,
    ALLOC,
    COMMON,
    EXECUTE,
    FUNCTION,
    GLOBAL,
    LOCAL,
    NOBITS,
    OBJECT,
    SECTION,
    UNDEFINED,
    WEAK,
    WRITE,
    LinkedSection,
    Object,
    ObjectSymbol,
    Relocation,
)
from retrosim.rom.image import FAMILIES, LOAD_ADDRESS, MISSING_BYTES, MISSING_START, Image

BITS = 1  # SHT_PROGBITS
BASE = LOAD_ADDRESS
FAMILY = {family.machine: family for family in FAMILIES}
CODE, DATA = ALLOC | EXECUTE, ALLOC | WRITE


def section(
    name: str, flags: int, content: bytes = b"", *relocations: Relocation, size: int = 0, align: int = 4
) -> LinkedSection:
    kind = NOBITS if size else BITS
    return LinkedSection(name, kind, flags, content, size or len(content), align, list(relocations))


def text(content: bytes = b"\x4e\x75\x4e\x75", *relocations: Relocation) -> LinkedSection:
    return section(".text", CODE, content, *relocations)


def symbol(
    name: str, where: int, value: int = 0, *, kind: int = FUNCTION, binding: int = GLOBAL, size: int = 0
) -> ObjectSymbol:
    return ObjectSymbol(name, value, size, binding, kind, where)


def made(
    sections: list[LinkedSection | None], symbols: list[ObjectSymbol], machine: str = "EM_68K", name: str = "a.o"
) -> Object:
    return Object(name, FAMILY[machine], 0, sections, symbols)


def linked(*objects: Object, kit: tuple[Object, ...] = (), isa: str | None = None) -> Image:
    return link(list(objects), kit, b"file", isa)


def long_at(image: Image, address: int, size: int = 4) -> int:
    start, content = next((at, data) for at, data in image.segments if at <= address < at + len(data))
    return int.from_bytes(content[address - start : address - start + size], image.family.byte_order)


def addresses(image: Image) -> dict[str, int]:
    return {name: each.address - BASE for name, each in image.symbols.items()}


def test_sections_of_a_kind_lie_together() -> None:
    """Code, constants, data from a page on, zeros last; as their alignment asks."""
    objects = [
        made(
            [
                None,
                section(".data", DATA, b"d" * 6),
                section(".bss", DATA, size=8, align=8),
                section(".rodata", ALLOC, b"c" * 5, align=1),
                text(b"t" * 6),
            ],
            [symbol(f"{name}{number}", where, kind=OBJECT) for where, name in enumerate("-dzct") if where],
            name=f"{number}.o",
        )
        for number in range(2)
    ]
    image = linked(*objects)
    assert addresses(image) == {
        "t0": 0, "t1": 8, "c0": 14, "c1": 19, "d0": PAGE, "d1": PAGE + 8, "z0": PAGE + 16, "z1": PAGE + 24,
    }  # fmt: skip
    code = b"t" * 6 + bytes(2) + b"t" * 6 + b"c" * 10
    assert image.segments == [(BASE, code.ljust(PAGE, b"\0") + b"d" * 6 + bytes(2) + b"d" * 6)]
    assert sorted(image.bss) == [(BASE + PAGE + 16, 8), (BASE + PAGE + 24, 8)]
    assert (image.entry, image.isa, image.returns, image.missing) == (BASE, "m68040", True, {})


def test_a_gap_of_a_page_divides_a_segment() -> None:
    constants = section(".rodata", ALLOC, b"c" * 4, align=2 * PAGE)
    for size, segments in ((PAGE, 2), (PAGE + 4, 1), (2 * PAGE, 1)):
        assert len(linked(made([None, text(bytes(size)), constants], [])).segments) == segments


def test_names_that_several_define() -> None:
    """A strong definition before a common one, that before a weak one, else the first; local ones for their object."""
    use = Relocation(0, 1, 1, 0)
    user = made([None, text(bytes(4), use)], [symbol("", UNDEFINED), symbol("x", UNDEFINED)])

    def target(*objects: Object) -> int:
        return long_at(linked(user, *objects), BASE) - BASE

    strong, second = (made([None, text(b"code")], [symbol("x", 1)], name=name) for name in ("s", "t"))
    common = made([None, text(b"more")], [symbol("x", COMMON, 4, kind=OBJECT, size=4)])
    weak = made([None, text(b"weak")], [symbol("x", 1, binding=WEAK)])
    local = made([None, text(b"loca")], [symbol("x", 1, binding=LOCAL)])
    assert target(weak, strong) == 8 and target(strong, weak) == 4 and target(strong, second) == 4
    assert target(common, strong) == 8 and target(weak, common) == 8 + PAGE - 8 and target(local, strong) == 8
    with pytest.raises(ValueError, match="refers to x, defined nowhere in it"):
        linked(user, local)
    optional = made([None, text(bytes(4), use)], [symbol("", UNDEFINED), symbol("x", UNDEFINED, binding=WEAK)])
    assert long_at(linked(optional), BASE) == 0


def test_common_symbols() -> None:
    """They lie behind all else; their value is what they are aligned to, a page at most."""
    names = [symbol(name, COMMON, align, kind=OBJECT, size=3) for name, align in (("a", 0), ("b", 4), ("c", 4096))]
    image = linked(made([None, text()], names))
    assert addresses(image) == {"a": PAGE, "b": PAGE + 4, "c": 2 * PAGE}
    assert sorted(image.bss) == [(BASE + PAGE, 3), (BASE + PAGE + 4, 3), (BASE + 2 * PAGE, 3)]


def test_numbers_and_ends() -> None:
    names = [symbol("number", ABSOLUTE, 0x1234), *(symbol(name, UNDEFINED) for name in ("_end", "end", "__end__"))]
    fills = [Relocation(4 * number, 1, number, 0) for number in range(4)]
    image = linked(made([None, text(bytes(16), *fills), section(".bss", DATA, size=8)], names))
    assert [long_at(image, BASE + 4 * number) for number in range(4)] == [0x1234, *[BASE + PAGE + 8] * 3]


def test_addends_and_sections() -> None:
    """An addend of its own, or what the place holds; a symbol that is a section stands for its beginning."""
    names = [symbol("", 2, 77, kind=SECTION, binding=LOCAL), symbol("c", 2, 2, binding=LOCAL)]
    places = (Relocation(0, 1, 0, 3), Relocation(4, 1, 1, None), Relocation(8, 5, 1, None), Relocation(10, 0, 1, 0))
    image = linked(made([None, text(bytes(7) + b"\5\xff\xfe\0\0", *places), section(".data", DATA, b"data")], names))
    data = BASE + PAGE
    assert [long_at(image, BASE + at) for at in (0, 4)] == [data + 3, data + 2 + 5]
    assert long_at(image, BASE + 8, 2) == data + 2 - 2 - (BASE + 8)
    assert long_at(image, BASE + 10, 2) == 0  # kind 0 does nothing


@pytest.mark.parametrize(
    ("machine", "kind", "before", "is_call"),
    [
        ("EM_68K", 1, b"\x4e\xb9", True), ("EM_68K", 1, b"\x4e\xf9", True), ("EM_68K", 1, b"\x20\x39", False),
        ("EM_68K", 13, b"\0\0", True), ("EM_386", 2, b"\x90\xe8", True), ("EM_386", 1, b"\x90\xe8", False),
        ("EM_PPC", 10, b"", True),
    ],
)  # fmt: skip
def test_routines_that_are_defined_nowhere(machine: str, kind: int, before: bytes, is_call: bool) -> None:
    """What calls or jumps gets an address that ends a run, each name its own; anything else is refused."""
    at = len(before)
    code = bytearray(before + bytes(4) + before + bytes(4))
    fills = [Relocation(at, kind, 0, 0), Relocation(2 * at + 4, kind, 1, 0)]
    names = [symbol("one", UNDEFINED), symbol("two", UNDEFINED)]
    one = made([None, text(bytes(code), *fills)], names, machine)
    if is_call:
        missing = linked(one).missing
        assert missing == {MISSING_START: "one", MISSING_START + MISSING_BYTES: "two"}
    else:
        with pytest.raises(ValueError, match=r"refers to one, two, defined nowhere in it; link it with"):
            linked(one)


def test_too_many_names_that_are_defined_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [symbol(f"name{number}", UNDEFINED) for number in range(10)]
    fills = [Relocation(4 * number, 1, number, 0) for number in range(10)]
    with pytest.raises(ValueError, match=r"refers to name0, .* name7 and 2 more, defined"):
        linked(made([None, text(bytes(40), *fills)], names))
    with pytest.raises(ValueError, match="name6, name7, defined"):
        linked(made([None, text(bytes(40), *fills[:8])], names))
    calls = [Relocation(4 * number, 13, number, 0) for number in range(3)]
    monkeypatch.setattr(elf, "MAX_MISSING", 2)
    assert len(linked(made([None, text(bytes(40), *calls[:2])], names)).missing) == 2
    with pytest.raises(ValueError, match="refers to name2, defined nowhere"):
        linked(made([None, text(bytes(40), *calls)], names))


def test_small_data_of_the_powerpc() -> None:
    """From the base of its area, which r13 or r2 holds: the area begins 32 KiB before it."""
    sections = [
        None,
        section(".text", CODE, bytes(12), *(Relocation(4 * n, 109, n, 4 * n) for n in range(3))),
        section(".sdata", DATA, b"data"), section(".sdata2", ALLOC, b"more"), section(".sbss", DATA, size=8),
    ]  # fmt: skip
    names = [symbol("a", 2, kind=OBJECT), symbol("b", 3, kind=OBJECT), symbol("c", 4, kind=OBJECT, binding=LOCAL)]
    image = linked(made(sections, names, "EM_PPC"))
    at = {name: each.address for name, each in image.symbols.items()}
    assert at["_SDA_BASE_"] == at["a"] + SMALL_OFFSET and at["_SDA2_BASE_"] == at["b"] + SMALL_OFFSET
    for number, (name, base, register) in enumerate(
        (("a", "_SDA_BASE_", 13), ("b", "_SDA2_BASE_", 2), ("c", "_SDA_BASE_", 13))
    ):
        distance = at[name] + 4 * number - at[base] & 0xFFFF
        assert long_at(image, BASE + 4 * number) == register << 16 | distance
    far = made([None, text(bytes(4), Relocation(0, 32, 0, 0)), section(".data", DATA, b"data")], [symbol("a", 2)])
    far.family = FAMILY["EM_PPC"]
    with pytest.raises(ValueError, match="a is not in small data"):
        linked(far)
    for size, fits in ((0x10000, True), (0x10004, False)):
        large = section(".sdata", DATA, bytes(size))
        use = made([None, text(bytes(2), Relocation(0, 32, 0, size - 4)), large], [symbol("a", 2)], "EM_PPC")
        if fits:
            assert long_at(linked(use), BASE, 2) == 0x7FFC
        else:
            with pytest.raises(ValueError, match="a lies beyond the 64 KiB of small data"):
                linked(use)


def test_the_table_of_addresses() -> None:
    """Each symbol that code reaches by the table has one entry; a local one has its own in each object."""
    names = [symbol("x", 2, kind=OBJECT), symbol("y", 2, 4, kind=OBJECT, binding=LOCAL), symbol(GOT, UNDEFINED)]
    fills = (Relocation(0, 10, 0, 0), Relocation(4, 10, 1, 0), Relocation(8, 7, 1, 0), Relocation(12, 7, 2, 0))
    data = section(".data", DATA, b"12345678")
    image = linked(
        made([None, text(bytes(16), *fills), data], names),
        made([None, text(bytes(8), Relocation(0, 10, 0, 0), Relocation(4, 10, 1, 2)),
              section(".data", DATA, b"87654321")], [symbol("x", UNDEFINED), names[1]], name="b.o"),
    )  # fmt: skip
    first, got = BASE + PAGE, BASE + PAGE + 16
    assert [long_at(image, got + 4 * n) for n in range(3)] == [first, first + 4, first + 8 + 4]
    values = [long_at(image, BASE + 4 * n) for n in range(6)]
    assert values == [0, 4, got + 4 - (BASE + 8), got - (BASE + 12), 0, 8 + 2]


def test_the_table_on_the_386() -> None:
    """An instruction without a base register holds the address of the entry, others the distance from the table."""
    code = b"\x8b\x1d" + bytes(4) + b"\x8b\x83" + bytes(4) + b"\x81\xc3" + bytes(4) + b"\x8d\x83" + bytes(4)
    fills = [
        Relocation(at, kind, number, None) for at, kind, number in ((2, 43, 0), (8, 3, 0), (14, 10, 1), (20, 9, 0))
    ]
    names = [symbol("x", 2, kind=OBJECT), symbol(GOT, UNDEFINED)]
    image = linked(made([None, text(code, *fills), section(".data", DATA, b"data")], names, "EM_386"))
    data, got = BASE + PAGE, BASE + PAGE + 4
    assert long_at(image, got) == data
    assert [long_at(image, BASE + at) for at in (2, 8, 14, 20)] == [got, 0, got - (BASE + 14), data - got & 0xFFFFFFFF]
    assert image.isa == "i386"


def test_a_call_through_the_table_of_another_code() -> None:
    """From 8000h on, the addend of such a call on the PowerPC says something else."""
    for addend, more in ((0x7FFC, 0x7FFC), (0x8000, 0), (0x8004, 0)):
        one = made([None, text(bytes(8), Relocation(0, 18, 0, addend))], [symbol("f", 1, 4)], "EM_PPC")
        assert long_at(linked(one), BASE) == 4 + more


def test_the_kit_adds_what_is_missing_and_what_that_needs() -> None:
    def part(name: str, needs: str | None = None) -> Object:
        names = [symbol(name, 1), *([symbol(needs, UNDEFINED)] if needs else [])]
        return made([None, text(name.encode() * 4, *([Relocation(0, 13, 1, 0)] if needs else []))], names, name=name)

    kit = (part("c"), part("a", "b"), part("b"), part("z"))
    image = linked(made([None, text(bytes(4), Relocation(0, 13, 0, 0))], [symbol("a", UNDEFINED)]), kit=kit)
    assert addresses(image) == {"a": 4, "b": 8} and not image.missing


def test_where_a_program_begins() -> None:
    for names, entry in (
        (("go", "main", "_start"), 2), (("go", "main", "start"), 2), (("go", "_main", "main"), 2),
        (("go", "_main"), 1), (("go",), 0),
    ):  # fmt: skip
        one = made([None, text(bytes(12))], [symbol(name, 1, 4 * number) for number, name in enumerate(names)])
        assert linked(one).entry == BASE + 4 * entry
    with pytest.raises(ValueError, match="has no code"):
        linked(made([None, section(".data", DATA, b"data")], []))


def test_which_names_stay() -> None:
    names = [
        symbol("code", 1, size=4), symbol("table", 1, kind=OBJECT), symbol("data", 2, kind=FUNCTION),
        symbol(".L1", 1), symbol("", 1), symbol("file", ABSOLUTE, kind=4), symbol("number", ABSOLUTE),
        symbol("note", 3), symbol("too_long", 2, kind=OBJECT, size=5), symbol("as_long", 2, kind=OBJECT, size=4),
        symbol("twice", 1, 0, binding=LOCAL), symbol("twice", 1, 2, binding=LOCAL), symbol("other", 1, binding=LOCAL),
        symbol("other", 1, 2),
    ]  # fmt: skip
    image = linked(made([None, text(), section(".data", DATA, b"data"), section(".debug_str", 0, b"note")], names))
    kinds = {name: (each.address - BASE, each.kind, each.size) for name, each in image.symbols.items()}
    assert kinds == {
        "code": (0, "function", 4), "table": (0, "object", 0), "data": (PAGE, "object", 0),
        "as_long": (PAGE, "object", 4), "twice": (0, "function", 0), "other": (2, "function", 0),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (made([None, text(bytes(4), Relocation(0, 99, 0, 0))], [symbol("x", 1)]), "a.o: has relocation type 99, which"),
        (made([None, text(bytes(4), Relocation(0, 1, 0, 0))], [symbol("x", 2)]), "'x' lies in a section that does not"),
        (
            made([None, text(bytes(4), Relocation(2, 2, 0, 0x10000))], [symbol("x", 1)]),
            r"a\.o, \.text \+ 0x2, x: 0x12000 does not fit into the 16 bits",
        ),
    ],
)
def test_refusals(one: Object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        linked(one)


def test_objects_for_several_processors() -> None:
    with pytest.raises(ValueError, match="has objects for several processors"):
        linked(made([None, text()], []), made([None, text()], [], "EM_386"))
