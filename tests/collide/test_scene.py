"""Scenes that are kept: the answers of the calls that keep nothing, events by sets, questions against the oracle.

how many scenes: see random_worlds.py.
"""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest

from retrosim.collide import groups, world
from retrosim.collide.scene import MAX_STAMP, Scene
from retrosim.jit import JIT
from tests.helpers.amount import FULL
from tests.oracle import queries as oracle

from .random_worlds import HIGH, KINDS, LOW, SCENES, limited, random_world


def scene_of(given):
    scene = Scene()
    scene.add(given.x, given.y, **given.options())
    return scene


def agrees(scene, closed):
    """Compare all answers about pairs with those of `world`; return the pairs."""
    boxes, ids = scene.boxes(), scene.ids
    words = scene._table[:, 5].astype(np.int64)
    x, y, size = boxes[:, 0].copy(), boxes[:, 1].copy(), boxes[:, 2:].copy()
    given = {"size": size, "closed": closed, "category": words >> 16 & 0xFFFF, "mask": words & 0xFFFF}
    expected = ids[world.pairs(x, y, **given)]
    assert scene.pairs().tolist() == expected.tolist()
    assert scene.collided().tolist() == world.collided(x, y, **given).tolist()
    assert scene.counts().tolist() == world.counts(x, y, **given).tolist()
    first = world.first(x, y, **given)
    assert scene.first().tolist() == [ids[f] if f >= 0 else -1 for f in first]
    assert [row for part in scene.chunks(rows=5) for row in part.tolist()] == expected.tolist()
    return {tuple(pair) for pair in expected.tolist()}


def pairs_in(rows):
    assert rows.tolist() == sorted(rows.tolist())
    return {tuple(row) for row in rows.tolist()}


@pytest.mark.first_case
@pytest.mark.without_jit
@pytest.mark.parametrize("closed", [False, True])
def test_a_history_at_random(closed):
    """Adds, moves and removes: every frame answers as a scene made at once does, and a copy goes another way."""
    rng, scene, before, seen = np.random.default_rng(4), Scene(closed=closed), set(), 0
    for frame in range(30 if JIT or FULL else 22):
        more = random_world(rng, "mixed", int(rng.integers(0, 9)))
        added = scene.add(more.x % 400, more.y % 400, size=more.size % 60 + 1, category=more.category, mask=more.mask)
        assert len(added) == len(more.x)
        some = rng.permutation(scene.ids)[: len(scene) // 3]
        size = rng.integers(1, 90, (len(some), 2)) if frame % 3 else None
        scene.move(some, rng.integers(-200, 200, len(some)), rng.integers(-200, 200, len(some)), size=size)
        scene.remove(rng.permutation(scene.ids)[: len(scene) // 9].tolist())
        now, events = agrees(scene, closed), scene.events()
        assert pairs_in(events.enter) == now - before and pairs_in(events.stay) == now & before
        assert pairs_in(events.exit) == before - now
        before, seen = now, seen + len(now)
        if frame == 20:
            saved, mark = scene.copy(), scene.hash()
    assert seen > 30 and saved.hash() == mark != scene.hash()
    assert saved.events().enter.tolist() == [] and saved.hash() == mark


@pytest.mark.parametrize("count", [40, 1500])
def test_little_moves(count):
    """The list of pairs is brought up to date, whatever was asked, added, removed and copied in between."""
    rng, scene, seen = np.random.default_rng(count), Scene(), set()
    extent = int(30 * count**0.5)
    new = rng.integers(0, extent, (2, count)), rng.integers(1, 60, (count, 2)), rng.integers(1, 4, (2, count))
    scene.add(*new[0], size=new[1], category=new[2][0], mask=new[2][1])
    for frame in range(60):
        agrees(scene, False) if frame % 20 == 0 else scene.pairs()
        other = scene.copy()
        marks = scene.hash(), other.pairs().tolist()
        some = rng.permutation(scene.ids)[: rng.integers(1, 3 + count // 50)]
        scene.move(some, *rng.integers(0, extent, (2, len(some))), size=rng.integers(1, 90, (len(some), 2)))
        if frame % 7 == 3:
            scene.remove(some[:1])
            scene.add(*rng.integers(0, extent, (2, 2)), size=50)
        if frame % 5 == 2:
            scene.at_points(np.array([3]), np.array([3]))  # sorts it
        scene.move(some[1:2], *rng.integers(0, extent, (2, len(some[1:2]))))
        if frame == 30:
            scene._stamp = MAX_STAMP
        boxes, ids = scene.boxes(), scene.ids
        words = scene._table[:, 5].astype(np.int64)
        given = {"size": boxes[:, 2:].copy(), "category": words >> 16 & 0xFFFF, "mask": words & 0xFFFF}
        expected = ids[world.pairs(boxes[:, 0].copy(), boxes[:, 1].copy(), **given)]
        assert scene.pairs().tolist() == expected.tolist()
        assert (other.hash(), other.pairs().tolist()) == marks
        seen.add(len(expected))
    assert len(seen) > 5


@pytest.mark.without_jit
def test_the_hash_is_what_it_was():
    """On all machines and for good: a change of this number is a change of the format."""
    scene = Scene(closed=True)
    scene.add(np.array([LOW, 5, 7]), np.array([0, -5, -7]), size=np.array([3, 9, 9]), category=3, mask=0x8001)
    scene.events()
    scene.remove([0])
    assert scene.hash() == "d9e3bca90e8e00e09ab9462b503d8b6f"


@pytest.mark.without_jit
@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda scene: pickle.loads(pickle.dumps(scene))])
def test_copies_of_other_kinds_are_independent_too(how):
    scene = Scene()
    scene.add(np.array([0, 9, 50]), np.array([0, 5, 0]), size=10)
    scene.events(), scene.nearest(np.array([0]), np.array([0]))
    mark, other = scene.hash(), how(scene)
    assert other.hash() == mark and other.events().stay.tolist() == [[0, 1]]
    other.move([0], np.array([50]), np.array([3]))
    assert other.events().enter.tolist() == [[0, 2]] and scene.hash() == mark
    assert scene.pairs().tolist() == [[0, 1]] and other.add(np.array([1]), np.array([1]), size=1).tolist() == [3]


@pytest.mark.without_jit
def test_what_is_refused():
    scene, one = Scene(), np.array([1])
    scene.add(np.array([0, 9]), np.array([0, 0]), size=5)
    scene.move(np.array([1]), one * 9, one * 0)  # from now on compiled
    for call, message in (
        (lambda: scene.move(one * 2, one, one), r"ids\[0\] = 2: allowed ids of objects in the scene"),
        (lambda: scene.move(np.array([1, 1]), np.array([1, 2]), np.array([1, 2])), "ids of 2 objects: allowed each"),
        (lambda: scene.move(np.array([0, 1]), np.array([1, HIGH]), np.array([1, 2])), r"x\[1\] \+ size = 2147483652"),
        (lambda: scene.move(one, one.astype(np.uint64) * 2**63, one), r"x\[0\] = 9223372036854775808: allowed"),
        (lambda: scene.move([2], one, one), r"ids\[0\] = 2: allowed ids of objects in the scene"),
        (lambda: scene.remove([1, -1]), r"ids\[1\] = -1: allowed ids"),
        (lambda: scene.remove([1, 1]), "ids of 2 objects: allowed each one once"),
        (lambda: scene.remove([1.0]), r"ids are list: allowed integers\[k\]"),
        (lambda: scene.remove([[1], [1, 2]]), r"ids are list: allowed integers\[k\]"),
        (lambda: scene.move(one.astype(">i8"), one, one), r"ids are >i8\[1\]: allowed integers\[k\]"),
        (lambda: scene.move([0, 1], one, one), "x has length 1: allowed 2, as ids has"),
        (lambda: scene.move([0, 1], one, one, size=3), "x has length 1: allowed 2, as ids has"),
        (lambda: scene.move([0], one * HIGH, one), r"x\[0\] \+ size = 2147483652: allowed"),
        (lambda: scene.add(one, one, size=0), "size 0: allowed 1"),
        (lambda: scene.at_points(one, [1]), r"y is list: allowed integers\[n\]"),
        (lambda: scene.in_circles(one, one, radius=-1), "radius -1: allowed 0"),
        (lambda: scene.in_circles(one, one, radius=-one), r"radius\[0\] = -1: allowed 0"),
        (lambda: scene.cast(one * LOW, one, one * HIGH, one), r"x1\[0\] - x0\[0\] = 4294967295: allowed"),
        (lambda: scene.nearest(one, one, k=0), "k 0: allowed 1"),
        (lambda: Scene(closed="no"), "closed 'no': allowed False or True"),
    ):
        mark = scene.hash()
        with pytest.raises(ValueError, match=message):
            call()
        assert scene.hash() == mark
    assert (
        len(Scene()) == 0 and Scene().pairs().tolist() == [] and Scene().nearest(one, one, k=2).tolist() == [[-1, -1]]
    )


def test_more_than_there_is_room_for():
    scene, x = Scene(), np.zeros(6000, np.int32)
    scene.add(x, x, size=9)
    for call, message in (
        (scene.pairs, "this scene has 17997000 pairs: allowed 16777216; `chunks` makes them in parts"),
        (lambda: scene.at_points(x, x), "has 36000000 objects for these queries: allowed 16777216 in one call"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    assert len(next(scene.chunks(rows=1))) == 5999 and len(scene) == 6000


def sides_of(scene):
    boxes = scene.boxes()
    return [(x, y, x + w - 1, y + h - 1) for x, y, w, h in boxes.tolist()]


def points_near(rng, scene, count):
    """Return points inside, around and far away."""
    boxes = scene.boxes()[rng.integers(0, len(scene), count)]
    near = boxes[:, :2] + (rng.uniform(-0.5, 1.5, (count, 2)) * boxes[:, 2:]).astype(np.int64)
    near[:: max(1, count // 3)] = rng.choice([LOW, HIGH, 0], (len(near[:: max(1, count // 3)]), 2))
    return np.clip(near, LOW, HIGH)


@pytest.mark.first_case
@pytest.mark.parametrize("kind", KINDS)
def test_questions(kind):
    rng, found = np.random.default_rng(KINDS.index(kind)), 0
    for number in range(max(3, SCENES // 3)):
        scene = scene_of(random_world(rng, kind, int(rng.integers(1, limited(number, 60 if number % 3 else 200)))))
        scene.remove(rng.permutation(scene.ids)[: len(scene) // 5])  # numbers are not ids
        found += ask(rng, scene)
    assert found > 20


@pytest.mark.without_jit
def test_questions_without_the_compiler():
    rng = np.random.default_rng(7)
    for kind in ("mixed", "edges", "cluster"):
        ask(rng, scene_of(random_world(rng, kind, 12)))


def ask(rng, scene):
    """Ask all questions; return how many answers there were."""
    ids, boxes = scene.ids.tolist(), sides_of(scene)
    points = points_near(rng, scene, 12)
    x, y = points[:, 0].copy(), points[:, 1].copy()
    distances = [[oracle.squared_distance(box, *point) for box in boxes] for point in points.tolist()]

    def within(limits):
        return [[q, i] for q, row in enumerate(distances) for i, d in zip(ids, row) if d <= limits[q] ** 2]

    assert scene.at_points(x, y).tolist() == within([0] * 12)
    radii = np.minimum(HIGH, (2 ** rng.uniform(0, 31, 12)).astype(np.int64))
    expected = within(radii.tolist())
    assert scene.in_circles(x, y, radius=radii).tolist() == expected
    for k in (1, 4):
        ranked = [[i for d, i in sorted(zip(row, ids))][:k] + [-1] * (k - len(ids)) for row in distances]
        assert scene.nearest(x, y, k=k).tolist() == ranked
    other = Scene()
    room = np.minimum(1 + rng.integers(0, 200, 12), np.minimum(HIGH - x, HIGH - y) + 1)
    other.add(x, y, size=room)
    met = [
        [q, i]
        for q, (a, b, c, d) in enumerate(sides_of(other))
        for i, box in zip(ids, boxes)
        if a <= box[2] and c >= box[0] and b <= box[3] and d >= box[1]
    ]
    assert scene.in_boxes(x, y, size=room).tolist() == met
    agrees_with_groups(rng, scene, x, y, room)
    return len(expected) + ask_segments(scene, points // 2, np.roll(points, 5, axis=0) // 2)


def agrees_with_groups(rng, scene, x, y, size):
    """Compare all answers about boxes with those of `groups`, with words and without."""
    boxes, ids, all_words = scene.boxes(), scene.ids, scene._table[:, 5].astype(np.int64)
    given = (x, y, boxes[:, 0].copy(), boxes[:, 1].copy())
    options = {"size": size, "other": boxes[:, 2:].copy()}
    theirs = {"other_category": all_words >> 16 & 0xFFFF, "other_mask": all_words & 0xFFFF}
    mine = {"category": rng.integers(0, 4, len(x)), "mask": rng.integers(0, 4, len(x))}
    for words, others in (({}, {}), (mine, theirs)):
        listed = groups.pairs(*given, **options, **words, **others)
        assert scene.in_boxes(x, y, size=size, **words).tolist() == [[q, ids[i]] for q, i in listed.tolist()]
        for name in ("collided", "counts", "first"):
            expected = getattr(groups, name)(*given, **options, **words, **others)
            found = getattr(scene, f"{name.replace('collided', 'any')}_in_boxes")(x, y, size=size, **words)
            assert found.dtype == expected.dtype
            expected = [ids[f] if f >= 0 else -1 for f in expected] if name == "first" else expected.tolist()
            assert found.tolist() == expected


def ask_segments(scene, begins, ends):
    ids, boxes = scene.ids.tolist(), sides_of(scene)
    ends[:2] = begins[:2]
    ends[2, 0], ends[3, 1] = begins[2, 0], begins[3, 1]
    given = [column.copy() for column in (begins[:, 0], begins[:, 1], ends[:, 0], ends[:, 1])]
    times = [[oracle.entry(box, *segment) for box in boxes] for segment in np.hstack([begins, ends]).tolist()]
    expected = [[q, i, t] for q, row in enumerate(times) for i, t in zip(ids, row) if t is not None]
    crossings = scene.on_segments(*given)
    fractions = map(Fraction, crossings.numerator.tolist(), crossings.denominator.tolist())
    assert [[*row, t] for row, t in zip(crossings.rows.tolist(), fractions)] == expected
    by_id = dict(zip(ids, boxes))
    for (q, i, t), normal in zip(expected, crossings.normal.tolist()):
        point = [b + t * (e - b) for b, e in zip(begins[q].tolist(), ends[q].tolist())]
        assert (sum(map(abs, normal)) == 1) == (t > 0)
        for axis in (0, 1):  # on the side that faces the beginning
            if normal[axis]:
                assert point[axis] == by_id[i][axis if normal[axis] < 0 else axis + 2]
                assert (ends[q][axis] - begins[q][axis]) * normal[axis] < 0
    casts = scene.cast(*given)
    for q in range(len(begins)):
        hits = [(t, i) for query, i, t in expected if query == q]
        assert casts.hit[q] == min(hits, default=(0, -1))[1]
        if hits:
            assert Fraction(int(casts.numerator[q]), int(casts.denominator[q])) == min(hits)[0]
    return len(expected)
