"""What a call or a run costs, by instruction, line, function and cause; compared, swept, profiled.

against   two calls side by side
calls     the calls of a program as a tree, from a log of where its flow went
cost      what one call of a routine costs, and which of its instructions, lines and functions the clocks go to
counting  counts what a machine executes, and the causes of clocks that the timing model tells
files     a profile as files of other profilers
machines  what a call costs on several machines
page      reports as pages
report    the reports of `cost` and of `run --profile`
routines  which labels of a program begin a routine
sources   the text of source files that a program's line table names
sweep     what a call costs over the values of an argument, and the law that the cost follows
text      the cost of a routine as text
unset     which registers a routine reads before anything has set them
"""
