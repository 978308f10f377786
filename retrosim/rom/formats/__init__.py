"""Formats of program files: `registry` says which there are; a module each loads them."""

from .registry import FORMATS, File, Format, format_of, load_file

__all__ = ["FORMATS", "File", "Format", "format_of", "load_file"]
