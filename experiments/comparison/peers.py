# SPDX-License-Identifier: Apache-2.0
"""Runs the packages from elsewhere that are installed on the data of the comparison experiment.

    experiments/comparison/peers.py OUTPUT

writes OUTPUT/comparison/peers.json. pip install -r bench/requirements.txt brings the packages; those that are missing
are left out. What is done is kept.
"""

import json
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from orthodict_cli import Orthodict  # noqa: E402
from peers import PEERS, run_peer  # noqa: E402

# The largest dimension that all of them finish in minutes.
LARGEST = {False: 50, True: 100}


def write(path, rows):
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    os.replace(temporary, path)


def problems(results):
    """The data sets of the experiment that peers can do: dimension, samples, theta, trial."""
    keys = ("n", "p", "theta", "trial")
    all_of_them = dict.fromkeys(tuple(row[key] for key in keys) for row in results["tables"]["methods"])
    return [dict(zip(keys, problem)) for problem in all_of_them if problem[0] <= LARGEST[results["full"]]]


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]) / "comparison"
    if not (folder / "results.json").exists():
        sys.exit(f"peers.py: {folder} has no results: run orthodict-experiment run comparison --output {sys.argv[1]}")
    results = json.loads((folder / "results.json").read_text())
    path = folder / "peers.json"
    before = json.loads(path.read_text()) if path.exists() else []
    rows = [row for row in before if row["seed"] == results["seed"]]
    done = {(row["n"], row["trial"], row["method"]) for row in rows}
    missing = {}
    with tempfile.TemporaryDirectory() as scratch:
        orthodict = Orthodict(ROOT / "build" / "orthodict", pathlib.Path(scratch))
        for problem in problems(results):
            n, trial = problem["n"], problem["trial"]
            x, truth, _ = orthodict.problem(n, problem["p"], problem["theta"], results["seed"] + trial)
            for name, (package, function) in PEERS.items():
                if (n, trial, name) in done or package in missing:
                    continue
                outcome = run_peer(package, function, x, truth, repeats=1)
                if "missing" in outcome:
                    missing[package] = outcome["missing"]
                    continue
                rows.append(problem | {"seed": results["seed"], "method": name} | outcome)
                write(path, rows)
    for reason in missing.values():
        print(f"comparison without a peer: {reason} (pip install -r bench/requirements.txt)")


if __name__ == "__main__":
    main()
