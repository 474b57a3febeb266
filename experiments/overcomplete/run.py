#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""More atoms than dimensions: recovery and processor time of `dictionary="overcomplete"`, which is told neither the
number of atoms nor the sparsity, beside peers that are told both; and a phase diagram.

Writes results.json and tables.md to OUTPUT/overcomplete.
"""

import argparse
import json
import pathlib
import resource
import warnings

import numpy as np

import orthodict

# n, m, nonzeros, samples, and what differs: signal to noise in dB, exponent of the frequencies, coefficients ±1
ROWS = [
    (20, 50, 3, 1500, {}), (20, 50, 3, 1500, {"snr": 20}), (36, 72, 6, 720, {}), (36, 72, 6, 5000, {"signs": True}),
    (36, 72, 8, 5000, {}), (64, 128, 4, 1250, {}), (64, 128, 4, 5000, {"frequencies": 0.5}),
    (64, 128, 4, 5000, {"frequencies": 1.0}), (64, 128, 4, 20000, {"snr": 20}), (64, 128, 4, 20000, {"snr": 10}),
    (64, 128, 10, 10000, {}), (64, 256, 5, 20000, {}), (128, 256, 4, 10000, {}), (256, 1024, 5, 50000, {}),
]
STRUCTURED = [("DCT and identity", 64, 128, 4, 10000)]
PHASE = {"n": 32, "samples_per_atom": 100, "ratios": [1.25, 1.5, 2, 3, 4], "nonzeros": [2, 3, 4, 6, 8]}


def processor_seconds():
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def problem(n, m, nonzeros, samples, seed, snr=None, frequencies=0.0, signs=False, dictionary=None):
    noise = 0.0 if snr is None else np.sqrt(nonzeros / n) * 10 ** (-snr / 20)
    return orthodict.synthetic(n, samples, atoms=m, nonzeros=nonzeros, frequencies=frequencies, signs=signs, noise=noise,
                               seed=seed, dictionary=dictionary)


def dct_and_identity(n):
    angles = np.pi * np.outer(np.arange(n), np.arange(n) + 0.5) / n
    cosines = np.cos(angles)
    return np.vstack([np.eye(n), cosines / np.linalg.norm(cosines, axis=1, keepdims=True)])


def outcome(atoms, truth, seconds):
    """Atoms found, the share of true atoms that are hit, that are exact to 1e-10, and the worst 1/2 |d -+ d'|^2."""
    atoms = atoms / np.maximum(np.linalg.norm(atoms, axis=1, keepdims=True), 1e-300)
    cosines = truth @ atoms.T
    best = np.abs(cosines).argmax(axis=1)
    signs = np.sign(cosines[np.arange(len(truth)), best])
    errors = np.sum((truth - signs[:, None] * atoms[best]) ** 2, axis=1) / 2
    return {"atoms": len(atoms), "hits": float(np.mean(np.abs(cosines).max(axis=1) > 0.99)),
            "exact": float(np.mean(errors <= 1e-10)), "worst": float(errors.max()), "seconds": seconds}


def ours(x, truth, seed, threads=1, **_):
    start = processor_seconds()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = orthodict.fit(x, dictionary="overcomplete", seed=seed, threads=threads)
    found = outcome(result.model.dictionary, truth, processor_seconds() - start)
    confidence = result.model.confidence
    return found | {"confidence": None if confidence is None else float(np.mean(confidence))}


def spams_falling(x, truth, seed, m, **_):
    """Online learning (SPAMS), its penalty falling from 0.5 to 0.02 of the samples' rms in six runs."""
    import spams

    y = np.asfortranarray(x.T)
    rms = np.sqrt(np.mean(x**2))
    start = processor_seconds()
    d = np.asfortranarray(y[:, np.random.default_rng(seed).choice(len(x), m, replace=False)])
    d /= np.maximum(np.linalg.norm(d, axis=0), 1e-30)
    for penalty in np.geomspace(0.5, 0.02, 6) * rms * np.sqrt(x.shape[1]) / 2:
        d = spams.trainDL(y, D=np.asfortranarray(d), K=m, lambda1=penalty, iter=max(100, len(x) // 50), batchsize=256,
                          numThreads=1, verbose=False)
    return outcome(d.T, truth, processor_seconds() - start)


def scikit_learn(x, truth, seed, m, nonzeros, **_):
    from sklearn.decomposition import MiniBatchDictionaryLearning

    learner = MiniBatchDictionaryLearning(m, alpha=0.3 * np.sqrt(np.mean(x**2)) * np.sqrt(x.shape[1]) / 2, max_iter=20,
                                          batch_size=256, fit_algorithm="cd", random_state=seed)
    start = processor_seconds()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.fit(x)
    return outcome(learner.components_, truth, processor_seconds() - start)


def itkrm(x, truth, seed, m, nonzeros, rounds=60, **_):
    """Iterative thresholding and K residual means (Schnass 2016)."""
    start = processor_seconds()
    d = np.random.default_rng(seed).standard_normal((m, x.shape[1]))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    for _ in range(rounds):
        products = x @ d.T
        chosen = np.argpartition(-np.abs(products), nonzeros, axis=1)[:, :nonzeros]
        atoms = d[chosen]
        values = np.take_along_axis(products, chosen, 1)
        codes = np.linalg.solve(atoms @ atoms.transpose(0, 2, 1) + 1e-12 * np.eye(nonzeros), values[:, :, None])[:, :, 0]
        left = x - np.einsum("ij,ijk->ik", codes, atoms)
        sums = np.zeros_like(d)
        for j in range(nonzeros):
            # sign(<y, d>) (residual + projection to the atom)
            np.add.at(sums, chosen[:, j], np.sign(values[:, j])[:, None] * left + np.abs(values[:, j])[:, None] * atoms[:, j])
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        d = np.where(norms > 1e-12, sums / np.maximum(norms, 1e-30), d)
    return outcome(d, truth, processor_seconds() - start)


def mod(x, truth, seed, m, nonzeros, rounds=60, **_):
    """Method of optimal directions (Engan et al. 1999) with our pursuit; idle atoms are replaced by the worst samples."""
    start = processor_seconds()
    d = x[np.random.default_rng(seed).choice(len(x), m, replace=False)]
    d = d / np.linalg.norm(d, axis=1, keepdims=True)
    for _ in range(rounds):
        codes = orthodict.Model(d, None if m > d.shape[1] else np.linalg.pinv(d).T, np.zeros(d.shape[1])).encode(
            x, nonzeros=nonzeros, sparse=True, threads=1)
        gram = (codes.T @ codes).toarray()
        d = np.linalg.lstsq(gram + 1e-12 * np.trace(gram) / m * np.eye(m), codes.T @ x, rcond=None)[0]
        uses = np.diff(codes.tocsc().indptr)
        worst = np.argsort(-np.sum((x - codes @ d) ** 2, axis=1))
        idle = np.flatnonzero((uses < 4) | (np.linalg.norm(d, axis=1) < 1e-12))
        d[idle] = x[worst[: len(idle)]]
        d /= np.linalg.norm(d, axis=1, keepdims=True)
    return outcome(d, truth, processor_seconds() - start)


PEERS = {"orthodict": ours, "SPAMS": spams_falling, "MOD": mod, "ITKrM": itkrm, "scikit-learn": scikit_learn}


def run_row(row, seeds, methods, threads):
    n, m, nonzeros, samples, more = row
    results = {name: [] for name in methods}
    for seed in range(1, seeds + 1):
        x, truth = problem(n, m, nonzeros, samples, seed, **more)
        for name in methods:
            try:
                results[name].append(PEERS[name](x, truth, seed, m=m, nonzeros=nonzeros, threads=threads))
            except ImportError:
                results[name].append(None)
    return results


def cell(results):
    results = [r for r in results if r]
    if not results:
        return "–"
    return (f"{100 * np.mean([r['hits'] for r in results]):.1f} / {np.median([r['worst'] for r in results]):.0e} / "
            f"{np.mean([r['seconds'] for r in results]):.2f}")


def name_of(row):
    n, m, nonzeros, samples, more = row
    text = f"{n}×{m}, {nonzeros}, {samples}"
    text += f", {more['snr']} dB" if "snr" in more else ""
    text += f", i^−{more['frequencies']:g}" if "frequencies" in more else ""
    return text + (", ±1" if more.get("signs") else "")


def phase(seeds):
    """The share of seeds in which every atom is exact and none is left over."""
    shares = []
    for ratio in PHASE["ratios"]:
        line = []
        for nonzeros in PHASE["nonzeros"]:
            m = int(ratio * PHASE["n"])
            found = []
            for seed in range(1, seeds + 1):
                x, truth = problem(PHASE["n"], m, nonzeros, PHASE["samples_per_atom"] * m, seed)
                result = ours(x, truth, seed)
                found.append(result["exact"] == 1 and result["atoms"] == m)
            line.append(float(np.mean(found)))
        shares.append(line)
    return shares


def tables(results):
    lines = ["| n×m, nonzeros, samples | atoms found | " + " | ".join(results["methods"]) + " |",
             "|---|---|" + "---|" * len(results["methods"])]
    for entry in results["rows"]:
        own = entry["results"].get("orthodict")
        found = ", ".join(str(r["atoms"]) for r in own) if own else "–"
        lines.append(f"| {entry['name']} | {found} | "
                     + " | ".join(cell(entry["results"][name]) for name in results["methods"]) + " |")
    lines += ["", "| m/n \\ nonzeros | " + " | ".join(map(str, PHASE["nonzeros"])) + " |",
              "|---|" + "---|" * len(PHASE["nonzeros"])]
    for ratio, line in zip(PHASE["ratios"], results["phase"]):
        lines.append(f"| {ratio:g} | " + " | ".join(f"{share:.2g}" for share in line) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1, help="of orthodict; peers have one")
    parser.add_argument("--methods", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--largest", type=int, default=1 << 40, help="leave out rows of more values")
    arguments = parser.parse_args()
    results = {"methods": arguments.methods, "rows": []}
    rows = [(name_of(row), row) for row in ROWS]
    rows += [(f"{name}, {k}, {p}", (n, m, k, p, {"dictionary": dct_and_identity(n)})) for name, n, m, k, p in STRUCTURED]
    for name, row in rows:
        if row[0] * row[3] > arguments.largest:
            continue
        entry = {"name": name, "results": run_row(row, arguments.seeds, arguments.methods, arguments.threads)}
        results["rows"].append(entry)
        print(name, {key: cell(value) for key, value in entry["results"].items()}, flush=True)
    results["phase"] = phase(arguments.seeds)
    folder = arguments.output / "overcomplete"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    (folder / "tables.md").write_text(tables(results))
    print(tables(results))


if __name__ == "__main__":
    main()
