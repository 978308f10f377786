"""Caches and bus of a 601 machine, as subroutines in the value layer (guide/facts/ppc601_timing.md sections 3, 4).

One cache for code and data: 32 KiB, 64 sets (address bits 11-6) of 8 ways, least recently used, lines of 64 bytes in
two sectors that are valid and dirty on their own. A miss reads its sector, the wanted double word first; the other
sector of the line follows when the bus is idle, unless another miss comes first. Dirty sectors of a replaced line are
written after the read. The machine's second cache is direct-mapped, by sectors. Video memory and devices are not
cached. The integer unit goes on after a miss until the next one, or until it needs the data.
All state is in the fields below; times are absolute clocks.

    tag          per set and way: line number, dirty and valid bits of the two sectors; 0 when there is none
    order        per set: its ways, four bits each, the one used last in the lowest, exclusive-or FIRST_ORDER
    l2           per sector of the second cache: upper address bits + 1, or 0
    bus_free     when the bus has finished what it has begun
    filling      sector that is being read until filled
    other        sector that is read when the bus is idle, from other_start to other_end, + KNOWN; or NONE
    missing      when the data of the last miss are there
    fetchable    by the lower bits of a sector's number: its address + 1 if it was fetched, is complete, and its line is
                 the most recently used of its set; so to fetch it again changes nothing
    memory       parameters of the machine (mpc601_clocks.csv)

Plain hits (hits.py) are loads from complete sectors of the most recently used line of a set, and stores into those that
are dirty, too: they change nothing. Complete sectors of other lines are PRESENT.
"""

from __future__ import annotations

from collections.abc import Callable

from ..spec.cpu import ADDRESS_BITS
from ..spec.hits import FIELD as HITS
from ..spec.hits import PRESENT, READS, SIZES, WRITES, add_hits, clear_hits, is_hit, is_present, keep_presence, put_hits
from ..spec.timing import Usual, later, until
from ..spec.values import Word
from .mpc601_clocks import memory, rules

MEMORY = tuple(memory())
UNCACHED_FROM = 0x800000  # video memory and devices (machine memory map)
SETS, WAYS, L2_SECTORS = 64, 8, 8192
ABSENT = SETS * WAYS
KNOWN = 1 << 31  # marks a sector's number in a field that may hold none
NONE = 0
STATUS_BITS = 3 << 2  # of a tag: dirty sectors
SECTOR_SHIFT = 5
SECTOR_BYTES = 1 << SECTOR_SHIFT
LINE_SHIFT = SECTOR_SHIFT + 1
LINE_BYTES = 1 << LINE_SHIFT
SHORTCUTS = (HITS, "fetchable")
FIRST_ORDER = 0x01234567  # no way was used: they are taken from 0 on
EVERY_WAY = 0x11111111  # times a way: compares it with all

FIELDS = (
    ("tag", 32, SETS * WAYS),
    ("order", 32, SETS),
    ("l2", 8, L2_SECTORS),
    ("bus_free", 64, 1),
    ("filling", 32, 1),
    ("filled", 64, 1),
    ("other", 32, 1),
    ("other_start", 64, 1),
    ("other_end", 64, 1),
    ("missing", 64, 1),
    ("fetchable", 32, SETS * 2),
    ("memory", 64, len(MEMORY)),
)


def parameter(m, name: str) -> Word:
    return m.element("memory", m.const(32, MEMORY.index(name)))


def max_wait_clocks(m) -> Word:
    """Return a bound of the clocks that one access can take, the end of what the bus was busy with included."""
    return (parameter(m, "sector_read") + parameter(m, "sector_write") + parameter(m, "single_write")) * 4 + parameter(
        m, "miss"
    )


def _find(m, line: Word) -> Word:
    """Return the entry of a line, ABSENT when there is none."""
    first, min_tag = (line & (SETS - 1)) << 3, (line << 4) + 1  # a tag has at least one bit of a sector
    entry = m.const(32, ABSENT)
    for way in range(WAYS):
        here = first + way
        entry = m.select((m.element("tag", here) - min_tag).ult(15), here, entry)
    return entry


def _victim(m, line: Word) -> Word:
    """Return the entry that a new line takes: the one whose use is longest ago."""
    group = line & (SETS - 1)
    return (group << 3) + ((m.element("order", group) ^ FIRST_ORDER) >> 28 & (WAYS - 1))


def _use(m, entry: Word) -> None:
    """Make an entry the most recently used of its set; if it was not, the one that was has no plain hits any more."""
    group, way = entry >> 3 & (SETS - 1), entry & (WAYS - 1)
    order = m.element("order", group) ^ FIRST_ORDER
    first = order & (WAYS - 1)
    m.when(first.ne(way), lambda: _change_first(m, group, first, order, way))


def _change_first(m, group: Word, first: Word, order: Word, way: Word) -> None:
    """Make a way of a set the most recently used, in place of `first`; `order` is the order of the ways before."""
    line = m.element("tag", (group << 3) + first) >> 4
    keep_presence(m, line << LINE_SHIFT, LINE_BYTES)
    for half in range(2):
        m.set_element("fetchable", (group << 1) + half, m.const(32, NONE))
    differs = order ^ way * EVERY_WAY
    zeros = (differs - EVERY_WAY) & ~differs & EVERY_WAY << 3
    top = zeros & -zeros  # highest bit of the four that are the way
    newer, older = order & (top >> 3) - 1, order & -(top << 1)
    m.set_element("order", group, (older | newer << 4 | way) ^ FIRST_ORDER)


def _if_first(m, sector: Word, wait: Word, then: Callable[[], None]) -> None:
    """Do something if a sector, just used, was complete, and is of the most recently used line of its set."""
    line = sector >> 1
    first = (m.element("order", line & (SETS - 1)) ^ FIRST_ORDER) & (WAYS - 1)
    tag = m.element("tag", ((line & (SETS - 1)) << 3) + first)
    m.when(wait.eq(0) & (tag >> 4).eq(line), then)  # another sector of a line is taken without that being a use


def _note_fetch(m, sector: Word) -> None:
    m.set_element("fetchable", sector & (SETS * 2 - 1), _key(sector))
    _note_hits(m, sector, 0)


def _note_hits(m, sector: Word, hits: int) -> None:
    add_hits(m, sector << SECTOR_SHIFT, SECTOR_BYTES, hits | PRESENT)


def _half(m, sector: Word) -> Word:
    """Return the valid bit of a sector in the tag of its line."""
    return m.const(32, 1) << (sector & 1)


def _set_valid(m, sector: Word) -> None:
    """Mark a sector that has come as the other one of its line, if the line is still there."""
    entry = _find(m, sector >> 1)
    m.when(entry.ne(ABSENT), lambda: m.set_element("tag", entry, m.element("tag", entry) | _half(m, sector)))


def _in_l2(m, sector: Word) -> Word:
    """Tell whether the second cache has a sector; from now on it has, if there is one."""
    entry, upper = sector & (L2_SECTORS - 1), (sector >> 13).trunc(8) + 1
    exists = parameter(m, "l2").ne(0)
    found = m.element("l2", entry).eq(upper) & exists
    m.when(exists, lambda: m.set_element("l2", entry, upper))
    return found


def _transfer(m, sector: Word) -> tuple[Word, Word]:
    """Return the clocks until the first double word of a sector and until all of it."""
    found = _in_l2(m, sector)
    first = m.select(found, parameter(m, "l2_first"), parameter(m, "first_read"))
    return first, m.select(found, parameter(m, "l2_sector"), parameter(m, "sector_read"))


def _begin(m, now: Word) -> Word:
    """Return when the bus begins a read; the other sector of an earlier line is taken if begun, else given up."""
    start = m.variable(later(m, now, m.get("bus_free")))

    def begun() -> None:
        start.set(later(m, start.get(), m.get("other_end")))
        _set_valid(m, m.get("other") & ~KNOWN)

    m.when(m.get("other").ne(NONE) & m.get("other_start").ult(now), begun)
    m.set("other", m.const(32, NONE))
    return start.get()


def _fill(m, sector: Word, entry: Word, now: Word) -> Word:
    """Read a sector; return the clocks until its first double word is there."""
    start = _begin(m, now)
    first, whole = _transfer(m, sector)
    end, victim = m.variable(start + whole), _victim(m, sector >> 1)
    m.set("filling", sector)
    m.set("filled", end.get() + parameter(m, "miss"))

    def replace() -> None:
        replaced = m.element("tag", victim)
        m.when(replaced.ne(0), lambda: clear_hits(m, replaced >> 4 << LINE_SHIFT, LINE_BYTES))
        dirty = (replaced >> 2 & 3).count_ones().zext(64)
        end.set(end.get() + dirty * parameter(m, "sector_write"))
        m.set_element("tag", victim, (sector >> 1) << 4 | _half(m, sector))
        _use(m, victim)

    def join() -> None:
        m.set_element("tag", entry, m.element("tag", entry) | _half(m, sector))
        _use(m, entry)

    m.when(entry.eq(ABSENT), replace, join)
    m.set("bus_free", end.get())
    sibling = sector ^ 1
    here = m.select(entry.eq(ABSENT), victim, entry)

    def follow() -> None:
        m.set("other", sibling | KNOWN)
        m.set("other_start", end.get())
        m.set("other_end", end.get() + _transfer(m, sibling)[1])

    m.when((m.element("tag", here) & _half(m, sibling)).eq(0), follow)
    return start + first + parameter(m, "miss") - now


def _take_other(m, now: Word) -> Word:
    """Wait for the sector that is read when the bus is idle; it is in the cache from now on.

    Once its turn has come without being wanted it is taken as a whole; else it begins with the wanted double word.
    """
    start, end, sector = m.get("other_start"), m.get("other_end"), m.get("other") & ~KNOWN
    from_l2 = (end - start).eq(parameter(m, "l2_sector"))
    first = m.select(from_l2, parameter(m, "l2_first"), parameter(m, "first_read")) + parameter(m, "miss")
    _set_valid(m, sector)
    m.set("filling", sector)
    m.set("filled", end)
    m.set("bus_free", later(m, m.get("bus_free"), end))
    m.set("other", m.const(32, NONE))
    return until(m, m.select(start.ult(now), end, start + first), now)


def _sector(m, sector: Word, now: Word, misses) -> Word:
    """Use a sector; return the clocks until its data are there, beyond those of a hit.

    misses   misses(): what happens before a miss; returns the clocks that it is late by
    """
    entry = _find(m, sector >> 1)
    wait = m.variable(m.const(64, 0))
    present = m.variable(m.const(1, 0))

    def look() -> None:
        valid = (m.element("tag", entry) & _half(m, sector)).ne(0)
        present.set(valid)
        m.when(valid, lambda: _use(m, entry))

    m.when(entry.ne(ABSENT), look)

    def hit() -> None:
        arriving = m.get("filling").eq(sector)
        m.when(arriving, lambda: wait.set(until(m, m.get("filled"), now)))

    def miss() -> None:
        late = misses()
        m.when(
            m.get("other").eq(sector | KNOWN),
            lambda: wait.set(late + _take_other(m, now + late)),
            lambda: wait.set(late + _fill(m, sector, entry, now + late)),
        )

    m.when(present.get(), hit, miss)
    return wait.get()


def fetch(m, sector: Word, now: Word) -> Word:
    """Return the clocks that fetching code from a sector costs beyond a hit."""
    sector = sector.trunc(32)
    wait = m.variable(m.const(64, 0))
    cached = sector.ult(UNCACHED_FROM >> SECTOR_SHIFT)

    def uncached() -> None:
        end = later(m, now, m.get("bus_free")) + parameter(m, "sector_read")
        m.set("bus_free", end)
        wait.set(end - now)

    def use() -> None:
        wait.set(_sector(m, sector, now, lambda: m.const(64, 0)))
        _if_first(m, sector, wait.get(), lambda: _note_fetch(m, sector))

    m.when(cached, use, uncached)
    return wait.get()


STALL_SHIFT = 32  # of the clocks that the integer unit is stalled, in what `read` and `write` return


def _operand(m, address: Word, size: Word, now: Word, one) -> Word:
    """Apply one(address, time) -> (clocks until the data are there, clocks stalled) to an operand, in both sectors."""
    late, stall = (m.variable(word) for word in one(address.trunc(32), now))
    crosses = m.const(64, 8).ult((address & 7) + size)
    m.when(crosses, lambda: stall.set(stall.get() + rules()["crossing"]))
    last = address + size - 1

    def second() -> None:
        more, again = one(last.trunc(32), now + stall.get())
        late.set(later(m, late.get(), more))
        stall.set(stall.get() + again)

    m.when((last >> SECTOR_SHIFT).ne(address >> SECTOR_SHIFT), second)
    return late.get() | stall.get() << STALL_SHIFT


def _key(sector: Word) -> Word:
    """Return what a field holds that names a sector: its address + 1; it holds NONE where there is none."""
    return (sector << SECTOR_SHIFT) + 1


def is_usual(m, name: str, address: Word, size: int) -> Word:
    """Tell whether `fetch` (of a sector), `read` or `write` changes nothing and takes no clocks, for certain."""
    if name == "fetch":
        return m.element("fetchable", address & (SETS * 2 - 1)).eq(_key(address))
    return is_hit(m, address, size, name == "write") if size in SIZES else m.const(1, 0)


def usual(m, name: str, address: Word, size: int) -> Usual:
    """Tell the same, and of complete sectors of other lines (`Timing.usual`)."""
    hit, mask = is_usual(m, name, address, size), size - 1
    if name == "fetch":
        return Usual(hit, renewal=(lambda: is_present(m, address << SECTOR_SHIFT), address))
    if size not in SIZES:
        return Usual(hit)
    return Usual(hit, renewal=(lambda: is_present(m, address) & (address & mask).eq(0), address >> SECTOR_SHIFT))


def renew(m, name: str, sector: Word) -> None:
    """Make the line of a sector that is present the most recently used of its set (`Timing.renew`)."""
    sector = sector & (1 << ADDRESS_BITS - SECTOR_SHIFT) - 1
    _, entry = _search(m, sector)
    _use(m, entry)
    if name == "fetch":
        m.set_element("fetchable", sector & (SETS * 2 - 1), _key(sector))
        return
    tag, dirty = m.element("tag", entry), _half(m, sector) << 2
    hits = m.const(64, READS | WRITES | PRESENT)
    if name == "write":
        m.set_element("tag", entry, tag | dirty)
    else:
        hits = m.select((tag & dirty).ne(0), hits, m.const(64, READS | PRESENT))
    put_hits(m, sector << SECTOR_SHIFT, SECTOR_BYTES, hits)


def _search(m, sector: Word) -> tuple[Word, Word]:
    """Return a bit for each way of a set, which is 1 where a sector is, and its entry."""
    line, half = sector >> 1, _half(m, sector)
    first = (line & (SETS - 1)) << 3
    found = m.matching("tag", first, WAYS, line << 4 | half, half | -16 & 0xFFFFFFFF)
    return found, first + (m.lowest_bit(found) & (WAYS - 1))


def hit(m, name: str, location: Word, *rest: Word) -> tuple[Word, Callable[[], None]]:
    """Tell whether they find the sector complete, and the operand aligned (`Timing.hit`)."""
    location, now = location.trunc(32), rest[-1]
    sector = location if name == "fetch" else location >> SECTOR_SHIFT
    found, entry = _search(m, sector)
    is_found = found.ne(0) & (m.get("filling").ne(sector) | m.get("filled").ule(now))
    is_found = is_found & sector.ult(UNCACHED_FROM >> SECTOR_SHIFT)

    def use() -> None:
        _use(m, entry)
        if name == "fetch":
            _note_fetch(m, sector)
            return
        if name == "write":
            m.set_element("tag", entry, m.element("tag", entry) | _half(m, sector) << 2)
        _note_hits(m, sector, READS | WRITES if name == "write" else READS)

    if name == "fetch":
        return is_found, use
    is_whole = ((location & 7) + rest[0].trunc(32)).ule(8)
    return is_found & is_whole, use


def _cached(m, location: Word, now: Word) -> tuple[Word, Word]:
    """Use the sector of an operand: the unit is stalled at a miss while the data of the one before are on their way."""
    stall = m.variable(m.const(64, 0))

    def misses() -> Word:
        stall.set(until(m, m.get("missing"), now))
        return stall.get()

    sector = location >> SECTOR_SHIFT
    wait = _sector(m, sector, now, misses)
    m.set("missing", later(m, m.get("missing"), m.select(wait.eq(0), m.const(64, 0), now + wait)))
    _if_first(m, sector, wait, lambda: _note_hits(m, sector, READS))
    return wait - stall.get(), stall.get()


def _choose(m, location: Word, now: Word, cached, uncached) -> tuple[Word, Word]:
    wait, stall = m.variable(m.const(64, 0)), m.variable(m.const(64, 0))

    def use(access) -> None:
        clocks = access(m, location, now)
        wait.set(clocks[0])
        stall.set(clocks[1])

    m.when(location.ult(UNCACHED_FROM), lambda: use(cached), lambda: use(uncached))
    return wait.get(), stall.get()


def _read_uncached(m, location: Word, now: Word) -> tuple[Word, Word]:
    end = later(m, now, m.get("bus_free")) + parameter(m, "first_read")
    m.set("bus_free", end)
    return end - now + parameter(m, "miss"), m.const(64, 0)


def _write_uncached(m, location: Word, now: Word) -> tuple[Word, Word]:
    """Two writes may wait for the bus; a third holds the unit."""
    write = parameter(m, "single_write")
    stall = until(m, m.get("bus_free"), now + write)
    m.set("bus_free", later(m, now + stall, m.get("bus_free")) + write)
    return m.const(64, 0), stall


def _write_cached(m, location: Word, now: Word) -> tuple[Word, Word]:
    clocks, sector = _cached(m, location, now), location >> SECTOR_SHIFT
    found = _find(m, location >> 6) & (ABSENT - 1)  # it is there now, which the mask tells the verifier of code
    m.set_element("tag", found, m.element("tag", found) | _half(m, sector) << 2)
    _if_first(m, sector, clocks[0] + clocks[1], lambda: _note_hits(m, sector, READS | WRITES))
    return clocks


def read(m, address: Word, size: Word, now: Word) -> Word:
    """Return the clocks until an operand is there beyond an aligned hit, and above STALL_SHIFT those of a stall."""
    return _operand(m, address, size, now, lambda location, at: _choose(m, location, at, _cached, _read_uncached))


def write(m, address: Word, size: Word, now: Word) -> Word:
    """Return what storing an operand takes, in the form of `read`."""
    return _operand(
        m, address, size, now, lambda location, at: _choose(m, location, at, _write_cached, _write_uncached)
    )
