"""`retrosim cost`.

command   help, options, and what the command does
call      what the routine is called with, and the machine before the call
compare   --against: two calls side by side
machines  --machine all: the call on every machine that can run it
sweep     --sweep: the call over a range of values
"""
