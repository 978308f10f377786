"""The rules of the ROM `shooter` retold in plain Python, with the oracle of Jon E P 2007 for its hits.

Shares nothing with kernels and machine code but the drawings.
"""

from __future__ import annotations

from typing import Any

from retrosim.rom.drawings import read_colours, read_pictures
from retrosim.screen.framebuffer import macintosh_palette
from tests.oracle.objects import check_all
from tests.oracle.scenes import Random

CIRCLES = {
    "fighter": [(13, 6, 5), (13, 16, 8), (5, 18, 4), (21, 18, 4)],
    "shot": [(2, 4, 3)],
    "bomb": [(3, 4, 3)],
    "captain": [(9, 11, 8), (18, 11, 8)],
    "hornet": [(13, 10, 9), (4, 8, 4), (21, 8, 4)],
    "grub": [(10, 9, 9)],
}
POINTS = {"captain": 3, "hornet": 2, "grub": 1}
LASTS = {1: 72, 2: 8, 3: 24}  # frames, of a burst by type
FONT = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ROWS = {"gold": "OOOOooooYYYYyy", "blue": "CCCCccccccBBBB"}
GAME = ("score", "best", "wave", "ships", "playing", "sway", "sway_step")
GAME += ("dive_wait", "bomb_wait", "reload", "shield", "pause")


def within(value: int, minimum: int, maximum: int) -> int:
    return sorted((value, minimum, maximum))[1]


class Art:
    """The pictures of a ROM, and the colours."""

    def __init__(self, rom: Any) -> None:
        self.colours = read_colours(rom.drawings, macintosh_palette())
        self.pictures = read_pictures(rom.drawings, self.colours)

    def size(self, name: str) -> tuple[int, int]:
        picture = self.pictures[name][0]
        return len(picture[0]), len(picture)


class Battle:
    """One machine's life. Objects are dicts with px, py, vx, vy in 1/32 pixel and the fields of the record."""

    def __init__(self, art: Art, aliens: int, seed: int) -> None:
        self.art, self.random, self.frame, self.pad_before = art, Random(seed), 0, 0
        below = self.random.scalar
        self.stars = [(below(640), 28 + below(452), self.bits(1) + self.bits(1) + 1) for _ in range(80)]
        self.objects = [self.made("fighter", 1, 2)]
        self.objects += [self.made("shot", 2, 2) for _ in range(4)] + [self.made("bomb", 2, 1) for _ in range(8)]
        for place in range(aliens):
            row, column = divmod(place, 10)
            alien = self.made(("captain", "hornet", "hornet", "grub", "grub")[row], 3, 1)
            wide, _ = art.size(alien["name"])
            alien["home"] = (122 + 44 * column - wide // 2) * 32, (46 + 34 * row) * 32
            alien["entry"] = (260 + 14 * column) * 32
            self.objects.append(alien)
        self.ship, self.shots, self.bombs = self.objects[0], self.objects[1:5], self.objects[5:13]
        self.aliens = self.objects[13:]
        self.game = dict.fromkeys(GAME, 0) | {"sway_step": 16}
        self.begin()

    def made(self, name: str, kind: int, detection: int) -> dict[str, Any]:
        still = dict.fromkeys(("active", "collided", "x", "y", "px", "py", "vx", "vy", "way", "burst"), 0)
        return {"name": name, "type": kind, "detection": detection} | still

    def bits(self, mask: int) -> int:
        return self.random.rand() & mask

    def begin(self) -> None:
        self.game |= {"score": 0, "wave": 1, "ships": 2, "playing": 1, "pause": 0}
        self.launch()
        self.summon()

    def launch(self) -> None:
        self.ship |= {"px": (640 - self.art.size("fighter")[0]) // 2 * 32, "py": 440 * 32, "active": 1, "detection": 0}
        self.game |= {"shield": 120, "reload": 0}

    def summon(self) -> None:
        for alien in self.aliens:
            x, y = alien["home"]
            alien |= {"active": 1, "collided": 0, "burst": 0, "way": 2, "px": x, "py": y - alien["entry"]}
            alien |= {"vx": 0, "vy": 0}
        self.game |= {"dive_wait": 180, "bomb_wait": 120}

    def step(self, pad: int) -> None:
        if not self.game["playing"] and pad & 16 and not self.pad_before & 16:
            self.begin()
        self.pad_before = pad
        self.age()
        if not any(alien["active"] or alien["collided"] for alien in self.aliens):
            self.game["pause"] += 1
            if self.game["pause"] == 50:
                self.game |= {"pause": 0, "wave": min(99, self.game["wave"] + 1)}
                self.summon()
        self.move(pad)
        for each in self.objects:
            each |= {"x": each["px"] // 32, "y": each["py"] // 32}
        check_all(self.objects, [CIRCLES[each["name"]] for each in self.objects])
        for each in self.objects:
            if each["collided"] and not each["burst"]:
                each["burst"] = 1
                self.game["score"] += POINTS.get(each["name"], 0) * (2 if each["way"] == 1 else 1)
        self.game["score"] = min(65535, self.game["score"])
        self.game["best"] = max(self.game["best"], self.game["score"])
        self.frame += 1

    def age(self) -> None:
        for each in self.objects:
            if not each["burst"]:
                continue
            each["burst"] += 1
            if each["burst"] > LASTS[each["type"]]:
                each |= {"burst": 0, "collided": 0}
                if each is self.ship and self.game["ships"]:
                    self.game["ships"] -= 1
                    self.launch()
                elif each is self.ship:
                    self.game["playing"] = 0

    def move(self, pad: int) -> None:
        for each in self.shots + self.bombs:
            wide, high = self.art.size(each["name"])
            if each["active"]:
                each |= {"px": each["px"] + each["vx"], "py": each["py"] + each["vy"]}
                inside = 0 <= each["px"] <= (640 - wide) * 32 and 28 * 32 <= each["py"] <= (480 - high) * 32
                each["active"] = int(inside)
        if self.ship["active"]:
            self.steer(pad)
        self.game["sway"] += self.game["sway_step"]
        if abs(self.game["sway"]) >= 1920:
            self.game["sway_step"] *= -1
        for alien in self.aliens:
            if alien["active"]:
                self.fly(alien)
        if self.ship["active"]:
            self.attack()

    def steer(self, pad: int) -> None:
        game, ship, (wide, high) = self.game, self.ship, self.art.size("fighter")
        ship["px"] = within(ship["px"] + 112 * ((pad >> 1 & 1) - (pad & 1)), 128, (640 - wide) * 32 - 128)
        ship["py"] = within(ship["py"] + 80 * ((pad >> 3 & 1) - (pad >> 2 & 1)), 330 * 32, (480 - high) * 32 - 128)
        if game["shield"]:
            game["shield"] -= 1
            if not game["shield"]:
                ship["detection"] = 2
        game["reload"] = max(0, game["reload"] - 1)
        free = self.free(self.shots)
        if pad & 16 and not game["reload"] and free:
            free |= {"active": 1, "px": ship["px"] + (wide // 2 - 2) * 32, "py": ship["py"] - 256, "vx": 0, "vy": -224}
            game["reload"] = 9

    def free(self, some: list[dict[str, Any]]) -> dict[str, Any] | None:
        return next((each for each in some if not each["active"] and not each["collided"]), None)

    def fly(self, alien: dict[str, Any]) -> None:
        x, y = alien["home"][0] + self.game["sway"], alien["home"][1]
        if alien["way"] == 0:
            alien |= {"px": x, "py": y}
        elif alien["way"] == 2:
            alien["px"] += within(x - alien["px"], -64, 64)
            alien["py"] += within(y - alien["py"], -64, 64)
            if (alien["px"], alien["py"]) == (x, y):
                alien["way"] = 0
        else:
            maximum = (640 - self.art.size(alien["name"])[0]) * 32
            alien["vy"] = within(alien["vy"] + 4, -72, within(72 + 4 * self.game["wave"], 76, 112))
            alien["vx"] = within(alien["vx"] + (2 if self.ship["px"] > alien["px"] else -2), -72, 72)
            alien |= {"px": alien["px"] + alien["vx"], "py": alien["py"] + alien["vy"]}
            if not 0 <= alien["px"] <= maximum:
                alien |= {"px": within(alien["px"], 0, maximum), "vx": -alien["vx"]}
            if alien["py"] >= 480 * 32:
                alien |= {"py": -128, "way": 2}

    def chosen(self, may: Any) -> dict[str, Any] | None:
        begin = self.random.scalar(len(self.aliens))
        turned = self.aliens[begin:] + self.aliens[:begin]
        return next((alien for alien in turned if alien["active"] and may(alien)), None)

    def attack(self) -> None:
        game = self.game
        game["dive_wait"] -= 1
        if not game["dive_wait"]:
            game["dive_wait"] = within(130 - 10 * game["wave"], 40, 120)
            diver = self.chosen(lambda alien: alien["way"] == 0)
            if diver:
                diver |= {"way": 1, "vx": 64 if self.bits(1) else -64, "vy": -72}
        game["bomb_wait"] -= 1
        if not game["bomb_wait"]:
            game["bomb_wait"] = within(64 - 6 * game["wave"], 14, 58) + self.bits(15)
            bomb = self.free(self.bombs)
            bomber = bomb and self.chosen(lambda alien: 28 * 32 <= alien["py"] < 300 * 32)
            if bomber:
                wide, high = self.art.size(bomber["name"])
                bomb |= {"active": 1, "px": bomber["px"] + (wide // 2 - 3) * 32, "py": bomber["py"] + high * 32}
                bomb["vx"] = within((self.ship["px"] - bomb["px"]) // 128, -40, 40)
                bomb["vy"] = within(80 + 4 * game["wave"], 84, 120)

    def columns(self) -> dict[str, list[int]]:
        """Return the world."""
        scalars = {"count": len(self.objects), "frame": self.frame, "random": self.random.state}
        scalars |= {"pad_before": self.pad_before} | self.game
        columns = {name: [value] for name, value in scalars.items()}
        for name in ("type", "active", "detection", "collided", "x", "y", "px", "py", "vx", "vy"):
            columns[name] = [each[name] for each in self.objects]
        sizes = [self.art.size(each["name"]) if each["active"] or each["collided"] else (0, 0) for each in self.objects]
        columns |= {"wide": [wide for wide, _ in sizes], "high": [high for _, high in sizes]}
        return columns | {name: [each[name] for each in self.objects] for name in ("way", "burst")}

    def picture(self) -> bytearray:
        """Return 640x480 palette indices."""
        colour, game = self.art.colours, self.game
        screen = bytearray([255]) * (640 * 480)

        def paste(x: int, y: int, picture: Any, top: int) -> None:
            for row, line in enumerate(picture, y):
                for column, index in enumerate(line, x):
                    if index and top <= row < 480:
                        screen[row * 640 + column] = index

        def write(x: int, y: int, text: str, ink: str) -> None:
            for place, each in enumerate(text):
                for row, line in enumerate(self.art.pictures["font"][FONT.index(each)] if each != " " else ()):
                    for column, index in enumerate(line):
                        if index:
                            screen[(y + row) * 640 + x + 12 * place + column] = colour[ROWS[ink][row]]

        screen[25 * 640 : 27 * 640] = bytes([colour["B"]]) * 640 + bytes([colour["b"]]) * 640
        for x, y, speed in self.stars:
            screen[(28 + (y - 28 + speed * self.frame) % 452) * 640 + x] = colour["Dgs"[speed - 1]]
        for x, word, figures in (
            (8, "SCORE", f"{game['score']:05}0"),
            (216, "HIGH", f"{game['best']:05}0"),
            (412, "WAVE", f"{game['wave']:02}"),
        ):
            write(x, 6, word, "blue")
            write(x + 12 * len(word) + 12, 6, figures, "gold")
        for i in range(game["ships"]):
            paste(600 + 16 * i, 8, self.art.pictures["spare"][0], 0)
        for each in self.objects[::-1]:
            self.show(each, paste)
        if not game["playing"]:
            write(266, 230, "GAME OVER", "gold")
            write(260, 254, "PRESS FIRE", "blue")
        elif game["dive_wait"] > 120:
            write(278, 243, "WAVE", "blue")
            write(338, 243, f"{game['wave']:02}", "gold")
        return screen

    def show(self, each: dict[str, Any], paste: Any) -> None:
        pictures, (wide, high), beat = self.art.pictures, self.art.size(each["name"]), self.frame - 1
        if each["burst"]:
            name, slow = ("spark", 4) if each["type"] == 2 else ("burst", 8 if each["type"] == 1 else 4)
            step, (w, h) = each["burst"] // slow, self.art.size(name)
            if step < len(pictures[name]):
                x = within(each["x"] + (wide - w) // 2, 0, 640 - w)
                paste(x, each["y"] + (high - h) // 2, pictures[name][step], 28)
        elif each["active"] and not (each is self.ship and self.game["shield"] & 4):
            own = pictures[each["name"]]
            paste(each["x"], each["y"], own[beat // (16 if each["type"] == 3 else 4) % len(own)], 28)
