"""A headless Chromium that tests look at pages with: they evaluate expressions in it, press keys, take screenshots.

It is driven through its DevTools protocol, by a pair of pipes (--remote-debugging-pipe).
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
KEYS = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


class Browser:
    """One page in a browser of its own."""

    def __init__(self, folder: Path) -> None:
        """Start it; its profile lies in a folder."""
        assert CHROMIUM
        reading, self._write = os.pipe()
        self._read, writing = os.pipe()
        script = f'exec "$@" 3<&{reading} 4>&{writing}'
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
        options: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(["bash", "-c", script, "sh", *command], pass_fds=(reading, writing), **options)
        os.close(reading)
        os.close(writing)
        self._pending, self._number, self._session = b"", 0, ""
        self.problems: list[str] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        self.requests: list[str] = []

    def close(self) -> None:
        os.close(self._write)
        self._process.kill()
        self._process.wait()
        os.close(self._read)

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._pending:
            part = os.read(self._read, 1 << 16)
            assert part, "the browser has ended"
            self._pending += part
        message, _, self._pending = self._pending.partition(b"\0")
        return json.loads(message)

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self._notice(answer)

    def _notice(self, event: dict[str, Any]) -> None:
        method, parameters = event.get("method"), event.get("params", {})
        if method in ("Runtime.exceptionThrown", "Log.entryAdded"):
            self.problems.append(json.dumps(parameters)[:500])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def open(self, path: Path, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Show a file."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self._call("Emulation.setEmulatedMedia", features=features)
        self._call("Page.navigate", url=path.as_uri())
        now = "document.readyState === 'complete' ? done(location.href) : onload = () => done(location.href)"
        loaded = f"new Promise(done => {now})"
        while self.evaluate(loaded) != path.as_uri():
            pass

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def click(self, selector: str, number: int = 0) -> None:
        """Click where an element is."""
        place = f"document.querySelectorAll({json.dumps(selector)})[{number}]"
        self.evaluate(f"{place}.scrollIntoView({{block: 'center'}})")
        box = self.evaluate(f"(r => [r.x + r.width / 2, r.y + r.height / 2])({place}.getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def press(self, key: str) -> None:
        """Press a key that has a name."""
        code = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key]}
        for kind in ("rawKeyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=kind, **code)

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self._call("Input.insertText", text=text)

    def screenshot(self, path: Path) -> None:
        """Write the whole page as a PNG."""
        answer = self._call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(answer["data"]))
