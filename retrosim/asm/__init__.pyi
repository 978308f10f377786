# The public names of the folder: see lazy.py.
from .assemble import CPU_NAMES as CPU_NAMES
from .assemble import Assembly as Assembly
from .assemble import assemble as assemble
from .assemble import assemble_file as assemble_file
