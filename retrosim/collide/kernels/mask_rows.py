"""The inner loops of the pixel-mask test (Mackey 1995), each in the registers of one kind of machine.

The left sprite's rows start `shift` pixels further left than the right sprite's; both are rows of 32-bit words, the
leftmost pixel in bit 31. Common arguments:

    words        uint32[t]  all masks
    left, right  (int, int) where the first common row of the left and of the right sprite begins; words per row
    rows         int        rows in common, 1 or more
    shift        int        0 up to, not including, the left sprite's width: 32 at once is never asked of a dword
"""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel


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
