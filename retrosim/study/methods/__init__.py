"""The methods that `retrosim study` compares: each file here has the rows of one text, in a tuple METHODS.

A file is found by being here; nothing else lists it.

    jon_e_p_2007             several circles an object, colours on the screen, boxes and circles that move in a frame
    mackey_1995              masks of pixels, a word at a time
    moertel_1994             squares by sectors: in four shifted passes, and nine adjacent sectors
    no_collision_boxes_2011  boxes two ways, circles after boxes: every pair
    rekaby_2011              boxes in blocks, spheres, rectangles at any angle by points and lines
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ..method import Method

DOCUMENTS = ("Moertel 1994", "Mackey 1995", "No-collision boxes 2011", "Rekaby 2011", "Jon E P 2007")
"""The order of rows; those of other texts come last, by name."""


def find_methods() -> tuple[Method, ...]:
    """Return the rows of all files. Errors: ValueError if two have one name."""
    modules = [import_module(f"{__name__}.{info.name}") for info in iter_modules(__path__)]
    methods = [method for module in modules for method in module.METHODS]
    names = [method.name for method in methods]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"method {name!r} is there {names.count(name)} times: allowed once")
    order = {document: number for number, document in enumerate(DOCUMENTS)}
    return tuple(sorted(methods, key=lambda method: (order.get(method.document, len(order)), method.document)))


METHODS = find_methods()
