"""Kernels that list the pairs of a scene: by grids, bitmaps, comparison of all, and what they share.

bitmap_index       some thousand boxes of any size
hierarchical_grid  boxes of any mix of sizes
kept_pairs         a scene that is kept
pair_keys          pairs as keys; points below others, counted
queries            what lies on segments, and nearest to points
sectors            the screen of Moertel 1994: its sector grid, pair test and four shifts, the alternatives, positions
simd               SIMD comparisons
small              small scenes of boxes of one size, every pair
small_boxes        boxes of any size, few of them
uniform_grid       many boxes of one size on a plane
"""
