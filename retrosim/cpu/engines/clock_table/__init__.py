"""Full timing of recompiled code from a table of pipeline states, instead of running the timing model each time.

memo         what is remembered of a pipeline
memo_emit    emits what looks into the table of pipeline states (memo.py), for regions and for functions that they
             share
memo_region  regions whose clocks come from a table (memo.py) in place of a timing model that is run
segments     the parts of basic blocks whose clocks are looked up at once
steps        compiled functions that run a timing model on what instructions tell (traces.py), to fill the table
             of memo.py
traces       what instructions tell a timing model while they run, and the model run on that alone, in known
             numbers
"""
