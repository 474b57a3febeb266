# SPDX-License-Identifier: Apache-2.0
"""Where warnings come from, for those who read them."""

import sys


def caller():
    """The stacklevel of the first frame outside of the package and of scikit-learn, for warnings.warn()."""
    frame, level = sys._getframe(1), 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("orthodict", "sklearn"):
        frame, level = frame.f_back, level + 1
    return level
