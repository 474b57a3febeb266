# SPDX-License-Identifier: Apache-2.0
"""Environment variables that SciPy and matplotlib read when they are imported."""

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")
os.environ.setdefault("MPLBACKEND", "Agg")
