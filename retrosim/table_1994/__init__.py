"""The table that Tom Moertel printed on 21 June 1994 beside ours, and where the clocks of a check go.

analysis      the analysis of Moertel 1994
causes        what the clocks of a check of 1994 go to, by cause (see `retrosim.cost.counting`)
harness       one experiment of 1994 on a simulated machine
printed       the table of 1994, and how its program printed a result
report        the timing table as text
sector_sizes  what the size of a sector costs
timing        the table of 1994 beside ours
"""
