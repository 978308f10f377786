"""All targets, by name."""

from __future__ import annotations

from .calls import CALLS
from .commands import COMMANDS
from .guests import GUESTS
from .loaders import LOADERS
from .servers import SERVERS
from .sources import SOURCES
from .target import Target

TARGETS: dict[str, Target] = {
    target.name: target for target in (*LOADERS, *SOURCES, *COMMANDS, *GUESTS, *CALLS, *SERVERS)
}
GROUPS = {"loaders": [target.name for target in LOADERS], "all": list(TARGETS)}
