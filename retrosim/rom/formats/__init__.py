"""Formats of program files: `registry` says which there are; a module each loads them.

dos          DOS programs: .COM, and .EXE (MZ)
elf          ELF files of every kind; links objects in memory
hunk         Amiga executables
objects      relocatable ELF objects (.o), and archives of them (.a), as the linker reads them
prg          Atari ST executables (.PRG, .TOS, .TTP)
reading      bounded reads from the bytes of a file
rebase       moves an executable that was linked for other addresses into RAM, by the relocations it still has
records      S-records and Intel hex
registry     the formats: how each is recognised, what loads it, and what to do about the others
relocations  what a linker writes for each kind of relocation, of the three families that GCC compiles for
sources      runs the user's own compilers, for `cost FILE.c` and the C preprocessor of assembly sources
"""

from .registry import FORMATS, File, Format, format_of, load_file

__all__ = ["FORMATS", "File", "Format", "format_of", "load_file"]
