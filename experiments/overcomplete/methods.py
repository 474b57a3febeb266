# SPDX-License-Identifier: Apache-2.0
"""orthodict, which is told neither the number of atoms nor the sparsity, and peers that are told both. Each takes
samples, the number of atoms m, the nonzeros of a code and a seed, and returns atoms in rows. All have one thread."""

import warnings

import numpy as np

import orthodict


def overcomplete(x, seed, **_):
    return orthodict.fit(x, dictionary="overcomplete", seed=seed, threads=1)


def ours(x, m, nonzeros, seed):
    return overcomplete(x, seed).model.dictionary


def ksvd(x, m, nonzeros, seed):
    """K-SVD with batch OMP; idle atoms and near copies are replaced by the samples coded worst."""
    return orthodict.fit(x, method="ksvd", atoms=m, sparsity=nonzeros, max_iterations=60, seed=seed,
                         threads=1).model.dictionary


def scale_of(x):
    return np.sqrt(np.mean(x**2) * x.shape[1]) / 2


def spams_falling(x, m, nonzeros, seed):
    """Online learning (SPAMS) in six runs, its penalty falling from 0.25 to 0.01 of a sample's norm. Each takes 20 passes
    over the samples where these are few, and 400 batches of 256 where they are many: more don't find more atoms."""
    import spams

    batches = int(np.clip(20 * len(x) / 256, 100, 400))
    y = np.asfortranarray(x.T)
    d = y[:, np.random.default_rng(seed).choice(len(x), m, replace=len(x) < m)]
    d = d / np.maximum(np.linalg.norm(d, axis=0), 1e-30)
    for penalty in np.geomspace(0.5, 0.02, 6) * scale_of(x):
        d = spams.trainDL(y, D=np.asfortranarray(d), K=m, lambda1=penalty, iter=batches, batchsize=256,
                          numThreads=1, verbose=False)
    return d.T


def scikit_learn(x, m, nonzeros, seed):
    from sklearn.decomposition import MiniBatchDictionaryLearning

    learner = MiniBatchDictionaryLearning(m, alpha=0.3 * scale_of(x), max_iter=20, batch_size=256, fit_algorithm="cd",
                                          random_state=seed)
    return learner.fit(x).components_


def itkrm(x, m, nonzeros, seed, rounds=60):
    """Iterative thresholding and K residual means (Schnass 2016)."""
    d = np.random.default_rng(seed).standard_normal((m, x.shape[1]))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    for _ in range(rounds):
        products = x @ d.T
        chosen = np.argpartition(-np.abs(products), nonzeros, axis=1)[:, :nonzeros]
        atoms = d[chosen]
        values = np.take_along_axis(products, chosen, 1)
        grams = atoms @ atoms.transpose(0, 2, 1) + 1e-12 * np.eye(nonzeros)
        codes = np.linalg.solve(grams, values[:, :, None])[:, :, 0]
        left = x - np.einsum("ij,ijk->ik", codes, atoms)
        sums = np.zeros_like(d)
        for j in range(nonzeros):
            # sign(<y, d>) (residual + projection to the atom)
            parts = np.sign(values[:, j])[:, None] * left + np.abs(values[:, j])[:, None] * atoms[:, j]
            np.add.at(sums, chosen[:, j], parts)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        d = np.where(norms > 1e-12, sums / np.maximum(norms, 1e-30), d)
    return d


def mod(x, m, nonzeros, seed, rounds=60):
    """Method of optimal directions (Engan et al. 1999) with our pursuit; idle atoms become the samples coded worst."""
    d = x[np.random.default_rng(seed).choice(len(x), m, replace=len(x) < m)]
    d = d / np.linalg.norm(d, axis=1, keepdims=True)
    for _ in range(rounds):
        codes = orthodict.Model(d, None, np.zeros(d.shape[1])).encode(x, nonzeros=nonzeros, sparse=True, threads=1)
        gram = (codes.T @ codes).toarray()
        d = np.linalg.solve(gram + 1e-12 * np.trace(gram) / m * np.eye(m), codes.T @ x)
        uses = np.diff(codes.tocsc().indptr)
        worst = np.argsort(-np.sum((x - codes @ d) ** 2, axis=1))
        idle = np.flatnonzero((uses < 4) | (np.linalg.norm(d, axis=1) < 1e-12))
        d[idle] = x[worst[: len(idle)]]
        d /= np.linalg.norm(d, axis=1, keepdims=True)
    return d


METHODS = {"orthodict": ours, "SPAMS": spams_falling, "K-SVD": ksvd, "MOD": mod, "ITKrM": itkrm,
           "scikit-learn": scikit_learn}


def run(name, x, m, nonzeros, seed):
    """The atoms, without a method's warnings that it hasn't converged; None if its package isn't installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return METHODS[name](x, m, nonzeros, seed)
        except ImportError:
            return None
