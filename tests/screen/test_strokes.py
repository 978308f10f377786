"""Lines, circles and boxes against loops over pixels, across all four edges of the image."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from retrosim.screen.overlay import (
    circle_offsets,
    circle_pixels,
    clear_overlay,
    frame_boxes,
    line_pixels,
    plot,
    polygon_lines,
)

INK = (1, 2, 3, 255)
ACROSS, DOWN = st.integers(-700, 1400), st.integers(-600, 1100)
POINTS = st.tuples(ACROSS, DOWN)
RECTS = st.tuples(ACROSS, DOWN, st.integers(1, 900), st.integers(1, 900))


def bresenham(start, stop):
    """Return the pixels one after the other, by an error that grows."""
    (x, y), (end_x, end_y) = start, stop
    width, height = abs(end_x - x), abs(end_y - y)
    step_x, step_y = (1 if end_x >= x else -1), (1 if end_y >= y else -1)
    long, short = max(width, height), min(width, height)
    pixels, error = [(x, y)], long
    for _ in range(long):
        error += 2 * short
        aside = error >= 2 * long
        error -= 2 * long * aside
        x += step_x * (width >= height or aside)
        y += step_y * (height > width or aside)
        pixels.append((x, y))
    return pixels


def seen(pixels):
    return {(x, y) for x, y in pixels if 0 <= x < 640 and 0 <= y < 480}


def drawn(overlay):
    assert ((overlay == 0) | (overlay == INK)).all()
    return {(int(x), int(y)) for y, x in np.argwhere(overlay[..., 3])}


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.lists(st.tuples(POINTS, POINTS), max_size=6), st.integers(1, 4))
def test_lines_are_bresenhams_and_end_at_the_edges(lines, every):
    start, stop = (np.array([line[end] for line in lines], int).reshape(-1, 2) for end in (0, 1))
    x, y, line = line_pixels(start, stop, every)
    for number, ends in enumerate(lines):
        found = list(zip(x[line == number].tolist(), y[line == number].tolist()))
        wanted = bresenham(*ends)[::every]
        assert [p for p in found if seen([p])] == [p for p in wanted if seen([p])], "in order"
        assert set(found) <= set(wanted) and all(-2 < x < 640 and -2 < y < 480 for x, y in found)


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.lists(POINTS, max_size=20), st.integers(1, 2))
def test_pens_reach_in_from_outside(points, pen):
    overlay = clear_overlay()
    plot(overlay, *np.array(points, int).reshape(-1, 2).T, INK, pen)
    assert drawn(overlay) == seen((x + i, y + j) for x, y in points for i in range(pen) for j in range(pen))


def test_a_thick_line_along_the_left_edge():
    overlay = clear_overlay()
    x, y, _ = line_pixels(np.array([[-1, -5]]), np.array([[-1, 500]]))
    plot(overlay, x, y, INK, 2)
    assert drawn(overlay) == {(0, y) for y in range(480)}


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.lists(RECTS, max_size=4), st.integers(1, 3), st.integers(1, 3))
def test_frames_lie_just_inside_of_boxes(rects, pen, every):
    boxes = [(left, top, left + width, top + height) for left, top, width, height in rects]
    overlay, wanted = clear_overlay(), set()
    frame_boxes(overlay, np.array(boxes, int).reshape(-1, 4), INK, pen, every)
    for left, top, right, bottom in boxes:
        rows = {*range(top, min(top + pen, bottom)), *range(max(bottom - pen, top), bottom)}
        columns = {*range(left, min(left + pen, right)), *range(max(right - pen, left), right)}
        wanted |= {(x, y) for y in rows for x in range(left, right, every)}
        wanted |= {(x, y) for x in columns for y in range(top, bottom, every)}
    assert drawn(overlay) == seen(wanted)


def test_circles_are_round():
    """Each eighth has the nearest pixel in every row, and all eight are the same."""
    for radius in range(60):
        points = {tuple(point) for point in circle_offsets(radius).tolist()}
        assert len(points) == len(circle_offsets(radius))
        assert points == {(y, x) for x, y in points} == {(-x, y) for x, y in points}
        nearest = {y: round((radius * radius - y * y) ** 0.5) for y in range(radius + 1)}
        assert {y: x for x, y in points if 0 <= y <= x} == {y: x for y, x in nearest.items() if y <= x}


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.lists(st.tuples(ACROSS, DOWN, st.integers(0, 400)), max_size=5))
def test_circles_end_at_the_edges(circles):
    x, y = circle_pixels(np.array(circles, int).reshape(-1, 3))
    wanted = {(cx + dx, cy + dy) for cx, cy, r in circles for dx, dy in circle_offsets(r).tolist()}
    assert seen(zip(x.tolist(), y.tolist())) == seen(wanted)


def test_edges_of_polygons_close():
    start, stop = polygon_lines(np.array([[[0, 0], [4, 0], [4, 3], [0, 3]]]))
    assert start.tolist() == [[0, 0], [4, 0], [4, 3], [0, 3]] and stop.tolist() == [[4, 0], [4, 3], [0, 3], [0, 0]]
