"""The inner loops of the mask test (document 001), each in the registers of one kind of machine.

The left sprite's rows start `shift` pixels further left than the right sprite's; both are rows of 32-bit words, the
leftmost pixel in bit 31. Common arguments:

    words         uint32[t]  all masks
    left, right   int        where the first common row of the left and of the right sprite begins
    across_..     int        words per row
    rows          int        rows in common, 1 or more
    shift         int        0 up to, not including, the left sprite's width: a shift of 32 is never asked of a dword
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
    high, wide = pixels.shape
    for row in range(high):
        for word in range(words.shape[1]):
            bits = 0
            for column in range(word * 32, word * 32 + 32):
                bits <<= 1
                if column < wide and pixels[row, column] != 0:
                    bits |= 1
            words[row, word] = bits


@kernel
def word_at(words, index):
    """Return a word as a signed number wide enough for the shifts here."""
    return np.int64(words[index])


@kernel
def common_dword(words, left, right, rows, shift):
    """Tell whether sprites of up to 32 pixels have a pixel in common: MOV, SHL, AND for each row.

    Source  Mackey 1995, the algorithm
    """
    for row in range(rows):  # noqa: SIM110 (a generator is nothing for a kernel)
        if (word_at(words, left + row) << shift) & word_at(words, right + row) != 0:
            return True
    return False


@kernel
def common_word(words, left, right, rows, shift):
    """Tell the same in 16-bit registers: two of them per row, the bits between them carried by hand."""
    for row in range(rows):
        upper, lower = word_at(words, left + row) >> 16, word_at(words, left + row) & 0xFFFF
        count = shift
        if count >= 16:
            upper, lower, count = lower, 0, count - 16
        upper = (upper << count | lower >> (16 - count)) & 0xFFFF
        lower = (lower << count) & 0xFFFF
        other = word_at(words, right + row)
        if (upper & other >> 16) | (lower & other & 0xFFFF) != 0:
            return True
    return False


@kernel
def common_qword(words, left, across_left, right, across_right, rows, shift):
    """Tell the same for sprites of up to 64 pixels: two 32-bit registers shifted together, as SHLD and SHL do."""
    for _ in range(rows):
        upper, lower, other = word_at(words, left), 0, 0
        if across_left == 2:
            lower = word_at(words, left + 1)
        if across_right == 2:
            other = word_at(words, right + 1)
        count = shift
        if count >= 32:
            upper, lower, count = lower, 0, count - 32
        upper = (upper << count | lower >> (32 - count)) & 0xFFFFFFFF
        lower = (lower << count) & 0xFFFFFFFF
        if (upper & word_at(words, right)) | (lower & other) != 0:
            return True
        left += across_left
        right += across_right
    return False


@kernel
def common_parts(words, left, across_left, right, across_right, rows, shift):
    """Tell the same for any width: each part of 32 pixels of one sprite with each part of the other."""
    for i in range(across_left):
        for j in range(across_right):
            count = shift + 32 * (j - i)  # pixels from this part of the left sprite to that part of the right one
            for row in range(rows):
                ours, theirs = (
                    word_at(words, left + row * across_left + i),
                    word_at(words, right + row * across_right + j),
                )
                if 0 <= count < 32 and (ours << count) & theirs != 0:
                    return True
                if -32 < count < 0 and ours & (theirs << -count) != 0:
                    return True
    return False


@kernel
def shifted_word(words, left, across_left, index, shift):
    """Return word `index` of a row shifted left by any number of bits."""
    word, count = index + (shift >> 5), shift & 31
    bits = 0
    if word < across_left:
        bits = word_at(words, left + word) << 32
    if word + 1 < across_left:
        bits |= word_at(words, left + word + 1)
    return (bits << count >> 32) & 0xFFFFFFFF


@kernel
def common_long(words, left, across_left, right, across_right, rows, shift):
    """Return the first common row of sprites of any width with a pixel in common, or -1."""
    for row in range(rows):
        for word in range(across_right):
            if shifted_word(words, left, across_left, word, shift) & word_at(words, right + word) != 0:
                return row
        left += across_left
        right += across_right
    return -1


@kernel
def contact_in_row(words, left, across_left, right, across_right, shift):
    """Return the column of the leftmost common pixel of one row, from the right sprite's left edge; there is one."""
    for word in range(across_right):
        common = shifted_word(words, left, across_left, word, shift) & word_at(words, right + word)
        if common != 0:
            column = word * 32
            while common & 0x80000000 == 0:
                common <<= 1
                column += 1
            return column
    return -1
