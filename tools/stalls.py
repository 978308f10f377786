#!/usr/bin/env python3
"""Measure how long the window would stand still while code is compiled in the background.

    tools/stalls.py [--machine mc68040-25] [--timing full] [--seconds 60]

Runs a session as the window does, without a display: sleep until the next turn, advance, compose toolbar and status
bar. The cache of compiled code is empty at first. A turn's gap is the time from when it was due to its end, less the
time in which this thread could have run but the host gave its processors to others (Linux's schedstat; 0 elsewhere).
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # the checkout needs no installation

ALLOWED = 0.050  # seconds


def waited_for_processor() -> float:
    """Return the seconds in which the calling thread was ready and did not run."""
    try:
        return int(Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


def measure(machine_name: str, timing: str, seconds: float) -> None:
    """Run and print the longest gaps."""
    from retrosim.machine import open_machine
    from retrosim.screen.framebuffer import WIDTH
    from retrosim.window.compose import compose
    from retrosim.window.session import Session
    from retrosim.window.transport import run_ahead

    begun = time.perf_counter()
    machine = open_machine(machine_name, timing=timing)
    run_ahead(machine)
    print(f"machine ready after {time.perf_counter() - begun:.2f} s")
    session = Session(machine, folder=Path)
    begun, compiled, gaps = time.perf_counter(), 0, []
    while (now := time.perf_counter()) - begun < seconds:
        waited, due = waited_for_processor(), now + session.wait_ns() / 1e9
        time.sleep(max(0.0, due - now))
        session.advance()
        compose(session, WIDTH)
        end = time.perf_counter()
        gaps.append((max(0.0, end - due - (waited_for_processor() - waited)), end - due, end - begun))
        compiled += machine.is_compiling
    long = sum(gap > ALLOWED for gap, _, _ in gaps)
    print(f"{len(gaps)} turns, {compiled} of them while code was compiled; engine at the end: {machine.engine}")
    print(f"{long} gaps above {ALLOWED * 1e3:.0f} ms; the longest, without and with waiting for a processor:")
    for gap, whole, at in sorted(gaps, reverse=True)[:8]:
        print(f"  {gap * 1e3:7.1f} ms {whole * 1e3:7.1f} ms  at {at:6.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--machine", default="mc68040-25")
    parser.add_argument("--timing", default="full", choices=("off", "table", "full"))
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="retrosim-home-") as home:
        os.environ["RETROSIM_HOME"] = home
        measure(options.machine, options.timing, options.seconds)


if __name__ == "__main__":
    main()
