"""The debugger of a machine: breakpoints, watchpoints, hooks, conditions, and time that runs backwards."""

from .conditions import Condition, ConditionError, condition
from .debugger import Debugger
from .points import Point, Stop, Time, Write
from .stack import Frame

__all__ = ["Condition", "ConditionError", "Debugger", "Frame", "Point", "Stop", "Time", "Write", "condition"]
