"""Opens what stands in place of the picture: the debugger, and the walk through a check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrosim.machine.interface import has_cpu

if TYPE_CHECKING:
    from .panel import Panel
    from .session import Session


def open_panel(session: Session, title: str) -> Panel | None:
    """Open a panel of a session by its title, or say why it cannot be."""
    machine = session.machine
    if not has_cpu(machine):
        session.say(f"{machine.name} has no CPU, so there is no machine code to look into")
        return None
    from retrosim.machine.machine import Machine

    from .debug_panel import DebugPanel
    from .walk_panel import WalkPanel

    if not isinstance(machine, Machine):
        session.say(f"{machine.name} has no debugger")
        return None
    session.close()
    session.release_all()
    if title == WalkPanel.title:
        return WalkPanel(machine, lambda: session.pad, session.player)
    return DebugPanel(machine, lambda: session.pad, session.player, session.watched, session.breakpoints)
