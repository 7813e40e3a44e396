"""A headless Chromium, spoken to over its pipe: no port, no network, no package beside Python's own.

    with Browser() as browser:
        page = browser.open("report.html")
        page.value("document.title"), page.complaints, page.requests
"""
import json
import os
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
         "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--disable-sync",
         "--no-first-run", "--no-default-browser-check", "--mute-audio", "--hide-scrollbars", "--window-size=1200,900",
         "--host-resolver-rules=MAP * ~NOTFOUND"]
PATIENCE_S = 300


def find():
    """The program, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Page:
    """A page that is open. `complaints`: texts of errors and warnings; `requests`: addresses asked for
    but the page itself and what stands in it."""

    def __init__(self, browser, session, path):
        self.browser, self.session, self.path = browser, session, path
        self.address = "file://" + os.path.abspath(path)
        self.complaints, self.requests = [], []
        self.loaded = False

    def tell(self, method, **parameters):
        return self.browser.tell(method, self.session, **parameters)

    def value(self, expression):
        """What JavaScript says, as JSON says it."""
        answer = self.tell("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise AssertionError(f"{expression[:80]}: {details.get('exception', details).get('description', details)}")
        return answer["result"].get("value")

    def key(self, key):
        """A key pressed by a user, which goes to what has the focus."""
        plain = {"text": key} if len(key) == 1 else {}
        self.tell("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, **plain)
        self.tell("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)

    def write(self, text):
        self.tell("Input.insertText", text=text)

    def drawn(self):
        """Waits for what the page asked to be drawn with the next frame."""
        self.value("new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); setTimeout(done, 300); })")

    def media(self, **features):
        """What the user prefers: media(prefers_color_scheme="dark")."""
        self.tell("Emulation.setEmulatedMedia", media=features.pop("media", ""),
                  features=[{"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def close(self):
        self.browser.pages.pop(self.session)

    def _take(self, event, data):
        if event == "Page.loadEventFired":
            self.loaded = True
        elif event == "Runtime.exceptionThrown":
            details = data["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif event == "Runtime.consoleAPICalled" and data["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(each.get("value", each.get("description"))) for each in data["args"]))
        elif event == "Log.entryAdded" and data["entry"]["level"] in ("error", "warning"):
            self.complaints.append(data["entry"]["text"])
        elif event == "Network.requestWillBeSent":
            address = data["request"]["url"]
            if address != self.address and not address.startswith(("data:", "blob:")):
                self.requests.append(address)


class Browser:
    def __init__(self):
        self.home = tempfile.mkdtemp()
        self.asked, self.pages, self.session = 0, {}, None
        down, up = os.pipe(), os.pipe()  # to the browser, from it
        # What it is to read and write are its descriptors 3 and 4, whatever numbers these have here.
        script = f"exec 3<&{down[0]} 4>&{up[1]}; exec \"$@\""
        self.process = subprocess.Popen(["bash", "-c", script, "sh", find(), *FLAGS, "--user-data-dir=" + self.home, "about:blank"],
                                        pass_fds=(down[0], up[1]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.home})
        os.close(down[0])
        os.close(up[1])
        self.out, self.into = os.fdopen(down[1], "wb", 0), up[0]
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.tell("Browser.close", None)
            self.process.wait(10)
        except (AssertionError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.into)
        self.out.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def _message(self):
        while b"\0" not in self.buffer:
            more = os.read(self.into, 1 << 20)
            assert more, "the browser is gone"
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def _hand_out(self, message):
        page = self.pages.get(message.get("sessionId"))
        if page and "method" in message:
            page._take(message["method"], message["params"])

    def tell(self, method, session=None, **parameters):
        self.asked += 1
        message = {"id": self.asked, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self.out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self.asked:
                assert "error" not in answer, f"{method}: {answer.get('error')}"
                return answer["result"]
            self._hand_out(answer)

    @staticmethod
    def _is(page, expression):
        try:
            return page.value(expression)
        except AssertionError:  # between two documents
            return False

    def open(self, path, ready="document.body && document.body.dataset.ready === 'true'"):
        """Opens a page, in the same tab as the one before, whose process need not start again, and waits until it is ready, or
        has loaded and complained. `seconds`: how long that took."""
        first = self.session is None
        if first:
            target = self.tell("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.tell("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[self.session] = Page(self, self.session, path)
        for domain in ("Page", "Runtime", "Log", "Network") if first else ():
            page.tell(domain + ".enable")
        page.media()
        page.tell("Emulation.clearDeviceMetricsOverride")
        page.complaints.clear()  # those of the page before
        page.requests.clear()
        page.loaded = False
        begin = time.monotonic()
        page.tell("Page.navigate", url=page.address)
        while not ((self._is(page, ready) or page.complaints) and page.loaded):
            assert time.monotonic() - begin < PATIENCE_S, f"{path}: not ready after {PATIENCE_S} s"
            time.sleep(0.02)
        page.seconds = time.monotonic() - begin
        page.value("1")  # what was said before this has been heard
        return page
