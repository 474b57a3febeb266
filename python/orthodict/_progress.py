# SPDX-License-Identifier: Apache-2.0
"""The progress display of ``verbose``, and the logger."""

import logging
import sys
import time

LOGGER = logging.getLogger("orthodict")
LOGGER.addHandler(logging.NullHandler())


def watched(callback, verbose, limit):
    """A callback that shows and logs progress, then calls the given one (if any), and a function that ends the
    display."""
    displays = [_bar(limit) or _Lines()] if verbose else []
    if LOGGER.isEnabledFor(logging.DEBUG):
        displays.append(_Log())
    if not displays:
        return callback, lambda: None

    def show(info):
        for display in displays:
            display.show(info)
        return callback(info) if callback else False

    def close():
        for display in displays:
            display.close()

    return show, close


def _bar(limit):
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return _Bar(tqdm(total=limit, desc="orthodict", unit="it", leave=True))


class _Bar:
    def __init__(self, bar):
        self._bar = bar

    def show(self, info):
        self._bar.set_postfix_str(_numbers(info), refresh=False)
        self._bar.update(info.iteration - self._bar.n)

    def close(self):
        self._bar.close()


class _Lines:
    """Prints one line per second to standard error, and the last one."""

    def __init__(self):
        self._printed = -1.0
        self._left = None

    def show(self, info):
        self._left = f"orthodict: iteration {info.iteration}, {_numbers(info)}"
        now = time.monotonic()
        if self._printed < 0 or now - self._printed >= 1:
            self._printed = now
            self.close()

    def close(self):
        if self._left is not None:
            print(self._left, file=sys.stderr, flush=True)
            self._left = None


class _Log:
    def show(self, info):
        LOGGER.debug("iteration %d, %s", info.iteration, _numbers(info))

    def close(self):
        pass


def _numbers(info):
    step = "" if info.step is None else f", step {info.step:.1e}"
    return f"{info.stage}, objective {info.objective:.6g}{step}"
