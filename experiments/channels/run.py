#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Channels of a uniform linear array: what is learned from them, against the DFT. Prints a table per part."""

import argparse

import numpy as np
import orthodict

# Clusters, the spread of each in degrees.
MULTIPATH = [(1, 2), (3, 2), (3, 5), (6, 5), (12, 10)]
RAYS = 20


def steering(n, frequencies):
    """Responses of n antennas at half a wavelength to waves of spatial frequencies sin(angle)/2, in rows of unit norm."""
    return np.exp(2j * np.pi * np.outer(frequencies, np.arange(n))) / np.sqrt(n)


def gains(random, count):
    return (random.standard_normal(count) + 1j * random.standard_normal(count)) / np.sqrt(2)


def multipath(random, n, users, clusters, spread):
    """Clusters of rays around directions within 60 degrees, with falling power and a Laplacian spread in angle."""
    channels = np.zeros((users, n), complex)
    for cluster in range(clusters):
        centres = random.uniform(-60, 60, users)
        for _ in range(RAYS):
            angles = np.deg2rad(centres + random.laplace(0, spread / np.sqrt(2), users))
            channels += (np.exp(-cluster / 2) * gains(random, users))[:, None] * steering(n, np.sin(angles) / 2)
    return channels


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


def sparsity(transform, channels):
    """The mean of ||A y||_4^4 and the shares of energy in the 1, 2, 4 and 8 largest coefficients, for unit y."""
    energy = np.abs(channels @ transform.conj().T / np.linalg.norm(channels, axis=1, keepdims=True)) ** 2
    largest = np.sort(energy, axis=1)[:, ::-1]
    return [np.mean(np.sum(energy**2, axis=1))] + [largest[:, :k].sum(axis=1).mean() for k in (1, 2, 4, 8)]


def clusters(n, users):
    print(f"\nn = {n}, {users} users to learn from and as many to measure on\n"
          f"{'clusters':>8} {'spread':>6} {'basis':>5} {'l4^4':>6} {'1':>6} {'2':>6} {'4':>6} {'8':>6}")
    for number, spread in MULTIPATH:
        random = np.random.default_rng(number * 100 + spread)
        learned, fresh = (multipath(random, n, users, number, spread) for _ in range(2))
        for name, basis in (("DFT", steering(n, np.arange(n) / n)),
                            ("auto", orthodict.fit(learned, dictionary="orthogonal").model.dictionary)):
            print(f"{number:>8} {spread:>6} {name:>5} " + " ".join(f"{x:>6.3f}" for x in sparsity(basis, fresh)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[16, 32, 64])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--antennas", type=int, default=32, help="of multipath channels")
    parser.add_argument("--users", type=int, default=3000)
    asked = parser.parse_args()
    line_of_sight(asked.sizes, asked.seeds)
    clusters(asked.antennas, asked.users)


if __name__ == "__main__":
    main()
