"""The scenario of the `shooter` ROM as kernels: the same integers in the same order as its machine code.

records   OBJECT[n]      see `collide.objects`: the ship, its missiles, those of the aliens, the aliens
motion    int16[4, n]    px, py, vx, vy in Q11.5
states    uint8[2, n]    what an alien is doing; frames since the object was hit
words     int64[15]      frame counter, random state, input of the frame before, and the game's own from SCORE on
homes     int32[3, m]    of each alien: its place in the formation, and how far above it a wave begins, Q11.5
shapes    int32[n]       number of each object's first picture
sizes     int32[2, p]    width and height of each picture
stars     int32[k, 3]    x, y at power-on, pixels; pixels per frame
"""

from __future__ import annotations

from retrosim.collide.kernels.objects import scan_objects
from retrosim.collide.objects import ALIEN, DETECT_ALL, DETECT_NONE, DETECT_SHIP, MISSILE, SHIP
from retrosim.jit import kernel
from retrosim.numeric.fixed import to_pixels, to_q5
from retrosim.numeric.random import advance, rand_scalar, rand_value

WIDTH, HEIGHT = 640, 480
TOP = 28  # of the field, pixels
STARS = 80
LEFT, RIGHT, UP, DOWN, FIRE = 1, 2, 4, 8, 16
PAD_MASK = LEFT | RIGHT | UP | DOWN | FIRE
FIRST_SHOT, FIRST_BOMB, FIRST_ALIEN = 1, 5, 13
PX, PY, VX, VY = range(4)
HOLDING, DIVING, COMING = range(3)
WAY, BURST = range(2)
FRAME, RANDOM, PAD_BEFORE = range(3)
SCORE, BEST, WAVE, SHIPS, PLAYING, SWAY, SWAY_STEP, DIVE_WAIT, BOMB_WAIT, RELOAD, SHIELD, PAUSE = range(3, 15)
WORDS = 15
CAPTAIN_POINTS, HORNET_POINTS, GRUB_POINTS = 3, 2, 1  # tens

COLUMNS, ACROSS, ROWS_APART, HOME_TOP = 10, 44, 34, 46
ENTRY_Q5, ENTRY_STEP_Q5 = 260 << 5, 14 << 5
RESERVE, SHIP_BEGIN = 2, 440
MARGIN_Q5, SHIP_TOP_Q5 = 4 << 5, 330 << 5
SHIP_ACROSS_Q5, SHIP_DOWN_Q5, SHOT_Q5, SHOT_BEGIN_Q5 = 112, 80, 224, 8 << 5
FARTHEST_SWAY_Q5, SWAY_STEP_Q5, COMING_Q5, RETURN_Q5 = 60 << 5, 16, 64, -4 << 5
LEAP_Q5, SIDE_Q5, TURN_Q5, DIVE_ACROSS_Q5, LOWEST_BOMBER_Q5 = -72, 64, 2, 72, 300 << 5
RELOAD_FRAMES, SHIELD_FRAMES, FIRST_DIVE, FIRST_BOMB_FALL, PAUSE_FRAMES = 9, 120, 180, 120, 50
SHIP_BURST, MISSILE_BURST, ALIEN_BURST = 72, 8, 24
MAX_SCORE, MAX_WAVES = 65535, 99


@kernel
def limited(value, least, most):
    return min(max(value, least), most)


@kernel
def random_bits(words, mask):
    words[RANDOM] = advance(words[RANDOM])
    return rand_value(words[RANDOM]) & mask


@kernel
def random_below(words, end):
    words[RANDOM] = advance(words[RANDOM])
    return rand_scalar(end, words[RANDOM])


@kernel
def make_record(records, shapes, i, kind, detection, shape, circles):
    """Write what never changes. `circles`: the first, and how many."""
    records[i]["type"] = kind
    records[i]["detection"] = detection
    records[i]["first"] = circles[0]
    records[i]["count"] = circles[1]
    shapes[i] = shape


@kernel
def make_formation(records, homes, shapes, sizes, cast, circles):
    """Give aliens their places, from left to right, from top to bottom."""
    for alien in range(homes.shape[1]):
        row, column = alien // COLUMNS, alien % COLUMNS
        kind = 3 if row == 0 else 4 if row < 3 else 5
        make_record(records, shapes, FIRST_ALIEN + alien, ALIEN, DETECT_SHIP, cast[kind], circles[kind])
        middle = (WIDTH - COLUMNS * ACROSS + ACROSS) // 2 + column * ACROSS
        homes[0, alien] = to_q5(middle - sizes[0, cast[kind]] // 2)
        homes[1, alien] = to_q5(HOME_TOP + row * ROWS_APART)
        homes[2, alien] = ENTRY_Q5 + column * ENTRY_STEP_Q5


@kernel
def place_ship(records, motion, words, sizes, shapes):
    motion[PX, 0] = to_q5((WIDTH - sizes[0, shapes[0]]) // 2)
    motion[PY, 0] = to_q5(SHIP_BEGIN)
    records[0]["active"] = 1
    records[0]["detection"] = DETECT_NONE
    words[SHIELD] = SHIELD_FRAMES
    words[RELOAD] = 0


@kernel
def start_wave(records, motion, states, words, homes):
    for alien in range(homes.shape[1]):
        i = FIRST_ALIEN + alien
        records[i]["active"] = 1
        records[i]["collided"] = 0
        states[BURST, i] = 0
        states[WAY, i] = COMING
        motion[PX, i] = homes[0, alien]
        motion[PY, i] = homes[1, alien] - homes[2, alien]
        motion[VX, i] = motion[VY, i] = 0
    words[DIVE_WAIT] = FIRST_DIVE
    words[BOMB_WAIT] = FIRST_BOMB_FALL


@kernel
def start_game(records, motion, states, words, homes, sizes, shapes):
    words[SCORE] = 0
    words[WAVE] = 1
    words[SHIPS] = RESERVE
    words[PLAYING] = 1
    words[PAUSE] = 0
    place_ship(records, motion, words, sizes, shapes)
    start_wave(records, motion, states, words, homes)


@kernel
def power_on(records, motion, states, words, homes, shapes, sizes, stars, cast, circles, seed):
    """Make everything as it is before the first frame.

    cast     int32[k]     first pictures of fighter, shot, bomb, captain, hornet, grub, ..
    circles  int32[6, 2]  the collision circles of each of these six: the first, and how many
    """
    words[RANDOM] = seed
    for star in range(len(stars)):
        stars[star, 0] = random_below(words, WIDTH)
        stars[star, 1] = TOP + random_below(words, HEIGHT - TOP)
        stars[star, 2] = random_bits(words, 1) + random_bits(words, 1) + 1
    make_record(records, shapes, 0, SHIP, DETECT_ALL, cast[0], circles[0])
    for i in range(FIRST_SHOT, FIRST_BOMB):
        make_record(records, shapes, i, MISSILE, DETECT_ALL, cast[1], circles[1])
    for i in range(FIRST_BOMB, FIRST_ALIEN):
        make_record(records, shapes, i, MISSILE, DETECT_SHIP, cast[2], circles[2])
    make_formation(records, homes, shapes, sizes, cast, circles)
    words[SWAY_STEP] = SWAY_STEP_Q5
    start_game(records, motion, states, words, homes, sizes, shapes)


@kernel
def age_bursts(records, motion, states, words, sizes, shapes):
    """What was hit is gone when it has burst; the ship is replaced as long as there are others."""
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
            place_ship(records, motion, words, sizes, shapes)
        elif i == 0:
            words[PLAYING] = 0


@kernel
def count_waves(records, motion, states, words, homes):
    """When the last alien has burst the next wave comes."""
    for i in range(FIRST_ALIEN, len(records)):
        if records[i]["active"] or records[i]["collided"]:
            return
    words[PAUSE] += 1
    if words[PAUSE] < PAUSE_FRAMES:
        return
    words[PAUSE] = 0
    words[WAVE] = min(words[WAVE] + 1, MAX_WAVES)
    start_wave(records, motion, states, words, homes)


@kernel
def move_missiles(records, motion, sizes, shapes):
    """Missiles leave the game where they leave the field."""
    for i in range(FIRST_SHOT, FIRST_ALIEN):
        if not records[i]["active"]:
            continue
        x, y = int(motion[PX, i]) + int(motion[VX, i]), int(motion[PY, i]) + int(motion[VY, i])
        motion[PX, i], motion[PY, i] = x, y
        most_x, most_y = to_q5(WIDTH - sizes[0, shapes[i]]), to_q5(HEIGHT - sizes[1, shapes[i]])
        if y < to_q5(TOP) or y > most_y or x < 0 or x > most_x:
            records[i]["active"] = 0


@kernel
def steer_ship(records, motion, words, sizes, shapes, pad):
    dx = int(pad & RIGHT != 0) - int(pad & LEFT != 0)
    dy = int(pad & DOWN != 0) - int(pad & UP != 0)
    most_x, most_y = to_q5(WIDTH - sizes[0, shapes[0]]) - MARGIN_Q5, to_q5(HEIGHT - sizes[1, shapes[0]]) - MARGIN_Q5
    motion[PX, 0] = limited(int(motion[PX, 0]) + dx * SHIP_ACROSS_Q5, MARGIN_Q5, most_x)
    motion[PY, 0] = limited(int(motion[PY, 0]) + dy * SHIP_DOWN_Q5, SHIP_TOP_Q5, most_y)
    if words[SHIELD] > 0:
        words[SHIELD] -= 1
        if words[SHIELD] == 0:
            records[0]["detection"] = DETECT_ALL


@kernel
def free_record(records, first, end):
    """Return the first record that is free, or `end`."""
    while first < end and (records[first]["active"] or records[first]["collided"]):
        first += 1
    return first


@kernel
def fire(records, motion, words, sizes, shapes, pad):
    if words[RELOAD] > 0:
        words[RELOAD] -= 1
    if not pad & FIRE or words[RELOAD] > 0:
        return
    i = free_record(records, FIRST_SHOT, FIRST_BOMB)
    if i == FIRST_BOMB:
        return
    records[i]["active"] = 1
    motion[PX, i] = motion[PX, 0] + to_q5(sizes[0, shapes[0]] // 2 - sizes[0, shapes[i]] // 2)
    motion[PY, i] = motion[PY, 0] - SHOT_BEGIN_Q5
    motion[VX, i] = 0
    motion[VY, i] = -SHOT_Q5
    words[RELOAD] = RELOAD_FRAMES


@kernel
def dive(motion, states, words, wide, i):
    """A leap upwards, then down, after the ship; whoever leaves at the bottom comes back from the top."""
    turn = TURN_Q5 if motion[PX, 0] > motion[PX, i] else -TURN_Q5
    fastest = limited(72 + 4 * words[WAVE], 76, 112)
    vy = limited(int(motion[VY, i]) + 4, LEAP_Q5, fastest)
    vx = limited(int(motion[VX, i]) + turn, -DIVE_ACROSS_Q5, DIVE_ACROSS_Q5)
    x, y = int(motion[PX, i]) + vx, int(motion[PY, i]) + vy
    most = to_q5(WIDTH - wide)
    if x < 0 or x > most:
        x, vx = limited(x, 0, most), -vx
    if y >= to_q5(HEIGHT):
        y = RETURN_Q5
        states[WAY, i] = COMING
    motion[PX, i], motion[PY, i], motion[VX, i], motion[VY, i] = x, y, vx, vy


@kernel
def move_aliens(records, motion, states, words, homes, sizes, shapes):
    words[SWAY] += words[SWAY_STEP]
    if abs(words[SWAY]) >= FARTHEST_SWAY_Q5:
        words[SWAY_STEP] = -words[SWAY_STEP]
    for i in range(FIRST_ALIEN, len(records)):
        x, y = homes[0, i - FIRST_ALIEN] + words[SWAY], homes[1, i - FIRST_ALIEN]
        if not records[i]["active"]:
            continue
        if states[WAY, i] == DIVING:
            dive(motion, states, words, sizes[0, shapes[i]], i)
        elif states[WAY, i] == HOLDING:
            motion[PX, i], motion[PY, i] = x, y
        else:
            now_x, now_y = int(motion[PX, i]), int(motion[PY, i])
            motion[PX, i] = limited(x, now_x - COMING_Q5, now_x + COMING_Q5)
            motion[PY, i] = limited(y, now_y - COMING_Q5, now_y + COMING_Q5)
            if motion[PX, i] == x and motion[PY, i] == y:
                states[WAY, i] = HOLDING


@kernel
def may_go(motion, states, i, is_dive):
    """Tell whether an alien may dive, else whether it may drop a missile."""
    if is_dive:
        return states[WAY, i] == HOLDING
    return to_q5(TOP) <= motion[PY, i] < LOWEST_BOMBER_Q5


@kernel
def choose_alien(records, motion, states, words, is_dive):
    """Return the first alien from a random one on that may go, or 0."""
    aliens = len(records) - FIRST_ALIEN
    begin = random_below(words, aliens)
    for k in range(aliens):
        i = FIRST_ALIEN + (begin + k) % aliens
        if records[i]["active"] and may_go(motion, states, i, is_dive):
            return i
    return 0


@kernel
def launch_dive(records, motion, states, words):
    words[DIVE_WAIT] -= 1
    if words[DIVE_WAIT] > 0:
        return
    words[DIVE_WAIT] = limited(130 - 10 * words[WAVE], 40, 120)
    i = choose_alien(records, motion, states, words, True)
    if i:
        states[WAY, i] = DIVING
        motion[VX, i] = SIDE_Q5 if random_bits(words, 1) else -SIDE_Q5
        motion[VY, i] = LEAP_Q5


@kernel
def drop_bomb(records, motion, states, words, sizes, shapes):
    words[BOMB_WAIT] -= 1
    if words[BOMB_WAIT] > 0:
        return
    words[BOMB_WAIT] = limited(64 - 6 * words[WAVE], 14, 58) + random_bits(words, 15)
    bomb = free_record(records, FIRST_BOMB, FIRST_ALIEN)
    if bomb == FIRST_ALIEN:
        return
    i = choose_alien(records, motion, states, words, False)
    if i == 0:
        return
    records[bomb]["active"] = 1
    x = int(motion[PX, i]) + to_q5(sizes[0, shapes[i]] // 2 - sizes[0, shapes[bomb]] // 2)
    motion[PX, bomb] = x
    motion[PY, bomb] = motion[PY, i] + to_q5(sizes[1, shapes[i]])
    motion[VX, bomb] = limited((int(motion[PX, 0]) - x) >> 7, -40, 40)
    motion[VY, bomb] = limited(80 + 4 * words[WAVE], 84, 120)


@kernel
def move_all(records, motion, states, words, homes, sizes, shapes, pad):
    """Move everything that is in the game, and write its pixel into its record."""
    move_missiles(records, motion, sizes, shapes)
    if records[0]["active"]:
        steer_ship(records, motion, words, sizes, shapes, pad)
        fire(records, motion, words, sizes, shapes, pad)
    move_aliens(records, motion, states, words, homes, sizes, shapes)
    if records[0]["active"]:
        launch_dive(records, motion, states, words)
        drop_bomb(records, motion, states, words, sizes, shapes)
    for i in range(len(records)):
        records[i]["x"] = to_pixels(motion[PX, i])
        records[i]["y"] = to_pixels(motion[PY, i])


@kernel
def note_hits(records, states, words, shapes, cast):
    for i in range(len(records)):
        if not records[i]["collided"] or states[BURST, i]:
            continue
        states[BURST, i] = 1
        if records[i]["type"] == ALIEN:
            points = CAPTAIN_POINTS if shapes[i] == cast[3] else HORNET_POINTS if shapes[i] == cast[4] else GRUB_POINTS
            words[SCORE] += 2 * points if states[WAY, i] == DIVING else points
    words[SCORE] = min(words[SCORE], MAX_SCORE)
    words[BEST] = max(words[BEST], words[SCORE])


@kernel
def run_frames(records, motion, states, words, homes, shapes, sizes, cast, circles, found, pad, frames):
    """Execute frames, all with the same input; nothing is drawn.

    circles  int16[m, 4]       of `collide.objects.make_circles`
    found    int32[n // 2, 2]  scratch
    """
    for _ in range(frames):
        if not words[PLAYING] and pad & FIRE and not words[PAD_BEFORE] & FIRE:
            start_game(records, motion, states, words, homes, sizes, shapes)
        words[PAD_BEFORE] = pad
        age_bursts(records, motion, states, words, sizes, shapes)
        count_waves(records, motion, states, words, homes)
        move_all(records, motion, states, words, homes, sizes, shapes, pad)
        scan_objects(records, circles, 0, found)
        note_hits(records, states, words, shapes, cast)
        words[FRAME] = (words[FRAME] + 1) & 0xFFFFFFFF
