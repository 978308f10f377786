"""A ROM: the folder with rom.toml, its images, and the description of its parameters and of its world.

Reading a manifest needs no compiler and no tool chain: `toolchains` has what images are built with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from retrosim.checks import check_choice, check_integer
from retrosim.errors import RomError
from retrosim.reading import digest_of, read_file

from .columns import NO_SCENES, SceneFields, WorldColumn, check_column, read_column, read_scene_fields
from .drawings import DrawingFiles, read_files
from .fields import FILE_NAME, FLAG, NAME, SHA256, SOURCE_PATH, Fields, read_toml
from .image import ISAS, MAX_IMAGE_BYTES, Image, check_boot, family_of, read_image

# What a ROM's own images are built from: the table [build] of rom.toml. What all ROMs share is in `toolchains`.


@dataclass(frozen=True)
class Recipe:
    """What the images of a ROM have in common; files relative to its folder, "../NAME/..." in that of another ROM.

    sources  of all images, in link order: behind the start-up code, before those of the image; C (.c), assembler (.S),
             in real mode Pascal (.pas) instead of C
    tables   C sources that tools/rom_tables.py makes, with a header each; linked in front of the sources
    script   for the linker; "" for the shared one
    flags    of the compiler, behind those of the tool chain
    without  shared flags that this ROM is built without
    trim     leave out functions and variables that nothing refers to
    """

    sources: tuple[str, ...]
    tables: tuple[str, ...] = ()
    script: str = ""
    flags: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    trim: bool = False


def read_recipe(fields: Fields) -> Recipe:
    """Check the table [build]. Errors: RomError."""
    recipe = Recipe(
        sources=tuple(fields.texts("sources", SOURCE_PATH, [])),
        tables=tuple(fields.texts("tables", SOURCE_PATH, [])),
        script=fields.text("script", SOURCE_PATH, default=""),
        flags=tuple(fields.texts("flags", FLAG, [])),
        without=tuple(fields.texts("without", FLAG, [])),
        trim=fields.flag("trim"),
    )
    fields.end()
    return recipe


FORMAT = 1
MANIFEST = "rom.toml"
WORDS = 8  # of parameters
DEVICES = ("pad",)
MAX_DESCRIPTION = 4000  # characters
DEFAULT_BUILD = "O2"


@dataclass(frozen=True)
class Parameter:
    """A number the host hands to the ROM at power-on.

    default, minimum, maximum  0..2**32-1
    word                       index of the parameter word it is written to, 0..7
    """

    default: int
    minimum: int
    maximum: int
    word: int


@dataclass(frozen=True)
class ImageInfo:
    """One line of the list of images.

    isa, build   "m68040", "O2": no two images have both the same
    file         name in the ROM's folder
    sha256       64 hex digits, "" for an image that has not been built yet
    default      the build that is taken when none is asked for; one per ISA
    compiler     exact versions of all that made it, "" if it is built as the recipe says
    flags        of the compiler, for this image alone
    drop         instructions removed from the compiler's output before it is assembled
    sources      of this image alone, linked behind those of the recipe
    description  what is particular about it, "" if nothing is
    boot         what the CPU starts it in: "flat" or "real" on the x86, "" for the usual one
    """

    isa: str
    build: str
    file: str
    sha256: str
    default: bool = False
    compiler: str = ""
    flags: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    description: str = ""
    boot: str = ""


@dataclass(frozen=True, repr=False)
class Rom:
    """A program with images for several machines, as its manifest describes it.

    path        its folder
    constants   numbers the host may need, such as the word and the values of the mode
    inputs      devices it reads
    recipe      how the images are built, None if the manifest does not say
    drawings    where its sprites are drawn, None if it has none
    scene       what a scene may place
    is_library  its routines are called from outside; nothing runs by itself, so there is nothing to see or to record
    """

    name: str
    title: str
    description: str
    authors: list[str]
    path: Path
    parameters: dict[str, Parameter]
    constants: dict[str, int]
    inputs: list[str]
    world: list[WorldColumn]
    images: list[ImageInfo]
    recipe: Recipe | None
    drawings: DrawingFiles | None = None
    is_library: bool = False
    scene: SceneFields = NO_SCENES

    def __repr__(self) -> str:
        isas = dict.fromkeys(info.isa for info in self.images)
        return f"<Rom {self.name}: {self.title}; {len(self.images)} images for {', '.join(isas) or 'nothing'}>"

    def image_info(self, isa: str, build: str | None = None) -> ImageInfo:
        """Return the list's line for an ISA and a build (None: the default one). Errors: RomError."""
        for info in self.images:
            if info.isa == isa and (info.default if build is None else info.build == build):
                return info
        if isa in family_of(isa).only and not any(info.isa == isa for info in self.images):
            raise RomError(self.path / MANIFEST, f"has no 16-bit code for the {isa}, which cannot run 32-bit code")
        wanted = isa if build is None else f"{isa} build {build}"
        same = [info for info in self.images if info.isa == isa]
        there = ", ".join(f"{info.isa} {info.build}" for info in same or self.images)
        raise RomError(self.path / MANIFEST, f"no image for {wanted}; there are: {there}")

    def image(self, isa: str, build: str | None = None) -> Image:
        """Load an image, after its hash has been verified.

        isa     the processor's name, for example "m68040"
        build   for example "O2"; None: the default of that ISA
        Errors  RomError
        """
        info = self.image_info(isa, build)
        path = self.path / info.file
        if path.resolve().parent != self.path.resolve():
            raise RomError(path, "lies outside the folder of its ROM")
        content = read_file(path, MAX_IMAGE_BYTES, RomError)
        found = digest_of(content)
        if found != info.sha256:
            raise RomError(path, f"has SHA-256 {found[:16]}..., the manifest says {info.sha256[:16]}...")
        image = replace(read_image(path, content, info.isa, info.build), boot=info.boot)
        for column in self.world:
            check_column(path, column, image.symbols)
        for column in self.scene.memory:
            check_column(path, column, image.symbols)
        return image

    def tapes(self) -> list[Path]:
        """Return the scenario tapes that come with the ROM, sorted by name."""
        return sorted(path for path in (self.path / "tapes").glob("*.rtape") if path.is_file())

    def scenes(self) -> list[Path]:
        """Return the scenes that come with the ROM, sorted by name."""
        return sorted(path for path in (self.path / "scenes").glob("*.scene") if path.is_file())


def read_manifest(path: Path, require_built: bool = True) -> Rom:
    """Read a rom.toml.

    require_built  refuse a ROM that has an image without a hash; only the tool that builds images can use one
    Errors         RomError, whatever the file holds
    """
    fields = read_toml(path)
    fields.integer("format", FORMAT, FORMAT)
    recipe = read_recipe(fields.table("build")) if fields.has("build") else None
    name = fields.text("name", NAME)
    world = [read_column(table) for table in fields.tables("world")]
    rom = Rom(
        name=name,
        title=fields.text("title"),
        description=_description(fields),
        authors=fields.texts("authors", default=[]),
        path=path.parent,
        parameters={name: _parameter(table) for name, table in fields.named_tables("parameters", NAME).items()},
        constants=_constants(fields),
        inputs=fields.texts("inputs", default=[]),
        world=world,
        scene=read_scene_fields(fields.table("scene"), world) if fields.has("scene") else NO_SCENES,
        images=_images(fields, name, recipe),
        recipe=recipe,
        drawings=read_files(fields.table("drawings"), path.parent) if fields.has("drawings") else None,
        is_library=fields.flag("library"),
    )
    fields.end()
    _check_whole(fields, rom)
    if require_built:
        for info in rom.images:
            if not info.sha256:
                reason = f"{info.isa} {info.build} is not built yet; build it with tools/build_roms.py --rom {rom.name}"
                raise fields.error(reason, "images")
    return rom


def _description(fields: Fields) -> str:
    return " ".join(fields.text("description", max_length=MAX_DESCRIPTION, default="").split())


def _parameter(fields: Fields) -> Parameter:
    word = fields.integer("word", 0, WORDS - 1)
    minimum = fields.integer("minimum", 0, 2**32 - 1)
    maximum = fields.integer("maximum", minimum, 2**32 - 1)
    parameter = Parameter(fields.integer("default", minimum, maximum), minimum, maximum, word)
    fields.end()
    return parameter


def _constants(fields: Fields) -> dict[str, int]:
    if not fields.has("constants"):
        return {}
    table = fields.table("constants")
    return {name: table.integer(name, 0, 2**32 - 1) for name in table.names(NAME)}


def _images(fields: Fields, name: str, recipe: Recipe | None) -> list[ImageInfo]:
    """Return the images that are listed, or else one for each ISA, if the recipe says how to build them."""
    images = [_image_info(table, name, recipe) for table in fields.tables("images")]
    if not images and recipe is not None:
        usual = [isa for isa in ISAS if isa not in family_of(isa).only]
        images = [ImageInfo(isa, DEFAULT_BUILD, _file_name(name, isa, DEFAULT_BUILD), "") for isa in usual]
    count = Counter(info.isa for info in images)
    return [replace(info, default=info.default or count[info.isa] == 1) for info in images]


def _file_name(name: str, isa: str, build: str) -> str:
    return f"{name}-{isa}-{build}.elf"


def _image_info(fields: Fields, name: str, recipe: Recipe | None) -> ImageInfo:
    isa, build = fields.text("isa"), fields.text("build", FILE_NAME, default=DEFAULT_BUILD)
    if isa not in ISAS:
        raise fields.error(f"{isa[:40]!r}: allowed {', '.join(ISAS)}", "isa")
    boot = fields.text("boot", default=family_of(isa).only.get(isa, ""))
    try:
        check_boot(boot, isa)
    except ValueError as error:
        raise fields.error(str(error), "boot") from None
    compiler = fields.text("compiler", default="")
    if not compiler and recipe is None:
        raise fields.error("is missing; without it, a table [build] has to say how to build the image", "compiler")
    info = ImageInfo(
        isa=isa,
        build=build,
        file=fields.text("file", FILE_NAME, default=_file_name(name, isa, build)),
        sha256=fields.text("sha256", SHA256, default=None if compiler else ""),
        default=fields.flag("default"),
        compiler=compiler,
        flags=tuple(fields.texts("flags", FLAG, [])),
        drop=tuple(fields.texts("drop", default=[])),
        sources=tuple(fields.texts("sources", SOURCE_PATH, [])),
        description=_description(fields),
        boot=boot,
    )
    fields.end()
    return info


def _check_whole(fields: Fields, rom: Rom) -> None:
    """Check what concerns several tables."""
    unknown = [device for device in rom.inputs if device not in DEVICES]
    if unknown:
        raise fields.error(f"{unknown[0][:40]!r}: allowed {', '.join(DEVICES)}", "inputs")
    words = [parameter.word for parameter in rom.parameters.values()]
    if len(set(words)) < len(words):
        raise fields.error("two parameters share a word", "parameters")
    names = [column.name for column in rom.world]
    if len(set(names)) < len(names):
        raise fields.error("two columns share a name", "world")
    if not rom.images:
        raise fields.error("there is none, and no table [build] says how to build one", "images")
    builds = [(info.isa, info.build) for info in rom.images]
    if len(set(builds)) < len(builds) or len({info.file for info in rom.images}) < len(builds):
        raise fields.error("two images share a file, or ISA and build", "images")
    for isa in {info.isa for info in rom.images}:
        if sum(info.default for info in rom.images if info.isa == isa) != 1:
            raise fields.error(f"of several builds for {isa}, exactly one must say default = true", "images")


# The parameters of a ROM, as its manifest allows them.


def all_parameters(rom: Rom | None, given: Mapping[str, int] | None, mode: str = "demo") -> dict[str, int]:
    """Return all parameters, defaults filled in; a mode may widen a range by a constant harness_minimum_objects.

    rom      None: there are no parameters
    mode     what the ROM does
    Errors   ValueError
    """
    known, constants = (rom.parameters, rom.constants) if rom else ({}, {})
    modes = [name.removeprefix("mode_") for name in constants if name.startswith("mode_") and name != "mode_word"]
    check_choice("mode", mode, tuple(modes) or ("demo",))
    values = {name: p.default for name, p in known.items()}
    for name, value in (given or {}).items():
        check_choice("parameter", name, known)
        minimum = constants.get(f"{mode}_minimum_{name}", known[name].minimum)
        values[name] = check_integer(name, value, minimum, known[name].maximum)
    return values
