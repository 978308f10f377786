"""The compiled loops behind `retrosim.collide`. They check nothing: the functions that call them do.

They read what they are given several times, and run without the interpreter lock: no other thread may write into it.
So those functions give them copies; the few loops that are called before anything is checked (`jit.Entry`) make their
own.

Game loops of your own that are compiled with Numba may call them. Unless a docstring says otherwise

    mark_..    writes a flag for every object or every listed pair
    scan_..    lists pairs, and returns how many there are; pairs that the output has no room for are only counted
    is_..      tests two objects

Arrays that belong together are passed to loops as one named tuple (`Boxes`, `Shapes`, `Masks` ..), which they unpack
once: to take an array out of a tuple costs Numba a change of its reference count, too much for a test of two objects.
Those take numbers, or tuples of numbers.

    pairs      lists the pairs of a scene: by grids, bitmaps, comparison of all, the four shifts of 1994
    shapes     tests shapes: boxes, circles, polygons, rectangles at any angle, masks, spheres
    documents  single documents: blocks, object records, swept tests, bitmaps
"""
