"""Cache and write buffers of the i486, as subroutines in the value layer.

8 KiB for code and data, 4 ways of 128 lines of 16 bytes, written through, filled on reads only; the pseudo-LRU bits
choose the line to replace. The missing double word is used as soon as it is there. Of 4 write buffers, a write waits
when all are full, a line fill until they are empty. Sources: as in i486_pipeline.py. State:

    tag lru     128 sets of 4 lines: line number + VALID; per set the three bits
    fetchable   by set: the address + 1 of the line whose next fetch changes nothing: most recently used, and complete
    bus_free    clock when the bus is done with all it has to do
    filling     line that is read last, complete at fill_end
    memory      parameters of the machine: see MEMORY

Plain hits (hits.py) are loads from the most recently used line of a set, if it is complete, and stores into the most
recently used line, or into lines that are not there: they change nothing in the cache.
"""

from __future__ import annotations

from collections.abc import Callable

from ..spec.hits import FIELD as HITS
from ..spec.hits import READS, WRITES, add_hits, clear_hits, is_hit, is_line_hit
from ..spec.timing import Usual
from ..spec.values import Word

VALID = 1 << 31
UNCACHED_FROM = 0x800000  # video memory and devices (machine memory map)
WRITE_BUFFERS = 4
WRITE_QUEUE = WRITE_BUFFERS - 1  # writes that the bus may still have to do for a store not to wait
SETS, LINE_SHIFT = 128, 4
LINE_BYTES = 1 << LINE_SHIFT
SHORTCUTS = (HITS, "fetchable")
NONE = 0

# Places in the field `memory`, CPU clocks: until the first double word of a line is there, until the whole line is, a
# write, and reading and writing a byte to double word of video memory.
MEMORY = ("first_read", "line_read", "write", "video_read", "video_write")

FIELDS = (
    ("tag", 32, 4 * SETS),
    ("lru", 8, SETS),
    ("fetchable", 32, SETS),
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
    m.when(found | m.const(1, allocate), lambda: _use(m, group, used, old))
    entry = first + used
    if allocate:
        m.set_element("tag", m.select(found, first + (way & 3), entry), wanted)
    return found


def _use(m, group: Word, way: Word, old: Word) -> None:
    """Make a line of a set the most recently used; if it was not, the one that was has no plain hits any more.

    old  the bits of the set
    """
    pair = m.select((old & 1).eq(0), 3 - (old >> 2 & 1).zext(32), 1 - (old >> 1 & 1).zext(32))  # used last so far
    m.when(pair.ne(way), lambda: _change_newest(m, group, pair))
    shift = way << 2
    new = old & (m.const(32, 0x2244) >> shift).trunc(8) & 15 | (m.const(32, 0x0413) >> shift).trunc(8) & 15
    m.set_element("lru", group, new)


def _change_newest(m, group: Word, before: Word) -> None:
    clear_hits(m, m.element("tag", (group << 2) + before) << LINE_SHIFT, LINE_BYTES)
    m.set_element("fetchable", group, m.const(32, NONE))


def _key(line: Word) -> Word:
    return (line << LINE_SHIFT) + 1


def _is_cached(line: Word) -> Word:
    """Are operands in a line cached?"""
    return line.ult(UNCACHED_FROM >> LINE_SHIFT)


def _note_read(m, line: Word, complete: Word) -> None:
    """Note that a line was read, which is now the newest; `complete`: and does not arrive any more."""

    def note() -> None:
        m.set_element("fetchable", line & (SETS - 1), _key(line))
        m.when(_is_cached(line), lambda: add_hits(m, line << LINE_SHIFT, LINE_BYTES, READS | WRITES))

    m.when(complete, note)


def _note_write(m, line: Word) -> None:
    """Note that a line was stored to, which is the newest if it is there."""
    add_hits(m, line << LINE_SHIFT, LINE_BYTES, WRITES)


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

        def cached() -> None:
            line = location >> LINE_SHIFT
            m.when(~is_line_hit(m, line << LINE_SHIFT, False), lambda: wait.set(_read_line(m, line, at)))

        m.when(location.ult(UNCACHED_FROM), cached, uncached)
        return wait.get()

    return _operand(m, address, size, now, one)


def write(m, address: Word, size: Word, now: Word) -> Word:
    """Return the clocks that storing an operand waits for a write buffer."""

    def one(location: Word, at: Word) -> Word:
        cached, free = location.ult(UNCACHED_FROM), m.get("bus_free")
        clocks = m.select(cached, _parameter(m, "write"), _parameter(m, "video_write"))
        line = location >> LINE_SHIFT

        def look() -> None:
            _look_up(m, line, allocate=False)
            _note_write(m, line)

        m.when(cached & ~is_line_hit(m, line << LINE_SHIFT, True), look)
        m.set("bus_free", _later(m, free, at) + clocks)
        return _wait_until(m, free, at + clocks * WRITE_QUEUE)

    return _operand(m, address, size, now, one)


def usual(m, name: str, address: Word, size: int, now: Callable[[], Word]) -> Usual:
    """Tell whether a use is a plain hit, and a store has a write buffer without a wait (`Timing.usual`)."""
    if name == "fetch":
        return Usual(m.element("fetchable", address & (SETS - 1)).eq(_key(address)))
    if name == "read":
        return Usual(is_hit(m, address, size, False))
    at, free, clocks = now(), m.get("bus_free"), _parameter(m, "write")
    hit = is_hit(m, address, size, True) & free.ule(at + clocks * WRITE_QUEUE)
    return Usual(hit, lambda: m.set("bus_free", _later(m, free, at) + clocks))


def hit(m, name: str, location: Word, *rest: Word) -> tuple[Word, Callable[[], None], Word]:
    """Tell likewise of all lines that are there, and of all stores, which may wait (`Timing.hit`)."""
    *size, now = rest
    line = (location if name == "fetch" else location >> LINE_SHIFT).trunc(32)
    group = line & (SETS - 1)

    def search() -> Word:
        return m.matching("tag", group << 2, 4, line | VALID)

    if name == "write":
        is_usual, wait = m.const(1, 1), _wait_until(m, m.get("bus_free"), now + _parameter(m, "write") * WRITE_QUEUE)
    else:
        ways, wait = search(), m.const(64, 0)
        is_usual = ways.ne(0) & (m.get("filling").ne(line) | m.get("fill_end").ule(now))
    for each in size:
        is_usual = is_usual & location.ult(UNCACHED_FROM) & ((location & (LINE_BYTES - 1)) + each).ule(LINE_BYTES)

    def use() -> None:
        found = search() if name == "write" else ways
        way = m.lowest_bit(found) & 3
        m.when(found.ne(0), lambda: _use(m, group, way, m.element("lru", group)))
        if name == "write":
            _note_write(m, line)
        else:
            _note_read(m, line, m.const(1, 1))

    def apply() -> None:
        if name == "fetch":
            m.when(m.element("fetchable", group).ne(_key(line)), use)
        else:
            m.when(~is_line_hit(m, line << LINE_SHIFT, name == "write"), use)
        if name == "write":
            m.set("bus_free", _later(m, m.get("bus_free"), now) + _parameter(m, "write"))

    return is_usual, apply, wait
