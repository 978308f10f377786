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
    loaded stored  addresses of the sectors of the last load and the last store, + 1, while they are certain to be
                 complete in the cache: using them again changes nothing, not even the order of uses
    readable writable fetchable   by the lower bits of a sector's number: its address + 1 if its line is the one of
                 its set that was used last and the sector is complete for loads, for stores, for code, and dirty for
                 stores; so such a use changes no more than the fields `loaded` and `stored`
    memory       parameters of the machine (mpc601_clocks.csv)
"""

from __future__ import annotations

from collections.abc import Callable

from ..spec.cpu import ADDRESS_MASK
from ..spec.timing import Usual
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
SHORTCUTS = ("readable", "writable", "fetchable")
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
    ("loaded", 32, 1),
    ("stored", 32, 1),
    *((name, 32, SETS * 2) for name in SHORTCUTS),
    ("memory", 64, len(MEMORY)),
)


def parameter(m, name: str) -> Word:
    return m.element("memory", m.const(32, MEMORY.index(name)))


def later(m, a: Word, b: Word) -> Word:
    return m.select(a.ult(b), b, a)


def until(m, time: Word, now: Word) -> Word:
    """Return the clocks from now until a time, 0 when it has passed."""
    return m.select(now.ult(time), time - now, m.const(64, 0))


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
    """Make an entry the one of its set that was used last; if it was not, nothing else of the set has a shortcut."""
    is_first = _make_first(m, entry)
    for name, place in _shortcuts_of_set(entry):
        m.set_element(name, place, m.select(is_first, m.element(name, place), m.const(32, NONE)))


def _make_first(m, entry: Word) -> Word:
    """Make an entry the one of its set that was used last; tell whether it was."""
    group, way = entry >> 3 & (SETS - 1), entry & (WAYS - 1)
    order = m.element("order", group) ^ FIRST_ORDER
    differs = order ^ way * EVERY_WAY
    zeros = (differs - EVERY_WAY) & ~differs & EVERY_WAY << 3
    top = zeros & -zeros  # highest bit of the four that are the way
    newer, older = order & (top >> 3) - 1, order & -(top << 1)
    m.set_element("order", group, (older | newer << 4 | way) ^ FIRST_ORDER)
    return (order & WAYS - 1).eq(way)


def _shortcuts_of_set(entry: Word) -> list[tuple[str, Word]]:
    first = (entry >> 3 & (SETS - 1)) << 1
    return [(name, first + half) for name in SHORTCUTS for half in range(2)]


def _shorten(m, name: str, sector: Word, wait: Word) -> None:
    """Let uses of a sector, which has just been used, take the shortcut from now on if it was complete."""
    place, line = sector & (SETS * 2 - 1), sector >> 1
    first = (m.element("order", line & (SETS - 1)) ^ FIRST_ORDER) & (WAYS - 1)
    tag = m.element("tag", ((line & (SETS - 1)) << 3) + first)
    holds = wait.eq(0) & (tag >> 4).eq(line)  # another sector of a line is taken without that being a use
    m.set_element(name, place, m.select(holds, _key(sector), m.element(name, place)))


def _half(m, sector: Word) -> Word:
    """Return the valid bit of a sector in the tag of its line."""
    return m.const(32, 1) << (sector & 1)


def _set_valid(m, sector: Word) -> None:
    """Mark a sector that has come as the other one of its line, if the line is still there."""
    entry = _find(m, sector >> 1)
    m.when(
        entry.ne(ABSENT),
        lambda: m.set_element("tag", entry, m.element("tag", entry) | _half(m, sector)),
    )


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
    m.set("loaded", m.const(32, NONE))
    m.set("stored", m.const(32, NONE))
    m.set("filling", sector)
    m.set("filled", end.get() + parameter(m, "miss"))

    def replace() -> None:
        dirty = (m.element("tag", victim) >> 2 & 3).count_ones().zext(64)
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
        _shorten(m, "fetchable", sector, wait.get())

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
    """Return what fields hold that name a sector: its address + 1; they hold NONE where there is none."""
    return (sector << SECTOR_SHIFT) + 1


def is_at_hand(m, location: Word, size: Word | int, write: bool) -> Word:
    """Tell whether an operand is sure to be a hit that changes nothing: within a double word, in a sector just used."""
    key = _key(location >> SECTOR_SHIFT)
    same = m.get("stored").eq(key)
    if not write:
        same = same | m.get("loaded").eq(key)
    return same & ((location & 7) + size).ule(8)


def usual(m, name: str, location: Word, size: int, now: Callable[[], Word]) -> Usual:
    """Tell whether `fetch` (of a sector), `read` or `write` may take the shortcut (`Timing.usual`)."""
    if name == "fetch":
        return Usual(m.element("fetchable", location & (SETS * 2 - 1)).eq(_key(location)))
    place = location >> SECTOR_SHIFT & (SETS * 2 - 1)
    aligned = size - 1 if size in (1, 2, 4) else SECTOR_BYTES - 1  # others take the long way
    key = (location & (-SECTOR_BYTES & ADDRESS_MASK | aligned)) + 1  # is no sector's if it is not aligned
    found = m.element("writable" if name == "write" else "readable", place).eq(key)
    if name == "write":
        return Usual(found, lambda: m.set("stored", key))
    return Usual(found, lambda: m.when(m.get("stored").ne(key), lambda: m.set("loaded", key)))


def hit(m, name: str, location: Word, *rest: Word) -> tuple[Word, Callable[[], None]]:
    """Tell whether they find the sector complete, and the operand aligned (`Timing.hit`)."""
    location, now = location.trunc(32), rest[-1]
    sector = location if name == "fetch" else location >> SECTOR_SHIFT
    line, half, key = sector >> 1, _half(m, sector), _key(sector)
    first = (line & (SETS - 1)) << 3
    found = m.matching("tag", first, WAYS, line << 4 | half, half | -16 & 0xFFFFFFFF)
    entry = first + (m.lowest_bit(found) & (WAYS - 1))
    is_hit = found.ne(0) & (m.get("filling").ne(sector) | m.get("filled").ule(now))
    is_hit = is_hit & sector.ult(UNCACHED_FROM >> SECTOR_SHIFT)

    def use() -> None:
        is_first, none = _make_first(m, entry), m.const(32, NONE)
        m.when(~is_first, lambda: [m.set_element(field, each, none) for field, each in _shortcuts_of_set(entry)])
        if name != "fetch":
            m.set("stored" if name == "write" else "loaded", key)
        if name == "write":
            m.set_element("tag", entry, m.element("tag", entry) | half << 2)
        for field in {"fetch": ("fetchable",), "read": ("readable",), "write": ("readable", "writable")}[name]:
            m.set_element(field, sector & (SETS * 2 - 1), key)

    if name == "fetch":
        return is_hit, use
    size = rest[0].trunc(32)
    at_hand = is_at_hand(m, location, size, name == "write")
    is_whole = ((location & 7) + size).ule(8)
    return is_hit & is_whole, lambda: m.when(~at_hand, use)


def _cached(m, location: Word, now: Word, recent: str = "loaded") -> tuple[Word, Word]:
    """Use the sector of an operand: the unit is stalled at a miss while the data of the one before are on their way."""
    stall = m.variable(m.const(64, 0))

    def misses() -> Word:
        stall.set(until(m, m.get("missing"), now))
        return stall.get()

    wait = _sector(m, location >> SECTOR_SHIFT, now, misses)
    m.set("missing", later(m, m.get("missing"), m.select(wait.eq(0), m.const(64, 0), now + wait)))
    m.set(recent, m.select(wait.eq(0), _key(location >> SECTOR_SHIFT), m.const(32, NONE)))
    _shorten(m, "readable", location >> SECTOR_SHIFT, wait)
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
    clocks = _cached(m, location, now, "stored")
    found = _find(m, location >> 6) & (ABSENT - 1)  # it is there now, which the mask tells the verifier of code
    m.set_element("tag", found, m.element("tag", found) | _half(m, location >> SECTOR_SHIFT) << 2)
    _shorten(m, "writable", location >> SECTOR_SHIFT, clocks[0] + clocks[1])
    return clocks


def read(m, address: Word, size: Word, now: Word) -> Word:
    """Return the clocks until an operand is there beyond an aligned hit, and above STALL_SHIFT those of a stall."""
    return _operand(m, address, size, now, lambda location, at: _choose(m, location, at, _cached, _read_uncached))


def write(m, address: Word, size: Word, now: Word) -> Word:
    """Return what storing an operand takes, in the form of `read`."""
    return _operand(
        m, address, size, now, lambda location, at: _choose(m, location, at, _write_cached, _write_uncached)
    )


def read_unless_at_hand(m, address: Word, size: Word, now: Word) -> Word:
    return _unless_at_hand(m, address, size, now, read)


def write_unless_at_hand(m, address: Word, size: Word, now: Word) -> Word:
    return _unless_at_hand(m, address, size, now, write)


def _unless_at_hand(m, address: Word, size: Word, now: Word, access: Callable[..., Word]) -> Word:
    result = m.variable(m.const(64, 0))
    at_hand = is_at_hand(m, address.trunc(32), size.trunc(32), access is write)
    m.when(~at_hand, lambda: result.set(access(m, address, size, now)))
    return result.get()
