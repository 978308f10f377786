"""A program while it is assembled: sections, symbols, and the passes that settle where everything lies.

Each pass goes through all statements with the addresses of the pass before. After a few passes forms only grow, so that
this ends; then the values are final, and what still does not fit is an error.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain, islice

from retrosim.checks import did_you_mean, shortened
from retrosim.cpu.assembly.assembler import InstructionAssembler, Statement
from retrosim.cpu.assembly.expressions import Exhausted, Expression, Unfit, Value, whole_number

MAX_PASSES = 60
MAX_PASSES_WITH_ERRORS = 8
FREE_PASSES = 3  # in which forms may become shorter, too
MAX_STEPS = 700_000  # of all passes together, unless the user allows more; each takes about a microsecond
STATEMENT_STEPS = 10  # to take a line apart; in each further pass a statement takes one
REPETITION_STEPS = 4  # of `times`
FORM_STEPS, TOKEN_STEPS, ENCODING_STEPS = 40, 5, 5  # to read a form, a part of an expression; to encode a form
CHARACTERS_A_STEP = 3  # of operands that are read
FAILURE_STEPS, EXPLANATION_STEPS = 50, 1000
MAX_PROGRAM_BYTES = 8 * 1024 * 1024
MAX_ERRORS = 100
MAX_SUGGESTIONS = 20  # what an undefined symbol may have meant
MAX_SUGGESTED = 200  # symbols to choose from
ELSEWHERE = "*"  # the section of a symbol that the program refers to and does not have
KINDS = {".text": "code", ".data": "data", ".rodata": "data", ".bss": "zeros"}


@dataclass
class Chunk:
    """A stretch of a section that lies together: from an `org`, or from the section's beginning.

    origin   address that it was given, None where it follows
    base     where it lies, as of the last pass
    zeros    bytes of a section without contents
    """

    origin: int | None
    base: int = 0
    content: bytearray = field(default_factory=bytearray)
    zeros: int = 0
    bytes: int = 0
    align: int = 1

    @property
    def end(self) -> int:
        return self.base + len(self.content) + self.zeros


@dataclass
class Section:
    """A section: its name, what it holds ("code", "data", "zeros"), its chunks."""

    name: str
    kind: str
    chunks: list[Chunk] = field(default_factory=list)


Place = tuple[str, int]
"""Where a statement stands: file, line."""


@dataclass
class Known:
    """What is known of a symbol beside its value."""

    kind: str = ""
    is_global: bool = False
    size: Expression | None = None


@dataclass
class Outside:
    """Symbols that others define.

    addresses  by name
    otherwise  address of every other one, None where there are no others
    used       those that the program has asked for
    """

    addresses: dict[str, int]
    otherwise: int | None = None
    used: set[str] = field(default_factory=set)

    def address(self, name: str) -> int | None:
        """Return the address of a symbol, None where nobody defines it."""
        found = self.addresses.get(name, self.otherwise)
        if found is not None:
            self.used.add(name)
        return found


Action = Callable[["Program"], None]
"""What a statement does in a pass. Errors: Unfit."""


class Instruction:
    """The action of an instruction."""

    __slots__ = ("assembler", "statement")

    def __init__(self, assembler: InstructionAssembler, statement: Statement) -> None:
        self.assembler, self.statement = assembler, statement

    def __call__(self, program: Program) -> None:
        """Encode it and append the code. Errors: Unfit."""
        statement, at = self.statement, program.start
        if at % self.assembler.unit:
            raise Unfit(f"an instruction at an odd address, {at:#x}: align before it")
        program.lines.append((at, *program.places[program.index]))
        code = statement.code
        if code is None:
            code = statement.recalled(at, program)
            if code is None:
                if program.passes <= FREE_PASSES:
                    statement.free()
                each = ENCODING_STEPS + len(statement.text) // 4
                program.count(each * len(statement.shape.candidates))
                code = self.assembler.encode(statement, at, program, program.explains)
        program.emit(code)


class Program:
    """Statements, sections and symbols; also the scope of expressions."""

    def __init__(
        self, origins: dict[str, int], constants: dict[str, int], outside: Outside, align: int, max_steps: int
    ) -> None:
        """Begin a program.

        origins    name of a section -> its address
        constants  symbols that are numbers
        outside    symbols that the program uses and does not define
        align      of sections that follow others, in bytes
        max_steps  work that it may take
        """
        self.origins, self.align, self.max_steps = origins, align, max_steps
        self.given = {name: Value(number) for name, number in constants.items()}
        self.outside = outside
        self.actions: list[Action] = []
        self.places: list[Place] = []
        self.sections: dict[str, Section] = {}
        self.known: dict[str, Known] = {}
        self.symbols: dict[str, Value] = {}  # of this pass so far
        self.before: dict[str, Value] = {}  # of the pass before
        self.numbers: dict[int, list[tuple[int, Value]]] = {}
        self.numbers_before: dict[int, list[tuple[int, Value]]] = {}
        self.lines: list[tuple[int, str, int]] = []
        self.errors: list[tuple[Place, str]] = []
        self.variables: set[str] = set()
        self.starts: list[int] = []  # address of each statement in the pass before
        self.passes = self.index = self.steps = self.size = 0
        self._suggestions: dict[str, str] = {}
        self._local_names: dict[str, set[str]] = {}  # .name -> the full names of such labels
        self.parent = ""
        self.explains = False  # do errors say all that they can?
        self.exhausted = ""  # why the passes ended before their time
        self.begin_pass()

    # --- adding

    def add(self, place: Place, action: Action) -> None:
        """Add a statement and carry it out; what does not fit yet is seen in the passes that follow."""
        self.index, self.start = len(self.actions), self.pc
        self.starts.append(self.start)
        self.actions.append(action)
        self.places.append(place)
        self.count(STATEMENT_STEPS)
        try:
            action(self)
        except Unfit:
            self.count(FAILURE_STEPS)

    def count(self, steps: int) -> None:
        """Count work. Errors: Exhausted."""
        self.steps += steps
        if self.steps > self.max_steps:
            raise Exhausted(f"takes more than {self.max_steps} steps of work: retrosim asm --max-steps allows more")

    def begin_pass(self) -> None:
        """Forget what a pass collects; chunks keep where they lie."""
        self.before, self.numbers_before = self.symbols or self.before, self.numbers
        self.symbols, self.numbers = dict(self.given), {}
        self.lines = []
        self.index = self.start = self.size = 0
        self.parent = ""
        self.started: dict[str, int] = {}
        for section in self.sections.values():
            for chunk in section.chunks:
                chunk.content, chunk.zeros = bytearray(), 0
        self.enter(".text", "code")

    # --- places

    def enter(self, name: str, kind: str = "") -> None:
        """Go on in a section."""
        if name not in self.sections:
            main = next((known for known in KINDS if name == known or name.startswith(known + ".")), "")
            self.sections[name] = Section(name, kind or KINDS.get(main, "data"))
        self.section = self.sections[name]
        if name not in self.started:
            self.started[name] = 0
            if not self.section.chunks:
                origin = self.origins.get(name)
                self.section.chunks.append(Chunk(origin, origin or 0))
        self.chunk = self.section.chunks[self.started[name]]

    def origin(self, address: int) -> None:
        """Go on at an address, in a chunk of its own."""
        self.started[self.section.name] += 1
        index = self.started[self.section.name]
        if len(self.section.chunks) <= index:
            self.section.chunks.append(Chunk(address, address))
        self.chunk = self.section.chunks[index]
        self.chunk.origin = self.chunk.base = address

    @property
    def pc(self) -> int:
        return self.chunk.end

    def emit(self, content: bytes) -> None:
        """Append bytes. Errors: Unfit."""
        if self.section.kind == "zeros":
            if any(content):
                raise Unfit(f"section {self.section.name} holds zeros only")
            self.space(len(content))
            return
        self._check_size(len(content))
        self.chunk.content += content

    def space(self, size: int, fill: bytes = b"\0") -> None:
        """Append so many bytes. Errors: Unfit."""
        if not 0 <= size <= MAX_PROGRAM_BYTES:
            raise Unfit(f"{size} bytes: allowed 0..{MAX_PROGRAM_BYTES}")
        self._check_size(size)
        if self.section.kind == "zeros":
            self.chunk.zeros += size
        else:
            self.chunk.content += fill * (size // len(fill)) + fill[: size % len(fill)]

    def _check_size(self, more: int) -> None:
        if self.size + more > MAX_PROGRAM_BYTES:
            raise Unfit(f"the program has more than {MAX_PROGRAM_BYTES} bytes")
        self.size += more

    def place_chunks(self) -> bool:
        """Give every chunk its address, code first; tell whether nothing has moved."""
        order = {"code": 0, "data": 1, "zeros": 2}
        at, moved = 0, False
        for section in sorted(self.sections.values(), key=lambda section: order[section.kind]):
            for chunk in section.chunks:
                size = len(chunk.content) + chunk.zeros
                if chunk.origin is None:
                    unit = max(self.align, chunk.align)
                    base = at + -at % unit
                    moved |= base != chunk.base
                    chunk.base = base
                moved |= size != chunk.bytes
                chunk.bytes = size
                at = chunk.base + size
        return not moved

    # --- symbols

    def full_name(self, name: str) -> str:
        """Return the name of a label; .name and 1$ belong to the last label that is none such."""
        is_local = name[:1] in (".", "$") or (name[-1:] == "$" and name[:1].isdigit())
        return f"{self.parent}{name}" if is_local else name

    def define_label(self, name: str) -> None:
        """Define a label here. Errors: Unfit."""
        if name.isdigit():
            self.numbers.setdefault(whole_number(name), []).append((self.index, Value(self.pc, self.section.name)))
            return
        full = self.full_name(name)
        if full == name:
            self.parent = name
        if full in self.symbols:
            raise Unfit(f"label {shortened(name)} is defined twice")
        if full != name:
            self._local_names.setdefault(name, set()).add(full)
        self.symbols[full] = Value(self.pc, self.section.name)

    def define(self, name: str, value: Value, again: bool) -> None:
        """Define a symbol with a value. Errors: Unfit."""
        if name in self.symbols and not (again and name in self.variables) and name not in self.given:
            raise Unfit(f"symbol {shortened(name)} is defined twice")
        if again:
            self.variables.add(name)
        self.symbols[name] = value

    def symbol(self, name: str) -> Value:
        full = self.full_name(name)
        found = self.symbols.get(full) or self.symbols.get(name)
        if found is not None:
            return found
        found = self.before.get(full) or self.before.get(name)
        if found is not None:
            return self._moved(found)
        if full != name:  # GNU's .Lname is known in the whole file
            known, names = self.before or self.symbols, self._local_names.get(name, set())
            if len(names) == 1 and next(iter(names)) in known:
                return known[next(iter(names))]
        if self.passes == 0:
            return Value(self.pc, "")
        if (address := self.outside.address(name)) is not None:
            return Value(address, ELSEWHERE)
        raise Unfit(f"undefined symbol {shortened(name)}{self._suggestion(name)}", near=True)

    def _suggestion(self, name: str) -> str:
        if not self.explains or len(self._suggestions) == MAX_SUGGESTIONS:
            return self._suggestions.get(name, "")
        if name not in self._suggestions:
            self._suggestions[name] = did_you_mean(name, self._like(name))
        return self._suggestions[name]

    def _like(self, name: str) -> list[str]:
        """Return symbols that a name could be a slip for: of about its length, with its first or last letter."""
        near = (
            each
            for each in chain(self.symbols, self.before)
            if abs(len(each) - len(name)) <= 2 and (each[:1] == name[:1] or each[-1:] == name[-1:])
        )
        return list(islice(near, MAX_SUGGESTED))

    def numbered(self, number: int, ahead: bool) -> Value | None:
        now, before = self.numbers.get(number, []), self.numbers_before.get(number, [])
        if not ahead:
            return now[-1][1] if now else None
        if self.passes == 0:
            return Value(self.pc, "")
        at = bisect_left(before, (self.index + 1, Value(-(1 << 62))))
        return self._moved(before[at][1]) if at < len(before) else None

    def _moved(self, value: Value) -> Value:
        """Return where an address of the last pass lies now, as far as one sees: what is ahead moves along."""
        if value.section != self.section.name or value.number < self.starts[self.index]:
            return value
        return Value(value.number + self.start - self.starts[self.index], value.section)

    def here(self) -> Value:
        """Return the address of the statement; of each repetition, where there are several."""
        return Value(self.start, self.section.name)

    # --- passes

    def run(self) -> None:
        """Run passes until nothing moves; errors of the last one stay. The first is made while statements are added."""
        self.place_chunks()
        try:
            self._settle()
        except Exhausted as error:
            self.exhausted = str(error)
            self.max_steps += self.max_steps // 2
        if self.errors:
            self.explains = True
            try:
                self.run_pass()
            except Exhausted as error:
                self.exhausted = self.exhausted or str(error)

    def _settle(self) -> None:
        """Run passes until nothing moves. Errors: Exhausted."""
        for self.passes in range(1, MAX_PASSES):
            self.run_pass()
            if len(self.errors) >= MAX_ERRORS and self.passes > FREE_PASSES:
                return
            settled = self.place_chunks()
            if settled and self.symbols == self.before and self.passes > 1:
                return
            if self.errors and self.passes > MAX_PASSES_WITH_ERRORS:
                return
        raise Exhausted(f"the addresses do not settle in {MAX_PASSES} passes")

    def run_pass(self) -> None:
        self.begin_pass()
        self.errors = []
        started: list[int] = []
        self.count(len(self.actions))
        for index, action in enumerate(self.actions):
            chunk = self.chunk
            self.index, self.start = index, chunk.base + len(chunk.content) + chunk.zeros
            started.append(self.start)
            try:
                action(self)
            except Unfit as error:
                self.count(EXPLANATION_STEPS if self.explains else FAILURE_STEPS)
                self.errors.append((self.places[index], str(error)))
                if len(self.errors) == MAX_ERRORS and (self.explains or self.passes > FREE_PASSES):
                    return
        self.starts = started

    def known_of(self, name: str) -> Known:
        return self.known.setdefault(name, Known())


def names_of(texts: Iterable[str]) -> list[str]:
    """Return the names of a list, without GNU's marks behind them."""
    return [text.strip().partition(":")[0] for text in texts if text.strip()]
