#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""More atoms than dimensions: recovery and processor time of `dictionary="overcomplete"`, which is told neither the
number of atoms nor the sparsity, beside peers that are told both; and how far it goes: nonzeros, samples, noise,
frequencies. Writes results.json and tables.md to OUTPUT/overcomplete; draw.py draws them."""

import argparse
import json
import os
import pathlib
import resource

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is loaded, whose BLAS some peers use
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import methods  # noqa: E402
import numpy as np  # noqa: E402
import problems  # noqa: E402

FIRST_SEED = 1000  # none that constants were chosen on
# n, m, nonzeros, samples, and what differs: signal to noise in dB, exponent of the frequencies, coefficients ±1
ROWS = [
    (20, 50, 3, 1500, {}), (20, 50, 3, 1500, {"snr": 20}), (36, 72, 6, 720, {}), (36, 72, 6, 5000, {"signs": True}),
    (36, 72, 8, 5000, {}), (64, 128, 4, 1250, {}), (64, 128, 4, 5000, {"frequencies": 0.5}),
    (64, 128, 4, 5000, {"frequencies": 1.0}), (64, 128, 4, 20000, {"snr": 20}), (64, 128, 4, 20000, {"snr": 10}),
    (64, 128, 10, 10000, {}), (64, 256, 5, 20000, {}), (128, 256, 4, 10000, {}), (256, 1024, 5, 50000, {}),
]
# What is varied by itself, around 64×128 with 4 nonzeros: the share of atoms that are hit is told of each.
CURVES = {
    "samples per atom": [({"samples": 128 * each}, each) for each in (4, 6, 8, 10, 15, 20, 40, 80)],
    "signal to noise, dB": [({"samples": 20000, "snr": snr}, snr) for snr in (0, 3, 6, 8, 10, 15, 20, 30)],
    "exponent of frequencies": [({"samples": 10000, "frequencies": s}, s) for s in (0, 0.5, 1, 1.5, 2)],
}
PHASE = {"n": 32, "samples_per_atom": 100, "ratios": [1.25, 1.5, 2, 3, 4, 6], "nonzeros": [2, 3, 4, 5, 6, 8, 10]}


def processor_seconds():
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def measured(name, problem, seed):
    x, truth = problems.samples_of(*problem[:4], seed, **problem[4])
    before = processor_seconds()
    atoms = methods.run(name, x, problem[1], problem[2], seed)
    seconds = processor_seconds() - before
    return None if atoms is None else problems.outcome(atoms, truth, seconds)


def seeds_of(count):
    return range(FIRST_SEED, FIRST_SEED + count)


def structured_rows():
    for name, make in problems.STRUCTURED.items():
        dictionary = make()
        m, n = dictionary.shape
        coherence = np.abs(dictionary @ dictionary.T - np.eye(m)).max()
        yield f"{name}, {n}×{m}, coherence {coherence:.2f}, 4, 10000", (n, m, 4, 10000, {"dictionary": dictionary})


def name_of(row):
    n, m, nonzeros, samples, more = row
    text = f"{n}×{m}, {nonzeros}, {samples}"
    text += f", {more['snr']} dB" if "snr" in more else ""
    text += f", i^−{more['frequencies']:g}" if "frequencies" in more else ""
    return text + (", ±1" if more.get("signs") else "")


def run_rows(arguments):
    rows = [(name_of(row), row) for row in ROWS] + list(structured_rows())
    results = []
    for name, row in rows:
        if row[0] * row[3] > arguments.largest:
            continue
        outcomes = {method: [measured(method, row, seed) for seed in seeds_of(arguments.seeds)]
                    for method in arguments.methods}
        results.append({"name": name, "atoms": row[1], "results": outcomes})
        print(name, {method: cell(found) for method, found in outcomes.items()}, flush=True)
    return results


def run_curves(arguments):
    results = {}
    for curve, points in CURVES.items():
        results[curve] = []
        for more, at in points:
            options = dict(more)
            problem = (64, 128, 4, options.pop("samples"), options)
            found = [measured("orthodict", problem, seed) for seed in seeds_of(arguments.seeds)]
            results[curve].append({"at": at, "results": found})
            print(curve, at, cell(found), [one["atoms"] for one in found], flush=True)
    return results


def run_phase(arguments):
    """The mean share of atoms that are exact, less those left over."""
    shares = []
    for ratio in PHASE["ratios"]:
        m = int(ratio * PHASE["n"])
        line = []
        for nonzeros in PHASE["nonzeros"]:
            problem = (PHASE["n"], m, nonzeros, PHASE["samples_per_atom"] * m, {})
            found = [measured("orthodict", problem, seed) for seed in seeds_of(arguments.seeds)]
            line.append(float(np.mean([max(0, one["exact"] - abs(one["atoms"] - m) / m) for one in found])))
        shares.append(line)
        print("phase", ratio, line, flush=True)
    return shares


def cell(results):
    results = [one for one in results if one]
    if not results:
        return "–"
    return (f"{100 * np.mean([one['hits'] for one in results]):.1f} / "
            f"{np.median([one['worst'] for one in results]):.0e} / {np.mean([one['seconds'] for one in results]):.2f}")


def rows_table(entries):
    names = list(entries[0]["results"]) if entries else []
    lines = ["| n×m, nonzeros, samples | atoms found | " + " | ".join(names) + " |", "|---|---|" + "---|" * len(names)]
    for entry in entries:
        own = entry["results"].get("orthodict") or []
        found = ", ".join(str(one["atoms"]) for one in own)
        cells = " | ".join(cell(entry["results"][name]) for name in names)
        lines.append(f"| {entry['name']} | {found} | {cells} |")
    return lines


def curve_tables(curves):
    lines = []
    for curve, points in curves.items():
        lines += ["", f"| {curve} | atoms found, of 128 | hits, % | worst ½‖d ∓ d̂‖², median |", "|---|---|---|---|"]
        for point in points:
            found = point["results"]
            lines.append(f"| {point['at']:g} | {', '.join(str(one['atoms']) for one in found)} | "
                         f"{100 * np.mean([one['hits'] for one in found]):.1f} | "
                         f"{np.median([one['worst'] for one in found]):.0e} |")
    return lines


def phase_table(shares):
    lines = ["", "| m/n \\ nonzeros | " + " | ".join(map(str, PHASE["nonzeros"])) + " |",
             "|---|" + "---|" * len(PHASE["nonzeros"])]
    for ratio, line in zip(PHASE["ratios"], shares):
        lines.append(f"| {ratio:g} | " + " | ".join(f"{share:.2f}" for share in line) + " |")
    return lines


PARTS = {"rows": (run_rows, rows_table), "curves": (run_curves, curve_tables), "phase": (run_phase, phase_table)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--methods", nargs="+", choices=methods.METHODS, default=list(methods.METHODS))
    parser.add_argument("--largest", type=int, default=1 << 40, help="leave out rows of more values")
    arguments = parser.parse_args()
    folder = arguments.output / "overcomplete"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "results.json"
    # Parts that were run before stay.
    results = json.loads(path.read_text()) if path.exists() else {}
    for part in arguments.parts:
        results[part] = PARTS[part][0](arguments)
        path.write_text(json.dumps(results, indent=2) + "\n")
    tables = [line for part in PARTS if part in results for line in PARTS[part][1](results[part])]
    (folder / "tables.md").write_text("\n".join(tables) + "\n")


if __name__ == "__main__":
    main()
