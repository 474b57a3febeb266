# SPDX-License-Identifier: Apache-2.0
"""What must be set before anything is imported: SciPy and matplotlib read it once."""

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")
os.environ.setdefault("MPLBACKEND", "Agg")
