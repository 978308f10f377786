"""What kernels have in common that check their arguments themselves, so that calling them costs as little as possible.

Types are checked when Numba compiles, and later calls with the same types pay nothing for it: a kernel that calls
`require_types` is compiled for no others, and calling it with others raises one of `jit.REFUSED_TYPES`. Values are
checked by compiled code, which returns a status below 0. Either way the caller then looks for the argument that is
wrong, and names it.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic

from retrosim.jit import JIT

DONE, REFUSED, TOO_LARGE = 0, -1, -2
"""Status of a kernel: success; a value is wrong; too many objects, or too far away, for this kernel."""

_CORNERS = (types.int16, types.int32)
_OUTPUTS = ((types.uint8, 1), (types.int32, 2))


@intrinsic
def require_types(typing_context, x, y, size, out):
    """Refuse to compile for arguments of other types than these; cost nothing when called.

    x, y  int16[n] or int32[n], C-contiguous, both of the same dtype
    size  int, of Python or NumPy
    out   uint8[n] or int32[m, k], C-contiguous and writable
    """
    arrays = (x, y, out)
    if not all(isinstance(kind, types.Array) and kind.layout == "C" for kind in arrays):
        return None
    if x.ndim != 1 or y.ndim != 1 or x.dtype not in _CORNERS or x.dtype != y.dtype:
        return None
    if not isinstance(size, types.Integer):
        return None
    if (out.dtype, out.ndim) not in _OUTPUTS or not out.mutable:
        return None
    return types.none(x, y, size, out), lambda context, builder, signature, args: context.get_dummy_value()


if not JIT:

    def require_types(x, y, size, out):
        """Do the same without the compiler."""
        if not all(isinstance(array, np.ndarray) and array.flags.c_contiguous for array in (x, y, out)):
            raise TypeError("x, y or out is no C-contiguous array")
        if x.ndim != 1 or y.ndim != 1 or x.dtype not in (np.int16, np.int32) or x.dtype != y.dtype:
            raise TypeError(f"x {x.dtype}, y {y.dtype}")
        if not isinstance(size, (int, np.integer)) or isinstance(size, bool):
            raise TypeError(f"size {size!r}")
        if (out.dtype.name, out.ndim) not in (("uint8", 1), ("int32", 2)) or not out.flags.writeable:
            raise TypeError(f"out {out.dtype}")
