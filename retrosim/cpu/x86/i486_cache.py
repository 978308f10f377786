"""Cache and write buffers of the i486, as subroutines in the value layer.

8 KiB for code and data, 4 ways of 128 lines of 16 bytes, written through, filled on reads only; the pseudo-LRU bits
choose the line to replace. The missing double word is used as soon as it is there. Of 4 write buffers, a write waits
when all are full, a line fill until they are empty. Sources: as in i486_pipeline.py. State:

    tag lru     128 sets of 4 lines: line number + VALID; per set the three bits
    readable    by set: the key of the line whose next read changes nothing: the one used last, and complete
    writable    by set: that of the line whose next store changes nothing in the cache: the one used last, or one that
                is not there. A key is the address of a line + 1
    bus_free    clock when the bus is done with all it has to do
    filling     line that is read last, complete at fill_end
    memory      parameters of the machine: see MEMORY
"""

from __future__ import annotations

from collections.abc import Callable

from ..spec.cpu import ADDRESS_MASK
from ..spec.timing import Usual
from ..spec.values import Word

VALID = 1 << 31
UNCACHED_FROM = 0x800000  # video memory and devices (machine memory map)
WRITE_BUFFERS = 4
WRITE_QUEUE = WRITE_BUFFERS - 1  # writes that the bus may still have to do for a store not to wait
SETS, LINE_SHIFT = 128, 4
LINE_BYTES = 1 << LINE_SHIFT
SHORTCUTS = ("readable", "writable")
NONE = 0
CODE_ONLY = 8  # added to the address of a line of code where operands are not cached; 1 to others

# Places in the field `memory`, CPU clocks: until the first double word of a line is there, until the whole line is, a
# write, and reading and writing a byte to double word of video memory.
MEMORY = ("first_read", "line_read", "write", "video_read", "video_write")

FIELDS = (
    ("tag", 32, 4 * SETS),
    ("lru", 8, SETS),
    *((name, 32, SETS) for name in SHORTCUTS),
    ("bus_free", 64, 1),
    ("filling", 32, 1),
    ("fill_end", 64, 1),
    ("memory", 64, len(MEMORY)),
)


def _later(m, a: Word, b: Word) -> Word:
    return m.select(a.ult(b), b, a)


def _wait_until(m, clock: Word, now: Word) -> Word:
    return m.select(now.ult(clock), clock - now, m.const(64, 0))


def _parameter(m, name: str) -> Word:
    return m.element("memory", m.const(32, MEMORY.index(name)))


def max_wait_clocks(m) -> Word:
    """Return a bound of the clocks that one use waits: for what the bus has still to do, and for one read.

    The bus has four writes to do, or a line: a write that finds more waits until there are no more.
    """
    writes = _later(m, _parameter(m, "write"), _parameter(m, "video_write")) * WRITE_BUFFERS
    read = _later(m, _parameter(m, "first_read"), _parameter(m, "video_read"))
    return _later(m, writes, _parameter(m, "line_read")) + read


def _look_up(m, line: Word, allocate: bool) -> Word:
    """Return a one-bit word: is the line there? It, or with `allocate` the one read in its place, is now the newest."""
    group = line & (SETS - 1)
    first = group << 2
    wanted, old = line | VALID, m.element("lru", group)
    way, free = m.const(32, 4), m.const(32, 4)
    for number in (3, 2, 1, 0):
        tag = m.element("tag", first + number)
        way = m.select(tag.eq(wanted), m.const(32, number), way)
        free = m.select(tag.eq(0), m.const(32, number), free)
    found = way.ne(4)
    # bit 0: the older pair is 2, 3; bit 1: the older of 0, 1 is 1; bit 2: the older of 2, 3 is 3
    pair = m.select((old & 1).eq(0), (old >> 1 & 1).zext(32), (old >> 2 & 1).zext(32) + 2)
    used = m.select(found, way, m.select(free.ne(4), free, pair))
    new = m.const(8, 0)
    for number, (mask, ones) in enumerate(((4, 3), (4, 1), (2, 4), (2, 0))):
        new = m.select(used.eq(number), old & mask | ones, new)
    touched = found | m.const(1, allocate)
    m.set_element("lru", group, m.select(touched, new, old))
    entry = first + used
    if allocate:
        m.set_element("tag", m.select(found, first + (way & 3), entry), wanted)
    return found


def _key(m, line: Word) -> Word:
    is_cached = line.ult(UNCACHED_FROM >> LINE_SHIFT)
    return (line << LINE_SHIFT) + m.select(is_cached, m.const(32, 1), m.const(32, CODE_ONLY))


def _note_read(m, line: Word, complete: Word) -> None:
    """Note that a line was read, which is now the newest; `complete`: and does not arrive any more."""
    key, group = _key(m, line), line & (SETS - 1)
    known = m.element("readable", group).eq(key)
    m.set_element("writable", group, m.select(known, m.element("writable", group), key))
    m.set_element("readable", group, m.select(complete, key, m.const(32, NONE)))


def _note_write(m, line: Word, found: Word) -> None:
    """Note that a line was stored to, which makes it the newest if it is there."""
    key, group = _key(m, line), line & (SETS - 1)
    readable = m.element("readable", group)
    m.set_element("readable", group, m.select(found & readable.ne(key), m.const(32, NONE), readable))
    m.set_element("writable", group, key)


def _read_line(m, line: Word, now: Word) -> Word:
    """Return the clocks until the wanted double word of a line is there, beyond those of a hit."""
    free = m.get("bus_free")
    found = _look_up(m, line, allocate=True)
    begin = _later(m, free, now)
    arriving = m.select(m.get("filling").eq(line), _wait_until(m, m.get("fill_end"), now), m.const(64, 0))
    _note_read(m, line, found & arriving.eq(0))
    end = begin + _parameter(m, "line_read")
    m.set("bus_free", m.select(found, free, end))
    m.set("fill_end", m.select(found, m.get("fill_end"), end))
    m.set("filling", m.select(found, m.get("filling"), line))
    return m.select(found, arriving, begin + _parameter(m, "first_read") - now)


def fetch(m, line: Word, now: Word) -> Word:
    """Return the clocks that fetching code from a line costs beyond a hit."""
    return _read_line(m, line.trunc(32), now)


def _operand(m, address: Word, size: Word, now: Word, one: Callable[[Word, Word], Word]) -> Word:
    """Apply one(address, time) -> clocks to an operand, twice when it lies in two lines."""
    wait = m.variable(one(address.trunc(32), now))
    last = address + size - 1
    crosses = (last >> 4).ne(address >> 4)
    m.when(crosses, lambda: wait.set(wait.get() + one(last.trunc(32), now + wait.get())))
    return wait.get()


def read(m, address: Word, size: Word, now: Word) -> Word:
    """Return the clocks that reading an operand costs beyond a hit."""

    def one(location: Word, at: Word) -> Word:
        wait = m.variable(m.const(64, 0))

        def uncached() -> None:
            end = _later(m, m.get("bus_free"), at) + _parameter(m, "video_read")
            m.set("bus_free", end)
            wait.set(end - at)

        m.when(location.ult(UNCACHED_FROM), lambda: wait.set(_read_line(m, location >> 4, at)), uncached)
        return wait.get()

    return _operand(m, address, size, now, one)


def write(m, address: Word, size: Word, now: Word) -> Word:
    """Return the clocks that storing an operand waits for a write buffer."""

    def one(location: Word, at: Word) -> Word:
        cached, free = location.ult(UNCACHED_FROM), m.get("bus_free")
        clocks = m.select(cached, _parameter(m, "write"), _parameter(m, "video_write"))
        line = location >> LINE_SHIFT
        m.when(cached, lambda: _note_write(m, line, _look_up(m, line, allocate=False)))
        m.set("bus_free", _later(m, free, at) + clocks)
        return _wait_until(m, free, at + clocks * WRITE_QUEUE)

    return _operand(m, address, size, now, one)


def usual(m, name: str, location: Word, size: int, now: Callable[[], Word]) -> Usual:
    """Tell whether a use takes the shortcut, and a store a write buffer without a wait (`Timing.usual`)."""
    if name == "fetch":
        return Usual(m.element("readable", location & (SETS - 1)).eq(_key(m, location)))
    group = location >> LINE_SHIFT & (SETS - 1)
    key = (location & (-LINE_BYTES & ADDRESS_MASK | size - 1)) + 1  # is no line's if it is not aligned
    if name == "read":
        return Usual(m.element("readable", group).eq(key))
    hit = m.element("writable", group).eq(key) & _has_buffer(m, now())
    return Usual(hit, lambda: _post(m, now()))


def _has_buffer(m, now: Word) -> Word:
    return m.get("bus_free").ule(now + _parameter(m, "write") * WRITE_QUEUE)


def _post(m, now: Word) -> None:
    m.set("bus_free", _later(m, m.get("bus_free"), now) + _parameter(m, "write"))


def hit(m, name: str, location: Word, *rest: Word) -> tuple[Word, Callable[[], None], Word]:
    """Tell likewise of all lines that are there, and of all stores, which may wait (`Timing.hit`)."""
    *size, now = rest
    line = (location if name == "fetch" else location >> LINE_SHIFT).trunc(32)
    group = line & (SETS - 1)
    ways = m.matching("tag", group << 2, 4, line | VALID)
    found, wait = ways.ne(0), m.const(64, 0)
    if name == "write":
        is_usual, wait = m.const(1, 1), _wait_until(m, m.get("bus_free"), now + _parameter(m, "write") * WRITE_QUEUE)
    else:
        is_usual = found & (m.get("filling").ne(line) | m.get("fill_end").ule(now))
    for each in size:
        is_usual = is_usual & location.ult(UNCACHED_FROM) & ((location & (LINE_BYTES - 1)) + each).ule(LINE_BYTES)

    def use() -> None:
        way, old = (m.lowest_bit(ways) & 3) << 2, m.element("lru", group)
        new = old & (m.const(32, 0x2244) >> way).trunc(8) & 15 | (m.const(32, 0x0413) >> way).trunc(8) & 15
        m.set_element("lru", group, m.select(found, new, old))
        if name == "write":
            _note_write(m, line, found)
        else:
            _note_read(m, line, m.const(1, 1))

    def apply() -> None:
        m.when(m.element("writable" if name == "write" else "readable", group).ne(_key(m, line)), use)
        if name == "write":
            _post(m, now)

    return is_usual, apply, wait
