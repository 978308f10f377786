# The public names of the folder: see lazy.py.
from .assembling import Assembly as Assembly
from .assembling import assemble as assemble
from .assembling import assemble_file as assemble_file
from .processors import CPU_NAMES as CPU_NAMES
