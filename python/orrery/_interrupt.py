"""Ctrl-C during calls of C: they run on a thread of their own while the main thread waits for either."""
from __future__ import annotations

import threading
from typing import Callable, Optional, TypeVar

T = TypeVar("T")


def interruptible(work: Callable[[], T], stop: Optional[Callable[[], None]] = None) -> T:
    """Returns what `work` returns. On Ctrl-C `stop` is called, and when `work` has ended KeyboardInterrupt is raised, with
    its result, if it has one, as ``result``. On other threads than the main one, where no Ctrl-C comes, it only works."""
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

    thread = threading.Thread(target=run, name="orrery", daemon=True)
    thread.start()
    interrupt = _wait(done, stop)
    thread.join()
    if interrupt is not None:
        interrupt.result = found[0] if found else None  # type: ignore[attr-defined]
        raise interrupt
    if failed:
        raise failed[0]
    return found[0]


def _wait(done: threading.Event, stop: Optional[Callable[[], None]]) -> Optional[KeyboardInterrupt]:
    interrupt: Optional[KeyboardInterrupt] = None
    while not done.is_set():
        try:
            done.wait(None if interrupt is not None else 0.5)
        except KeyboardInterrupt as error:
            if interrupt is None and stop is not None:
                stop()
            interrupt = error
    return interrupt
