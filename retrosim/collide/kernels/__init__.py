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

    adjacent           the alternative that Moertel 1994 argues against
    all_pairs          every object against every other
    batch              many scenes of boxes of one size in one call
    bitmap             collision by the colours on the screen
    bitmap_index       some thousand boxes of any size
    blocks             boxes in a plane cut into blocks
    boxes              boxes and circles of "No-collision boxes" 2011
    checks             checks of whole arrays, and the copies that are checked
    compound           objects made of several boxes and circles
    convex             rounded convex polygons, by edges and vertices, exact in 64 bits
    four_shifts        the method of Moertel 1994
    hierarchical_grid  boxes of any mix of sizes
    kept_pairs         a scene that is kept
    many_scenes        many scenes of boxes of any size, one after the other
    mask_rows          the inner loops of the pixel-mask test (Mackey 1995), each in the registers of one kind of
                       machine
    masks              the pixel-mask test of Mackey 1995
    nearest            the boxes nearest to points
    objects            object records and the loop over all of them
    oriented           the tests of Rekaby 2011 for two oriented rectangles
    overlap            the pair test of Moertel 1994, in both of its builds
    pair_keys          pairs as keys
    ranks              how many points lie below others in both axes, without looking at pairs
    rectangles         scenes of oriented rectangles
    scenes             random positions
    sector_grid        the sector grid of Moertel 1994
    segments           segments and boxes
    simd               SIMD comparisons
    small              small scenes of boxes of one size, every pair
    small_boxes        boxes of any size, few of them
    spheres            spheres in three axes
    sprites            objects that look like one of several sprites
    swept              swept tests
    uniform_grid       many boxes of one size on a plane
"""
