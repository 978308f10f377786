"""`retrosim cost`.

command   help, options, and what the command does
call      what the routine is called with, and the machine before the call
compare   --against: two calls side by side
sweep     --sweep: the call over a range of values
"""
