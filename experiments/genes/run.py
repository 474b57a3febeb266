# SPDX-License-Identifier: Apache-2.0
"""Which modules of gene expression are real: consensus over runs, compared with what others do for the same.

    experiments/genes/run.py OUTPUT [--docs]

Writes results.json, tables.md and consensus.png to OUTPUT/genes; --docs also renews the table in the README here. All
methods use one thread. Needs the packages orthodict, scikit-learn, threadpoolctl and matplotlib, and the data of
`scripts/get-data genes`; for stabilized-ica an environment of its own (README.md).
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import orthodict
from scipy.stats import kurtosis
from sklearn.cluster import DBSCAN
from sklearn.decomposition import PCA, FastICA
from threadpoolctl import threadpool_limits

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent / "real-data"), str(HERE.parent)]
from draw import renew  # noqa: E402
from genes import CLOSE, COMPONENTS, NEAR, load, without_structure  # noqa: E402
from measures import DISCOVERY_RATE, chances, enriched, matched, rank_auc, standardized  # noqa: E402

STABLE, FOUND = 0.8, 0.5


def consensus(x, runs, resample=True, seed=0):
    result = orthodict.fit(x, atoms=COMPONENTS, whiten="pca", runs=runs, resample=resample if runs > 1 else None,
                           seed=seed, threads=1)
    return result.model


def fastica_runs(x, runs):
    """Weights of all runs with unit variance, genes × (runs·components). One whitening for all."""
    white = PCA(COMPONENTS, whiten=True, svd_solver="full").fit_transform(x)
    return np.hstack([standardized(FastICA(COMPONENTS, whiten=False, random_state=seed).fit_transform(white))
                      for seed in range(runs)])  # fmt: skip


def like_optica(x, runs):
    """The procedure of OptICA in one dimension: clusters by DBSCAN, with a share of the runs in each of at least half."""
    weights = fastica_runs(x, runs)
    distance = np.clip(1 - np.abs(weights.T @ weights) / len(weights), 0, None)
    labels = DBSCAN(eps=0.1, min_samples=max(2, runs // 2), metric="precomputed").fit_predict(distance)
    centres = []
    for label in range(labels.max() + 1):
        members = weights[:, labels == label]
        centres.append(np.mean(members * np.sign(members.T @ members[:, 0]), axis=1))
    return np.array(centres).T


def stabilized_ica(path, runs, python):
    """Sources, their index and CPU seconds, by the interpreter of an environment that has stabilized-ica."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "output.npz"
        subprocess.run([python, HERE / "stabilized.py", path, output, str(COMPONENTS), str(runs)], check=True)
        with np.load(output) as learned:
            return learned["sources"], learned["index"], float(learned["seconds"])


def timed(work):
    start = time.process_time()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = work()
    return result, time.process_time() - start


def nearest_module(data, sources):
    return np.abs(standardized(data.published).T @ standardized(sources)).max(axis=0) / len(sources)


def enriched_by_k2(sources, sets):
    """The same with the members that D'Agostino's K² tells, as iModulons are cut."""
    count = sources.shape[1]
    everything = orthodict.Model(np.eye(count), np.eye(count), np.zeros(count))
    thresholds = everything.thresholds(sources - sources.mean(axis=0))
    chosen = np.abs(sources - sources.mean(axis=0)) >= thresholds
    ordered = np.sort(chances(chosen, sets), axis=1)
    return np.any(ordered <= DISCOVERY_RATE * np.arange(1, ordered.shape[1] + 1) / ordered.shape[1], axis=1)


def describe(data, name, sources, seconds, stability=None, stable=None):
    """A row of the table. `stable` are the components that the method calls so: all if it returns no others."""
    shortage = max(0, data.published.shape[1] - sources.shape[1])  # of components to match with
    rng = np.random.default_rng(0)
    padded = np.hstack([sources, rng.standard_normal((len(sources), shortage))])
    found = matched(data.published, padded)
    nearest = nearest_module(data, sources)
    labels = {"regulator": enriched(sources, data.regulons), "regulator_k2": enriched_by_k2(sources, data.regulons),
              "published": nearest > NEAR}
    known = labels["regulator"]
    stable = np.ones(sources.shape[1], dtype=bool) if stable is None else stable
    row = {"method": name, "close": int(np.sum(found > CLOSE)), "near": int(np.sum(found > NEAR)),
           "components": sources.shape[1], "enriched": int(known.sum()), "stable": int(stable.sum()),
           "unpublished": int(np.sum(stable & (nearest < NEAR))), "seconds": seconds,
           "auc": {name: None if stability is None else rank_auc(stability, label) for name, label in labels.items()},
           "auc_of_published": {name: rank_auc(nearest, labels[name]) for name in ("regulator", "regulator_k2")},
           "modules": found.tolist()}
    print({key: value for key, value in row.items() if key != "modules"}, file=sys.stderr, flush=True)
    return row


def ours(data, runs, resample):
    model, seconds = timed(lambda: consensus(data.x, runs, resample))
    sources = (data.x - model.mean) @ model.analysis.T
    if runs == 1:
        return describe(data, "orthodict, one run", sources, seconds, model.confidence, model.confidence >= 0.5)
    halves = ", and as many on halves" if resample else ""
    return describe(data, f"orthodict, {runs} runs{halves}", sources, seconds, model.stability * model.found,
                    model.stable)


def compare(data, arguments):
    rows = [ours(data, 1, False)]
    for count in arguments.runs:
        rows += [ours(data, count, False), ours(data, count, True)]
    for count in sorted({min(arguments.runs), max(arguments.runs)}) if arguments.peers else ():
        sources, seconds = timed(lambda count=count: like_optica(data.x, count))
        rows.append(describe(data, f"FastICA, {count} runs, and DBSCAN, as OptICA does", sources, seconds))
    if arguments.stabilized_ica:
        sources, index, seconds = stabilized_ica(arguments.data / "x.npy", 12, arguments.stabilized_ica)
        rows.append(describe(data, "stabilized-ica, 12 runs", sources, seconds, index, index >= STABLE))
    return rows


def without_components(data, _):
    rows = []
    for seed in range(3):
        model, _ = timed(lambda seed=seed: consensus(without_structure(data.x, COMPONENTS, seed), 5, seed=seed))
        by_starts = (model.stability >= STABLE) & (model.found >= FOUND)
        rows.append({"stable": int(model.stable.sum()), "by_starts": int(by_starts.sum())})
        print("random directions", rows[-1], file=sys.stderr, flush=True)
    return rows


def scan_numbers(data, _):
    scan, seconds = timed(lambda: orthodict.scan(data.x, range(30, 211, 30), runs=5, threads=1))
    return {"numbers": [dict(zip(scan.numbers.dtype.names, row)) for row in scan.numbers.tolist()],
            "recommended": scan.recommended, "reason": scan.reason, "optica": scan.optica,
            "optica_reason": scan.optica_reason, "seconds": seconds}


def labels(data, _):
    """What keeps the index from telling which components have a regulator: published modules that have none."""
    model, _ = timed(lambda: consensus(data.x, 10))
    sources = (data.x - model.mean) @ model.analysis.T
    index, published = model.stability * model.found, nearest_module(data, sources) > NEAR
    known = enriched(sources, data.regulons)
    others = ~published | known
    return {"modules": int(enriched(data.published, data.regulons).sum()), "components": len(index),
            "counts": [[int(np.sum((published == is_published) & (known == is_known))) for is_known in (True, False)]
                       for is_published in (True, False)],
            "auc": rank_auc(index, known), "auc_of_others": rank_auc(index[others], known[others]),
            "auc_instead": {name: rank_auc(score, known) for name, score in {
                "stability on halves": model.resampled_stability, "confidence": model.confidence,
                "index times stability on halves": index * model.resampled_stability,
                "index plus confidence": index + model.confidence, "kurtosis": kurtosis(sources)}.items()}}


PARTS = {"rows": compare, "null": without_components, "scan": scan_numbers, "labels": labels}


def table(head, rows):
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in [head, ["---"] * len(head), *rows])


def tables(results):
    """Of the parts that are there."""
    shown = {}
    if "rows" in results:
        rows = results["rows"]
        methods = [[row["method"], row["close"], row["near"], row["components"], row["stable"], row["unpublished"],
                    row["enriched"], f"{row['seconds']:.1f}"] for row in rows]
        shown["methods"] = table(["method", f"of {results['of']} modules above {CLOSE}", f"above {NEAR}", "components",
                                  "stable", "of these unpublished", "with a regulator", "CPU seconds"], methods)
        indexes = [[row["method"], *(f"{row['auc'][label]:.3f}" for label in ("published", "regulator", "regulator_k2")),
                    *(f"{row['auc_of_published'][label]:.3f}" for label in ("regulator", "regulator_k2"))]
                   for row in rows if row["auc"]["published"] is not None]
        shown["index"] = table(["AUC of the index for", "published", "regulator", "regulator, members by K²",
                                "AUC of the published modules for: regulator", "regulator, members by K²"], indexes)
    if "labels" in results:
        found = results["labels"]
        shown["labels"] = table(["components", "with a known regulator", "without"],
                                [["published", *found["counts"][0]], ["not published", *found["counts"][1]]]) + (
            f"\n\nAUC of the index for a regulator: {found['auc']:.3f} among all, {found['auc_of_others']:.3f} without the "
            f"published ones that have none. Of the published modules themselves, {found['modules']} of {results['of']} "
            "have a known regulator by the same test. In place of the index: "
            f"{', '.join(f'{name} {auc:.3f}' for name, auc in found['auc_instead'].items())}.")
    if "null" in results:
        shown["null"] = table(["random directions, seed", f"of {COMPONENTS} atoms stable", "by restarts alone"],
                              [[seed, row["stable"], row["by_starts"]] for seed, row in enumerate(results["null"])])
    if "scan" in results:
        scan = results["scan"]
        numbers = [[row["atoms"], row["stable"], row["robust"], row["singles"], row["conserved"],
                    f"{row['held_out']:.1f}"] for row in scan["numbers"]]
        shown["scan"] = table(["atoms", "stable", "robust", "singles", "conserved", "held-out log-likelihood"], numbers) + (
            f"\n\nRecommended: {scan['recommended']} atoms, {scan['reason']}. By OptICA's rule: {scan['optica']} atoms, "
            f"{scan['optica_reason']}. {scan['seconds']:.0f} CPU seconds.")
    return shown


def draw(results, path):
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for row in results.get("rows", []):
        if "halves" in row["method"]:
            continue  # the same modules
        left.plot(np.sort(row["modules"])[::-1], label=row["method"])
    left.set(xlabel="published modules, the closest first", ylabel="|correlation|", ylim=(0.5, 1))
    left.legend(fontsize=7)
    numbers = results.get("scan", {}).get("numbers", [])
    for name in ("stable", "robust", "singles", "conserved"):
        right.plot([row["atoms"] for row in numbers], [row[name] for row in numbers], marker="o", ms=3, label=name)
    if numbers:
        right.axvline(results["scan"]["recommended"], color="grey", ls="--", lw=1)
    right.set(xlabel="atoms", ylabel="atoms of that kind")
    right.legend(fontsize=7)
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "data" / "genes")
    parser.add_argument("--runs", type=int, nargs="+", default=[5, 10, 20], help="default: 5 10 20")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="default: all; others are kept")
    parser.add_argument("--no-peers", dest="peers", action="store_false", help="without FastICA")
    parser.add_argument("--stabilized-ica", metavar="PYTHON", help="also stabilized-ica, by this interpreter")
    parser.add_argument("--docs", action="store_true", help="also renew the tables of the README")
    arguments = parser.parse_intermixed_args()
    if not (arguments.data / "x.npy").exists():
        parser.error(f"{arguments.data} has no x.npy: run scripts/get-data genes")
    if min(arguments.runs) < 2:
        parser.error(f"--runs is {min(arguments.runs)}: must be at least 2")
    folder = arguments.output / "genes"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "results.json"
    results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    data = load(arguments.data)
    results["of"] = data.published.shape[1]
    for part in arguments.parts:
        results[part] = PARTS[part](data, arguments)
    temporary = folder / "results.tmp"
    temporary.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(temporary, path)
    draw(results, folder / "consensus.png")
    shown = tables(results)
    (folder / "tables.md").write_text("\n\n".join(shown.values()) + "\n", encoding="utf-8")
    print("\n\n".join(shown.values()))
    if arguments.docs:
        for name, text in shown.items():
            renew(HERE / "README.md", name, text)


if __name__ == "__main__":
    main()
