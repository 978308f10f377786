"""What the code that counts for a profile (profiling.py) has in common: the instruction under way, and the log."""

from __future__ import annotations

from ..spec.ir import POINTER
from ..spec.values import Word
from .emit import RECORDS_POINTER
from .handlers import CLOCKS_WORD, LOG_END_WORD, SINCE_WORD, UNDER_WAY_WORD, RecordEmitter

SITE, NEXT, BACK, CLOCK, LEFT, LOG_WORDS = range(6)
KIND_SHIFT = 32  # of a kind in `SITE`


class FlowLog(RecordEmitter):
    """Emits what is counted and logged. The shared words are in the record of unknown addresses."""

    @property
    def first_record(self) -> str:
        """The record of unknown addresses."""
        return self.context_pointer(RECORDS_POINTER)

    def shared(self, number: int) -> str:
        return self.code.address(self.first_record, 4 * number)

    def set_under_way(self, record: str, now: Word) -> None:
        """Let the clocks from now on be those of a record."""
        self.code.store(POINTER, record, self.shared(UNDER_WAY_WORD))
        self.put(now, self.shared(SINCE_WORD))

    def count_under_way(self, now: Word) -> None:
        """Count the clocks until now for the record under way."""
        since = self.loaded(64, self.shared(SINCE_WORD))
        self.add_to_record(self.code.load(POINTER, self.shared(UNDER_WAY_WORD)), CLOCKS_WORD, now - since)

    def add_to_record(self, record: str, number: int, count: Word) -> None:
        place = self.code.address(record, 4 * number)
        self.put(self.loaded(64, place) + count, place)

    def log_flow(self, pc: Word, kind: int, following: Word, behind: Word, now: Word, left: Word) -> None:
        """Append a row to the log."""
        end = self.code.load(POINTER, self.shared(LOG_END_WORD))
        row = (pc.zext(64) | kind << KIND_SHIFT, following.zext(64), behind.zext(64), now, -left)
        for column, word in enumerate(row):
            self.put(word, self.code.address(end, 8 * column))
        self.code.store(POINTER, self.code.address(end, 8 * LOG_WORDS), self.shared(LOG_END_WORD))
