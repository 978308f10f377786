# The public names of the folder: see lazy.py.
from .assembling import assemble as assemble
from .assembling import assemble_file as assemble_file
from .output import Assembly as Assembly
from .processors import CPU_NAMES as CPU_NAMES
