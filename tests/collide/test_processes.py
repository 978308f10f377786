"""What goes on around calls: Ctrl-C in the middle of them, and processes that divide while kernels are compiled.

By default a process that divides compiles a kernel that no cache has; with --full all of the library's too.
"""

import os
import subprocess
import sys

import pytest

from tests.helpers.amount import FULL, usually

INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from retrosim.collide import plane, world

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job begins with interruptions ignored
rng = np.random.default_rng(1)
x, y = rng.integers(0, 100_000, (2, 1_000_000)).astype(np.int32)
size = rng.integers(1, 60, (120_000, 2))
calls = [lambda: plane.collided(x, y), lambda: world.counts(x[:120_000], y[:120_000], size=size)]
[call() for call in calls]
expected = [call() for call in calls]
ignored = 0  # by Python: an interruption in one of its own callbacks, as of a thread that ends
for number in range(24):
    call = calls[number % 2]
    timer = threading.Timer(0.003 * (number // 2), os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        while timer.is_alive():
            call()
        call()
        ignored += 1
    except KeyboardInterrupt:
        assert np.array_equal(call(), expected[number % 2])
    timer.join()
assert ignored < 6
print("right")
"""
DIVIDED = """
import multiprocessing
import numpy as np
from retrosim.collide import _first_calls, world
from retrosim.jit import kernel

x = np.arange(300)

@kernel
def last(values, number):  # there is no file with its source, so it is always compiled
    return values.max() + number

def ask(number):
    return len(world.pairs(x, x, size=number)), int(world.counts(x[:9], x[:9], size=number).sum()), int(last(x, number))

if __name__ == "__main__":
    ask(2)  # its kernels are being compiled, or read, from now on
    _first_calls.COMPILER.is_done("last", lambda: last(x.astype(float), 1.0))  # and this one surely
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(ask, (2, 3)))
        pool.close()
        pool.join()
"""


def run(program: str, **environment: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", program], env={**os.environ, **environment},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.full
def test_calls_that_are_interrupted_leave_nothing_behind():
    assert run(INTERRUPTED) == "right\n"


SHARED = """
import threading, time
import numpy as np
from retrosim.collide import _first_calls
from retrosim.collide.scene import Scene

rng = np.random.default_rng(1)
scene = Scene()
scene.add(*rng.integers(-500, 500, (2, 500)), size=20)
one = np.array([1])
questions = [
    scene.pairs, scene.counts, scene.events, scene.copy, scene.hash,
    lambda: scene.nearest(one, one, k=3), lambda: scene.at_points(one, one),
]
[question() for question in questions]
_first_calls.COMPILER.wait()
end = time.monotonic() + SECONDS
failed = []

def ask():
    while time.monotonic() < end and not failed:
        try:
            [question() for question in questions]
        except Exception as error:
            failed.append(error)

threads = [threading.Thread(target=ask) for _ in range(2)]
[thread.start() for thread in threads]
while time.monotonic() < end:
    ids = scene.ids
    if len(ids) > 250 and rng.random() < 0.3:
        scene.remove(rng.permutation(ids)[: len(ids) // 3])
    elif len(ids) < 500:
        scene.add(*rng.integers(-500, 500, (2, 125)), size=20)
    else:
        scene.move(ids[:5], *rng.integers(-500, 500, (2, 5)))
[thread.join() for thread in threads]
fresh = Scene()
boxes = scene.boxes()
fresh.add(boxes[:, 0].copy(), boxes[:, 1].copy(), size=boxes[:, 2:].copy())
assert not failed and np.array_equal(scene.ids[fresh.pairs()], scene.pairs()), failed
print("right")
"""


@pytest.mark.full
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("cache", usually(["kept"], ["kept", "empty"]))
def test_a_process_that_divides_during_the_first_calls(cache, tmp_path):
    environment = {"RETROSIM_HOME": str(tmp_path)} if cache == "empty" else {}
    assert run(DIVIDED, **environment) == "[(299, 16, 301), (597, 30, 302)]\n"


@pytest.mark.full
def test_a_scene_that_one_thread_changes_while_others_ask() -> None:
    assert run(f"SECONDS = {2 if FULL else 0.7}\n{SHARED}") == "right\n"
