# SPDX-License-Identifier: Apache-2.0
"""orthodict.scan()."""

import numpy as np
import pytest
from support import EPSILON  # noqa: F401: finds the package

import orthodict


@pytest.fixture(scope="module")
def samples():
    rng = np.random.default_rng(5)
    sources = rng.standard_normal((3000, 8)) * (rng.random((3000, 8)) < 0.1)
    return sources @ rng.standard_normal((8, 20)) + 0.1 * rng.standard_normal((3000, 20))


def test_recommends_the_number_of_sources(samples):
    scan = orthodict.scan(samples, range(4, 17, 6), runs=4)
    assert 7 <= scan.recommended <= 9
    assert scan.numbers["stable"][-1] == 8
    assert {4, 10, 16} < set(scan.numbers["atoms"])
    assert not scan.numbers.flags.writeable
    assert repr(scan).startswith(f"{scan.recommended} atoms: the least number")
    assert np.all(np.isfinite(scan.numbers["held_out"]))


def test_options_are_those_of_a_fit(samples):
    one = orthodict.scan(samples, [8], runs=2, refinements=0, threads=1)
    other = orthodict.scan(samples, [8], runs=2, refinements=0, threads=2)
    fields = ["atoms", "stable", "robust", "singles", "conserved", "held_out"]
    assert one.numbers[fields].tolist() == other.numbers[fields].tolist()
    with pytest.raises(ValueError, match="runs = 1: must be at least 2"):
        orthodict.scan(samples, [8], runs=1)
    assert "20 is the rank" in orthodict.scan(samples, [8, 30], runs=2, refinements=0, resample=False).reason
    with pytest.raises(ValueError, match="atoms = : must be numbers"):
        orthodict.scan(samples, [])


def test_nothing_is_recommended_where_nothing_is_stable():
    scan = orthodict.scan(np.random.default_rng(1).standard_normal((600, 20)), [1, 14], runs=6)
    assert scan.recommended is None is scan.optica
    assert repr(scan).startswith("no number of atoms: no number of atoms gives a stable one")
