"""Kernels that list the pairs of a scene: by grids, bitmaps, comparison of all, and what they share.

adjacent           the alternative that Moertel 1994 argues against
bitmap_index       some thousand boxes of any size
hierarchical_grid  boxes of any mix of sizes
kept_pairs         a scene that is kept
nearest            the boxes nearest to points
overlap            the pair test of Moertel 1994, in both of its builds
pair_keys          pairs as keys
sector_grid        the sector grid of Moertel 1994
segments           segments and boxes
simd               SIMD comparisons
small              small scenes of boxes of one size, every pair
small_boxes        boxes of any size, few of them
uniform_grid       many boxes of one size on a plane
"""
