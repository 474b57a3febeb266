# SPDX-License-Identifier: Apache-2.0
"""Gene expression: compares components with published modules and known regulators, and evaluates confidence.

A sample is a gene, a feature is a condition, and a source has a weight for each gene.
"""

import csv
import pathlib
import sys
import time
import warnings
from dataclasses import dataclass

import numpy as np
import orthodict
from demands import at_least, at_most
from measures import again, chances, enriched, matched, members, rank_auc
from scipy.stats import kurtosis
from sklearn.decomposition import PCA, FastICA
from threadpoolctl import threadpool_limits

COMPONENTS = 187  # number of principal components with 99 % of the variance
CLOSE, NEAR = 0.9, 0.7  # |correlation| with a module
ESTABLISHED = 0.5  # confidence
OURS, LONG = "auto", "FastICA, tolerance 1e-6"
LEAST_CLOSE = 84 / 92  # least share of the modules, in every run
LEAST_AUC = 0.85  # AUC of confidence as a predictor of enrichment, in every run


@dataclass
class Genes:
    x: np.ndarray  # genes × conditions
    published: np.ndarray  # genes × modules
    modules: list  # names of modules
    regulons: np.ndarray  # genes × regulators, boolean
    regulators: list


@dataclass
class Learned:
    sources: np.ndarray  # genes × components
    iterations: int
    converged: bool
    confidence: np.ndarray = None  # only for ours


def load(folder):
    folder = pathlib.Path(folder)
    genes, modules = ((folder / f"{names}.txt").read_text(encoding="utf-8").split("\n")[:-1]
                      for names in ("genes", "modules"))
    with open(folder / "trn.csv", encoding="utf-8", newline="") as file:
        edges = [(row["regulator"], row["gene"]) for row in csv.DictReader(file)]
    regulators = sorted({regulator for regulator, _ in edges})
    row, column = ({name: place for place, name in enumerate(names)} for names in (genes, regulators))
    regulons = np.zeros((len(genes), len(regulators)), dtype=bool)
    for regulator, gene in edges:
        regulons[row[gene], column[regulator]] = True
    return Genes(np.load(folder / "x.npy"), np.load(folder / "m.npy"), modules, regulons, regulators)


def with_orthodict(x, components, seed, threads):
    result = orthodict.fit(x, atoms=components, whiten="pca", seed=seed, threads=threads)
    model, summary = result.model, result.summary
    return Learned((x - model.mean) @ model.analysis.T, summary.iterations, summary.termination == "converged",
                   model.confidence)


def with_fastica(**options):
    def learn(x, components, seed, threads):
        ica = FastICA(components, whiten="unit-variance", random_state=seed, **options)
        sources = ica.fit_transform(x)
        return Learned(sources, ica.n_iter_, ica.n_iter_ < ica.max_iter)

    return learn


def with_picard(x, components, seed, threads):
    from picard import picard  # only needed with peers

    white = PCA(components, whiten=True, svd_solver="full").fit_transform(x)
    most = 2000
    *_, sources, iterations = picard(white.T, whiten=False, random_state=seed, max_iter=most, return_n_iter=True)
    return Learned(sources.T, iterations, iterations < most - 1)


PEERS = {"FastICA": with_fastica(), LONG: with_fastica(tol=1e-6, max_iter=5000), "Picard": with_picard}


def learn(method, x, components, seed, threads):
    """Returns a run, and its row in the table."""
    start, processor_start = time.perf_counter(), time.process_time()
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the table says whether it converged
        learned = {OURS: with_orthodict, **PEERS}[method](x, components, seed, threads)
    row = {"method": method, "seed": seed, "seconds": time.perf_counter() - start,
           "processor_seconds": time.process_time() - processor_start, "iterations": int(learned.iterations),
           "converged": bool(learned.converged)}
    print(f"{method}, seed {seed}: {row['seconds']:.1f} s, {row['iterations']} iterations", file=sys.stderr)
    return learned, row


def without_structure(x, components, seed):
    """Samples with random directions after whitening, in the same number of principal components. Their norms and
    covariance are those of x, up to chance."""
    pca = PCA(components, whiten=True, svd_solver="full").fit(x)
    norms = np.linalg.norm(pca.transform(x), axis=1, keepdims=True)
    directions = np.random.default_rng(seed).standard_normal((len(x), components))
    return pca.inverse_transform(directions * norms / np.linalg.norm(directions, axis=1, keepdims=True))


def describe(learned, others, data):
    """The measures of one run, compared with other runs of its method."""
    found = matched(data.published, learned.sources)
    known = enriched(learned.sources, data.regulons)
    scores = {"again": again(learned.sources, [other.sources for other in others]),
              "kurtosis": kurtosis(learned.sources)}
    if learned.confidence is not None:
        scores["confidence"] = learned.confidence
    row = {"close": int(np.sum(found > CLOSE)), "near": int(np.sum(found > NEAR)), "mean": float(found.mean()),
           "enriched": int(np.sum(known)), "modules": found.tolist(),
           **{f"auc_{name}": rank_auc(score, known) for name, score in scores.items()}}
    if learned.confidence is not None:
        row["established"] = int(np.sum(learned.confidence >= ESTABLISHED))
        row["established_enriched"] = int(np.sum(known[learned.confidence >= ESTABLISHED]))
    return row


def describe_components(learned, others, data):
    """For each component of a run of ours: confidence, agreement with other runs, and the closest regulator."""
    repeated = again(learned.sources, [other.sources for other in others])
    known = enriched(learned.sources, data.regulons)
    probability = chances(members(learned.sources), data.regulons)
    return [{"component": place, "confidence": float(learned.confidence[place]), "again": float(repeated[place]),
             "enriched": bool(known[place]), "regulator": data.regulators[int(np.argmin(probability[place]))],
             "chance": float(probability[place].min())} for place in range(len(repeated))]


def measure(data, seeds, threads, components=COMPONENTS, peers=True):
    runs, of_ours = [], []
    for method in (OURS, *(PEERS if peers else ())):
        learned, rows = zip(*(learn(method, data.x, components, seed, threads) for seed in range(seeds)))
        for place, row in enumerate(rows):
            others = learned[:place] + learned[place + 1 :]
            runs.append({**row, **describe(learned[place], others, data)})
        if method == OURS:
            of_ours = describe_components(learned[0], learned[1:], data)
    null = []
    for seed in range(seeds):
        learned, row = learn(OURS, without_structure(data.x, components, seed), components, seed, threads)
        null.append({**row, "established": int(np.sum(learned.confidence >= ESTABLISHED)),
                     "largest": float(learned.confidence.max())})
    return {"genes": len(data.x), "conditions": data.x.shape[1], "names": data.modules, "of": len(data.modules),
            "components": components, "runs": runs, "own_components": of_ours, "null": null}


def demands(results):
    ours = [row for row in results["runs"] if row["method"] == OURS]
    least = int(np.ceil(LEAST_CLOSE * results["of"] - 1e-9))
    return [
        at_least(least, f"genes: published modules, of {results['of']}, that a run has above {CLOSE}; least over seeds",
                 min(row["close"] for row in ours)),
        at_least(LEAST_AUC, "genes: AUC of confidence for components with a known regulator; least over seeds",
                 min(row["auc_confidence"] for row in ours)),
        at_most(0, "genes: components established where directions are random; most over seeds",
                max(row["established"] for row in results["null"])),
    ]
