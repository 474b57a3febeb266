# SPDX-License-Identifier: Apache-2.0
"""The orthodict command, which the package brings: ``orthodict`` and ``python -m orthodict``."""

import os
import signal
import sys

from . import _core


def main():
    """Runs the command with the arguments of this process, and exits."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `orthodict … | head` ends in silence, as other commands do
    sys.exit(_core.run_command([b"orthodict", *map(os.fsencode, sys.argv[1:])]))
