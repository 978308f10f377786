"""The object loop against the oracle, its order and its rules."""

import math

import numpy as np
import pytest

from retrosim.collide.documents import objects
from retrosim.jit import JIT
from retrosim.numeric.tables import DISTANCE_ERROR_PX, distance_2d
from tests.helpers.amount import FULL
from tests.oracle import objects as oracle

TESTS = {
    "circles": oracle.by_circles,
    "square_root": oracle.by_circles,
    "distance_2d": oracle.by_distance_2d,
    "boxes": oracle.by_boxes,
}
SHIP, MISSILE, ALIEN = objects.SHIP, objects.MISSILE, objects.ALIEN
NONE, WITH_SHIP, ALL = objects.DETECT_NONE, objects.DETECT_SHIP, objects.DETECT_ALL


def game_of(*rows):
    """Return records from (type, detection, x, y), active, all with the first shape."""
    game = np.zeros(len(rows), objects.OBJECT)
    for record, (kind, detection, x, y) in zip(game, rows):
        record["type"], record["active"], record["detection"] = kind, 1, detection
        record["x"], record["y"], record["count"] = x, y, 1
    return game


def agree(game, shapes, method):
    """Check kernel and oracle on one game: pairs in order, and every field afterwards; return the pairs."""
    records = [dict(zip(objects.OBJECT.names, row)) for row in game.tolist()]
    table = shapes.tolist()
    theirs = [table[r["first"] : r["first"] + r["count"]] for r in records]
    expected = oracle.check_all(records, theirs, TESTS[method])
    after = game.copy()
    found = [tuple(pair) for pair in objects.check_all(after, shapes, method=method).tolist()]
    assert found == expected
    assert [dict(zip(objects.OBJECT.names, row)) for row in after.tolist()] == records
    return found


@pytest.mark.parametrize("method", objects.METHODS)
def test_games_at_random(method):
    """More than 100 000 pairs in all, with up to three shapes each."""
    rng, hits, pairs = np.random.default_rng(2007), 0, 0
    for number in range(120):
        count, total = int(rng.integers(0, 50)), 30
        shapes = rng.integers(0, 40, (total, 4)).astype(np.int16)
        if method != "boxes":
            shapes[:, 3] = shapes[:, 2] ** 2
        game = np.zeros(count, objects.OBJECT)
        game["type"], game["active"] = rng.integers(1, 4, count), rng.random(count) < 0.9
        game["detection"], game["first"] = rng.choice([0, 1, 1, 2, 2, 2], count), rng.integers(0, total - 3, count)
        game["count"], game["collided"] = rng.integers(0, 4, count), rng.integers(0, 2, count)
        span = (80, 250)[number & 1]
        game["x"], game["y"] = rng.integers(-span, span, count), rng.integers(-span, span, count)
        hits, pairs = hits + len(agree(game, shapes, method)), pairs + count * (count - 1)
    assert pairs > 80_000 and hits > 300


def test_circles_touching_and_one_pixel_nearer():
    """Strict: at exactly the sum of the radii nothing collides. The table's distance rounds up to it, too."""
    circles = objects.make_circles([(0, 0, 10), (0, 0, 15)])
    for dx, dy, hit in ((25, 0, 0), (0, -25, 0), (15, 20, 0), (-24, 7, 0), (24, 0, 1), (15, 19, 1), (-24, 6, 1)):
        game = game_of((SHIP, ALL, 100, 100), (ALIEN, ALL, 100 + dx, 100 + dy))
        game["first"][1] = 1
        for method in ("circles", "square_root"):
            assert len(agree(game, circles, method)) == hit, (method, dx, dy)
        assert len(agree(game, circles, "distance_2d")) == (hit and (dx, dy) != (-24, 6)), (dx, dy)  # 24.7 is 25 there


@pytest.mark.without_jit
def test_square_root_is_the_same_at_every_distance():
    circles = objects.make_circles([(0, 0, 40), (0, 0, 60)])
    step = 3 if JIT or FULL else 9
    for dx in range(0, 130, step):
        for dy in range(0, 130, step):
            game = game_of((SHIP, ALL, 0, 0), (ALIEN, ALL, dx, dy))
            game["first"][1] = 1
            assert agree(game, circles, "square_root") == agree(game, circles, "circles")


def test_distance_2d_errs_only_within_its_error():
    """Over a quarter of the screen in steps: a different verdict only where the distance is near the radii's sum."""
    reach, differing = 300, 0
    for dx in range(320):
        for dy in range(320):
            exact = dx * dx + dy * dy < reach * reach
            if (distance_2d(0, 0, dx, dy) < reach) != exact:
                differing += 1
                assert abs(math.sqrt(dx * dx + dy * dy) - reach) < DISTANCE_ERROR_PX
    assert 0 < differing < 400


def test_two_missiles_do_not_meet():
    game = game_of((MISSILE, WITH_SHIP, 0, 0), (MISSILE, WITH_SHIP, 0, 0))
    assert agree(game, objects.make_circles([(0, 0, 5)]), "circles") == []


@pytest.mark.parametrize("order", [1, -1])
def test_ship_only_meets_an_alien_all_the_same(order):
    """One of the two orders asks the alien, which detects all: "ship only" holds only among those that ask for it."""
    game = game_of(*[(MISSILE, WITH_SHIP, 0, 0), (ALIEN, ALL, 0, 0)][::order])
    missile = 0 if order == 1 else 1
    assert agree(game, objects.make_circles([(0, 0, 5)]), "circles") == [(missile, 1 - missile)]


@pytest.mark.parametrize("order", [1, -1])
def test_the_ship_comes_first(order):
    game = game_of(*[(MISSILE, WITH_SHIP, 0, 0), (SHIP, ALL, 0, 0)][::order])
    assert agree(game, objects.make_circles([(0, 0, 5)]), "circles") == [(1, 0) if order == 1 else (0, 1)]


def test_no_detection_keeps_apart():
    game = game_of((SHIP, ALL, 0, 0), (ALIEN, NONE, 0, 0))
    assert agree(game, objects.make_circles([(0, 0, 5)]), "circles") == []


def test_hit_objects_leave_at_once():
    """Three on one spot: the first two leave, the third finds nobody; an inactive one is not there at all."""
    game = game_of((SHIP, ALL, 0, 0), (ALIEN, ALL, 0, 0), (ALIEN, ALL, 0, 0), (ALIEN, ALL, 0, 0))
    game["active"][1] = 0
    assert agree(game, objects.make_circles([(0, 0, 5)]), "circles") == [(0, 2)]


def test_offsets_belong_to_their_own_object():
    """The slip of the printed code, which places both circles by the first object's x and y, would always hit here."""
    circles = objects.make_circles([(28, 24, 12), (14, 44, 4)])
    game = game_of((SHIP, ALL, 100, 100), (MISSILE, WITH_SHIP, 100, 20))
    game["first"][1] = 1
    assert agree(game, circles, "circles") == []
    game["x"][1], game["y"][1] = 114, 80
    assert agree(game, circles, "circles") == [(0, 1)]


def test_several_circles():
    circles = objects.make_circles([(0, 0, 5), (40, 0, 5), (80, 0, 5)])
    game = game_of((SHIP, ALL, 0, 0), (ALIEN, ALL, 80, 0))
    assert agree(game, circles, "circles") == []
    game["count"][0] = 3
    assert agree(game, circles, "circles") == [(0, 1)]


@pytest.mark.without_jit
def test_the_edges_of_the_range():
    circles = objects.make_circles([(-8192, -8192, 181), (8191, 8191, 181)])
    game = game_of((SHIP, ALL, -8192, -8192), (ALIEN, ALL, 8191, 8191))
    assert agree(game, circles, "circles") == []
    game["first"] = 1, 0
    for method in ("circles", "square_root", "distance_2d"):
        assert agree(game, circles, method) == [(0, 1)]


def test_out_is_used():
    circles, out = objects.make_circles([(0, 0, 5)]), np.zeros((1, 2), np.int32)
    game = game_of((SHIP, ALL, 0, 0), (ALIEN, ALL, 0, 0))
    assert objects.check_all(game, circles, out=out).base is out and out.tolist() == [[0, 1]]
    with pytest.raises(ValueError, match="out has 0 rows: allowed 1 or more"):
        objects.check_all(game, circles, out=out[:0])


@pytest.mark.parametrize(
    "field, value, message",
    [
        ("x", 8192, r"objects x\[1\] = 8192: allowed -8192\.\.8191"),
        ("y", -8193, r"objects y\[1\] = -8193"),
        ("detection", 3, r"objects detection\[1\] = 3: allowed 0\.\.2"),
        ("first", -1, r"objects first\[1\] = -1: allowed 0\.\.1"),
        ("count", 2, r"objects count\[1\] = 2: allowed 0\.\.1"),
        ("first", 1, r"object 1 has shapes 1 \+ 1: there are 1"),
    ],
)
def test_refused_records(field, value, message):
    game = game_of((SHIP, ALL, 0, 0), (ALIEN, ALL, 0, 0))
    game[field][1] = value
    with pytest.raises(ValueError, match=message):
        objects.check_all(game, objects.make_circles([(0, 0, 5)]))


def test_other_refusals():
    game, circles = game_of((SHIP, ALL, 0, 0)), objects.make_circles([(0, 0, 5)])
    with pytest.raises(ValueError, match=r"circles radius\[1\] = 182: allowed 0\.\.181"):
        objects.make_circles([(0, 0, 5), (0, 0, 182)])
    with pytest.raises(ValueError, match=r"shapes radius\[0\] = 200: allowed 0\.\.181"):
        objects.check_all(game, np.array([[0, 0, 200, 0]], np.int16))
    with pytest.raises(ValueError, match=r"shapes height\[0\] = -1: allowed 0\.\.8191"):
        objects.check_all(game, np.array([[0, 0, 200, -1]], np.int16), method="boxes")
    with pytest.raises(ValueError, match=r"objects is int64\[3\]: allowed OBJECT\[n\]"):
        objects.check_all(np.zeros(3, int), circles)
    with pytest.raises(ValueError, match="method 'pixels': allowed circles, square_root, distance_2d, boxes"):
        objects.check_all(game, circles, method="pixels")
