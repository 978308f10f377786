"""Which values the words of emitted code can have: intervals, worked out backwards from where they are asked for.

A function is the text that ir.py writes. A word of n bits has an interval (lowest, highest), all its values modulo 2^n;
`lowest` may be negative, which is how a sum with a negative distance comes out. A value is looked at where it is
defined: what the branches say that lead there holds for its operands. Stack slots hold whatever is stored into them
anywhere in the function.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

Range = tuple[int, int]
Fact = tuple[str, bool]  # a condition, and whether it holds
Facts = tuple[Fact, ...]

CAST = re.compile(r"(\w+) i(\d+) (\S+) to i(\d+)")
LABEL = re.compile(r"label %(\w+)")
BELOW = re.compile(r", !range !\{i\d+ 0, i\d+ (\d+)\}$")
CALL = re.compile(r"(?:musttail )?call (\S+) (\S+)\((.*)\)")
MIRRORED = {"ult": "ugt", "ule": "uge"}
FEW_ROUNDS, MAX_ROUNDS = 3, 12  # until the interval of a slot that still grows is taken for all
MAX_OPEN = 4  # slots that depend on each other
MAX_DEPTH = 60  # instructions between a value and what it is made of
MAX_FACTS = 24


def full(bits: int) -> Range:
    return 0, (1 << bits) - 1


def union(a: Range, b: Range) -> Range:
    return min(a[0], b[0]), max(a[1], b[1])


def fitting(low: int, high: int, bits: int) -> Range:
    """Return an interval as it is if its values are different ones modulo 2^bits, in a place that casts understand."""
    return (low, high) if -(1 << bits - 1) <= low and high < 1 << bits and high - low < 1 << bits else full(bits)


def unsigned(values: Range, bits: int) -> Range:
    low, high = values
    if low >= 0:
        return values
    return (low + (1 << bits), high + (1 << bits)) if high < 0 else full(bits)


def signed(values: Range, bits: int) -> Range:
    low, high = values
    half = 1 << bits - 1
    if high < half:
        return values
    return (low - 2 * half, high - 2 * half) if low >= half else (-half, half - 1)


class CodeFunction:
    """The text of one function, taken apart.

    name, parameters, lines
    definitions   value -> the instruction that gives it
    block_of      value -> number of the block that it is defined in
    stores        slot -> values stored into it
    slots         slot -> its type
    """

    def __init__(self, lines: list[str]) -> None:
        head = lines[0]
        self.name = head[head.index("@") + 1 : head.index("(")]
        self.result = head.split()[2]
        self.parameters = re.findall(r"(\w+) \w* ?(%p\d+)", head)
        self.lines = lines[1:]
        self.definitions: dict[str, str] = {}
        self.block_of: dict[str, int] = {}
        self.slots: dict[str, str] = {}
        self.stores: dict[str, list[str]] = {}
        self._labels, self._ends = [""], []
        for line in self.lines:
            if line.startswith("%"):
                name, _, instruction = line.partition(" = ")
                self.definitions[name] = instruction
                self.block_of[name] = len(self._ends)
                if instruction.startswith("alloca"):
                    self.slots[name] = instruction[7:]
            elif line.startswith("store "):
                _, _, value, _, place, *_ = line.split()
                self.stores.setdefault(place.rstrip(","), []).append(value.rstrip(","))
            elif line.endswith(":"):
                self._labels.append(line[:-1])
            elif line.startswith(("br ", "switch ", "ret ")):
                self._ends.append(line)

    @cached_property
    def facts(self) -> list[Facts]:
        """What holds in each block: conditions of branches that every path to it has taken."""
        number = {label: n for n, label in enumerate(self._labels)}
        sources: list[list[int]] = [[] for _ in self._labels]
        entered: list[tuple[Fact, ...]] = [()] * len(self._labels)
        for block, end in enumerate(self._ends):
            targets = [number[label] for label in LABEL.findall(end)]
            is_choice = end.startswith("br i1") and targets[0] != targets[1]
            for target, holds in zip(targets, (True, False)) if is_choice else ((t, None) for t in targets):
                sources[target].append(block)
                entered[target] = () if holds is None else self.all_of(end.split()[2].rstrip(","), holds)
        facts: list[Facts] = [()] * len(self._labels)
        above = dominators(sources)
        for block in sorted(above, key=lambda block: depth(above, block)):
            if block:
                own = entered[block] if len(sources[block]) == 1 else ()
                facts[block] = tuple(dict.fromkeys((*facts[above[block]], *own)))
        return facts

    def all_of(self, condition: str, holds: bool) -> Facts:
        """Return a fact and what follows from it: both parts of "a and b", neither of "a or b"."""
        instruction = self.definitions.get(condition, "")
        if instruction.startswith("and i1" if holds else "or i1"):
            _, _, left, right = instruction.replace(",", "").split()
            return (*self.all_of(left, holds), *self.all_of(right, holds))
        return ((condition, holds),)

    def is_reached(self, block: int) -> bool:
        """Can a block be entered, as far as branches with known conditions tell?"""
        return not {("1", False), ("0", True)} & set(self.facts[block])


def dominators(sources: list[list[int]]) -> dict[int, int]:
    """Return the immediate dominator of each block that is reached from block 0 (Cooper, Harvey, Kennedy 2001)."""
    targets: list[list[int]] = [[] for _ in sources]
    for block, each in enumerate(sources):
        for source in each:
            targets[source].append(block)
    order: list[int] = []  # postorder
    seen, todo = {0}, [(0, iter(targets[0]))]
    while todo:
        block, rest = todo[-1]
        following = next((t for t in rest if t not in seen), None)
        if following is None:
            order.append(block)
            todo.pop()
        else:
            seen.add(following)
            todo.append((following, iter(targets[following])))
    place = {block: n for n, block in enumerate(order)}
    above = {0: 0}
    is_changed = True
    while is_changed:
        is_changed = False
        for block in order[-2::-1]:
            known = [source for source in sources[block] if source in above]
            found = known[0]
            for other in known[1:]:
                while found != other:
                    if place[found] < place[other]:
                        found = above[found]
                    else:
                        other = above[other]
            if above.get(block) != found:
                above[block], is_changed = found, True
    return above


def depth(above: dict[int, int], block: int) -> int:
    """Return how many blocks dominate a block."""
    count = 0
    while block:
        block, count = above[block], count + 1
    return count


class Ranges:
    """The intervals of the words of a function.

    loaded   loaded(address, bits): the interval of a word from memory
    precise  look at conditions and at both sides of a mask; without, a mask alone decides, which is quicker
    """

    def __init__(self, code: CodeFunction, loaded: Callable[[str, int], Range], precise: bool) -> None:
        self._code, self._loaded, self._precise = code, loaded, precise
        self._known: dict[tuple[str, Facts], Range] = {}
        self._slots: dict[str, Range] = {}
        self._open: list[str] = []  # slots being worked out, from what they are found to hold so far: the last one's
        self._held: Range | None = None
        self._depth = 0

    def of(self, value: str, bits: int, facts: Facts = ()) -> Range:
        """Return the interval of an operand, given some facts besides those of the place where it is defined."""
        if value[0] != "%":
            return (0, 0) if value == "undef" else (int(value), int(value))
        found = self._known.get((value, facts))
        if found is None:
            instruction = self._code.definitions.get(value)
            if instruction is None or self._depth > MAX_DEPTH:
                found = full(bits)
            else:
                here = self._code.facts[self._code.block_of[value]] if self._precise else ()
                self._depth += 1
                found = self._defined(instruction, bits, (*facts, *(each for each in here if each not in facts)))
                self._depth -= 1
            self._known[value, facts] = found
        return self._limited(value, found, bits, facts) if facts else found

    def is_zero_impossible(self, value: str, bits: int, facts: Facts) -> bool:
        """Can a value be told from 0 by the facts?"""
        instruction = self._code.definitions.get(value, "")
        for condition, holds in facts:
            compared = self._code.definitions.get(condition, "").replace(",", "").split()
            if compared[:2] == ["icmp", "ne" if holds else "eq"] and compared[3:] == [value, "0"]:
                return True
        if instruction.startswith(("zext", "sext")):
            _, before, operand, _ = CAST.match(instruction).groups()
            return self.is_zero_impossible(operand, int(before), facts)
        if instruction.startswith("sub") and instruction.split()[2] == "0,":
            return self.is_zero_impossible(instruction.split()[3], bits, facts)
        if instruction.startswith("select"):
            _, _, condition, _, yes, _, no = instruction.replace(",", "").split()
            return all(
                self.is_zero_impossible(arm, bits, (*facts, *self._code.all_of(condition, holds)))
                for arm, holds in ((yes, True), (no, False))
            )
        low, high = self.of(value, bits, facts)
        return low > 0 or high < 0

    def _limited(self, value: str, found: Range, bits: int, facts: Facts) -> Range:
        """Narrow an interval by comparisons with numbers that are known to hold."""
        for condition, holds in facts:
            instruction = self._code.definitions.get(condition, "")
            if instruction.startswith("icmp") and value in instruction:
                _, kind, _, left, right = instruction.replace(",", "").split()
                if left == value and right[0] != "%":
                    found = compared(found, kind, int(right), holds, bits)
                elif right == value and left[0] != "%":
                    found = compared(found, MIRRORED.get(kind, kind), int(left), holds, bits)
        return found

    def _defined(self, instruction: str, bits: int, facts: Facts) -> Range:
        kind = instruction.partition(" ")[0]
        if kind in BINARY:
            _, _, left, right = instruction.replace(",", "").split()
            if kind == "and" and right[0] != "%" and not self._precise:
                return 0, int(right)
            return BINARY[kind](self.of(left, bits, facts), self.of(right, bits, facts), bits)
        if kind in ("zext", "sext", "trunc"):
            _, before, operand, _ = CAST.match(instruction).groups()
            values = self.of(operand, int(before), facts)
            if kind == "trunc":
                low, high = unsigned(values, int(before))
                return (low, high) if high < 1 << bits else full(bits)
            return unsigned(values, int(before)) if kind == "zext" else signed(values, int(before))
        if kind == "select":
            _, _, condition, _, yes, _, no = instruction.replace(",", "").split()
            chosen = dict(facts).get(condition)
            if chosen is not None:
                return self.of(yes if chosen else no, bits, facts)
            more = self._precise and len(facts) < MAX_FACTS
            arms = ((yes, True), (no, False))
            known = [(*facts, *self._code.all_of(condition, holds)) if more else facts for _, holds in arms]
            return union(*(self.of(arm, bits, each) for (arm, _), each in zip(arms, known, strict=True)))
        if kind == "load":
            if below := BELOW.search(instruction):
                return 0, int(below[1]) - 1
            address = instruction.split()[3].rstrip(",")
            return self._slot(address, bits) if address in self._code.slots else self._loaded(address, bits)
        return self._called(instruction, bits, facts) if kind == "call" else full(bits)

    def _called(self, instruction: str, bits: int, facts: Facts) -> Range:
        _, name, arguments = CALL.match(instruction).groups()
        counts = name[:11] if name.startswith(("@llvm.ctlz", "@llvm.cttz", "@llvm.ctpop")) else ""
        if not counts:
            return full(bits)
        low, high = unsigned(self.of(arguments.split()[1].rstrip(","), bits, facts), bits)
        if counts == "@llvm.ctlz.":
            return bits - high.bit_length(), bits - low.bit_length()
        return (0, high.bit_length()) if counts == "@llvm.ctpop" else (0, high.bit_length() - 1 if low else bits)

    def _slot(self, slot: str, bits: int) -> Range:
        """Return the union of what is stored into a slot, which may depend on what it holds."""
        if slot in self._slots:
            return self._slots[slot]
        if slot in self._open:
            if slot != self._open[-1]:
                return full(bits)
            if self._held is None:
                raise _Unknown
            return self._held
        if len(self._open) == MAX_OPEN:
            return full(bits)
        outside = self._known, self._held, self._depth
        self._open.append(slot)
        found: Range | None = None
        for number in range(MAX_ROUNDS):
            self._known, self._held, before = {}, found, found
            found = self._stored(slot, bits, found)
            if found == before:
                break
            if number >= FEW_ROUNDS and found is not None and found[0] >= 0:  # in larger steps
                found = found[0], min((1 << 2 * found[1].bit_length()) - 1, (1 << bits) - 1)
        else:
            found = None
        self._open.pop()
        self._known, self._held, self._depth = outside
        self._slots[slot] = full(bits) if found is None else found
        return self._slots[slot]

    def _stored(self, slot: str, bits: int, found: Range | None) -> Range | None:
        for value in self._code.stores.get(slot, ()):
            depth = self._depth
            try:
                each = self.of(value, bits)
            except _Unknown:  # until another one is stored
                self._depth = depth
                continue
            found = each if found is None else union(found, each)
        return found


class _Unknown(Exception):
    """A slot holds nothing yet."""


def compared(values: Range, kind: str, number: int, holds: bool, bits: int) -> Range:
    """Return what is left of an interval if a comparison with a number holds, or does not."""
    low, high = unsigned(values, bits)
    if (kind, holds) in (("eq", True), ("ne", False)):
        return number, number
    if kind in ("eq", "ne"):
        low, high = low + (low == number), high - (high == number)
    elif kind in ("ult", "ule"):
        last = number - (kind == "ult")
        low, high = (low, min(high, last)) if holds else (max(low, last + 1), high)
    elif kind in ("ugt", "uge"):
        first = number + (kind == "ugt")
        low, high = (max(low, first), high) if holds else (low, min(high, first - 1))
    return (low, high) if low <= high else values  # none is left: the code is never reached


def _sum(a: Range, b: Range, bits: int) -> Range:
    half = 1 << bits - 1
    if b[0] == b[1] >= half and a[1] + b[1] >= 2 * half:
        b = b[0] - 2 * half, b[1] - 2 * half
    return fitting(a[0] + b[0], a[1] + b[1], bits)


def _difference(a: Range, b: Range, bits: int) -> Range:
    return fitting(a[0] - b[1], a[1] - b[0], bits)


def _product(a: Range, b: Range, bits: int) -> Range:
    products = [x * y for x in a for y in b]
    return fitting(min(products), max(products), bits)


def _and(a: Range, b: Range, bits: int) -> Range:
    return 0, min(unsigned(a, bits)[1], unsigned(b, bits)[1])


def _or(a: Range, b: Range, bits: int) -> Range:
    (low, high), (other_low, other_high) = unsigned(a, bits), unsigned(b, bits)
    return max(low, other_low), (1 << max(high.bit_length(), other_high.bit_length())) - 1


def _xor(a: Range, b: Range, bits: int) -> Range:
    return 0, _or(a, b, bits)[1]


def _left(a: Range, b: Range, bits: int) -> Range:
    return fitting(a[0] << b[0], a[1] << b[1], bits) if b[0] >= 0 and a[0] >= 0 and b[1] < bits else full(bits)


def _right(a: Range, b: Range, bits: int) -> Range:
    low, high = unsigned(a, bits)
    return (low >> b[1], high >> b[0]) if b[0] >= 0 and b[1] < bits else full(bits)


def _quotient(a: Range, b: Range, bits: int) -> Range:
    low, high = unsigned(a, bits)
    return (low // b[1], high // b[0]) if b[0] > 0 else full(bits)


def _rest(a: Range, b: Range, bits: int) -> Range:
    return 0, min(unsigned(a, bits)[1], b[1] - 1) if b[0] > 0 else full(bits)[1]


def _any(a: Range, b: Range, bits: int) -> Range:
    return full(bits)


BINARY: dict[str, Callable[[Range, Range, int], Range]] = {
    "add": _sum, "sub": _difference, "mul": _product, "and": _and, "or": _or, "xor": _xor, "shl": _left, "lshr": _right,
    "ashr": _any, "udiv": _quotient, "urem": _rest, "sdiv": _any, "srem": _any,
}  # fmt: skip
