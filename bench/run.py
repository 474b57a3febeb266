#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs all benchmarks and writes results.json, results.md and two pictures."""

import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import coding
import engine
import estimators
import memory
import msp
import numpy
import peers
import recovery
import tables
from orthodict_cli import Orthodict

ROOT = pathlib.Path(__file__).resolve().parent.parent


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def output_of(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def blas_name(build):
    """The BLAS that the build linked, with Debian's version if known."""
    cache = (build / "CMakeCache.txt").read_text()
    for line in cache.splitlines():
        if line.startswith("ORTHODICT_OPENBLAS_ARCHIVE:") and "NOTFOUND" not in line:
            version = output_of("dpkg-query", "-W", "-f", "${Version}", "libopenblas-pthread-dev")
            return f"OpenBLAS {version}".strip()
    return "BLAS found by CMake"


def environment(build):
    commit = output_of("git", "rev-parse", "--short", "HEAD") or "unknown"
    if output_of("git", "status", "--porcelain", "--untracked-files=no"):
        commit += " with changes"
    return {"cpu": cpu_name(), "cores": os.cpu_count(), "blas": blas_name(build), "commit": commit,
            "numpy": numpy.__version__, "date": datetime.date.today().isoformat()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "bench" / "results")
    parser.add_argument("--only", nargs="+", choices=["engine", "msp", "memory", "peers", "estimators", "coding", "recovery"],
                        help="measure only these parts, and keep the other results of an earlier run")
    arguments = parser.parse_args()
    started = time.monotonic()

    def report(what):
        print(f"[{time.monotonic() - started:5.0f} s] {what}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        orthodict = Orthodict(arguments.build / "orthodict", pathlib.Path(folder))
        parts = {"engine": lambda: engine.run(arguments.build / "bench" / "orthodict_bench", report),
                 "msp": lambda: msp.run(orthodict, report),
                 "memory": lambda: memory.run(orthodict, report),
                 "peers": lambda: peers.run(orthodict, report),
                 "estimators": lambda: estimators.run(report),
                 "coding": lambda: coding.run(report),
                 "recovery": lambda: recovery.run(orthodict, report)}
        results = json.loads((arguments.output / "results.json").read_text()) if arguments.only else {}
        results["environment"] = environment(arguments.build)
        for name in arguments.only or parts:
            results[name] = parts[name]()
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    text = tables.markdown(results)
    (arguments.output / "results.md").write_text(text)
    tables.draw(results, arguments.output / "results.png")
    tables.draw_recovery(results["recovery"], arguments.output / "recovery.png")
    print(text)
    report(f"written to {arguments.output}/results.json, results.md, results.png and recovery.png")


if __name__ == "__main__":
    main()
