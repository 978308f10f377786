"""The kernels are also plain Python: the same tests must hold with the compiler switched off."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILES = [
    HERE / "test_adversarial.py",
    HERE / "test_overlap.py::test_wraps_to_8_in_the_inline_16_bit_build_only",
    HERE / "test_overlap.py::test_most_negative_difference_collides_with_everything",
    HERE / "test_overlap.py::test_32_bit_scalars_wrap_alike_in_both_builds",
    HERE / "test_overlap.py::test_brute_force_shows_the_builds",
    HERE / "test_random_scenes.py::test_two_hundred_objects",
    HERE / "test_examples.py",
    HERE / "test_touching.py",
    HERE / "test_boxes.py::test_every_relative_position",
    HERE / "test_boxes.py::test_the_edges_of_the_range",
    HERE / "test_compound.py::test_the_edges_of_the_range",
    HERE / "test_masks.py::test_widths_at_the_edges_of_words",
    HERE / "test_masks.py::test_shifts",
    HERE / "test_masks.py::test_the_edges_of_the_range",
    HERE / "test_plane.py::test_the_corners_of_the_plane",
    HERE / "test_lanes.py",
    HERE / "test_batch.py::test_out_is_used",
    HERE / "test_sectors.py::test_out_is_filled_and_returned",
    HERE / "test_blocks.py::test_touching_across_a_border_of_blocks",
    HERE / "test_spheres.py::test_the_edges_of_the_range",
    HERE / "test_rectangles.py::test_figure_11_nested",
    HERE / "test_rectangles.py::test_figure_12_cross",
    HERE / "test_rectangles.py::test_quarter_turns_are_exact",
    HERE / "test_rectangles.py::test_pairs_are_the_hits_of_all",
    HERE / "test_objects.py::test_the_edges_of_the_range",
    HERE / "test_objects.py::test_square_root_is_the_same_at_every_distance",
    HERE / "test_bitmap.py::test_beyond_the_edges_is_nothing",
    HERE / "test_swept.py::test_tunnelling",
    HERE / "test_swept.py::test_pairs_are_the_hits_of_all",
    HERE.parent / "numeric",
    HERE.parent / "scenarios" / "test_sectors.py::test_frames_are_those_of_the_reference",
]


def test_same_results_without_jit():
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        pytest.skip("already running without JIT")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, FILES)],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        cwd=HERE.parent.parent,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    assert " passed" in run.stdout and "warning" not in run.stdout
