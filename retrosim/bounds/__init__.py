"""The proof of the least and the most clocks that a call of a routine can take, for any data and any caches.

caches     which lines of a cache are certain to be there, whatever it held before
call       proven least and most clocks of a routine, for any data and any contents of the caches
counter    how often a routine can miss in a cache whose victim a counter names, which steps at every access (the
           MC68040's)
engine     an engine that runs an instruction on all states at once
paths      one path through an instruction
residence  lines that stay in a cache for the whole call once they are in it
run        runs a routine on all states at once, block after block, loop after loop, into calls and back
search     searches for an input on which a routine takes many clocks
state      what is known of a machine at one point of a routine
words      words of which only bounds are known
"""
