"""The pixel-mask test of Mackey 1995; see `retrosim.collide.masks`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel

# The inner loops of the pixel-mask test (Mackey 1995), each in the registers of one kind of machine.
#
# The left sprite's rows start `shift` pixels further left than the right sprite's; both are rows of 32-bit words, the
# leftmost pixel in bit 31. Common arguments:
#
#     words        uint32[t]  all masks
#     left, right  (int, int) where the first common row of the left and of the right sprite begins; words per row
#     rows         int        rows in common, 1 or more
#     shift        int        0 up to, not including, the left sprite's width: 32 at once is never asked of a dword


@kernel
def make_words(pixels, words):
    """Write the mask of an image.

    pixels  uint8[h, w]   colours, 0 is transparent
    words   uint32[h, n]  output, n = w / 32 rounded up
    Source  Mackey 1995, MakeMask
    """
    height, width = pixels.shape
    for row in range(height):
        for word in range(words.shape[1]):
            bits = 0
            for column in range(word * 32, word * 32 + 32):
                bits <<= 1
                if column < width and pixels[row, column] != 0:
                    bits |= 1
            words[row, word] = bits


@kernel
def word_at(words, index):
    """Return a word as a signed number that has bits enough for the shifts here."""
    return np.int64(words[index])


@kernel
def is_common_dword(words, left, right, rows, shift):
    """Tell whether sprites of up to 32 pixels have a pixel in common: MOV, SHL, AND for each row.

    Source  Mackey 1995, the algorithm
    """
    for row in range(rows):  # noqa: SIM110 (kernels have no generators)
        if (word_at(words, left[0] + row) << shift) & word_at(words, right[0] + row) != 0:
            return True
    return False


@kernel
def is_common_word(words, left, right, rows, shift):
    """Tell the same in 16-bit registers: two of them per row, the bits between them carried by hand."""
    for row in range(rows):
        upper, lower = word_at(words, left[0] + row) >> 16, word_at(words, left[0] + row) & 0xFFFF
        count = shift
        if count >= 16:
            upper, lower, count = lower, 0, count - 16
        upper = (upper << count | lower >> (16 - count)) & 0xFFFF
        lower = (lower << count) & 0xFFFF
        theirs = word_at(words, right[0] + row)
        if (upper & theirs >> 16) | (lower & theirs & 0xFFFF) != 0:
            return True
    return False


@kernel
def is_common_qword(words, left, right, rows, shift):
    """Tell the same for sprites of up to 64 pixels: two 32-bit registers shifted together, as SHLD and SHL do."""
    at_left, at_right = left[0], right[0]
    for _ in range(rows):
        upper, lower, theirs = word_at(words, at_left), 0, 0
        if left[1] == 2:
            lower = word_at(words, at_left + 1)
        if right[1] == 2:
            theirs = word_at(words, at_right + 1)
        count = shift
        if count >= 32:
            upper, lower, count = lower, 0, count - 32
        upper = (upper << count | lower >> (32 - count)) & 0xFFFFFFFF
        lower = (lower << count) & 0xFFFFFFFF
        if (upper & word_at(words, at_right)) | (lower & theirs) != 0:
            return True
        at_left += left[1]
        at_right += right[1]
    return False


@kernel
def is_common_parts(words, left, right, rows, shift):
    """Tell the same for any width: each part of 32 pixels of one sprite with each part of the other."""
    for i in range(left[1]):
        for j in range(right[1]):
            count = shift + 32 * (j - i)  # pixels from this part of the left sprite to that part of the right one
            for row in range(rows):
                ours = word_at(words, left[0] + row * left[1] + i)
                theirs = word_at(words, right[0] + row * right[1] + j)
                if 0 <= count < 32 and (ours << count) & theirs != 0:
                    return True
                if -32 < count < 0 and ours & (theirs << -count) != 0:
                    return True
    return False


@kernel
def shifted_word(words, left, index, shift):
    """Return word `index` of a row shifted left by any number of bits."""
    word, count = index + (shift >> 5), shift & 31
    bits = 0
    if word < left[1]:
        bits = word_at(words, left[0] + word) << 32
    if word + 1 < left[1]:
        bits |= word_at(words, left[0] + word + 1)
    return (bits << count >> 32) & 0xFFFFFFFF


@kernel
def first_common_row(words, left, right, rows, shift):
    """Return the first common row of sprites of any width with a pixel in common, or -1."""
    at_left, at_right = left[0], right[0]
    for row in range(rows):
        for word in range(right[1]):
            if shifted_word(words, (at_left, left[1]), word, shift) & word_at(words, at_right + word) != 0:
                return row
        at_left += left[1]
        at_right += right[1]
    return -1


@kernel
def first_common_column(words, left, right, shift):
    """Return the column of the leftmost common pixel of one row, from the right sprite's left side, or -1."""
    for word in range(right[1]):
        common = shifted_word(words, left, word, shift) & word_at(words, right[0] + word)
        if common != 0:
            column = word * 32
            while common & 0x80000000 == 0:
                common <<= 1
                column += 1
            return column
    return -1


METHODS = ("any", "dword", "qword", "word", "parts")


class Masks(NamedTuple):
    """Sprites as bits: rows of 32-bit words, leftmost pixel in bit 31, 1 where a pixel is opaque, unused bits 0.

    words          uint32[t]  all rows of all sprites, one after the other
    first          int32[k]   where each sprite's words begin
    words_per_row  int32[k]
    width, height  int32[k]   pixels
    """

    words: np.ndarray
    first: np.ndarray
    words_per_row: np.ndarray
    width: np.ndarray
    height: np.ndarray


@kernel
def sprite_of(first, words_per_row, width, height, i):
    """Return sprite `i` as the tuple that tests take: the columns of `Masks` after the first."""
    return first[i], words_per_row[i], width[i], height[i]


@kernel
def is_common(words, a, b, dx, dy, method):
    """Tell whether two sprites have an opaque pixel in common.

    words    uint32[t]  of `Masks`
    a, b     tuple      see `sprite_of`
    dx, dy   int        pixels from the upper-left corner of `a` to that of `b`
    method   int        index into METHODS, one that takes sprites as wide as these
    Source   Mackey 1995, the test; the bounding boxes are compared first, as its caller must
    """
    if dx < 0:
        a, b, dx, dy = b, a, -dx, -dy
    top_a, top_b = max(dy, 0), max(-dy, 0)  # first rows in common
    rows = min(a[3] - top_a, b[3] - top_b)
    if dx >= a[2] or rows <= 0:
        return False
    left, right = (a[0] + top_a * a[1], a[1]), (b[0] + top_b * b[1], b[1])
    if method == 1:
        return is_common_dword(words, left, right, rows, dx)
    if method == 2:
        return is_common_qword(words, left, right, rows, dx)
    if method == 3:
        return is_common_word(words, left, right, rows, dx)
    if method == 4:
        return is_common_parts(words, left, right, rows, dx)
    return first_common_row(words, left, right, rows, dx) >= 0


@kernel
def mark_pairs(masks, placed, pairs, method, out):
    """Write 1 for each listed pair of objects with a pixel in common, else 0; arguments as for `is_common`.

    placed  Placed       the objects
    pairs   int32[m, 2]  indices of objects
    out     uint8[m]     output
    """
    words, first, across, width, height = masks
    shape, x, y = placed
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        dx, dy = int(x[b]) - int(x[a]), int(y[b]) - int(y[a])
        one, two = sprite_of(first, across, width, height, shape[a]), sprite_of(first, across, width, height, shape[b])
        out[p] = is_common(words, one, two, dx, dy, method)


@kernel
def find_row(words, a, b, dx, dy, after):
    """Return the first row from `after` on with a common pixel, and where that pixel is; or -1 and 0; as `is_common`.

    after    int       first row to look at, counted from the lower one of the two upper sides
    Returns  int, int  row, counted like `after`; pixels from the right sprite's left side
    """
    if dx < 0:
        a, b, dx, dy = b, a, -dx, -dy
    top_a, top_b = max(dy, 0) + after, max(-dy, 0) + after
    rows = min(a[3] - top_a, b[3] - top_b)
    if dx >= a[2] or rows <= 0:
        return -1, 0
    left, right = a[0] + top_a * a[1], b[0] + top_b * b[1]
    row = first_common_row(words, (left, a[1]), (right, b[1]), rows, dx)
    if row < 0:
        return -1, 0
    left += row * a[1]
    right += row * b[1]
    return after + row, first_common_column(words, (left, a[1]), (right, b[1]), dx)


@kernel
def list_contacts(masks, placed, pairs, out):
    """Write for each listed pair whether it collides, and the first common pixel; arguments as for `mark_pairs`.

    out  int32[m, 3]  output: 1 or 0, x, y; topmost row, leftmost pixel in it
    """
    words, first, across, width, height = masks
    shape, x, y = placed
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        dx, dy = int(x[b]) - int(x[a]), int(y[b]) - int(y[a])
        one, two = sprite_of(first, across, width, height, shape[a]), sprite_of(first, across, width, height, shape[b])
        row, column = find_row(words, one, two, dx, dy, 0)
        out[p, 0] = row >= 0
        out[p, 1] = max(int(x[a]), int(x[b])) + column if row >= 0 else 0
        out[p, 2] = max(int(y[a]), int(y[b])) + row if row >= 0 else 0


class Placed(NamedTuple):
    """Objects with sprites.

    shape  int32[n]              which sprite each object looks like
    x, y   int16[n] or int32[n]  upper-left corners, pixels
    """

    shape: np.ndarray
    x: np.ndarray
    y: np.ndarray


@kernel
def first_misplaced(first, across, height, cells):
    """Return the index of the first sprite that is not all in its table, or -1.

    first   int32[k]  where each sprite begins
    across  int32[k]  words or pixels per row
    height  int32[k]  rows
    cells   int       words or pixels of the table
    """
    for i in range(len(first)):
        begin, row, rows = np.int64(first[i]), np.int64(across[i]), np.int64(height[i])
        if begin < 0 or row < 1 or rows < 1 or begin + row * rows > cells:
            return i
    return -1
