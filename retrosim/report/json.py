"""Reports as plain data for JSON: a report is a frozen dataclass whose fields are the published keys, in their order.

@dataclass(frozen=True)
class Instruction:
    address: int
    misses: dict[str, int] = field(metadata=spread("{}_misses"))  # the keys data_misses, instruction_misses
    explained: Explained | None = field(metadata=SPREAD)          # its keys among these; None has none
    sources: dict[str, str] = field(metadata=HIDDEN)              # for pages alone
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

_KEY = "json key"
HIDDEN: Mapping[str, str | None] = {_KEY: None}
"""The metadata of a field that is not published."""


def spread(template: str) -> Mapping[str, str | None]:
    """Return the metadata of a field whose own keys are published among those of its owner.

    template  of the published keys, with {} for the key of the field's value, a mapping or a dataclass
    """
    return {_KEY: template}


SPREAD = spread("{}")


def to_json(value: Any) -> Any:
    """Return a report, or what is in one, as plain data: dicts, lists, texts, numbers, None."""
    if is_dataclass(value):
        plain: dict[str, Any] = {}
        for field in fields(value):
            inner = to_json(getattr(value, field.name))
            if _KEY not in field.metadata:
                plain[field.name] = inner
            elif (template := field.metadata[_KEY]) is not None:
                plain |= {template.format(key): part for key, part in (inner or {}).items()}
        return plain
    if isinstance(value, Mapping):
        return {key: to_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(part) for part in value]
    return value
