# SPDX-License-Identifier: Apache-2.0
"""Streams: samples that are seen once, in sections, compared with a fit of all of them: accuracy and speed.

    bench/stream.py [--json FILE]

`fit` gets the same samples as a file, and through a pipe in sections of several sizes. The error after a single section
is given for comparison.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = ROOT / "build" / "orthodict"
CASES = [
    {"dimension": 50, "samples": 400_000, "theta": 0.2, "noise": 0.2, "condition": 1},
    {"dimension": 50, "samples": 400_000, "theta": 0.2, "noise": 0.05, "condition": 3},
    {"dimension": 50, "samples": 400_000, "theta": 0.2, "noise": 0, "condition": 3},
    {"dimension": 200, "samples": 200_000, "theta": 0.1, "noise": 0.1, "condition": 1},
]
SECTIONS_PER_FEATURE = (40, 100, 400)  # samples per section and feature


def run(command, **options):
    started = time.perf_counter()
    done = subprocess.run([str(BINARY), *map(str, command)], check=False, stdout=subprocess.PIPE, **options)
    if done.returncode not in (0, 4):
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}")
    return done.stdout, time.perf_counter() - started


def fit(folder, source, *options):
    """Error and seconds of a fit of a file, or of a file through a pipe."""
    command = ["fit", "-" if options else source, "--truth", folder / "d.npy", "--json", *options]
    if not options:
        text, seconds = run(command)
    else:
        sender = subprocess.Popen(["cat", source], stdout=subprocess.PIPE)
        text, seconds = run(command, stdin=sender.stdout)
        sender.wait()
    return json.loads(text)["error"], seconds


def measure(folder, case):
    options = [part for name, value in case.items() for part in (f"--{name}", value)]
    run(["synth", *options, "--precision", "f32", "--seed", 1, "--output", folder / "y.npy", "--truth", folder / "d.npy"])
    error, seconds = fit(folder, folder / "y.npy")
    rows = []
    for samples in SECTIONS_PER_FEATURE:
        section = samples * case["dimension"]
        np.save(folder / "first.npy", np.load(folder / "y.npy", mmap_mode="r")[:section])
        alone, _ = fit(folder, folder / "first.npy")
        streamed, streamed_seconds = fit(folder, folder / "y.npy", "--section", section)
        rows.append({**case, "section": section, "error_of_one": alone, "error": streamed, "error_of_all": error,
                     "seconds": streamed_seconds, "seconds_of_all": seconds})  # fmt: skip
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=pathlib.Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    rows = []
    print("| features | samples | noise | condition | section | error of one section | of the stream | of all samples "
          "| time, of that of all |\n|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            for r in measure(pathlib.Path(folder), case):
                rows.append(r)
                print(f"| {r['dimension']} | {r['samples']} | {r['noise']} | {r['condition']} | {r['section']} "
                      f"| {r['error_of_one']:.2e} | {r['error']:.2e} | {r['error_of_all']:.2e} "
                      f"| {r['seconds'] / r['seconds_of_all']:.1f} |", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
