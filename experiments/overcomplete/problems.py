# SPDX-License-Identifier: Apache-2.0
"""Samples with a known overcomplete dictionary, random or structured."""

import numpy as np

import orthodict


def samples_of(n, m, nonzeros, samples, seed, snr=None, frequencies=0.0, signs=False, dictionary=None):
    """The samples, and the true atoms in rows. `snr` is in dB; None is without noise."""
    noise = 0.0 if snr is None else np.sqrt(nonzeros / n) * 10 ** (-snr / 20)
    return orthodict.synthetic(n, samples, atoms=m, nonzeros=nonzeros, frequencies=frequencies, signs=signs,
                               noise=noise, seed=seed, dictionary=dictionary)


def unit(atoms):
    return atoms / np.maximum(np.linalg.norm(atoms, axis=1, keepdims=True), 1e-300)


def spread(candidates, most, coherence=0.5):
    """The first `most` candidates with |cos| <= coherence to all that were taken before."""
    taken = np.empty((0, candidates.shape[1]))
    for candidate in unit(candidates):
        if len(taken) < most and (len(taken) == 0 or np.abs(taken @ candidate).max() <= coherence + 1e-12):
            taken = np.vstack([taken, candidate])
    return taken


def cosines_and_identity(n=64):
    angles = np.pi * np.outer(np.arange(n), np.arange(n) + 0.5) / n
    return np.vstack([np.eye(n), unit(np.cos(angles))])


def gabor(side=8, most=128, seed=0):
    """Oriented waves under Gaussian windows in patches of side × side, at random places, sizes and angles."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[:side, :side]
    waves = []
    for _ in range(20 * most):
        at = rng.uniform(0, side - 1, 2)
        angle, width, cycles, phase = rng.uniform([0, 1, 0.05, 0], [np.pi, side / 2, 0.5, 2 * np.pi])
        along = (rows - at[0]) * np.sin(angle) + (columns - at[1]) * np.cos(angle)
        distance = (rows - at[0]) ** 2 + (columns - at[1]) ** 2
        wave = np.exp(-distance / (2 * width**2)) * np.cos(2 * np.pi * cycles * along + phase)
        waves.append(wave.ravel())
    return spread(np.array(waves), most)


# Low-pass filters of Daubechies, of two to eight coefficients.
DAUBECHIES = [
    [0.7071068, 0.7071068], [0.4829629, 0.8365163, 0.2241439, -0.1294095],
    [0.3326706, 0.8068915, 0.4598775, -0.1350110, -0.0854413, 0.0352263],
    [0.2303778, 0.7148466, 0.6308808, -0.0279838, -0.1870348, 0.0308414, 0.0328830, -0.0105974],
]


def wavelets(n=64, most=72, seed=2):
    """Spikes, and wavelets of several kinds, forwards and backwards, at random scales and circular shifts."""
    atoms = [np.eye(n)[0]]
    for low in map(np.array, DAUBECHIES):
        scale = np.array([1.0])
        while 2 * len(scale) + len(low) - 2 <= n:
            up = np.zeros(2 * len(scale) - 1)
            up[::2] = scale
            wave = np.pad(np.convolve(up, low[::-1] * (-1.0) ** np.arange(len(low))), (0, n))[:n]
            scale = np.convolve(up, low)
            atoms += [wave, wave[::-1]]
    shifted = [np.roll(atom, shift) for atom in atoms for shift in range(n)]
    return spread(np.random.default_rng(seed).permutation(np.array(shifted)), most)


STRUCTURED = {"DCT and identity": cosines_and_identity, "Gabor": gabor, "wavelets": wavelets}


def outcome(atoms, truth, seconds):
    """Atoms found, the share of true atoms that are hit, that are exact to 1e-10, and the worst ½|d ∓ d'|²."""
    if len(atoms) == 0:
        return {"atoms": 0, "hits": 0.0, "exact": 0.0, "worst": 1.0, "seconds": seconds}
    atoms, truth = unit(np.asarray(atoms)), unit(truth)
    cosines = truth @ atoms.T
    best = np.abs(cosines).argmax(axis=1)
    signs = np.sign(cosines[np.arange(len(truth)), best])
    errors = np.sum((truth - signs[:, None] * atoms[best]) ** 2, axis=1) / 2
    return {"atoms": len(atoms), "hits": float(np.mean(np.abs(cosines).max(axis=1) > 0.99)),
            "exact": float(np.mean(errors <= 1e-10)), "worst": float(errors.max()), "seconds": seconds}
