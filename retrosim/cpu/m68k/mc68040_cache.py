"""Caches and bus of the MC68040, as subroutines in the value layer (MC68040UM sections 4 and 7).

Both caches: 4 KiB, 64 sets (address bits 9-4) of 4 ways, lines of 16 bytes. An invalid way is used first, else the one
that a 2-bit counter names, which steps at every access to that cache. A line is read in a burst, the wanted long word
first; execution goes on with it while the rest arrives, and whoever needs the bus or the line before that waits.
Copyback: stores allocate and make the line dirty; a dirty line that is replaced is written after the fill.
Write-through: every store goes to the bus through a buffer of one, without allocating. Video memory and devices are not
cached. All state is in the fields below; times are absolute clocks.

    dtag itag      per set and way: line number + VALID, or 0
    dirty          per set and way of the data cache
    bus_free       when the bus has finished what it has begun
    filling        line whose burst is under way until filled_by
    stored         long word of the last store, which the write-back stage completes at stored_by
    stored_by      one clock after the store: a read of the long word waits for it (MC68040UM 7.7)
    fetchable      by the lower bits of a line's number: its address + 1 if it was fetched and is in the instruction
                   cache, complete; so such a use changes no more than `icount`
    memory         parameters of the machine: see MEMORY

Plain hits (hits.py) are loads from complete lines of the data cache, and stores into those that are dirty, too: they
change no more than `dcount`, and stores `stored` and `stored_by`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..spec.cpu import ADDRESS_MASK
from ..spec.hits import FIELD as HITS
from ..spec.hits import READS, SIZES, WRITES, add_hits, clear_hits, is_hit, is_line_hit
from ..spec.timing import Usual, later, until
from ..spec.values import Word

VALID = 1 << 31
ABSENT = 256
LINE_SHIFT = 4
LINE_BYTES = 1 << LINE_SHIFT
SHORTCUTS = {"dtag": (HITS,), "itag": ("fetchable",)}
SHORTCUT_LINES = 256  # more than one set has ways, so that lines of one seldom share a place
NONE = 0
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
    ("filled_by", 64, 1),
    ("stored", 32, 1),
    ("stored_by", 64, 1),
    ("fetchable", 32, SHORTCUT_LINES),
    ("memory", 64, len(MEMORY)),
)


def _parameter(m, name: str) -> Word:
    return m.element("memory", m.const(32, MEMORY.index(name)))


COUNTS = {"dtag": "dcount", "itag": "icount"}


def _find(m, tags: str, line: Word) -> Word:
    """Look a line up, which steps the counter; return its entry in the cache, ABSENT when it is not there."""
    first = (line & 63) << 2
    wanted, entry = line | VALID, m.const(32, ABSENT)
    for way in (3, 2, 1, 0):
        entry = m.select(m.element(tags, first + way).eq(wanted), first + way, entry)
    _step(m, tags)
    return entry


def _step(m, tags: str) -> None:
    m.set(COUNTS[tags], m.get(COUNTS[tags]) + 1)


def _victim(m, tags: str, line: Word) -> Word:
    """Return the entry that a line which has just not been found takes."""
    first, count = (line & 63) << 2, m.get(COUNTS[tags]) - 1
    entry = first + (count & 3).zext(32)
    for way in (3, 2, 1, 0):
        entry = m.select(m.element(tags, first + way).eq(0), first + way, entry)
    return entry


def _place(line: Word) -> Word:
    """Return the place of a line's shortcuts."""
    return line & (SHORTCUT_LINES - 1)


def _key(line: Word) -> Word:
    return (line << LINE_SHIFT) + 1


def _is_fetchable(m, line: Word) -> Word:
    return m.element("fetchable", _place(line)).eq(_key(line))


def _note_hits(m, line: Word, hits: int, wait: Word) -> None:
    """Note that uses of a line that was found are plain hits from now on if it was complete."""
    m.when(wait.eq(0), lambda: add_hits(m, line << LINE_SHIFT, LINE_BYTES, hits))


def _wait_for_fill(m, line: Word, now: Word) -> Any:
    """Return a variable: the clocks until a line is complete, if it is the one that is still arriving."""
    wait, end = m.variable(m.const(64, 0)), m.get("filled_by")
    arriving = m.get("filling").eq(line)
    # a branch, not a choice of values: the host then need not know `now` to go on
    m.when(arriving, lambda: wait.set(until(m, end, now)))
    return wait


def _fill(m, tags: str, line: Word, now: Word) -> Word:
    """Read a line; return the clocks until its first long word is there."""
    victim = _victim(m, tags, line)
    start = later(m, now, m.get("bus_free"))
    end = start + _parameter(m, "line_read")
    m.set("filled_by", end)
    if tags == "dtag":
        written = m.element("dirty", victim).ne(0)
        end = m.select(written, end + _parameter(m, "line_read"), end)
        m.set_element("dirty", victim, m.const(8, 0))
    replaced = m.element(tags, victim)
    if tags == "itag":
        m.set_element("fetchable", _place(replaced), m.const(32, NONE))
    else:
        m.when(replaced.ne(0), lambda: clear_hits(m, replaced << LINE_SHIFT, LINE_BYTES))
    m.set_element(tags, victim, line | VALID)
    m.set("filling", line)
    m.set("bus_free", end)
    return start + _parameter(m, "first_read") - now


def max_wait_clocks(m) -> Word:
    """Return a bound of the clocks that one use of the bus can take, the end of what it was busy with included."""
    fill = _parameter(m, "line_read") * 2
    return fill + _parameter(m, "first_read") + _parameter(m, "write") + _parameter(m, "video_write")


def fetch(m, line: Word, now: Word) -> Word:
    """Return the clocks that fetching code from a line costs beyond a hit."""
    line, extra = line.trunc(32), m.variable(m.const(64, 0))

    def look() -> None:
        entry = _find(m, "itag", line)
        wait = _wait_for_fill(m, line, now).get()
        extra.set(wait)
        m.when(
            entry.eq(ABSENT),
            lambda: extra.set(wait + _fill(m, "itag", line, now)),
            lambda: m.when(wait.eq(0), lambda: m.set_element("fetchable", _place(line), _key(line))),
        )

    m.when(_is_fetchable(m, line), lambda: _step(m, "itag"), look)
    return extra.get()


def crossing(m, address: Word, size: Word) -> Word:
    """Return the clocks of the second access to an operand that crosses a long word."""
    return m.const(64, 4).ult((address & 3) + size).zext(64)


def _operand(m, address: Word, size: Word, now: Word, by_line: Callable[[], Word], one) -> Word:
    """Apply one(address, time) -> clocks to an operand; one that crosses a long word takes a clock more.

    by_line  does the cache take it, which is asked once for each line, or the bus, once for each long word?
    """
    wait = m.variable(one(address.trunc(32), now))

    def second() -> None:
        last = address + size - 1
        wait.set(wait.get() + 1)
        is_asked = ~by_line() | (last >> 4).ne(address >> 4)
        m.when(is_asked, lambda: wait.set(wait.get() + one(last.trunc(32), now + wait.get())))

    m.when(crossing(m, address, size).ne(0), second)
    return wait.get()


def read(m, address: Word, size: Word, now: Word) -> Word:
    """Return the clocks that reading an operand costs beyond an aligned hit."""

    def one(location: Word, at: Word) -> Word:
        line, extra = location >> 4, m.variable(m.const(64, 0))

        def look() -> None:
            found = _find(m, "dtag", line)
            wait = _wait_for_fill(m, line, at).get()
            extra.set(wait)
            m.when(
                found.eq(ABSENT),
                lambda: extra.set(_fill(m, "dtag", line, at)),
                lambda: _note_hits(m, line, READS, wait),
            )

        def cached() -> None:
            m.when(is_line_hit(m, line << LINE_SHIFT, False), lambda: _step(m, "dtag"), look)

        def uncached() -> None:
            end = later(m, at, m.get("bus_free")) + _parameter(m, "first_read")
            m.set("bus_free", end)
            extra.set(end - at)

        m.when(location.ult(UNCACHED_FROM), cached, uncached)
        return extra.get()

    wait, by = m.variable(m.const(64, 0)), m.get("stored_by")
    is_stored = m.get("stored").eq((address >> 2).trunc(32))
    m.when(is_stored & now.ult(by), lambda: wait.set(by - now))
    is_cached = partial(address.ult, UNCACHED_FROM)
    wait.set(wait.get() + _operand(m, address, size, now + wait.get(), is_cached, one))
    return wait.get()


def write(m, address: Word, size: Word, now: Word) -> Word:
    """Return the clocks that storing an operand holds execution up."""

    def one(location: Word, at: Word) -> Word:
        line, extra = location >> 4, m.variable(m.const(64, 0))

        def through(clocks: str) -> None:
            """One write may wait for the bus; a second one holds execution until the first is on its way."""
            free = m.get("bus_free")
            extra.set(m.select(at.ult(free), free - at, m.const(64, 0)))
            m.set("bus_free", later(m, at, free) + _parameter(m, clocks))

        def look() -> None:
            found, dirty = _find(m, "dtag", line), m.const(8, 1)
            waited = _wait_for_fill(m, line, at).get()
            extra.set(waited)

            def hit() -> None:
                m.set_element("dirty", found, dirty)
                _note_hits(m, line, WRITES, waited)  # the next load may come before this store

            def miss() -> None:
                victim = _victim(m, "dtag", line)
                extra.set(_fill(m, "dtag", line, at))
                m.set_element("dirty", victim, dirty)

            m.when(found.eq(ABSENT), miss, hit)

        def copyback() -> None:
            m.when(is_line_hit(m, line << LINE_SHIFT, True), lambda: _step(m, "dtag"), look)

        def write_through() -> None:
            _find(m, "dtag", line)
            through("write")

        def cached() -> None:
            m.when(_parameter(m, "copyback").ne(0), copyback, write_through)

        m.when(location.ult(UNCACHED_FROM), cached, lambda: through("video_write"))
        return extra.get()

    def is_copied_back() -> Word:
        return address.ult(UNCACHED_FROM) & _parameter(m, "copyback").ne(0)

    wait = _operand(m, address, size, now, is_copied_back, one)
    _note_store(m, address.trunc(32), now + wait)
    return wait


def _note_store(m, location: Word, end: Word) -> None:
    m.set("stored", location >> 2)
    m.set("stored_by", end + 1)


def usual(m, name: str, address: Word, size: int, now: Callable[[], Word]) -> Usual:
    """Tell whether `fetch` (of a line), `read` or `write` would find the line and not wait (`Timing.usual`)."""
    if name == "fetch":
        return Usual(_is_fetchable(m, address))
    if size not in SIZES:
        return Usual(m.const(1, 0))
    is_write = name == "write"
    hit, location = is_hit(m, address, size, is_write), m.location(address)
    late, renewal = (m.const(1, 0), lambda: m.const(64, 0)), None
    if not is_write:
        is_stored = m.get("stored").eq(location >> 2)
        late = is_stored, lambda: m.select(is_stored, until(m, m.get("stored_by"), now()), m.const(64, 0))
    if size == 4:  # across long words, but within a line
        condition, clocks = late
        late = condition, lambda: clocks() + crossing(m, location.zext(64), m.const(64, size))
        renewal = (lambda: is_hit(m, address, 2, is_write) & (location & LINE_BYTES - 1).ne(LINE_BYTES - 2)), None
    effects = (lambda wait: _note_store(m, location, now() + wait)) if is_write else None
    return Usual(hit, effects, late, renewal)


def hit(m, name: str, address: Word, size: Word, now: Word) -> tuple[Word, Callable[[], None], Word]:
    """Tell whether `read` or `write` takes the shortcut in each line of an operand (`Timing.hit`)."""
    location, last = address.trunc(32), (address + size - 1).trunc(32)
    lines = [each & (ADDRESS_MASK & -LINE_BYTES) for each in (location, last)]
    found = is_line_hit(m, lines[0], name == "write") & is_line_hit(m, lines[1], name == "write")
    begin = m.const(64, 0)
    if name == "read":
        is_stored = m.get("stored").eq(location >> 2)
        begin = m.select(is_stored, until(m, m.get("stored_by"), now), begin)
    wait = begin + crossing(m, address, size)

    def effects() -> None:
        _step(m, "dtag")
        m.when(lines[0].ne(lines[1]), lambda: _step(m, "dtag"))
        if name == "write":
            _note_store(m, location, now + wait)

    return found, effects, wait
