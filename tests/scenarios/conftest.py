"""What is compiled for the machines of these tests is compiled quickly, as in the tests of machines."""

from tests.machine.conftest import quick_compiler

__all__ = ["quick_compiler"]
