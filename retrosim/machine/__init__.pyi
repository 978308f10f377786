# The public names of the package: see retrosim/lazy.py.
from .budget import Budget as Budget
from .choices import ENGINES as ENGINES
from .choices import NATIVE as NATIVE
from .choices import TIMINGS as TIMINGS
from .interface import Measurement as Measurement
from .interface import RunResult as RunResult
from .machine import Machine as Machine
from .native import NativeMachine as NativeMachine
from .opening import open_machine as open_machine
from .presets import MACHINE_NAMES as MACHINE_NAMES
from .presets import PRESETS as PRESETS
from .presets import Preset as Preset
from .world import World as World
