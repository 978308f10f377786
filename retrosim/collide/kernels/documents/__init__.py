"""Kernels of single documents: blocks, object records, swept tests, bitmaps.

bitmap   collision by the colours on the screen
blocks   boxes in a plane cut into blocks
objects  object records and the loop over all of them
swept    swept tests
"""
