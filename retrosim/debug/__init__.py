"""The debugger of a machine: breakpoints, watchpoints, hooks, conditions, and time that runs backwards.

conditions  the language of conditions
debugger    the debugger of one machine
history     a machine's past
observer    what looks on while a machine runs
places      places of a program as one names them
points      where a debugged run stops, and how it stopped
stack       the routines that are under way, innermost first
unwind      how each routine's frame is unwound, found out by executing its instructions one by one on a machine
            of their own
views       what a debugger shows of a machine that stands still, as rows of plain data
walk        following a collision check on the running machine
"""

from .conditions import Condition, ConditionError, condition
from .debugger import Debugger
from .points import Point, Stop, Time, Write
from .stack import Frame

__all__ = ["Condition", "ConditionError", "Debugger", "Frame", "Point", "Stop", "Time", "Write", "condition"]
