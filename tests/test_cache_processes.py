"""Many processes at one cache: started at once, or killed while they write.

--times 2 runs the long form: eight processes, 200 kills each, and the real program.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from retrosim.cache.store import CodeCache, open_cache
from tests.helpers.amount import SOAK

ROOT = Path(__file__).resolve().parent.parent
IS_LONG = SOAK
PROCESSES = 8 if IS_LONG else 3
KILLS = 200 if IS_LONG else 12
VERSION = "0123456789abcdef"
KERNEL = """
from retrosim.cache.sources import cached_files
from retrosim.jit import kernel

@kernel
def add(a, b):
    return a + b

if __name__ == "__main__":
    from retrosim.cpu.engines.compiled import cached_object
    print(add(1, 2), cached_object("group", lambda: b"code" * 1000, ["a", "b"]) == b"code" * 1000)
"""
PROGRAM = """
import numpy as np
from retrosim import collide
from retrosim.machine import open_machine
x = np.array([10, 35, 300], np.int16)
machine = open_machine("mc68040-25", "sectors")
machine.run(frames=1)
print(collide.pairs(x, x, size=30).tolist(), machine.hash("world"))
"""
WRITER = f"""
import sys
from pathlib import Path
from retrosim.cache.store import open_cache
from tests.helpers.amount import SOAK
store = open_cache(Path(sys.argv[1])).store("engines", {VERSION!r})
print("ready", flush=True)
while True:
    for number in range(20):
        store.write(f"{{number}}.o", bytes([number]) * 50_000)
"""


def _start(home: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = os.environ | {"RETROSIM_HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *arguments]
    return subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=home.parent
    )


def _check_clean(cache: CodeCache) -> None:
    """All entries are whole, and what stopped processes left goes with time."""
    for kind in ("kernels", "engines"):
        for folder in (cache.folder / kind).glob("*"):
            assert cache.store(kind, folder.name).damaged() == []
    for file in cache.files():
        os.utime(file.path, (time.time() - 1000,) * 2)
    cache.prune(1 << 40)
    assert {file.path.suffix for file in cache.files()} <= {".kernel", ".o", ".list"}


@pytest.mark.full
def test_many_processes_start_at_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(PROGRAM if IS_LONG else KERNEL)
    for _ in range(1 + IS_LONG):  # the cache is empty at first
        processes = [_start(tmp_path / "home", str(script)) for _ in range(PROCESSES)]
        results = {(*process.communicate(timeout=600), process.returncode) for process in processes}
        assert len(results) == 1 and next(iter(results))[1:] == ("", 0), results
    _check_clean(open_cache(tmp_path / "home" / "cache"))


@pytest.mark.full
def test_kills_while_writing_leave_whole_entries(tmp_path: Path) -> None:
    chance, seen = random.Random(14), set[str]()
    for _ in range(KILLS):
        process = _start(tmp_path, "-c", WRITER, str(tmp_path / "cache"))
        assert process.stdout.readline() == "ready\n"
        time.sleep(chance.random() * 0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        cache = open_cache(tmp_path / "cache")
        store = cache.store("engines", VERSION)
        assert store.damaged() == []
        seen |= {file.path.suffix for file in cache.files()}
        for name in store.names():
            assert store.read(name) == bytes([int(name.removesuffix(".o"))]) * 50_000
    assert ".o" in seen and (".part" in seen or not IS_LONG)  # some were killed amid a write
    _check_clean(open_cache(tmp_path / "cache"))


@pytest.mark.skipif(not IS_LONG, reason="without --times: each of 200 starts compiles for seconds")
def test_kills_of_the_real_program_leave_whole_entries(tmp_path: Path) -> None:
    chance = random.Random(14)
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    for number in range(KILLS):
        home = tmp_path / f"home-{number // 10}"  # ten kills each, from an empty cache on
        process = _start(home, str(script))
        try:
            process.wait(chance.uniform(0.4, 4))
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        if number % 10 == 9:
            out, err = _start(home, str(script)).communicate(timeout=600)
            assert (out[:8], err) == ("[[0, 1]]", ""), err
            _check_clean(open_cache(home / "cache"))
