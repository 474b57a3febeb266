#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Channels of a uniform linear array: what is learned from them, against the DFT. Prints a table per part."""

import argparse

import numpy as np
import orthodict
import tr38901

# Spreads of the directions seen from the base station, in degrees; None is a table's own angles, the same for all users.
SPREADS = (None, 5, 15)
SECTOR = 60  # users are within this many degrees of the array's normal


def steering(n, frequencies):
    """Responses of n antennas at half a wavelength to waves of spatial frequencies sin(angle)/2, in rows of unit norm."""
    return np.exp(2j * np.pi * np.outer(frequencies, np.arange(n))) / np.sqrt(n)


def gains(random, count):
    return (random.standard_normal(count) + 1j * random.standard_normal(count)) / np.sqrt(2)


def common_shift(atoms):
    """Of the atoms' frequencies, in units of 1/n, from the phases between neighbouring antennas."""
    turns = (atoms[:, 1:] * atoms[:, :-1].conj()).sum(axis=1)
    return np.angle(np.exp(1j * len(atoms) * np.angle(turns)).sum()) / (2 * np.pi)


def deviations(atoms, shift=0.0):
    """Distances of atoms from those of the DFT with shifted frequencies, matched one to one, up to a phase."""
    n = len(atoms)
    dft = steering(n, (np.arange(n) + shift) / n)
    found = orthodict.recovery(atoms, dft)
    return np.linalg.norm(found.phases[:, None] * atoms - dft[found.matches], axis=1)


def msp(channels, seed):
    return orthodict.fit(channels, method="msp", seed=seed, tolerance=1e-12, max_iterations=1500).model.dictionary


def line_of_sight(sizes, seeds):
    print(f"{'n':>3} {'seed':>4} {'grid, auto':>11} {'grid, msp':>10} {'equispaced':>11} {'shift':>7} "
          f"{'random, 10n':>12} {'random, 40n':>12}")
    for n in sizes:
        for seed in range(seeds):
            random = np.random.default_rng(seed)
            on_grid = gains(random, 20 * n)[:, None] * steering(n, random.integers(0, n, 20 * n) / n)
            auto = orthodict.fit(on_grid, seed=seed).model.dictionary
            equispaced = msp(steering(n, np.arange(8 * n) / (8 * n)), seed)
            shift = common_shift(equispaced)
            off = []
            for users in (10 * n, 40 * n):
                atoms = msp(gains(random, users)[:, None] * steering(n, random.uniform(0, 1, users)), seed)
                off.append(np.sqrt(np.mean(deviations(atoms, common_shift(atoms)) ** 2)))
            print(f"{n:>3} {seed:>4} {deviations(auto).max():>11.1e} {deviations(msp(on_grid, seed)).max():>10.1e} "
                  f"{deviations(equispaced, shift).max():>11.1e} {shift:>7.3f} {off[0]:>12.2f} {off[1]:>12.2f}", flush=True)


def unit(channels):
    return channels / np.linalg.norm(channels, axis=1, keepdims=True)


def sparsity(transform, channels):
    """The mean of ||A y||_4^4 and the shares of energy in the 1, 2, 4 and 8 largest coefficients, for unit y."""
    energy = np.abs(channels @ transform.conj().T) ** 2
    largest = np.sort(energy, axis=1)[:, ::-1]
    return [np.mean(np.sum(energy**2, axis=1))] + [largest[:, :k].sum(axis=1).mean() for k in (1, 2, 4, 8)]


def clusters(n, users, seeds):
    print(f"\nn = {n}, {users} users to learn from and as many to measure on, {seeds} seeds\n"
          f"{'table':>6} {'spread':>6} {'basis':>5} {'l4^4':>6} {'1':>6} {'2':>6} {'4':>6} {'8':>6}  {'l4^4 over that of the DFT':>25}")
    for name in tr38901.NAMES:
        rays = tr38901.rays_of(name)
        for spread in SPREADS:
            found = {}
            for seed in range(seeds):
                random = np.random.default_rng(seed)
                learned, fresh = (unit(tr38901.channels(random, rays, n, random.uniform(-SECTOR, SECTOR, users), spread))
                                  for _ in range(2))
                for basis, transform in (
                    ("DFT", steering(n, np.arange(n) / n)),
                    ("PCA", orthodict.fit(learned, method="pca", center=False).model.dictionary),
                    ("l4", orthodict.fit(learned, method="msp", seed=seed, max_iterations=300).model.dictionary),
                    ("auto", orthodict.fit(learned, dictionary="orthogonal", seed=seed).model.dictionary),
                ):
                    found.setdefault(basis, []).append(sparsity(transform, fresh))
            for basis, rows in found.items():
                ratios = np.array(rows)[:, 0] / np.array(found["DFT"])[:, 0]
                print(f"{name:>6} {spread or 'own':>6} {basis:>5} " + " ".join(f"{x:>6.3f}" for x in np.mean(rows, axis=0))
                      + f"  {ratios.mean():.2f} ({ratios.min():.2f} to {ratios.max():.2f})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[16, 32, 64])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--antennas", type=int, default=32, help="of channels of clusters")
    parser.add_argument("--users", type=int, default=1000)
    asked = parser.parse_args()
    line_of_sight(asked.sizes, asked.seeds)
    clusters(asked.antennas, asked.users, asked.seeds)


if __name__ == "__main__":
    main()
