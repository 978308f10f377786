import numpy as np

from retrosim.screen.palette import BLACK, RED, WHITE, macintosh_palette

KNOWN = {
    WHITE: "FFFFFF",
    1: "FFFFCC",
    5: "FFFF00",
    6: "FFCCFF",
    RED: "FF0000",
    36: "CCFFFF",
    214: "000033",
    215: "EE0000",
    224: "110000",
    225: "00EE00",
    234: "001100",
    235: "0000EE",
    244: "000011",
    245: "EEEEEE",
    249: "888888",
    254: "111111",
    BLACK: "000000",
}


def test_known_entries_of_the_macintosh_colour_table():
    palette = macintosh_palette()
    assert palette.shape == (256, 3) and palette.dtype == np.uint8
    assert {index: palette[index].tobytes().hex().upper() for index in KNOWN} == KNOWN


def test_every_colour_stands_once():
    assert len(np.unique(macintosh_palette(), axis=0)) == 256


def test_cube_formula():
    palette, levels = macintosh_palette(), (0xFF, 0xCC, 0x99, 0x66, 0x33, 0)
    for index in range(215):
        wanted = levels[index // 36], levels[index // 6 % 6], levels[index % 6]
        assert tuple(palette[index]) == wanted, index
