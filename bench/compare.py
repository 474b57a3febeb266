#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Error and time as in `orthodict compare`, together with the installed third-party packages.

    bench/compare.py y.npy --truth d.npy --methods auto,online,fastica

Install those packages by pip install -r bench/requirements.txt. Options not listed below are passed to orthodict
compare.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np
from peers import PEERS, run_peer

ROOT = pathlib.Path(__file__).resolve().parent.parent


def ours(orthodict, samples, truth, options):
    command = [orthodict, "compare", samples, *options, "--json"] + (["--truth", truth] if truth else [])
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if not done.stdout:
        sys.exit(done.returncode)
    return json.loads(done.stdout), done.returncode


def theirs(samples, truth):
    x = np.ascontiguousarray(np.load(samples), dtype=float)
    atoms = np.load(truth) if truth else None
    for name, (package, function) in PEERS.items():
        yield {"method": name} | run_peer(package, function, x, atoms, repeats=1)


def print_table(rows):
    print(f"{'method':<42} {'error':>10} {'seconds':>9}")
    for row in rows:
        if "seconds" not in row:
            print(f"{row['method']:<42} {row['failure']}")
            continue
        error = f"{row['error']:.2e}" if "error" in row else "-"
        print(f"{row['method']:<42} {error:>10} {row['seconds']:9.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", help="samples in rows, .npy")
    parser.add_argument("--truth", help="the true dictionary, atoms in rows, .npy")
    parser.add_argument("--orthodict", default=str(ROOT / "build" / "orthodict"), help="the command")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments, options = parser.parse_known_args()
    if not arguments.samples.endswith(".npy") or "--columns" in options:
        parser.error("samples must be the rows of an .npy file, for the third-party packages")
    table, code = ours(arguments.orthodict, arguments.samples, arguments.truth, options)
    table["methods"] += theirs(arguments.samples, arguments.truth)
    if arguments.json:
        print(json.dumps(table, indent=1, ensure_ascii=False))
    else:
        print_table(table["methods"])
    sys.exit(code)


if __name__ == "__main__":
    main()
