"""A headless Chromium that shows one page, driven through its DevTools protocol."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """Shows a file. `messages` is what its console said, `requests` every address that it asked for but data: URLs."""

    def __init__(self, profile, width=1280, height=1000, scheme="light", scripts=True):
        self.messages, self.requests, self._number = [], [], 0
        command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
                   "--remote-allow-origins=*", f"--user-data-dir={profile}", "--no-first-run", "--disable-extensions",
                   "--disable-background-networking", "--hide-scrollbars", f"--window-size={width},{height}", "about:blank"]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(profile)})
        self._socket = self._connect(pathlib.Path(profile) / "DevToolsActivePort")
        self("Page.enable")
        self("Runtime.enable")
        self("Log.enable")
        self("Network.enable")
        self("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.prefer(scheme)

    def _connect(self, port_file):
        import urllib.request

        import websocket

        deadline = time.monotonic() + 60
        while not (port_file.exists() and port_file.read_text().strip()):
            assert time.monotonic() < deadline and self._process.poll() is None, "Chromium did not start"
            time.sleep(0.05)
        port = port_file.read_text().split()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
            pages = [page for page in json.load(answer) if page["type"] == "page"]
        return websocket.create_connection(pages[0]["webSocketDebuggerUrl"], timeout=60)

    def close(self):
        self._socket.close()
        self._process.kill()
        self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _take(self):
        message = json.loads(self._socket.recv())
        method, values = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent" and not values["request"]["url"].startswith("data:"):
            self.requests.append(values["request"]["url"])
        elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.messages.append(json.dumps(values))
        return message

    def __call__(self, method, **values):
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": values}))
        while (message := self._take()).get("id") != self._number:
            pass
        assert "error" not in message, message["error"]
        return message["result"]

    def prefer(self, scheme):
        self("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path, ready="document.documentElement?.dataset.ready === 'yes'"):
        self.messages.clear()
        self.requests.clear()
        self("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        deadline = time.monotonic() + 60
        while ready and not self.ask(ready):
            assert time.monotonic() < deadline, self.messages
            time.sleep(0.05)

    def ask(self, expression):
        """The value of an expression in the page."""
        answer = self("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def place(self, selector, dx=0.5, dy=0.5):
        """A place in an element, which is brought to the screen first."""
        x, y, width, height = self.ask(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); "
                                       "e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); "
                                       "return [r.x, r.y, r.width, r.height]; })()")
        return x + dx * width, y + dy * height

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def drag(self, x, y, to_x, to_y):
        self("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", buttons=1, clickCount=1)
        self("Input.dispatchMouseEvent", type="mouseMoved", x=to_x, y=to_y, button="left", buttons=1)
        self("Input.dispatchMouseEvent", type="mouseReleased", x=to_x, y=to_y, button="left", clickCount=1)

    def wheel(self, x, y, by):
        self("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=by)

    def press(self, key):
        text = {"text": key} if len(key) == 1 else {}
        self("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self("Input.dispatchKeyEvent", type="keyUp", key=key)

    def screenshot(self, path, whole=True):
        picture = self("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(picture["data"]))
