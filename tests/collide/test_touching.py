"""Where the five texts differ: does touching count? One test for each routine, at the distances that decide.

Two objects of 30 pixels lie side by side: 29 apart they overlap by a pixel, 30 apart their sides meet, 31 apart there
is a gap. 29 is strict, 30 counts touching.
"""

import numpy as np
import pytest

from retrosim.collide import intersect, masks, pairs, plane
from retrosim.collide.documents import bitmap, blocks, boxes, compound, objects, rectangles, spheres, swept
from tests.oracle import boxes as reference_boxes
from tests.oracle import objects as reference_objects
from tests.oracle import sectors as reference
from tests.oracle import spheres as reference_spheres

pytestmark = pytest.mark.without_jit
ZERO = np.zeros(2, np.int16)
PAIR = np.array([[0, 1]], np.int32)


def reach(is_hit):
    """Return the largest of the distances 29, 30, 31 that counts, 28 if none does; checked along both axes."""
    found = []
    for axis in (0, 1):
        hits = []
        for apart in (29, 30, 31):
            corners = [np.full(2, 100, np.int16), np.full(2, 100, np.int16)]
            corners[axis][1] += apart
            hits.append(bool(is_hit(*corners)))
        assert hits == sorted(hits, reverse=True)
        found.append(28 + sum(hits))
    assert found[0] == found[1]
    return found[0]


def test_moertel_1994_sectors_are_strict():
    assert reach(lambda x, y: len(pairs(x, y, size=30))) == 29
    assert reach(lambda x, y: len(pairs(x, y, size=30, method="brute_force"))) == 29
    assert reach(lambda x, y: len(plane.pairs(x, y, size=30))) == 29
    assert reach(lambda x, y: intersect(x[:1], y[:1], x[1:], y[1:], size=30)[0]) == 29


def test_mackey_1995_masks_need_a_common_pixel():
    square = masks.pack([np.ones((30, 30), np.uint8)])
    for method in masks.METHODS:
        assert reach(lambda x, y, m=method: masks.hits(x, y, ZERO.astype(np.int32), square, PAIR, method=m)[0]) == 29


def test_no_collision_boxes_2011_boxes_count_touching():
    for method in boxes.METHODS:
        assert reach(lambda x, y, m=method: len(boxes.pairs(x, y, size=30, method=m))) == 30
    parts, first = np.array([[0, 0, 30, 30]] * 2, np.int16), np.array([0, 1, 2], np.int32)
    assert reach(lambda x, y: len(compound.pairs(x, y, parts, first))) == 30


def test_rekaby_2011_spheres_are_strict():
    assert reach(lambda x, y: len(spheres.pairs(x, y, ZERO, radius=15))) == 29
    assert reach(lambda x, y: len(spheres.pairs(ZERO, x, y, radius=15))) == 29


def test_rekaby_2011_rectangles_count_touching():
    """All four methods; in 1/32 pixel, where 30 apart is 30 * 32, and one unit more is a gap."""
    half = np.full((2, 2), 15 * 32, np.int16)
    for method in rectangles.METHODS:
        for turn in (0, 256, 512, 768):
            angle = np.array([turn, 0], np.int16)
            assert reach(lambda x, y, a=angle, m=method: len(rectangles.pairs(x * 32, y * 32, half, a, method=m))) == 30
        x = np.array([3200, 3200 + 30 * 32 + 1], np.int16)
        assert len(rectangles.pairs(x, ZERO, half, ZERO, method=method)) == 0


def test_jon_e_p_2007_bitmaps_need_a_common_pixel():
    square = bitmap.pack([np.ones((30, 30), np.uint8)])
    shape = np.zeros(2, np.int32)
    assert reach(lambda x, y: bitmap.draw(x, y, shape, square, np.zeros((480, 640), np.uint8), solid=[1])[1]) == 29


def test_swept_objects_are_strict_at_any_time():
    """At rest, and while the second object flies past the first at that distance."""
    back, path = np.array([0, 100], np.int16), np.array([0, 200], np.int16)
    for shape in ({"size": 30}, {"radius": 15}):

        def is_passed(x, y, shape=shape):
            if x[0] == x[1]:
                return swept.hits(x - back, y, path, ZERO, PAIR, **shape)[0]
            return swept.hits(x, y - back, ZERO, path, PAIR, **shape)[0]

        assert reach(lambda x, y, s=shape: swept.hits(x, y, ZERO, ZERO, PAIR, **s)[0]) == 29
        assert reach(is_passed) == 29


# The same two objects by two texts: each difference by its name.


def boxes_reach(**shape):
    return reach(lambda x, y: len(boxes.pairs(x, y, size=30, **shape)))


def sectors_reach(method="four_shifts"):
    return reach(lambda x, y: len(pairs(x, y, size=30, method=method)))


def records_reach(method):
    shapes = np.array([[0, 0, 30, 30]], np.int16) if method == "boxes" else objects.make_circles([(0, 0, 15)])

    def is_hit(x, y):
        game = np.zeros(2, objects.OBJECT)
        game["type"], game["active"], game["detection"], game["count"] = (1, 3), 1, objects.DETECT_ALL, 1
        game["x"], game["y"] = x, y
        return len(objects.check_all(game, shapes, method=method))

    return reach(is_hit)


def oracle_reach(is_hit):
    """Return the reach of a test of two objects at (x, y)."""
    return reach(lambda x, y: is_hit(*zip(x.tolist(), y.tolist())))


def touch(a, b, is_circle):
    return reference_boxes.get_collision_result((*a, 30, 30, is_circle), (*b, 30, 30, is_circle), [0, 0, 0])


def test_touching_counts_in_no_collision_boxes_not_in_moertel():
    assert boxes_reach() == boxes_reach(method="two_additions") == 30
    assert sectors_reach() == sectors_reach("nine_sectors") == sectors_reach("brute_force") == 29
    assert oracle_reach(lambda a, b: touch(a, b, 0)) == 30
    assert oracle_reach(lambda a, b: reference.is_hit((*a, 30, 30), (*b, 30, 30))) == 29


def test_touching_counts_for_circles_in_no_collision_boxes_not_for_spheres_in_rekaby():
    assert boxes_reach(circle=True) == 30
    assert reach(lambda x, y: len(spheres.pairs(x, y, ZERO, radius=15))) == 29
    assert oracle_reach(lambda a, b: touch(a, b, 1)) == 30
    assert oracle_reach(lambda a, b: reference_spheres.spheres_meet((*a, 0, 15), (*b, 0, 15))) == 29


def test_touching_counts_for_circles_in_no_collision_boxes_not_in_jon_e_p():
    assert boxes_reach(circle=True) == 30
    assert {records_reach(method) for method in ("circles", "square_root", "distance_2d")} == {29}
    circle = (0, 0, 15)
    assert oracle_reach(lambda a, b: reference_objects.by_circles(a[0] - b[0], a[1] - b[1], circle, circle)) == 29


def test_touching_counts_for_boxes_in_no_collision_boxes_not_in_jon_e_p():
    assert boxes_reach() == 30
    assert records_reach("boxes") == 29
    box = (0, 0, 30, 30)
    assert oracle_reach(lambda a, b: reference_objects.by_boxes(a[0] - b[0], a[1] - b[1], box, box)) == 29


def test_touching_counts_for_rectangles_in_rekaby_not_for_his_spheres():
    half, angle = np.full((2, 2), 15 * 32, np.int16), np.zeros(2, np.int16)
    for method in rectangles.METHODS:
        assert reach(lambda x, y, m=method: len(rectangles.pairs(x * 32, y * 32, half, angle, method=m))) == 30
    assert reach(lambda x, y: len(spheres.pairs(x, y, ZERO, radius=15))) == 29


def test_touching_counts_in_the_blocks_of_rekaby_not_in_the_sectors_of_moertel():
    assert reach(lambda x, y: len(blocks.pairs(x, y, size=30))) == 30
    assert sectors_reach() == 29
