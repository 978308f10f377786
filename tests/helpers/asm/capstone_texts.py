"""Listings as capstone writes them and as we do, brought to one form: what is left differs in more than spelling.

A text becomes a skeleton without numbers, and the numbers. Sizes, prefixes and registers keep their places.
"""

from __future__ import annotations

import re

NUMBER = re.compile(r"([-+]?)(?<![\w.$])(?:(?:0x|\$)([0-9a-f]+)|(\d+))\b")
STRINGS = ("movs", "cmps", "scas", "lods", "stos", "ins", "outs", "xlat")
X86_NAMES = {
    "lcall": "call", "ljmp": "jmp", "sal": "shl", "xlatb": "xlat", "pushal": "pushad", "popal": "popad", "repne": "rep",
    "pushaw": "pusha", "popaw": "popa", "int1": "int1", "icebp": "int1", "fwait": "wait",
}  # fmt: skip
SIZE = r"(?:byte|word|dword|qword|fword|xword|tbyte)"


def numbers_alike(ours: list[int], theirs: list[int]) -> bool:
    """Are numbers the same word of 8, 16 or 32 bits, each?"""
    return len(ours) == len(theirs) and all(map(_alike, ours, theirs))


def _alike(one: int, other: int) -> bool:
    for bits in (8, 16, 32):
        if -(1 << bits - 1) <= min(one, other) and max(one, other) < 1 << bits:
            return (one - other) % (1 << bits) == 0
    return False


def taken_apart(text: str) -> tuple[str, list[int]]:
    """Return the skeleton of a text, and its numbers."""
    numbers = []

    def take(found: re.Match[str]) -> str:
        value = int(found[2], 16) if found[2] else int(found[3])
        numbers.append(-value if found[1] == "-" else value)
        return "N"

    text = re.sub(r" ([-+]) ", r"\1", re.sub(r"\s*([*,:])\s*", r"\1", text))
    return NUMBER.sub(take, text), numbers


def x86(text: str, is_ours: bool) -> str:
    """Bring a listing of the x86 to the common form."""
    text = text.lower()
    text = re.sub(r"\b(a16|a32|o16|o32) ", "", text)
    if is_ours:
        text = re.sub(r"^((?:lock |rep |repne )*)(?:[c-gs]s )+", r"\1", text)
        text = re.sub(r"^((?:[c-gs]s )+)?((?:lock |rep |repne )*)", r"\2", text)
        text = re.sub(r"\[([c-gs]s):", r"\1:[", text)
        text = re.sub(r" far ", " ", text)
        text = re.sub(r"^(pushf|popf|iret|pusha|popa)w$", r"\1", text)
    text = re.sub(rf"\b{SIZE} (ptr )?|\bptr ", "", text)
    words = text.split(" ", 1)
    while words[0] in ("lock", "rep", "repne", "repe"):
        rest = words[1].split(" ", 1) if len(words) > 1 else [""]
        if words[0] == "lock":
            return "lock " + x86(" ".join(rest), is_ours)
        words = rest
    name = X86_NAMES.get(words[0], words[0])
    name = {"lret": "retf", "retfw": "retf", "pushfw": "pushf", "popfw": "popf"}.get(name, name)
    if name.rstrip("bwd") in STRINGS or name in STRINGS:
        return name
    text = " ".join([name, *words[1:]])
    text = re.sub(r"^((?:ro|rc|sh|sa)[lr]) ([^,]+),\s*(?:0x)?1$", r"\1 \2", text)
    if name == "xchg" and "[" not in text:
        text = " ".join([name, ",".join(sorted(part.strip() for part in words[1].split(",")))])
    return text.replace(":0x", ",0x") if name in ("call", "jmp") else text


def m68k(text: str, is_ours: bool) -> str:
    """Bring a listing of the 68K to the common form."""
    text = re.sub(r"\bsp\b", "a7", text.lower())
    if is_ours:
        text = re.sub(r"\((-?(?:\$[0-9a-f]+|\d+))\)(?=,|$|\{)", r"\1", text)
        text = re.sub(r"^db(\w+)", lambda m: "dbra" if m[1] == "f" else m[0], text)
    else:
        text = re.sub(r"\$([0-9a-f]+)\.(w|l)\b", _extended, text)
        text = re.sub(r"(-?\$[0-9a-f]+)\(([^)]*)\)", r"(\1,\2)", text)
        text = re.sub(r"\(([ad][0-7]\.[wl][^)]*)\)", r"(\1)", text)
        text = text.replace(" * ", "*")
    return (
        re.sub(r"(?<![\w$])((?:[ad][0-7](?:-[ad][0-7])?/)*[ad][0-7]-?[ad]?[0-7]?)(?=,|$)", _listed, text)
        if "movem" in text
        else text
    )


def _extended(found: re.Match[str]) -> str:
    """Return an absolute address; of a short one the upper half is the sign."""
    value = int(found[1], 16)
    return f"${value | 0xFFFF0000 if found[2] == 'w' and value & 0x8000 else value:x}"


def _listed(found: re.Match[str]) -> str:
    """Return a list of registers, each by name, in order."""
    names = []
    for part in found[0].split("/"):
        first, _, last = part.partition("-")
        names += [f"{first[0]}{n}" for n in range(int(first[1]), int((last or first)[1]) + 1)]
    return "/".join(sorted(names))


def without_size(ours: str, theirs: str) -> str:
    """Return their listing without a size behind the mnemonic where ours has none."""
    return theirs if "." in ours.split(" ")[0] else re.sub(r"^([a-z]+)\.[bwl]\b", r"\1", theirs)


def ppc(text: str, is_ours: bool) -> str:
    """Bring a listing of the PowerPC to the common form."""
    text = re.sub(r"(?<=[a-z])[+-](?= |$)", "", text)  # the prediction of a branch
    if is_ours:
        text = re.sub(r"4\*(cr\d)\+", r"\1", text)
    else:
        text = text.replace("un", "so") if re.search(r"\bcr\dun\b", text) else text
        text = re.sub(r"\bcr0(lt|gt|eq|so|un)\b", lambda m: {"un": "so"}.get(m[1], m[1]), text)
        text = re.sub(r"\b4\*(cr\d)\+", r"\1", text)
    return text
