# SPDX-License-Identifier: Apache-2.0
"""Channels of a uniform linear array from the cluster tables of 3GPP TR 38.901, section 7.7.1 (CDL-A to CDL-E)."""

import dataclasses
import json
import pathlib

import numpy as np

DATA = pathlib.Path(__file__).resolve().parents[2] / "data" / "channels"
NAMES = ("CDL-A", "CDL-B", "CDL-C", "CDL-D", "CDL-E")
# Offsets of the 20 rays of a cluster, in units of the cluster's spread (Table 7.5-3).
OFFSETS = np.array([0.0447, 0.1413, 0.2492, 0.3715, 0.5129, 0.6797, 0.8844, 1.1481, 1.5195, 2.1551])
OFFSETS = np.concatenate([OFFSETS, -OFFSETS])


@dataclasses.dataclass(frozen=True)
class Rays:
    """What leaves the base station: power, azimuth and zenith of each ray, the angles in degrees."""

    powers: np.ndarray
    azimuths: np.ndarray
    zeniths: np.ndarray

    def turned(self, directions, spread):
        """Azimuths for each of the directions as mean, with another spread (section 7.7.5.1; spreads as in Annex A)."""
        resultant = np.sum(self.powers * np.exp(1j * np.deg2rad(self.azimuths))) / np.sum(self.powers)
        mean, own_spread = np.rad2deg([np.angle(resultant), np.sqrt(-2 * np.log(np.abs(resultant)))])
        apart = (self.azimuths - mean + 180) % 360 - 180
        return directions[:, None] + spread / own_spread * apart


def rays_of(name):
    """The rays of a table. Of the tables with a line of sight, the first cluster is that and has a single ray."""
    table = json.loads((DATA / f"{name}.json").read_text())
    powers, azimuths, zeniths = [], [], []
    for i, (decibels, azimuth, zenith) in enumerate(zip(table["powers"], table["aod"], table["zod"])):
        offsets = np.zeros(1) if table["los"] and i == 0 else OFFSETS
        powers.append(np.full(len(offsets), 10 ** (decibels / 10) / len(offsets)))
        azimuths.append(azimuth + table["cASD"] * offsets)
        zeniths.append(zenith + table["cZSD"] * np.roll(offsets, 7 * i))  # rays of azimuth and zenith are paired off
    return Rays(*(np.concatenate(part) for part in (powers, azimuths, zeniths)))


def channels(random, rays, n, directions, spread=None):
    """A channel to n antennas, half a wavelength apart, for each direction of a user, in rows: all rays with phases at
    random. Without a spread all users have the table's own angles, and `directions` only says how many they are.
    """
    azimuths = rays.azimuths[None] if spread is None else rays.turned(directions, spread)
    steps = np.exp(1j * np.pi * np.sin(np.deg2rad(rays.zeniths)) * np.sin(np.deg2rad(azimuths)))
    waves = np.sqrt(rays.powers) * np.exp(2j * np.pi * random.random((len(directions), len(rays.powers))))
    rows = np.empty((len(directions), n), complex)
    for antenna in range(n):
        rows[:, antenna] = waves.sum(axis=1)
        waves *= steps
    return rows / np.sqrt(n)
