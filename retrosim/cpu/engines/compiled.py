"""Functions as machine code, most of the handler type: compiled by LLVM, cached on disk, freed when nothing holds them.

Numba keeps whatever it has compiled or loaded to the end of the process. A machine brings a hundred functions and
regions of its own, so they go to LLVM by themselves: every group is compiled in a context and linked in an engine
that end with it.
"""

from __future__ import annotations

import ctypes
import hashlib
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from weakref import WeakValueDictionary

import llvmlite
import numpy as np
from llvmlite import binding

from retrosim.cache.sources import STORES

from ..spec.ir import Function, Module, Signature
from .handlers.handlers import HANDLER

# Object code in the cache: an entry for each group of functions, compiled by one process.
#
# Beside it may lie a list of what the functions are, a line each, or the plan of a region (segments.py).

STORE = STORES["engines"]
CODE_SUFFIX = ".o"
LIST_SUFFIX = ".list"
PLAN_SUFFIX = ".plan"

_contents: dict[str, frozenset[str]] = {}  # of groups that this process has seen


def is_cached(name: str) -> bool:
    """Has a group of functions been compiled?"""
    return STORE.has(name + CODE_SUFFIX)


def object_of(name: str) -> bytes | None:
    """Return the object code of a group of functions if it is there, and whole."""
    return STORE.read(name + CODE_SUFFIX)


def contents_of(prefix: str) -> dict[str, frozenset[str]]:
    """Return what the functions of cached groups are, by group, of those whose names begin so and that tell it."""
    files = STORE.names()
    lists = {file.removesuffix(LIST_SUFFIX) for file in files if file.endswith(LIST_SUFFIX)}
    names = {name for name in lists if name.startswith(prefix) and name + CODE_SUFFIX in files}
    for name in names - _contents.keys():
        text = STORE.read(name + LIST_SUFFIX)
        if text is not None:
            _contents[name] = frozenset(text.decode().splitlines())
    return {name: _contents[name] for name in names & _contents.keys()}


def cached_object(name: str, compile_it: Callable[[], bytes], contents: Sequence[str] = ()) -> bytes:
    """Return the object code of a group of functions, compiled unless it is there already.

    name        of the group, which says all that its code depends on besides the sources of this package
    compile_it  returns the object code; called by one process at a time
    contents    what the functions are, for `contents_of`
    """
    found = object_of(name)
    if found is None:
        with STORE.locked(name):
            found = object_of(name)  # another process may have been at it
            if found is None:
                found = compile_it()
                STORE.write(name + CODE_SUFFIX, found, in_memory=True)
    if contents and STORE.read(name + LIST_SUFFIX) is None:  # new, or damaged
        STORE.write(name + LIST_SUFFIX, "\n".join(contents).encode(), in_memory=True)
    return found


def cached_plan(name: str) -> bytes | None:
    """Return what is cached of the plan of a region, if it is there and whole."""
    return STORE.read(name + PLAN_SUFFIX)


def cache_plan(name: str, content: bytes) -> None:
    """Put it into the cache."""
    STORE.write(name + PLAN_SUFFIX, content, in_memory=True)


TABLE = "addresses"  # symbol of a group's table
FEW_PASSES = ("sroa", "instruction_combine", "simplify_cfg")
UNUSED_FEATURES = {"movbe"}  # that make code slower: regions run a tenth faster when bytes are swapped apart


class Effort(Enum):
    """How much work goes into code.

    QUICK   compiled six times faster, runs at three fifths of the speed
    FEW     passes: what comes of a single instruction gains nothing by more
    ALL     passes: short loops gain a quarter of their speed
    """

    QUICK, FEW, ALL = range(3)


class CompiledFunctions:
    """A group of functions; their code is there as long as this object.

    addresses  uint64[functions]
    """

    def __init__(self, code: bytes, count: int) -> None:
        """Link object code whose table has `count` functions."""
        self._context = binding.create_context()
        empty = binding.parse_assembly("", self._context)
        self._engine = binding.create_mcjit_compiler(empty, _target_machine(0))
        self._engine.add_object_file(binding.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        table = (ctypes.c_uint64 * count).from_address(self._engine.get_global_value_address(TABLE))
        self.addresses = np.array(table, np.uint64)

    def __del__(self, is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
        if is_ending():  # the system frees all of it, and LLVM's bindings may be gone
            return
        for part in ("_engine", "_context"):
            if hasattr(self, part):
                getattr(self, part).close()


def compile_functions(
    name: str,
    emitters: Sequence[Callable[[Function], None]],
    effort: Effort = Effort.ALL,
    contents: Sequence[str] = (),
    signature: Signature = HANDLER,
) -> CompiledFunctions:
    """Compile a group of functions, or link it from the cache.

    name      says everything that the functions depend on (by a digest), apart from the sources of this package
    emitters  each fills one function
    contents  what the functions are, for `compiled_groups`
    signature  of each
    """
    code = cached_object(_host_digest() + name, lambda: _compile(name, emitters, effort, signature), contents)
    return CompiledFunctions(code, len(emitters))


def link_functions(name: str, count: int) -> CompiledFunctions | None:
    """Link a group of so many functions from the cache; None where it is not, or damaged."""
    code = object_of(_host_digest() + name)
    return None if code is None else CompiledFunctions(code, count)


def compiled_groups(prefix: str) -> dict[str, frozenset[str]]:
    """Return the contents of the groups in the cache whose names begin so, by name."""
    host = _host_digest()
    return {name.removeprefix(host): contents for name, contents in contents_of(host + prefix).items()}


def is_compiled(name: str) -> bool:
    """Is a group of functions in the cache?"""
    return is_cached(_host_digest() + name)


@cache
def _host() -> tuple[str, str]:
    """Return the processor of this host and its features, as LLVM writes them."""
    try:
        features = binding.get_host_cpu_features()
    except RuntimeError:  # LLVM does not know them
        return binding.get_host_cpu_name(), ""
    features.update(dict.fromkeys(UNUSED_FEATURES & features.keys(), False))
    return binding.get_host_cpu_name(), features.flatten()


@cache
def _host_digest() -> str:
    """Return what object code depends on besides the sources, the compiler and the host, as the beginning of a name."""
    parts = (llvmlite.__version__, binding.get_process_triple(), *_host())
    return hashlib.blake2b(repr(parts).encode(), digest_size=4).hexdigest() + "_"


@cache
def _target() -> binding.Target:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_triple(binding.get_process_triple())


def _target_machine(level: int) -> binding.TargetMachine:
    """Return a code generator for this host, of optimization level 0..3."""
    processor, features = _host()
    relocation = "static" if _target().name.startswith("x86") else "default"
    return _target().create_target_machine(
        cpu=processor, features=features, opt=level, reloc=relocation, codemodel="jitdefault", jit=True
    )


def _compile(name: str, emitters: Sequence[Callable[[Function], None]], effort: Effort, signature: Signature) -> bytes:
    """Return object code with a table of the functions' addresses."""
    module = Module()
    names = [f"{name}_{number}" for number in range(len(emitters))]
    for each, emit in zip(names, emitters, strict=True):
        function = Function(module, signature, each)
        emit(function)
        function.finish()
    module.constant_addresses(TABLE, names)
    return _object_code(module.text(), effort)


def _object_code(text: str, effort: Effort) -> bytes:
    """Optimize the text of a module and return its object code."""
    context = binding.create_context()
    module = binding.parse_assembly(text, context)
    machine = _target_machine(0 if effort is Effort.QUICK else 3)
    module.triple = binding.get_process_triple()
    module.data_layout = str(machine.target_data)
    options = binding.create_pipeline_tuning_options(3)
    options.loop_vectorization = options.slp_vectorization = False
    builder = binding.create_pass_builder(machine, options)
    if effort is Effort.ALL:
        passes = builder.getModulePassManager()
    else:
        passes = binding.create_new_module_pass_manager()
        for each in FEW_PASSES if effort is Effort.FEW else ():
            getattr(passes, f"add_{each}_pass")()
    passes.run(module, builder)
    code = machine.emit_object(module)
    module.close()
    context.close()
    _release_heap()
    return code


def _release_heap() -> None:
    """Give the system back what LLVM has freed (90 MiB behind all instructions of a model), where the C library can."""
    if sys.platform == "linux":
        release = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if release is not None:
            release(0)


# Functions that are known by keys, compiled in groups: what the groups in the cache lack is compiled as one more.

Emit = Callable[[Function], None]


class Group:
    """Functions that were compiled together.

    stubs      addresses of those that every group has
    functions  key -> address
    """

    def __init__(self, functions: CompiledFunctions, stubs: int, keys: Sequence[str]) -> None:
        self._functions = functions  # whose code the addresses point to
        addresses = functions.addresses.tolist()
        self.stubs = addresses[:stubs]
        self.functions = dict(zip(keys, addresses[stubs:], strict=True))


_groups: WeakValueDictionary[str, Group] = WeakValueDictionary()
_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


def functions_of(groups: Sequence[Group]) -> dict[str, int]:
    """Return the functions of some groups, each from the first that has it: key -> address."""
    found: dict[str, int] = {}
    for group in reversed(groups):
        found |= group.functions
    return found


def groups_with(
    wanted: Mapping[str, Emit],
    prefix: str,
    stubs: Sequence[Emit],
    effort: Effort,
    compiled_as: str = "",
    signature: Signature = HANDLER,
) -> list[Group]:
    """Return groups that have some functions: from the cache, and the functions that are missing as one more.

    wanted       key -> what emits the function
    prefix       of the groups' names, which says all that their code depends on besides the keys
    stubs        emit what every group has
    compiled_as  another prefix, for what is compiled; groups that have it are looked at last
    signature    of all these functions
    """
    missing = dict(wanted)
    with _locks[prefix]:
        groups = []
        for each in (prefix, compiled_as) if compiled_as else (prefix,):
            for name, keys in _choose(compiled_groups(each), set(missing)):
                group = _linked_group(name, len(stubs), sorted(keys))
                if group is not None:
                    groups.append(group)
                    missing = {key: emit for key, emit in missing.items() if key not in keys}
        if missing or not groups:
            groups.append(_compiled_group(missing, compiled_as or prefix, stubs, effort, signature))
    return groups


def _choose(groups: dict[str, frozenset[str]], wanted: set[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield groups, each time that which has most of what is still wanted, as long as one has any."""
    while wanted and groups:
        name = max(groups, key=lambda name: (len(groups[name] & wanted), -len(groups[name])))
        if not groups[name] & wanted:
            return
        yield name, groups[name]
        wanted = wanted - groups[name]


def _linked_group(name: str, stubs: int, keys: list[str]) -> Group | None:
    """Return a group of the cache, the same one for all that hold it; None if it is damaged."""
    group = _groups.get(name)
    if group is None:
        functions = link_functions(name, stubs + len(keys))
        if functions is None:
            return None
        group = _groups[name] = Group(functions, stubs, keys)
    return group


def _compiled_group(
    wanted: Mapping[str, Emit], prefix: str, stubs: Sequence[Emit], effort: Effort, signature: Signature
) -> Group:
    """Compile a group of functions."""
    keys = sorted(wanted)
    name = prefix + hashlib.blake2b("\n".join(keys).encode(), digest_size=8).hexdigest()
    functions = compile_functions(name, [*stubs, *(wanted[key] for key in keys)], effort, keys, signature)
    group = _groups[name] = Group(functions, len(stubs), keys)
    return group
