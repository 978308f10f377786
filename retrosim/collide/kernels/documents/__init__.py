"""Kernels of single documents: the four shifts of 1994, blocks, object records, swept tests, bitmaps.

bitmap       collision by the colours on the screen
blocks       boxes in a plane cut into blocks
compound     objects made of several boxes and circles
four_shifts  the method of Moertel 1994
objects      object records and the loop over all of them
scenes       random positions
swept        swept tests
"""
