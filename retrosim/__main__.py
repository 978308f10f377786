"""`python -m retrosim` is the command `retrosim`."""

import sys

from retrosim.cli import main

sys.exit(main())
