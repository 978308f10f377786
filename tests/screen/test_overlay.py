from dataclasses import replace

import numpy as np
import pytest

from retrosim.screen.framebuffer import macintosh_palette
from retrosim.screen.overlay import (
    BLUE,
    COUNTS,
    DOT_PITCH,
    INK,
    ON_DARK,
    ON_LIGHT,
    RED,
    View,
    circle_offsets,
    clear_overlay,
    draw_grid,
    draw_over,
    draw_shapes,
    draw_tag,
    draw_view,
    grid_text,
    inks_for,
    shapes_text,
)
from retrosim.screen.shapes import CellGrid, Shapes
from tests.helpers.screen.overlay_pixels import has_text, where


def grid(left=0, top=0, counts=()):
    table = np.zeros((11, 9), int)
    for column, row, count in counts:
        table[column, row] = count
    return CellGrid("squares", left, top, 64, table)


def shapes(objects, hit=(), **rows):
    """Shapes of so many objects, with centres at (100, 100), (200, 100), .."""
    centres = np.array([(100 * (i + 1), 100) for i in range(objects)], np.int32).reshape(-1, 2)
    flags = np.isin(np.arange(objects), hit)
    return Shapes(flags, centres, **{name: np.array(row, np.int32) for name, row in rows.items()})


@pytest.mark.parametrize("x_shift, y_shift", [(0, 0), (0, 32), (32, 0), (32, 32)])
def test_grid_lines_are_the_borders_of_the_squares(x_shift, y_shift):
    overlay = clear_overlay()
    draw_grid(overlay, grid(-x_shift, -y_shift), ON_LIGHT)
    blue = where(overlay, BLUE)
    assert [x for x in range(640) if blue[:, x].all()] == [x for x in range(1, 640) if (x + x_shift) % 64 == 0]
    assert [y for y in range(480) if blue[y].all()] == [y for y in range(1, 480) if (y + y_shift) % 64 == 0]


def test_grid_counts_objects_and_pair_tests():
    overlay = clear_overlay()
    squares = grid(counts=[(1, 1, 3), (4, 4, 1), (9, 7, 12)])
    draw_grid(overlay, squares, ON_LIGHT)
    seen = Shapes(np.zeros(3, bool), np.zeros((3, 2), np.int32), grids=(squares,))
    assert grid_text(squares, seen) == "squares: 69 pair tests"
    twice = replace(seen, grids=(squares, squares))
    assert grid_text(squares, twice) == "squares: 69 pair tests of 138 in 2 grids"
    assert has_text(overlay[60:80, 60:80], "3", BLUE) and has_text(overlay[445:, 570:], "12", BLUE)
    assert not where(overlay, BLUE)[258:266, 258:266].any(), "a square of one object costs nothing and has no number"


def test_a_grid_that_a_scenario_does_not_have_is_not_drawn():
    seen = shapes(1)
    assert not draw_view(seen, View(grid=0), ON_LIGHT).any()
    squares = Shapes(seen.hit, seen.centres, grids=(grid(),))
    assert where(draw_view(squares, View(grid=0), ON_LIGHT), BLUE)[300, 64]
    assert not draw_view(squares, View(grid=1), ON_LIGHT).any()


BOXES = [[0, 100, 100, 130, 130], [1, 110, 110, 140, 140], [2, 300, 300, 330, 330]]


def test_boxes_of_hit_objects_are_thick_and_joined_the_others_thin():
    centres = np.array([[115, 115], [125, 125], [315, 315]], np.int32)
    seen = Shapes(np.array([True, True, False]), centres, boxes=np.array(BOXES), hits=np.array([[0, 1]]))
    overlay = draw_view(seen, View(shapes=True), ON_LIGHT)
    red, blue = where(overlay, RED), where(overlay, BLUE)
    assert red[100:102, 100:110].all() and red[110:130, 138:140].all()
    assert all(red[d, d] and red[d, d + 1] and red[d + 1, d] for d in range(115, 126)), "a line joins the centres"
    assert blue[300, 300:330].all() and blue[300:330, 329].all() and not overlay[302:328, 302:328].any()
    assert shapes_text(seen, View(True)) == "2 objects hit (thick), 1 pair hit (solid line)"


def test_boxes_at_the_border_stay_on_the_screen():
    overlay = clear_overlay()
    rows = [[0, 610, 450, 640, 480], [1, 639, 470, 669, 500], [2, -9, -9, 21, 21]]
    draw_shapes(overlay, shapes(3, [0, 1], boxes=rows, hits=[[0, 1]]), ON_LIGHT)
    assert where(overlay, RED)[450, 610:640].all() and where(overlay, BLUE)[20, :21].all()


def test_what_was_tested_is_dotted_and_on_request():
    seen = shapes(2, tested=[[0, 1]])
    assert not draw_view(seen, View(shapes=True), ON_LIGHT)[:460].any()
    dots = where(draw_view(seen, View(tested=True), ON_LIGHT), ON_LIGHT.tested)
    assert np.argwhere(dots).tolist() == [[100, x] for x in range(100, 201, DOT_PITCH)]
    assert shapes_text(seen, View(tested=True)) == "1 pair tested (dotted line)"
    by_grids = replace(seen, grids=(grid(counts=[(1, 1, 2)]), grid(counts=[(1, 1, 2), (2, 2, 2)])))
    assert shapes_text(by_grids, View(tested=True)) == "1 pair tested (dotted line) in 3 tests"


def test_the_numbers_of_a_grid_have_a_legend_that_is_right():
    squares = grid(counts=[(1, 1, 2)])
    seen = Shapes(np.zeros(2, bool), np.zeros((2, 2), np.int32), grids=(squares,))
    assert has_text(draw_view(seen, View(grid=0), ON_LIGHT), COUNTS, BLUE)
    for objects, tests in ((2, 1), (3, 3), (4, 6)):
        assert f"{objects} make {tests}" in COUNTS and grid(counts=[(1, 1, objects)]).tests == tests


@pytest.mark.parametrize("fine", ["polygons", "circles", "outlines"])
def test_a_box_of_an_object_with_a_finer_shape_is_dotted(fine):
    square = [0, 150, 150, 160, 150, 160, 160, 150, 160]
    row = {"polygons": square, "circles": [0, 150, 150, 9], "outlines": [0, 150, 150]}
    overlay = clear_overlay()
    draw_shapes(overlay, shapes(1, boxes=BOXES[:1], **{fine: [row[fine]]}), ON_LIGHT)
    blue = where(overlay, BLUE)
    assert blue[100, 100:130:2].all() and not blue[100, 101:128:2].any()
    wanted = {"polygons": 40, "circles": len(circle_offsets(9)), "outlines": 1}
    assert where(overlay, ON_LIGHT.fine).sum() == wanted[fine]


def test_polygons_and_circles_of_hit_objects_are_thick_but_outlines_leave_that_to_the_box():
    overlay = clear_overlay()
    rows = {"polygons": [[0, 50, 50, 90, 50, 90, 90, 50, 90]], "circles": [[1, 200, 50, 9]], "outlines": [[2, 300, 60]]}
    draw_shapes(overlay, shapes(3, [0, 1, 2], boxes=[[2, 290, 50, 310, 70]], **rows), ON_LIGHT)
    red = where(overlay, RED)
    assert red[50:52, 50:92].all() and red[41:43, 200].all()
    assert red[60, 300] and not red[60, 301] and red[50:52, 290:310].all() and red[50:70, 308:310].all()


def test_paths_are_dotted_even_when_hit():
    for hit, ink in (((), ON_DARK.fine), ((0,), ON_DARK.hit)):
        overlay = clear_overlay()
        draw_shapes(overlay, shapes(1, hit, paths=[[0, 40, 50, 60, 50, 60, 51, 40, 51]]), ON_DARK)
        assert where(overlay, ink)[50].nonzero()[0].tolist() == list(range(40, 61, DOT_PITCH))


def test_inks_can_be_seen_on_the_picture():
    palette = macintosh_palette()
    assert inks_for(np.full((480, 640), 0, np.uint8), palette) is ON_LIGHT
    assert inks_for(np.full((480, 640), 255, np.uint8), palette) is ON_DARK
    colours = {tuple(colour) for colour in palette.tolist()}
    for inks in (ON_LIGHT, ON_DARK):
        assert {ink[:3] for ink in vars(inks).values()} <= colours, "period colours"


def test_tags_stay_inside_the_image():
    overlay = clear_overlay()
    draw_tag(overlay, 630, 475, "Corner")
    assert has_text(overlay, "Corner", INK)


def test_a_picture_has_the_overlay_where_there_is_one():
    pixels, palette, seen = np.full((480, 640), 7, np.uint8), macintosh_palette(), shapes(2, tested=[[0, 1]])
    view = View(shapes=True, tested=True)
    overlay = draw_view(seen, view, inks_for(pixels, palette))
    covered = overlay[..., 3] != 0
    drawn = draw_over(pixels, palette, seen, view)
    assert drawn.shape == (480, 640, 3) and drawn.dtype == np.uint8
    assert (drawn[covered] == overlay[covered][:, :3]).all() and covered.any()
    assert (drawn[~covered] == palette[7]).all()
