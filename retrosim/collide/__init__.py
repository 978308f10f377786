"""The collision routines of 1994 as a library: plain arrays in, plain arrays out, no machine needed."""

from retrosim.collide.grid import workspace
from retrosim.collide.overlap import intersect
from retrosim.collide.sectors import METHODS, collided, count_tests, pairs, reports, tally_tests

__all__ = ["METHODS", "collided", "count_tests", "intersect", "pairs", "reports", "tally_tests", "workspace"]
