"""The debugger of a machine: breakpoints, watchpoints, hooks, conditions, and time that runs backwards.

conditions  what one writes: the language of conditions, and places of a program
debugger    the debugger of one machine
history     a machine's past
observer    what looks on while a machine runs
points      the kinds of points, a class each: where a debugged run stops, and how it stopped
stack       the routines that are under way, innermost first
unwind      how each routine's frame is unwound, found out by executing its instructions one by one
views       what a debugger shows of a machine that stands still, as rows of plain data
walk        following a collision check on the running machine
"""

from .conditions import Condition, ConditionError, condition
from .debugger import Debugger
from .points import Point, Stop, Time, Write
from .stack import Frame

__all__ = ["Condition", "ConditionError", "Debugger", "Frame", "Point", "Stop", "Time", "Write", "condition"]
