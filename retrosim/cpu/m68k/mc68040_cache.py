"""Caches and bus of the MC68040, as subroutines in the value layer (facts: MC68040UM sections 4 and 7).

Both caches: 4 KiB, 64 sets (address bits 9-4) of 4 ways, lines of 16 bytes. An invalid way is used first, else the one
that a 2-bit counter names, which steps at every access to that cache. A line is read in a burst, the wanted long word
first; execution goes on with it while the rest arrives, and whoever needs the bus or the line before that waits.
Copyback: stores allocate and make the line dirty; a dirty line that is replaced is written after the fill.
Write-through: every store goes to the bus through a buffer of one, without allocating. Video memory and devices are not
cached. All state is in the fields below; times are absolute clocks.

    dtag itag      per set and way: line number + VALID, or 0
    dirty          per set and way of the data cache
    bus_free       when the bus has finished what it has begun
    filling        line whose burst is under way until bus_free
    memory         parameters of the machine: see MEMORY
"""

from __future__ import annotations

from ..values import Word

VALID = 1 << 31
UNCACHED_FROM = 0x800000  # video memory and devices (machine memory map)

# Places in the field `memory`: clocks until the first long word of a read arrives, of a whole line, of a single write,
# of a write to video memory; and 1 for copyback, 0 for write-through.
MEMORY = ("first_read", "line_read", "write", "video_write", "copyback")

FIELDS = (
    ("dtag", 32, 256),
    ("itag", 32, 256),
    ("dirty", 8, 256),
    ("dcount", 8, 1),
    ("icount", 8, 1),
    ("bus_free", 64, 1),
    ("filling", 32, 1),
    ("fetch_line", 32, 1),  # line that the last instruction came from
    ("memory", 64, len(MEMORY)),
)


def _parameter(m, name: str) -> Word:
    return m.element("memory", m.const(32, MEMORY.index(name)))


def _later(m, a: Word, b: Word) -> Word:
    return m.select(a.ult(b), b, a)


def _find(m, tags: str, line: Word) -> tuple[Word, Word]:
    """Return (place of the line in a cache, 256 when absent; place that a new line would take)."""
    first = (line & 63) << 2
    wanted, place, free = line | VALID, m.const(32, 256), m.const(32, 256)
    for way in (3, 2, 1, 0):
        tag = m.element(tags, first + way)
        place = m.select(tag.eq(wanted), first + way, place)
        free = m.select(tag.eq(0), first + way, free)
    count = "dcount" if tags == "dtag" else "icount"
    victim = m.select(free.eq(256), first + (m.get(count) & 3).zext(32), free)
    m.set(count, m.get(count) + 1)
    return place, victim


def _wait_for_fill(m, line: Word, now: Word) -> Word:
    """Return the clocks until a line that is still arriving is complete."""
    free = m.get("bus_free")
    return m.select(m.get("filling").eq(line) & now.ult(free), free - now, m.const(64, 0))


def _fill(m, tags: str, line: Word, victim: Word, now: Word) -> Word:
    """Read a line; return the clocks until its first long word is there."""
    start = _later(m, now, m.get("bus_free"))
    end = start + _parameter(m, "line_read")
    if tags == "dtag":
        written = m.element("dirty", victim).ne(0)
        end = m.select(written, end + _parameter(m, "line_read"), end)
        m.set_element("dirty", victim, m.const(8, 0))
    m.set_element(tags, victim, line | VALID)
    m.set("filling", line)
    m.set("bus_free", end)
    return start + _parameter(m, "first_read") - now


def fetch(m, pc: Word, last: Word, now: Word) -> Word:
    """Return the clocks that fetching the code from pc to the line `last` costs beyond hits."""
    wait = m.variable(m.const(64, 0))
    first, last = (pc >> 4).trunc(32), last.trunc(32)

    def one(line: Word) -> None:
        at = now + wait.get()
        place, victim = _find(m, "itag", line)
        wait.set(wait.get() + _wait_for_fill(m, line, at))
        m.when(place.eq(256), lambda: wait.set(wait.get() + _fill(m, "itag", line, victim, at)))

    m.when(first.ne(m.get("fetch_line")), lambda: one(first))
    m.when(last.ne(first), lambda: one(last))
    m.set("fetch_line", last)
    return wait.get()


def crossing(m, address: Word, size: Word) -> Word:
    """Return the clocks of the second access to an operand that crosses a long word."""
    return m.const(64, 4).ult((address & 3) + size).zext(64)


def _operand(m, address: Word, size: Word, now: Word, one) -> Word:
    """Apply one(address, time) -> clocks to an operand: crossing a long word takes one more, a line both lines."""
    wait = m.variable(one(address.trunc(32), now) + crossing(m, address, size))
    other = address + size - 1
    crosses = (other >> 4).ne(address >> 4)
    m.when(crosses, lambda: wait.set(wait.get() + one(other.trunc(32), now + wait.get())))
    return wait.get()


def read(m, address: Word, size: Word, now: Word) -> Word:
    """Return the clocks that reading an operand costs beyond an aligned hit."""

    def one(place: Word, at: Word) -> Word:
        line, extra = place >> 4, m.variable(m.const(64, 0))

        def cached() -> None:
            found, victim = _find(m, "dtag", line)
            extra.set(_wait_for_fill(m, line, at))
            m.when(found.eq(256), lambda: extra.set(_fill(m, "dtag", line, victim, at)))

        def uncached() -> None:
            end = _later(m, at, m.get("bus_free")) + _parameter(m, "first_read")
            m.set("bus_free", end)
            extra.set(end - at)

        m.when(place.ult(UNCACHED_FROM), cached, uncached)
        return extra.get()

    return _operand(m, address, size, now, one)


def write(m, address: Word, size: Word, now: Word) -> Word:
    """Return the clocks that storing an operand holds execution up."""

    def one(place: Word, at: Word) -> Word:
        line, extra = place >> 4, m.variable(m.const(64, 0))

        def through(clocks: str) -> None:
            """One write may wait for the bus; a second one holds execution until the first is on its way."""
            free = m.get("bus_free")
            extra.set(m.select(at.ult(free), free - at, m.const(64, 0)))
            m.set("bus_free", _later(m, at, free) + _parameter(m, clocks))

        def copyback() -> None:
            found, victim = _find(m, "dtag", line)
            extra.set(_wait_for_fill(m, line, at))
            m.when(found.eq(256), lambda: extra.set(_fill(m, "dtag", line, victim, at)))
            m.set_element("dirty", m.select(found.eq(256), victim, found), m.const(8, 1))

        def write_through() -> None:
            _find(m, "dtag", line)
            through("write")

        def cached() -> None:
            m.when(_parameter(m, "copyback").ne(0), copyback, write_through)

        m.when(place.ult(UNCACHED_FROM), cached, lambda: through("video_write"))
        return extra.get()

    return _operand(m, address, size, now, one)
