# SPDX-License-Identifier: Apache-2.0
"""Patches of photographs, and digits, in an orthonormal basis: the energy in few coefficients."""

import pathlib
import time
import warnings

import numpy as np
import orthodict
from demands import at_least
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

SIDE = 8
SHARE = 8  # one in this many coefficients is kept
BAND, STEP = 64, 4  # bands of this many rows alternate between learning and hold-out; patches to learn from overlap
PHOTOGRAPHS = ("barbara", "camera")
OURS = "auto"
METHODS = {OURS: {}, "ℓ3": {"stretch": "l3"}, "ℓ4": {"stretch": "l4"}, "soft": {"stretch": "soft"}}
LEAST_POINTS = -0.2  # in percentage points: auto minus the best method


def cut(image, step):
    """The patches that start every `step` pixels, one per row."""
    windows = np.lib.stride_tricks.sliding_window_view(image, (SIDE, SIDE))[::step, ::step]
    return windows.reshape(-1, SIDE * SIDE).astype(np.float64)


def split_photograph(image):
    """Patches to learn from, and others that share no pixels with them."""
    bands = [image[top : top + BAND] for top in range(0, len(image) - SIDE + 1, BAND)]
    return (np.concatenate([cut(band, STEP) for band in bands[::2]]),
            np.concatenate([cut(band, SIDE) for band in bands[1::2]]))


def load(folder):
    """Samples to learn from and hold-out samples, by name."""
    from PIL import Image

    sets = {}
    for name in PHOTOGRAPHS:
        with Image.open(pathlib.Path(folder) / f"{name}.png") as picture:
            sets[name] = split_photograph(np.asarray(picture.convert("L")))
    digits = np.random.default_rng(0).permutation(load_digits().data)
    sets["digits"] = digits[: len(digits) // 2], digits[len(digits) // 2 :]
    return sets


def energy_kept(model, samples, mean):
    """The percentage of the samples' energy about `mean` (the same for all methods) in each sample's largest
    coefficients."""
    back = model.decode(model.encode(samples, top=samples.shape[1] // SHARE))
    return float(100 * (1 - np.sum((samples - back) ** 2) / np.sum((samples - mean) ** 2)))


def learn(name, training, held_out, method, seed, threads):
    start = time.process_time()
    result = orthodict.fit(training, dictionary="orthogonal", center=True, seed=seed, threads=threads,
                           **METHODS[method])
    return {"data": name, "method": method, "seed": seed, "processor_seconds": time.process_time() - start,
            "kept": energy_kept(result.model, held_out, training.mean(axis=0)),
            "iterations": int(result.summary.iterations), "termination": result.summary.termination}


def measure(sets, seeds, threads):
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"runs": [learn(name, *parts, method, seed, threads) for name, parts in sets.items()
                         for method in METHODS for seed in range(seeds)]}


def medians(results):
    """The median energy kept over seeds, by data and method."""
    kept = {}
    for row in results["runs"]:
        kept.setdefault(row["data"], {}).setdefault(row["method"], []).append(row["kept"])
    return {data: {method: float(np.median(values)) for method, values in methods.items()}
            for data, methods in kept.items()}


def demands(results):
    return [at_least(LEAST_POINTS, "patches: points of energy kept less the best one's; medians, least over data",
                     min(kept[OURS] - max(kept.values()) for kept in medians(results).values()))]
