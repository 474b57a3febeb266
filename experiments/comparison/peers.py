# SPDX-License-Identifier: Apache-2.0
"""Runs the installed third-party packages on the data of the comparison experiment.

    experiments/comparison/peers.py OUTPUT

Writes OUTPUT/comparison/peers.json. Install the packages by pip install -r bench/requirements.txt; missing ones are
skipped. Finished results are kept.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from orthodict_cli import Orthodict  # noqa: E402
from peers import PEERS, run_peer  # noqa: E402

# The largest dimension that all packages finish within minutes.
LARGEST = {"tiny": 0, "plain": 50, "full": 100}


def write(path, rows):
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    os.replace(temporary, path)


def problems(results):
    """The data sets of the experiment that peers can handle: dimension, samples, theta, trial."""
    keys = ("n", "p", "theta", "trial")
    all_of_them = dict.fromkeys(tuple(row[key] for key in keys) for row in results["tables"]["methods"])
    return [dict(zip(keys, problem)) for problem in all_of_them if problem[0] <= LARGEST[results["size"]]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, help="output folder of orthodict-experiment")
    parser.add_argument("--orthodict", default=ROOT / "build" / "orthodict", help="the command, to generate the data")
    arguments = parser.parse_args()
    folder = arguments.output / "comparison"
    if not (folder / "results.json").exists():
        parser.error(f"{folder} has no results: run orthodict-experiment run comparison first")
    results = json.loads((folder / "results.json").read_text())
    path = folder / "peers.json"
    before = json.loads(path.read_text()) if path.exists() else []
    rows = [row for row in before if row["seed"] == results["seed"]]
    done = {(row["n"], row["p"], row["trial"], row["method"]) for row in rows}
    left_out = {}
    with tempfile.TemporaryDirectory() as scratch:
        orthodict = Orthodict(arguments.orthodict, pathlib.Path(scratch))
        for problem in problems(results):
            n, p, trial = problem["n"], problem["p"], problem["trial"]
            x, truth, _ = orthodict.problem(n, p, problem["theta"], results["seed"] + trial)
            for name, (package, function) in PEERS.items():
                if (n, p, trial, name) in done or name in left_out:
                    continue
                outcome = run_peer(package, function, x, truth, repeats=1)
                if "failure" in outcome:
                    left_out[name] = outcome["failure"]
                    continue
                rows.append(problem | {"seed": results["seed"], "method": name} | outcome)
                write(path, rows)
    for name, reason in left_out.items():
        print(f"comparison without {name}: {reason} (pip install -r bench/requirements.txt)")


if __name__ == "__main__":
    main()
