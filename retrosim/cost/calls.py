"""The calls of a program as a tree, from a log of where its flow went: who called whom from where, and what it took.

A node of the tree is a function as it was called from one place of another node. An event of the log is a place where
the flow may have left a function:

    CALL     an instruction that calls went to `next`, to return to `back`
    JUMP     a jump to an address that the instruction computed: a return, or a jump through a table
    BRANCH   a branch to, or the step to, an instruction of another function
    ENTER    something outside the program begins (next: its number below HOST_WORK); LEAVE: it ends
    PASS     nothing but time
    INTERRUPT  the CPU went to `next` between two instructions, and comes back to `back`

A jump returns from the latest call whose `back` it reaches. Flow that reaches another function in any other way
replaces the function that it comes from, as a tail call does: it returns to that one's caller, or comes back to it by a
jump.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from retrosim.cpu.spec.rows import Insn
from retrosim.jit import kernel, uncompiled
from retrosim.rom.symbols import SymbolTable

CALL, JUMP, BRANCH, INTERRUPT, ENTER, LEAVE, PASS = range(7)
SITE, NEXT, BACK, EVENT_WORDS = range(4)
KIND_SHIFT = 32  # of a kind in `SITE`
SITE_MASK = (1 << KIND_SHIFT) - 1

MAX_DEPTH = 1 << 16  # of the stack
MAX_NODE_DEPTH = 200  # of the tree: what is called deeper counts for the node that it is called in
MAX_NODES = 1 << 15  # likewise
TABLE = 4 * MAX_NODES
PARENT, PLACE, ENTRY, FUNCTION, DEPTH, CALLS, NODE_WORDS = range(7)
NODE, RETURN, IS_TAIL, FRAME_WORDS = range(4)
TOP, NODES, STRETCHES, CURSOR_WORDS = range(4)
NOWHERE = -1
HOST_WORK = -16  # function numbers from here down are no functions: what the machine itself does
NO_FUNCTION = -1  # where an address lies in none


class Functions:
    """The functions of an image, numbered by address; what lies outside all of them is NO_FUNCTION.

    names    of the functions
    starts   int64[functions + 1], their first addresses
    places   int64[n], sorted addresses from which on another function, or none, begins; the first is 0
    numbers  int64[n], of the functions there
    """

    def __init__(self, symbols: SymbolTable) -> None:
        ranges = symbols.ranges()
        self.names = [name for _, _, name in ranges]
        self.starts = np.array([*(start for start, _, _ in ranges), 0], np.int64)
        marks = {end: NO_FUNCTION for _, end, _ in ranges if end is not None}
        marks = {0: NO_FUNCTION, **marks} | {start: number for number, (start, _, _) in enumerate(ranges)}
        for (_, end, _), (following, _, _) in pairwise(ranges):
            if end is not None and end > following:
                marks.pop(end, None)  # overlaps the next one, which has the address
        self._marks = dict(sorted(marks.items()))
        self.places = np.array(list(self._marks), np.int64)
        self.numbers = np.array(list(self._marks.values()), np.int64)
        self._places = list(self._marks)

    def at(self, address: int) -> int:
        """Return the number of the function that an address lies in."""
        return self._marks[self._places[bisect_right(self._places, address) - 1]]


def kind_of(insn: Insn) -> int | None:
    """Return the kind of event that an instruction is; None for one that matters only when it leaves its function."""
    options = insn.row.options
    if options.get("calls"):
        return CALL
    return JUMP if options.get("flow") and insn.target is None else None


@kernel
def function_at(address, places, numbers):
    """Return the number of the function that an address lies in, see `Functions`."""
    low, high = 0, len(places)
    while high - low > 1:
        middle = (low + high) >> 1
        if places[middle] <= address:
            low = middle
        else:
            high = middle
    return numbers[low]


@kernel
def follow(events, totals, places, numbers, starts, nodes, own, table, stack, cursor, before, stretches):
    """Grow a tree by a log.

    events     int64[n, EVENT_WORDS]  kind and address of an instruction, where it went, what is behind it
    totals     int64[n, k]  clocks, and whatever else is counted, up to the end of each event's instruction
    places, numbers, starts  int64[..]  of the functions, see `Functions`
    nodes      int64[MAX_NODES, NODE_WORDS]
    own        int64[MAX_NODES, k]  what was counted in each node itself
    table      int32[TABLE]  hash table of the nodes, number + 1
    stack      int64[MAX_DEPTH, FRAME_WORDS]
    cursor     int64[CURSOR_WORDS]  top of the stack, nodes, stretches so far
    before     int64[k]  totals at the last event
    stretches  int64[m, 2]  (node, clocks) in order of time; what finds no room is left out
    """
    for n in range(len(events)):
        top = cursor[TOP]
        node = stack[top, NODE]
        passed = totals[n, 0] - before[0]
        for k in range(len(before)):
            own[node, k] += totals[n, k] - before[k]
            before[k] = totals[n, k]
        if passed:
            last = cursor[STRETCHES] - 1
            if last >= 0 and stretches[last, 0] == node:
                stretches[last, 1] += passed
            elif last + 1 < len(stretches):
                stretches[last + 1, 0] = node
                stretches[last + 1, 1] = passed
                cursor[STRETCHES] += 1
        kind, site = events[n, SITE] >> KIND_SHIFT, events[n, SITE] & SITE_MASK
        target, back, is_tail = events[n, NEXT], events[n, BACK], 0
        if kind == LEAVE and top > 0:
            cursor[TOP] = top - 1
        if kind in (LEAVE, PASS):
            continue
        if kind == CALL and target == back:
            continue  # a condition did not hold
        if kind == JUMP:
            frame = top
            while frame > 0 and (stack[frame, RETURN] != target or stack[frame, IS_TAIL]):
                frame -= 1
            if frame > 0:
                cursor[TOP] = frame - 1
                continue
        function, entry = HOST_WORK - target, target
        if kind in (JUMP, BRANCH):
            function = function_at(target, places, numbers)
            entry = target if function == NO_FUNCTION else starts[function]
            if function == nodes[node, FUNCTION]:
                continue
            frame = top
            while frame > 0 and stack[frame, IS_TAIL] and nodes[stack[frame, NODE], FUNCTION] != function:
                frame -= 1
            if nodes[stack[frame, NODE], FUNCTION] == function:
                cursor[TOP] = frame  # back in the function that was left
                continue
            back, is_tail = NOWHERE, 1
        if top + 1 == len(stack):
            continue
        number = node
        if nodes[node, DEPTH] < MAX_NODE_DEPTH:
            key = node * 0x9E3779B1 + (site & 0xFFFFFF) * 0x85EBCA6B + (entry & 0xFFFFFF) * 0xC2B2AE35
            slot = (key ^ (key >> 17)) & (TABLE - 1)
            while table[slot]:
                number = table[slot] - 1
                if nodes[number, PARENT] == node and nodes[number, PLACE] == site and nodes[number, ENTRY] == entry:
                    break
                slot = (slot + 1) & (TABLE - 1)
            if not table[slot]:
                number = node
                if cursor[NODES] < MAX_NODES:
                    number = cursor[NODES]
                    cursor[NODES] += 1
                    table[slot] = number + 1
                    nodes[number, PARENT] = node
                    nodes[number, PLACE] = site
                    nodes[number, ENTRY] = entry
                    if kind in (CALL, INTERRUPT):
                        function = function_at(target, places, numbers)
                    nodes[number, FUNCTION] = function
                    nodes[number, DEPTH] = nodes[node, DEPTH] + 1
        nodes[number, CALLS] += 1
        cursor[TOP] = top + 1
        stack[top + 1, NODE] = number
        stack[top + 1, RETURN] = back
        stack[top + 1, IS_TAIL] = is_tail


@dataclass(frozen=True)
class Node:
    """A function as it was called from one place.

    number, parent  of the nodes; the parent of the first is None
    function        number of the function, NO_FUNCTION, or HOST_WORK and below
    entry           its first address, or where the call went
    site            address of the instruction that called; None for the first
    depth           0 for the first
    calls           how often
    own, inclusive  what was counted in it alone, and in all that it called as well
    """

    number: int
    parent: int | None
    function: int
    entry: int
    site: int | None
    depth: int
    calls: int
    own: list[int]
    inclusive: list[int]


class CallTree:
    """Grows while a program runs."""

    def __init__(self, functions: Functions, entry: int, columns: int, compiled: bool, max_stretches: int) -> None:
        """Begin in the function at an address.

        columns        how many things are counted, clocks first
        compiled       whether the log is long: a compiler takes longer than a short one
        max_stretches  of time that are kept, for a timeline
        """
        self.functions = functions
        self._follow = follow if compiled else uncompiled(follow)
        self._nodes = np.zeros((MAX_NODES, NODE_WORDS), np.int64)
        self._own = np.zeros((MAX_NODES, columns), np.int64)
        self._table = np.zeros(TABLE, np.int32)
        self._stack = np.zeros((MAX_DEPTH, FRAME_WORDS), np.int64)
        self._cursor = np.array([0, 1, 0], np.int64)
        self._before = np.zeros(columns, np.int64)
        self._stretches = np.zeros((max_stretches, 2), np.int64)
        function = functions.at(entry)
        first = entry if function == NO_FUNCTION else functions.starts[function]
        self._nodes[0, [PARENT, FUNCTION, ENTRY, CALLS]] = NOWHERE, function, first, 1

    @property
    def totals(self) -> np.ndarray:
        """What has been counted up to the last event: int64[k]; change it for what counts anew, or is nobody's."""
        return self._before

    def add(self, events: Any, totals: Any) -> None:
        """Follow a log: rows (see `follow`) of n events and of what was counted up to their ends."""
        rows = np.asarray(events, np.int64).reshape(-1, EVENT_WORDS)
        counts = np.asarray(totals, np.int64).reshape(len(rows), -1)
        where = self.functions
        parts = self._nodes, self._own, self._table, self._stack, self._cursor, self._before, self._stretches
        self._follow(rows, counts, where.places, where.numbers, where.starts, *parts)

    def nodes(self) -> list[Node]:
        """Return the tree in preorder, what took most clocks first; nodes are numbered so."""
        count = int(self._cursor[NODES])
        inclusive = self._own[:count].copy()
        for number in range(count - 1, 0, -1):  # a parent comes before its children
            inclusive[self._nodes[number, PARENT]] += inclusive[number]
        children: dict[int, list[int]] = {}
        for number in range(1, count):
            children.setdefault(int(self._nodes[number, PARENT]), []).append(number)
        found: list[Node] = []
        self._numbers: dict[int, int] = {}
        todo: list[tuple[int, int | None]] = [(0, None)]
        while todo:
            number, parent = todo.pop()
            row, self._numbers[number] = self._nodes[number].tolist(), len(found)
            site = row[PLACE] if number else None
            counts = self._own[number].tolist(), inclusive[number].tolist()
            found.append(Node(len(found), parent, row[FUNCTION], row[ENTRY], site, row[DEPTH], row[CALLS], *counts))
            order = sorted(children.get(number, ()), key=lambda child: (inclusive[child, 0], -child))
            todo += [(child, self._numbers[number]) for child in order]
        return found

    def stretches(self) -> list[list[int]]:
        """Return [node, clocks] in order of time, as far as there was room; nodes as `nodes` has numbered them."""
        rows = self._stretches[: self._cursor[STRETCHES]].tolist()
        return [[self._numbers[node], clocks] for node, clocks in rows]
