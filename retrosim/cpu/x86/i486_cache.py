"""Cache and write buffers of the i486, as subroutines in the value layer.

8 KiB for code and data, 4 ways of 128 lines of 16 bytes, written through, filled on reads only; the pseudo-LRU bits
choose the line to replace. The missing double word is used as soon as it is there. Of 4 write buffers, a write waits
when all are full, a line fill until they are empty. Sources: as in i486_pipeline.py. State:

    tag lru     128 sets of 4 lines: line number + VALID; per set the three bits
    mru         by set: the address + 1 of its most recently used line, if that is complete, and operands in it are
                cached; else NONE
    bus_free    clock when the bus is done with all it has to do
    filling     line that is read last, complete at fill_end
    memory      parameters of the machine: see MEMORY

Plain hits (hits.py) are uses of the line in `mru`, and stores into lines that are not there: they change nothing in
the cache. Other complete lines are PRESENT.
"""

from __future__ import annotations

from collections.abc import Callable

from ..spec.hits import FIELD as HITS
from ..spec.hits import PRESENT, READS, WRITES, clear_hits, is_hit, is_line_hit, is_present, put_hits
from ..spec.timing import Usual, later, until
from ..spec.values import Word

VALID = 1 << 31
UNCACHED_FROM = 0x800000  # video memory and devices (machine memory map)
WRITE_BUFFERS = 4
WRITE_QUEUE = WRITE_BUFFERS - 1  # writes that the bus may still have to do for a store not to wait
SETS, LINE_SHIFT = 128, 4
LINE_BYTES = 1 << LINE_SHIFT
LINES = UNCACHED_FROM >> LINE_SHIFT  # in which operands are cached
SHORTCUTS = (HITS, "mru")
NONE = 0

# Places in the field `memory`, CPU clocks: until the first double word of a line is there, until the whole line is, a
# write, and reading and writing a byte to double word of video memory.
MEMORY = ("first_read", "line_read", "write", "video_read", "video_write")

FIELDS = (
    ("tag", 32, 4 * SETS),
    ("lru", 8, SETS),
    ("mru", 32, SETS),
    ("bus_free", 64, 1),
    ("filling", 32, 1),
    ("fill_end", 64, 1),
    ("memory", 64, len(MEMORY)),
)


def _parameter(m, name: str) -> Word:
    return m.element("memory", m.const(32, MEMORY.index(name)))


def max_wait_clocks(m) -> Word:
    """Return a bound of the clocks that one use waits: for what the bus has still to do, and for one read.

    The bus has four writes to do, or a line: a write that finds more waits until there are no more.
    """
    writes = later(m, _parameter(m, "write"), _parameter(m, "video_write")) * WRITE_BUFFERS
    read = later(m, _parameter(m, "first_read"), _parameter(m, "video_read"))
    return later(m, writes, _parameter(m, "line_read")) + read


def _group(line: Word) -> Word:
    return line & (SETS - 1)


def _key(line: Word) -> Word:
    return (line << LINE_SHIFT) + 1


def _put_hits(m, line: Word, hits: int) -> None:
    put_hits(m, line << LINE_SHIFT, LINE_BYTES, m.const(64, hits))


def _is_complete(m, line: Word, now: Word) -> Word:
    """Is a line complete if it is there?"""
    return m.get("filling").ne(line) | m.get("fill_end").ule(now)


def _look_up(m, line: Word, allocate: bool, complete: Word) -> Word:
    """Return a one-bit word: is the line there? It, or with `allocate` what is read instead, is now most recently used.

    complete  is the line complete if it is there?
    """
    group = _group(line)
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
    if allocate:
        entry = first + (used & 3)

        def replace() -> None:
            clear_hits(m, m.element("tag", entry) << LINE_SHIFT, LINE_BYTES)
            clear_hits(m, line << LINE_SHIFT, LINE_BYTES)
            m.set_element("tag", entry, wanted)

        m.when(~found, replace)
    m.when(found | m.const(1, allocate), lambda: _use(m, line, used, found & complete))
    return found


def _use(m, line: Word, way: Word, complete: Word) -> None:
    """Make a line, which is in a way of its set, the most recently used; `complete`: and it is not arriving."""
    group = _group(line)
    before, old, shift = m.element("mru", group), m.element("lru", group), way << 2
    m.when(before.ne(NONE), lambda: put_hits(m, before - 1, LINE_BYTES, m.const(64, PRESENT)))
    new = old & (m.const(32, 0x2244) >> shift).trunc(8) & 15 | (m.const(32, 0x0413) >> shift).trunc(8) & 15
    m.set_element("lru", group, new)
    is_known = complete & line.ult(LINES)
    m.set_element("mru", group, m.select(is_known, _key(line), m.const(32, NONE)))
    m.when(is_known, lambda: _put_hits(m, line, READS | WRITES | PRESENT))


def _read_line(m, line: Word, now: Word) -> Word:
    """Return the clocks until the wanted double word of a line is there, beyond those of a hit."""
    free = m.get("bus_free")
    arriving = m.select(m.get("filling").eq(line), until(m, m.get("fill_end"), now), m.const(64, 0))
    found = _look_up(m, line, True, arriving.eq(0))
    begin = later(m, free, now)
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
            end = later(m, m.get("bus_free"), at) + _parameter(m, "video_read")
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
            found = _look_up(m, line, False, _is_complete(m, line, at))
            m.when(~found, lambda: _put_hits(m, line, WRITES))

        m.when(cached & ~is_line_hit(m, line << LINE_SHIFT, True), look)
        m.set("bus_free", later(m, free, at) + clocks)
        return until(m, free, at + clocks * WRITE_QUEUE)

    return _operand(m, address, size, now, one)


def usual(m, name: str, address: Word, size: int, now: Callable[[], Word]) -> Usual:
    """Tell whether a use is a plain hit, and how long a store waits for a write buffer (`Timing.usual`)."""
    if name == "fetch":
        hit = m.element("mru", _group(address)).eq(_key(address))
        return Usual(hit, renewal=(lambda: is_present(m, address << LINE_SHIFT), address))
    renewal = (lambda: is_present(m, address) & (address & size - 1).eq(0)), address >> LINE_SHIFT
    if name == "read":
        return Usual(is_hit(m, address, size, False), renewal=renewal)
    at, free, clocks = now(), m.get("bus_free"), _parameter(m, "write")
    has_buffer = at + clocks * WRITE_QUEUE
    return Usual(
        is_hit(m, address, size, True),
        lambda wait: m.set("bus_free", later(m, free, at) + clocks),
        late=(has_buffer.ult(free), lambda: free - has_buffer),
        renewal=renewal,
    )


def renew(m, line: Word) -> None:
    """Make a line that is present the most recently used of its set (`Timing.renew`)."""
    line = line & LINES - 1
    ways = m.matching("tag", _group(line) << 2, 4, line | VALID)
    _use(m, line, m.lowest_bit(ways) & 3, m.const(1, 1))


def hit(m, name: str, location: Word, *rest: Word) -> tuple[Word, Callable[[], None], Word]:
    """Tell likewise of all lines that are there, and of all stores, which may wait (`Timing.hit`)."""
    *size, now = rest
    line = (location if name == "fetch" else location >> LINE_SHIFT).trunc(32)
    is_complete = _is_complete(m, line, now)

    def search() -> Word:
        return m.matching("tag", _group(line) << 2, 4, line | VALID)

    if name == "write":
        is_usual, wait = m.const(1, 1), until(m, m.get("bus_free"), now + _parameter(m, "write") * WRITE_QUEUE)
    else:
        ways = search()
        is_usual, wait = ways.ne(0) & is_complete, m.const(64, 0)
    for each in size:
        is_usual = is_usual & location.ult(UNCACHED_FROM) & ((location & (LINE_BYTES - 1)) + each).ule(LINE_BYTES)

    def use() -> None:
        found = search() if name == "write" else ways
        absent = (lambda: _put_hits(m, line, WRITES)) if name == "write" else None
        m.when(found.ne(0), lambda: _use(m, line, m.lowest_bit(found) & 3, is_complete), absent)

    def apply() -> None:
        if name == "fetch":
            m.when(m.element("mru", _group(line)).ne(_key(line)), use)
        else:
            m.when(~is_line_hit(m, line << LINE_SHIFT, name == "write"), use)
        if name == "write":
            m.set("bus_free", later(m, m.get("bus_free"), now) + _parameter(m, "write"))

    return is_usual, apply, wait
