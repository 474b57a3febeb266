# SPDX-License-Identifier: Apache-2.0
"""Which atoms are called stable where the truth is known, and which number of atoms a scan recommends.

    experiments/consensus/run.py OUTPUT [--docs]

Writes results.json and tables.md to OUTPUT/consensus; --docs also renews the tables in the README here. Needs the
packages orthodict, scikit-learn and matplotlib.
"""

import argparse
import json
import os
import pathlib
import sys

import numpy as np
import orthodict
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from draw import renew  # noqa: E402

CLOSE = 0.9  # |correlation| with a source
FIRST_SEED = 100


def bernoulli_gaussian(rng, shape):
    return rng.standard_normal(shape) * (rng.random(shape) < 0.2)


SOURCES = {
    "sparse": bernoulli_gaussian,
    "Laplace": lambda rng, shape: rng.laplace(size=shape),
    "Student, 5 degrees": lambda rng, shape: rng.standard_t(5, size=shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape),
    "uniform": lambda rng, shape: rng.uniform(-1, 1, size=shape),
}
# (sources, of these Gaussian, samples)
SIZES = [(20, 2, 10000), (20, 8, 10000), (50, 20, 20000), (100, 30, 40000)]


def mixture(kind, count, gaussian, samples, seed):
    """Sources, of which the last ones are Gaussian, and their mixtures."""
    rng = np.random.default_rng(FIRST_SEED + seed)
    sources = np.hstack([SOURCES[kind](rng, (samples, count - gaussian)), rng.standard_normal((samples, gaussian))])
    return sources, sources @ rng.standard_normal((count, count))


def judge(sources, x, gaussian, runs, seed):
    """How many sources are found stable, and how many atoms are stable besides, of which the last `gaussian` sources
    are some."""
    model = orthodict.fit(x, runs=runs, seed=seed, threads=1).model
    codes = model.encode(x)[:, model.stable]
    codes, sources = (z / np.maximum(z.std(axis=0), 1e-300) for z in (codes - codes.mean(0), sources - sources.mean(0)))
    correlation = np.abs(codes.T @ sources) / len(x)
    nearest = correlation.argmax(axis=1)
    close = correlation.max(axis=1, initial=0) > CLOSE
    real = nearest < sources.shape[1] - gaussian
    return {"stable": int(np.unique(nearest[close & real]).size), "others": int(np.sum(~(close & real)))}


def of_sources(asked):
    rows = []
    for count, gaussian, samples in (size for size in SIZES if size[0] in asked.sources):
        for kind in asked.kinds:
            found = [judge(*mixture(kind, count, gaussian, samples, seed), gaussian, asked.runs, seed)
                     for seed in range(asked.seeds)]  # fmt: skip
            rows.append({"kind": kind, "sources": count - gaussian, "gaussian": gaussian, "samples": samples,
                         "seeds": asked.seeds, "all": sum(one == {"stable": count - gaussian, "others": 0} for one in found),
                         "fewest": min(one["stable"] for one in found), "others": max(one["others"] for one in found)})
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


def of_scans(asked, count=40, dimensions=100, samples=20000):
    rows = []
    for noise in (0.01, 0.05, 0.2):
        for seed in range(asked.seeds):
            rng = np.random.default_rng(FIRST_SEED + seed)
            signal = bernoulli_gaussian(rng, (samples, count)) @ rng.standard_normal((count, dimensions))
            x = signal + noise * signal.std() * rng.standard_normal(signal.shape)
            scan = orthodict.scan(x, range(20, 101, 20), runs=asked.runs, seed=seed, threads=1)
            rows.append({"noise": noise, "seed": seed, "recommended": scan.recommended, "optica": scan.optica,
                         "tried": scan.numbers["atoms"].tolist(), "stable": scan.numbers["stable"].tolist()})
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


def of_tables(asked):
    """Tables of scikit-learn, as they are and with each feature shuffled by itself and turned at random, which leaves
    nothing to be found."""
    rows = []
    for name in ("digits", "breast_cancer", "wine"):
        x = getattr(datasets, f"load_{name}")().data
        x = StandardScaler().fit_transform(x[:, x.std(axis=0) > 0])
        for seed in range(asked.seeds):
            model = orthodict.fit(x, atoms=0.99, whiten="pca", runs=asked.runs, seed=seed, threads=1).model
            rng = np.random.default_rng(FIRST_SEED + seed)
            null = rng.multivariate_normal(np.zeros(x.shape[1]), np.cov(x.T), size=len(x))
            empty = orthodict.fit(null, atoms=0.99, whiten="pca", runs=asked.runs, seed=seed, threads=1).model
            rows.append({"table": name, "samples": len(x), "features": x.shape[1], "seed": seed,
                         "atoms": len(model.stable), "stable": int(model.stable.sum()),
                         "null_atoms": len(empty.stable), "null_stable": int(empty.stable.sum())})
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


BINS = [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1]


def correlations(one, other):
    """|correlation| of the columns."""
    one, other = ((z - z.mean(axis=0)) / z.std(axis=0) for z in (one, other))
    return np.abs(one.T @ other) / len(one)


def of_truth(asked, count=20):
    """Sources between flat and heavy-tailed, of few samples: how near the atoms of a similarity to halves are to the
    sources, and to the atoms of as many other samples."""
    found = []
    for seed in range(asked.seeds):
        for samples in (400, 1000, 2500):
            rng = np.random.default_rng(FIRST_SEED + seed)
            laplace = rng.laplace(size=(2 * samples, count))
            sources = np.sign(laplace) * np.abs(laplace) ** np.linspace(0.6, 1.4, count)
            x = sources @ rng.standard_normal((count, count))
            model = orthodict.fit(x[:samples], runs=asked.runs, seed=seed, threads=1).model
            other = orthodict.fit(x[samples:], runs=asked.runs, resample=False, seed=seed + 1, threads=1).model
            codes, others = ((x - one.mean) @ one.analysis.T for one in (model, other))
            found.append([model.resampled_stability, correlations(codes, sources).max(axis=1),
                          correlations(codes, others).max(axis=1)])
    similarity, with_source, with_other = np.hstack(found)
    rows = []
    for low, high in zip(BINS, BINS[1:]):
        inside = (similarity >= low) & (similarity < high)
        if inside.any():
            rows.append({"from": low, "to": high, "atoms": int(inside.sum()), "source": float(with_source[inside].mean()),
                         "worst": float(np.percentile(with_source[inside], 5)),
                         "other": float(with_other[inside].mean())})
    return rows


def markdown(head, rows):
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in [head, ["---"] * len(head), *rows])


def tables(results):
    return {
        "sources": markdown(
            ["sources", "", "Gaussian", "samples", "all right", "fewest found", "most others"],
            [[row["kind"], row["sources"], row["gaussian"], row["samples"], f"{row['all']} of {row['seeds']}",
              row["fewest"], row["others"]] for row in results["sources"]]),
        "scans": markdown(["noise", "seed", "recommended", "by OptICA's rule", "tried", "stable"],
                          [[f"{100 * row['noise']:.0f} %", row["seed"], row["recommended"], row["optica"],
                            ", ".join(map(str, row["tried"])), ", ".join(map(str, row["stable"]))]
                           for row in results["scans"]]),
        "tables": markdown(["table", "samples", "features", "seed", "atoms", "stable", "Gaussian: atoms", "stable"],
                           [[row["table"], row["samples"], row["features"], row["seed"], row["atoms"], row["stable"],
                             row["null_atoms"], row["null_stable"]] for row in results["tables"]]),
        "truth": markdown(["resampled_stability", "atoms", "mean correlation with a source", "of one in twenty below",
                           "with an atom of as many other samples"],
                          [[f"{row['from']}–{row['to']}", row["atoms"], f"{row['source']:.2f}", f"{row['worst']:.2f}",
                            f"{row['other']:.2f}"] for row in results["truth"]]),
    }  # fmt: skip


PARTS = {"sources": of_sources, "scans": of_scans, "tables": of_tables, "truth": of_truth}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="default: all")
    parser.add_argument("--seeds", type=int, default=10, help="default: 10")
    parser.add_argument("--runs", type=int, default=10, help="runs of each fit (default: 10)")
    parser.add_argument("--sources", type=int, nargs="+", choices=sorted({size[0] for size in SIZES}), default=[20, 50, 100],
                        help="numbers of sources (default: 20 50 100); rows of others stay as they are")
    parser.add_argument("--kinds", nargs="+", choices=SOURCES, default=list(SOURCES),
                        help="of sources (default: all); rows of others stay as they are")
    parser.add_argument("--docs", action="store_true", help="also renew the tables of the README")
    arguments = parser.parse_intermixed_args()
    for name, least in (("seeds", 1), ("runs", 2)):
        if getattr(arguments, name) < least:
            parser.error(f"--{name} is {getattr(arguments, name)}: must be at least {least}")
    folder = arguments.output / "consensus"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "results.json"
    results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for part in arguments.parts:
        kept = [row for row in results.get(part, ()) if part == "sources"
                and (row["sources"] + row["gaussian"] not in arguments.sources or row["kind"] not in arguments.kinds)]
        results[part] = kept + PARTS[part](arguments)
        results[part].sort(key=lambda row: row.get("samples", 0) if part == "sources" else 0)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    os.replace(temporary, path)
    shown = {name: text for name, text in tables({**dict.fromkeys(PARTS, ()), **results}).items() if name in results}
    (folder / "tables.md").write_text("\n\n".join(shown.values()) + "\n", encoding="utf-8")
    print("\n\n".join(shown.values()))
    if arguments.docs:
        for name, text in shown.items():
            renew(HERE / "README.md", name, text)


if __name__ == "__main__":
    main()
