# SPDX-License-Identifier: Apache-2.0
"""Measures the calibration of the confidence of `orthodict.fit`, and the accuracy of its atoms, on data with a known
truth.

    experiments/calibration/run.py OUTPUT             atoms.csv, fits.csv, classes.csv, summary.json, pictures in OUTPUT

Needs the packages orthodict, scikit-learn, pandas and matplotlib; python-picard is skipped if it isn't installed. Exits
with 0 if all values are within their limits, otherwise with 1.
"""

import argparse
import json
import pathlib
import sys
import time

import numpy as np
import orthodict
import pandas

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import draw  # noqa: E402
import judge  # noqa: E402
from classes import CLASSES, NULL, problem  # noqa: E402
from measure import score  # noqa: E402
from peers import PEERS, answer, available  # noqa: E402

COLUMNS = {  # columns of the printed table: title, and name in classes.csv
    "seconds": "seconds", ">.5": "not_doubted", ">.9": "confident", "wrong": "confident_wrong", "missed": "missed",
    "sure": "sure", "ours": "ours", "peer": "best", "less": "difference", "error": "standard_error",
}  # fmt: skip


def fitted(name, seed, threads):
    """A problem, our model of it, and the seconds it took."""
    made = problem(name, seed)
    start = time.perf_counter()
    model = orthodict.fit(made.samples, seed=seed, threads=threads).model
    return made, model, time.perf_counter() - start


def peer_mean(peer, name, made, seed, arguments):
    """The mean cos^2 of a peer's atoms over all identifiable true ones."""
    atoms, _ = answer(peer, name, made.samples, seed, arguments.threads, arguments.cache)
    if len(atoms) == 0:
        return 0.0
    cos2, identifiable = score(atoms, np.linalg.pinv(atoms).T, made)
    return cos2[identifiable].sum() / made.identifiable.sum()


def run_one(name, seed, peers, arguments):
    """Rows of atoms.csv, and the row of fits.csv."""
    made, model, seconds = fitted(name, seed, arguments.threads)
    p, n = made.samples.shape
    common = {"class": name, "kind": CLASSES[name].kind, "n": n, "p": p, "seed": seed}
    fit = common | {"seconds": seconds}
    cos2, identifiable = np.full(len(model.confidence), np.nan), np.zeros(len(model.confidence), bool)
    if common["kind"] != NULL:
        cos2, identifiable = score(model.dictionary, model.analysis, made)
        fit |= {"ours": cos2[identifiable].sum() / made.identifiable.sum()}
        fit |= {peer: peer_mean(peer, name, made, seed, arguments) for peer in peers}
    atoms = [common | {"atom": number, "confidence": float(confidence), "cos2": near, "identifiable": int(known)}
             for number, (confidence, near, known) in enumerate(zip(model.confidence, cos2, identifiable))]  # fmt: skip
    return atoms, fit


def line(row):
    """A row of the printed table."""
    values = dict(row) | {"best": row.get(row.get("best_peer"), np.nan)}
    cells = ["" if pandas.isna(values.get(column, np.nan)) else f"{values[column]:.{1 if column == 'seconds' else 3}f}"
             for column in COLUMNS.values()]  # fmt: skip
    return f"{row['class']:27s} {row['kind']:5s}" + "".join(f"{cell:>8s}" for cell in cells)


def run_class(name, seeds, peers, arguments):
    atoms, fits = [], []
    for seed in seeds:
        if sys.stderr.isatty():
            print(f"\r\033[K{name}, seed {seed}", end="", file=sys.stderr, flush=True)
        some, fit = run_one(name, seed, peers, arguments)
        atoms += some
        fits.append(fit)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    atoms, fits = pandas.DataFrame(atoms), pandas.DataFrame(fits)
    print(line(judge.class_row(atoms, fits, peers)), flush=True)
    return atoms, fits


def verdict(figure):
    """The line of output about one limit."""
    if figure["worst"] is None:
        return f"----  {figure['what']}: too few to judge"
    names = ": " + ", ".join(figure["failing"]) if figure["failing"] and figure["judged"] > 1 else ""
    word = "kept" if figure["passed"] else "FAIL"
    return f"{word}  {figure['what']}: {figure['worst']:.4f}, limit {figure['limit']:.4g}{names}"


def report(atoms, fits, peers, folder):
    """Writes the tables and figures. Returns whether all values are within their limits."""
    classes, bins = judge.class_table(atoms, fits, peers), judge.bin_table(atoms)
    figures = list(judge.checks(classes, bins))
    for figure in figures:
        print(verdict(figure))
    passed = all(figure["passed"] for figure in figures)
    summary = {"passed": passed, "orthodict": orthodict.__version__, "fits": len(fits), "atoms": len(atoms),
               "seconds": fits["seconds"].sum(), "peers": peers, "checks": figures,
               "bins": bins.to_dict("records")}  # fmt: skip
    for name, table in (("atoms", atoms), ("fits", fits), ("classes", classes)):
        table.to_csv(folder / f"{name}.csv", index=False, float_format="%.6g")
    (folder / "summary.json").write_text(json.dumps(summary, indent=1, default=float) + "\n")
    draw.draw(folder)
    return passed


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, help="folder of the results")
    parser.add_argument("--seeds", type=int, default=10, help="problems per class (default: 10)")
    parser.add_argument("--first-seed", type=int, default=0, help="seed of the first problem (default: 0)")
    parser.add_argument("--classes", nargs="+", choices=CLASSES, metavar="CLASS", default=list(CLASSES),
                        help="default: all; " + ", ".join(CLASSES))  # fmt: skip
    parser.add_argument("--no-peers", action="store_true", help="run only ours, without checking accuracy")
    parser.add_argument("--cache", type=pathlib.Path, help="folder to cache the answers of peers")
    parser.add_argument("--threads", type=int, default=1, help="threads of ours and of peers (default: 1)")
    return parser.parse_args()


def main():
    arguments = parsed()
    arguments.output.mkdir(parents=True, exist_ok=True)
    peers = [] if arguments.no_peers else available()
    for peer in () if arguments.no_peers else PEERS:
        if peer not in peers:
            print(f"without {peer}: its package isn't installed", file=sys.stderr)
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    print(f"{'class':27s} {'kind':5s}" + "".join(f"{title:>8s}" for title in COLUMNS))
    tables = [run_class(name, seeds, peers, arguments) for name in arguments.classes]
    atoms, fits = (pandas.concat(parts, ignore_index=True) for parts in zip(*tables))
    sys.exit(0 if report(atoms, fits, peers, arguments.output) else 1)


if __name__ == "__main__":
    main()
