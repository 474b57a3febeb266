# SPDX-License-Identifier: Apache-2.0
"""coverage.py SUMMARY LEAST: line coverage by folder, from gcovr's summary. Fails if the total is below LEAST."""

import collections
import json
import pathlib
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    summary = json.load(file)
covered, lines = collections.Counter(), collections.Counter()
for entry in summary["files"]:
    folder = str(pathlib.PurePath(entry["filename"]).parent)
    for name in (folder, "total"):
        covered[name] += entry["line_covered"]
        lines[name] += entry["line_total"]
for name in sorted(lines, key=lambda name: (name == "total", name)):
    print(f"{name:16} {covered[name]:5d} of {lines[name]:5d} lines  {100 * covered[name] / lines[name]:5.1f} %")
if 100 * covered["total"] < float(sys.argv[2]) * lines["total"]:
    sys.exit(f"coverage: less than {sys.argv[2]} % of the lines of src/ are run")
