"""Moving pictures: read back by Pillow and FFmpeg, pixel by pixel and second by second."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from retrosim.errors import RetrosimError
from retrosim.screen.framebuffer import macintosh_palette
from retrosim.window.clip import MAX_PICTURES, Picture, check_clip, write_clip

SECONDS = [Fraction(2, 60), Fraction(1, 3), Fraction(2, 60), Fraction(5, 60)]


def pictures(colours: bool = False):
    """Yield pictures of one array, changed in between, as a machine's screen is."""
    screen, palette = np.zeros((48, 64), np.uint8), macintosh_palette()
    for number, seconds in enumerate(SECONDS):
        screen[8 * number : 8 * number + 8, 10:30] = 35 + number
        yield Picture(palette[screen] if colours else screen, None if colours else palette, seconds)


def seen(picture: Picture) -> np.ndarray:
    return picture.pixels if picture.palette is None else picture.palette[picture.pixels]


@pytest.mark.parametrize("colours", [False, True])
@pytest.mark.parametrize("ending", ["gif", "apng"])
def test_pillow_reads_what_was_shown(tmp_path, ending, colours):
    image = pytest.importorskip("PIL.Image", reason="Pillow, of the extra retrosim[clips], is not installed")
    path = tmp_path / f"a.{ending}"
    assert write_clip(path, pictures(colours)) == len(SECONDS)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    with image.open(path) as clip:
        shown = 0
        for number, picture in enumerate(pictures(colours)):
            clip.seek(number)
            found = np.asarray(clip.convert("RGB")).astype(int)
            assert np.abs(found - seen(picture)).max() <= (3 if colours and ending == "gif" else 0)
            shown += clip.info["duration"]
    assert shown == pytest.approx(1000 * sum(SECONDS), abs=6)


def test_ffmpeg_reads_what_was_shown(tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg, of retrosim[clips], is not installed")
    path = tmp_path / "a.mp4"
    assert write_clip(path, pictures()) == len(SECONDS)
    reader = ffmpeg.read_frames(str(path))
    about = next(reader)
    films = [np.frombuffer(each, np.uint8).reshape(48, 64, 3).astype(int) for each in reader]
    assert about["size"] == (64, 48) and len(films) == round(sum(SECONDS) * 30)
    last = list(pictures())[-1]
    assert np.abs(films[-1] - seen(last)).mean() < 12  # it is compressed


@pytest.mark.parametrize(
    ("name", "count", "message"),
    [
        ("a.avi", 1, r"a clip is one of .gif, .apng, .mp4"),
        ("a.gif", MAX_PICTURES + 1, r"1,201 pictures, a gif has 1,200 at most: fewer with --every or --frames"),
        ("a.mp4", 0, "there is no frame to show"),
        ("no/a.mp4", 10**6, "there is no folder"),
        ("b.gif", 1, "exists already"),
    ],
)
def test_refusals(tmp_path, name, count, message):
    (tmp_path / "b.gif").write_bytes(b"mine")
    with pytest.raises(RetrosimError, match=message):
        check_clip(tmp_path / name, count)
    assert (tmp_path / "b.gif").read_bytes() == b"mine"


def test_nothing_stays_of_a_clip_that_fails(tmp_path):
    pytest.importorskip("PIL.Image", reason="Pillow, of the extra retrosim[clips], is not installed")

    def failing():
        yield next(pictures())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_clip(tmp_path / "a.gif", failing())
    assert not list(tmp_path.iterdir())
