"""Ctrl-C during calls that take long: it is heard where nothing is left half done, and not raised in between."""
from __future__ import annotations

import signal
import threading
from typing import Any, Callable, Optional, TypeVar

T = TypeVar("T")


class Interrupts:
    """While it is entered in the main thread, Ctrl-C calls `stop` and is kept: ``heard``. ``tell()``, behind it, does what
    would have been done: it raises KeyboardInterrupt, or calls the handler that the program has."""

    def __init__(self, stop: Callable[[], Any]):
        self._stop = stop
        self._before: Any = None
        self.heard = False

    def _hear(self, number: int, frame: Any) -> None:
        self.heard = True
        self._stop()

    def __enter__(self) -> "Interrupts":
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self._before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *_: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def tell(self) -> None:
        if self.heard and callable(self._before):
            self._before(signal.SIGINT, None)


def interruptible(work: Callable[[], T], stop: Optional[Callable[[], Any]] = None) -> T:
    """Returns what `work` returns. In the main thread it runs on a thread of its own, as Python hears no Ctrl-C during a call
    of C: on Ctrl-C `stop` is called, and KeyboardInterrupt raised when `work` has ended."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    done = threading.Event()
    found: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:  # noqa: BLE001: raised below
            failed.append(error)
        finally:
            done.set()

    with Interrupts(stop or (lambda: None)) as interrupts:
        thread = threading.Thread(target=run, name="orrery", daemon=True)
        thread.start()
        while not done.wait(0.5):  # wakes up to hear
            pass
        thread.join()
    interrupts.tell()
    if failed:
        raise failed[0]
    return found[0]
