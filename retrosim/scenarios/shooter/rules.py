"""The scenario of the `shooter` ROM as kernels: the same integers in the same order as its machine code.

objects  Objects
words    int64[15]    frame counter, random state, input of the frame before, and the game's own from SCORE on
homes    int32[3, m]  of each alien: its place in the formation, and how far above it a wave begins, Q11.5
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.collide.kernels.documents.objects import (
    ALIEN,
    DETECT_ALL,
    DETECT_NONE,
    DETECT_SHIP,
    MISSILE,
    SHIP,
    scan_objects,
)
from retrosim.jit import kernel
from retrosim.numeric.fixed import to_pixels, to_q5
from retrosim.screen.framebuffer import HEIGHT, WIDTH

from ..random import random_below, random_bits
from ..scenario import DOWN, FIRE, FRAME, LEFT, PAD_BEFORE, RANDOM, RIGHT, UP

TOP = 28  # of the field, pixels
TOP_Q5, HEIGHT_Q5 = TOP << 5, HEIGHT << 5
STARS = 80
FIRST_SHOT, FIRST_BOMB, FIRST_ALIEN = 1, 5, 13
PX, PY, VX, VY = range(4)
HOLDING, DIVING, COMING = range(3)
TASK, BURST = range(2)
SCORE, BEST, WAVE, SHIPS, PLAYING, SWAY, SWAY_STEP, DIVE_WAIT, BOMB_WAIT, RELOAD, SHIELD, PAUSE = range(3, 15)
WORDS = 15
FIGHTER, SHOT, BOMB, CAPTAIN, HORNET, GRUB = range(6)  # roles
TYPES = (SHIP, MISSILE, MISSILE, ALIEN, ALIEN, ALIEN)
DETECTIONS = (DETECT_ALL, DETECT_ALL, DETECT_SHIP, DETECT_SHIP, DETECT_SHIP, DETECT_SHIP)
POINTS = (0, 0, 0, 3, 2, 1)  # tens

COLUMNS, COLUMN_PITCH, ROW_PITCH, FORMATION_TOP = 10, 44, 34, 46
ENTRY_Q5, ENTRY_STEP_Q5 = 260 << 5, 14 << 5
RESERVE, SHIP_START_Q5 = 2, 440 << 5
MARGIN_Q5, SHIP_TOP_Q5 = 4 << 5, 330 << 5
SHIP_SPEED_X_Q5, SHIP_SPEED_Y_Q5, SHOT_SPEED_Q5, MUZZLE_Q5 = 112, 80, 224, 8 << 5
MAX_SWAY_Q5, SWAY_STEP_Q5, COMING_Q5, RETURN_Q5 = 60 << 5, 16, 64, -4 << 5
LEAP_Q5, SIDE_Q5, TURN_Q5, DIVE_SPEED_X_Q5, MAX_BOMBER_Y_Q5 = -72, 64, 2, 72, 300 << 5
RELOAD_FRAMES, SHIELD_FRAMES, FIRST_DIVE, FIRST_BOMB_FALL, PAUSE_FRAMES = 9, 120, 180, 120, 50
SHIP_BURST, MISSILE_BURST, ALIEN_BURST = 72, 8, 24
MAX_SCORE, MAX_WAVE = 65535, 99


class Objects(NamedTuple):
    """The ship, its missiles, those of the aliens, and the aliens.

    records  OBJECT[n]     see `collide.objects`
    motion   int16[4, n]   px, py, vx, vy in Q11.5
    states   uint8[2, n]   what an alien is doing; frames since the object was hit
    roles    int32[n]      FIGHTER .. GRUB
    shapes   int32[n]      number of its first picture
    sizes    int64[2, p]   width and height of each picture
    """

    records: np.ndarray
    motion: np.ndarray
    states: np.ndarray
    roles: np.ndarray
    shapes: np.ndarray
    sizes: np.ndarray


class Game(NamedTuple):
    """A game under way.

    stars    int32[k, 3]       x, y at power-on, pixels; pixels per frame
    circles  int16[c, 4]       see `collide.objects.make_circles`
    found    int32[n // 2, 2]  scratch: the pairs that collide
    """

    objects: Objects
    words: np.ndarray
    homes: np.ndarray
    stars: np.ndarray
    circles: np.ndarray
    found: np.ndarray


@kernel
def scatter_stars(stars, words):
    """Place the stars."""
    for star in range(len(stars)):
        stars[star, 0] = random_below(words, int(WIDTH))
        stars[star, 1] = TOP + random_below(words, int(HEIGHT - TOP))
        stars[star, 2] = random_bits(words, 1) + random_bits(words, 1) + 1


@kernel
def role_of(i):
    """Return the role of record `i`; an alien's by its row."""
    if i < FIRST_ALIEN:
        return FIGHTER if i < FIRST_SHOT else SHOT if i < FIRST_BOMB else BOMB
    row = (i - FIRST_ALIEN) // COLUMNS
    return CAPTAIN if row == 0 else HORNET if row < 3 else GRUB


@kernel
def make_records(objects, cast):
    """Write what never changes. `cast`: int64[6, 3], by role: first picture, first circle, circles."""
    records = objects.records
    for i in range(len(records)):
        role = role_of(i)
        objects.roles[i] = role
        objects.shapes[i] = cast[role, 0]
        records[i]["type"] = TYPES[role]
        records[i]["detection"] = DETECTIONS[role]
        records[i]["first"] = cast[role, 1]
        records[i]["count"] = cast[role, 2]


@kernel
def make_formation(objects, homes):
    """Give aliens their places, from left to right, from top to bottom."""
    for alien in range(homes.shape[1]):
        row, column = alien // COLUMNS, alien % COLUMNS
        middle = (WIDTH - COLUMNS * COLUMN_PITCH + COLUMN_PITCH) // 2 + column * COLUMN_PITCH
        homes[0, alien] = to_q5(middle - objects.sizes[0, objects.shapes[FIRST_ALIEN + alien]] // 2)
        homes[1, alien] = to_q5(FORMATION_TOP + row * ROW_PITCH)
        homes[2, alien] = ENTRY_Q5 + column * ENTRY_STEP_Q5


@kernel
def place_ship(objects, words):
    """Let the next ship begin, behind a shield."""
    objects.motion[PX, 0] = to_q5((WIDTH - objects.sizes[0, objects.shapes[0]]) // 2)
    objects.motion[PY, 0] = SHIP_START_Q5
    objects.records[0]["active"] = 1
    objects.records[0]["detection"] = DETECT_NONE
    words[SHIELD] = SHIELD_FRAMES
    words[RELOAD] = 0


@kernel
def start_wave(objects, words, homes):
    """Let all aliens come."""
    records, motion, states = objects.records, objects.motion, objects.states
    for alien in range(homes.shape[1]):
        i = FIRST_ALIEN + alien
        records[i]["active"] = 1
        records[i]["collided"] = 0
        states[BURST, i] = 0
        states[TASK, i] = COMING
        motion[PX, i] = homes[0, alien]
        motion[PY, i] = homes[1, alien] - homes[2, alien]
        motion[VX, i] = motion[VY, i] = 0
    words[DIVE_WAIT] = FIRST_DIVE
    words[BOMB_WAIT] = FIRST_BOMB_FALL


@kernel
def start_game(objects, words, homes):
    """Begin again with the first wave."""
    words[SCORE] = 0
    words[WAVE] = 1
    words[SHIPS] = RESERVE
    words[PLAYING] = 1
    words[PAUSE] = 0
    place_ship(objects, words)
    start_wave(objects, words, homes)


@kernel
def power_on(game, cast, seed):
    """Make everything as it is before the first frame. `cast`: see `make_records`."""
    objects, words, homes = game.objects, game.words, game.homes
    words[RANDOM] = seed
    scatter_stars(game.stars, words)
    make_records(objects, cast)
    make_formation(objects, homes)
    words[SWAY_STEP] = SWAY_STEP_Q5
    start_game(objects, words, homes)


@kernel
def age_bursts(objects, words):
    """What was hit is gone when it has burst; the ship is replaced as long as there are others."""
    records, states = objects.records, objects.states
    for i in range(len(records)):
        if states[BURST, i] == 0:
            continue
        states[BURST, i] += 1
        kind = records[i]["type"]
        if states[BURST, i] <= (SHIP_BURST if kind == SHIP else MISSILE_BURST if kind == MISSILE else ALIEN_BURST):
            continue
        states[BURST, i] = 0
        records[i]["collided"] = 0
        if i == 0 and words[SHIPS] > 0:
            words[SHIPS] -= 1
            place_ship(objects, words)
        elif i == 0:
            words[PLAYING] = 0


@kernel
def count_waves(objects, words, homes):
    """When the last alien has burst the next wave comes."""
    records = objects.records
    for i in range(FIRST_ALIEN, len(records)):
        if records[i]["active"] or records[i]["collided"]:
            return
    words[PAUSE] += 1
    if words[PAUSE] < PAUSE_FRAMES:
        return
    words[PAUSE] = 0
    words[WAVE] = min(words[WAVE] + 1, MAX_WAVE)
    start_wave(objects, words, homes)


@kernel
def max_position(sizes, shape):
    """Return the greatest px, py of an object with a picture, Q11.5."""
    return to_q5(WIDTH - sizes[0, shape]), to_q5(HEIGHT - sizes[1, shape])


@kernel
def move_missiles(objects):
    """Missiles leave the game where they leave the field."""
    records, motion = objects.records, objects.motion
    for i in range(FIRST_SHOT, FIRST_ALIEN):
        if not records[i]["active"]:
            continue
        x, y = int(motion[PX, i]) + int(motion[VX, i]), int(motion[PY, i]) + int(motion[VY, i])
        motion[PX, i], motion[PY, i] = x, y
        max_x, max_y = max_position(objects.sizes, objects.shapes[i])
        if y < TOP_Q5 or y > max_y or x < 0 or x > max_x:
            records[i]["active"] = 0


@kernel
def steer_ship(objects, words, pad):
    """Move the ship within its part of the field, and let its shield run out."""
    motion = objects.motion
    dx = int(pad & RIGHT != 0) - int(pad & LEFT != 0)
    dy = int(pad & DOWN != 0) - int(pad & UP != 0)
    max_x, max_y = max_position(objects.sizes, objects.shapes[0])
    x, y = int(motion[PX, 0]) + dx * SHIP_SPEED_X_Q5, int(motion[PY, 0]) + dy * SHIP_SPEED_Y_Q5
    motion[PX, 0] = min(max(x, MARGIN_Q5), max_x - MARGIN_Q5)
    motion[PY, 0] = min(max(y, SHIP_TOP_Q5), max_y - MARGIN_Q5)
    if words[SHIELD] > 0:
        words[SHIELD] -= 1
        if words[SHIELD] == 0:
            objects.records[0]["detection"] = DETECT_ALL


@kernel
def find_free(records, is_bomb):
    """Return the first record that is free of the aliens' missiles or the ship's, 0 if none is."""
    for i in range(FIRST_BOMB, FIRST_ALIEN) if is_bomb else range(FIRST_SHOT, FIRST_BOMB):
        if not records[i]["active"] and not records[i]["collided"]:
            return i
    return 0


@kernel
def middle_of(objects, i):
    """Return half the width of an object's picture, pixels."""
    return objects.sizes[0, objects.shapes[i]] // 2


@kernel
def fire(objects, words, pad):
    """Let the ship shoot, if it has reloaded and a missile is free."""
    motion = objects.motion
    if words[RELOAD] > 0:
        words[RELOAD] -= 1
    if not pad & FIRE or words[RELOAD] > 0:
        return
    i = find_free(objects.records, False)
    if i == 0:
        return
    objects.records[i]["active"] = 1
    motion[PX, i] = motion[PX, 0] + to_q5(middle_of(objects, 0) - middle_of(objects, i))
    motion[PY, i] = motion[PY, 0] - MUZZLE_Q5
    motion[VX, i] = 0
    motion[VY, i] = -SHOT_SPEED_Q5
    words[RELOAD] = RELOAD_FRAMES


@kernel
def dive(objects, words, i):
    """A leap upwards, then down, after the ship; whoever leaves at the bottom comes back from the top."""
    motion = objects.motion
    turn = TURN_Q5 if motion[PX, 0] > motion[PX, i] else -TURN_Q5
    max_vy = min(max(72 + 4 * words[WAVE], 76), 112)
    vy = min(max(int(motion[VY, i]) + 4, LEAP_Q5), max_vy)
    vx = min(max(int(motion[VX, i]) + turn, -DIVE_SPEED_X_Q5), DIVE_SPEED_X_Q5)
    x, y = int(motion[PX, i]) + vx, int(motion[PY, i]) + vy
    max_x = max_position(objects.sizes, objects.shapes[i])[0]
    if x < 0 or x > max_x:
        x, vx = min(max(x, 0), max_x), -vx
    if y >= HEIGHT_Q5:
        y = RETURN_Q5
        objects.states[TASK, i] = COMING
    motion[PX, i], motion[PY, i], motion[VX, i], motion[VY, i] = x, y, vx, vy


@kernel
def move_aliens(objects, words, homes):
    """Move the formation from side to side, and those that are not in it."""
    motion, states = objects.motion, objects.states
    words[SWAY] += words[SWAY_STEP]
    if abs(words[SWAY]) >= MAX_SWAY_Q5:
        words[SWAY_STEP] = -words[SWAY_STEP]
    for i in range(FIRST_ALIEN, len(objects.records)):
        x, y = homes[0, i - FIRST_ALIEN] + words[SWAY], int(homes[1, i - FIRST_ALIEN])
        if not objects.records[i]["active"]:
            continue
        if states[TASK, i] == DIVING:
            dive(objects, words, i)
        elif states[TASK, i] == HOLDING:
            motion[PX, i], motion[PY, i] = x, y
        else:
            now_x, now_y = int(motion[PX, i]), int(motion[PY, i])
            motion[PX, i] = min(max(x, now_x - COMING_Q5), now_x + COMING_Q5)
            motion[PY, i] = min(max(y, now_y - COMING_Q5), now_y + COMING_Q5)
            if motion[PX, i] == x and motion[PY, i] == y:
                states[TASK, i] = HOLDING


@kernel
def may_go(objects, i, is_dive):
    """Tell whether an alien may dive, else whether it may drop a missile."""
    if is_dive:
        return objects.states[TASK, i] == HOLDING
    return TOP_Q5 <= objects.motion[PY, i] < MAX_BOMBER_Y_Q5


@kernel
def choose_alien(objects, words, is_dive):
    """Return the first alien from a random one on that may go, or 0."""
    aliens = len(objects.records) - FIRST_ALIEN
    begin = random_below(words, aliens)
    for k in range(aliens):
        i = FIRST_ALIEN + (begin + k) % aliens
        if objects.records[i]["active"] and may_go(objects, i, is_dive):
            return i
    return 0


@kernel
def launch_dive(objects, words):
    """Now and then let an alien leave the formation."""
    words[DIVE_WAIT] -= 1
    if words[DIVE_WAIT] > 0:
        return
    words[DIVE_WAIT] = min(max(130 - 10 * words[WAVE], 40), 120)
    i = choose_alien(objects, words, True)
    if i:
        objects.states[TASK, i] = DIVING
        objects.motion[VX, i] = SIDE_Q5 if random_bits(words, 1) else -SIDE_Q5
        objects.motion[VY, i] = LEAP_Q5


@kernel
def drop_bomb(objects, words):
    """Now and then let an alien drop a missile, if one is free."""
    motion = objects.motion
    words[BOMB_WAIT] -= 1
    if words[BOMB_WAIT] > 0:
        return
    words[BOMB_WAIT] = min(max(64 - 6 * words[WAVE], 14), 58) + random_bits(words, 15)
    bomb = find_free(objects.records, True)
    if bomb == 0:
        return
    i = choose_alien(objects, words, False)
    if i == 0:
        return
    objects.records[bomb]["active"] = 1
    x = int(motion[PX, i]) + to_q5(middle_of(objects, i) - middle_of(objects, bomb))
    motion[PX, bomb] = x
    motion[PY, bomb] = motion[PY, i] + to_q5(int(objects.sizes[1, objects.shapes[i]]))
    motion[VX, bomb] = min(max((int(motion[PX, 0]) - x) >> 7, -40), 40)
    motion[VY, bomb] = min(max(80 + 4 * words[WAVE], 84), 120)


@kernel
def move_all(objects, words, homes, pad):
    """Move everything that is in the game, and write its pixel into its record."""
    records = objects.records
    move_missiles(objects)
    if records[0]["active"]:
        steer_ship(objects, words, pad)
        fire(objects, words, pad)
    move_aliens(objects, words, homes)
    if records[0]["active"]:
        launch_dive(objects, words)
        drop_bomb(objects, words)
    for i in range(len(records)):
        records[i]["x"] = to_pixels(int(objects.motion[PX, i]))
        records[i]["y"] = to_pixels(int(objects.motion[PY, i]))


@kernel
def note_hits(objects, words):
    """Let what has collided burst, and count points."""
    records, states = objects.records, objects.states
    for i in range(len(records)):
        if records[i]["collided"] and not states[BURST, i]:
            states[BURST, i] = 1
            points = POINTS[objects.roles[i]]
            words[SCORE] += 2 * points if states[TASK, i] == DIVING else points
    words[SCORE] = min(words[SCORE], MAX_SCORE)
    words[BEST] = max(words[BEST], words[SCORE])


@kernel
def run_frames(game, pad, frames):
    """Execute frames, all with the same input; nothing is drawn."""
    objects, words, homes = game.objects, game.words, game.homes
    for _ in range(frames):
        if not words[PLAYING] and pad & FIRE and not words[PAD_BEFORE] & FIRE:
            start_game(objects, words, homes)
        words[PAD_BEFORE] = pad
        age_bursts(objects, words)
        count_waves(objects, words, homes)
        move_all(objects, words, homes, pad)
        scan_objects(objects.records, game.circles, 0, game.found)
        note_hits(objects, words)
        words[FRAME] = (words[FRAME] + 1) & 0xFFFFFFFF
