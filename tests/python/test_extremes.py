# SPDX-License-Identifier: Apache-2.0
"""Extreme data (huge, tiny, constant, …), whose outcomes are defined in the table of docs/reliability.md."""

import numpy as np
import pytest
from support import exact, sparse_data

import orthodict

x, d = sparse_data()
N = x.shape[1]
EXACT = exact(N)


def with_column(values):
    changed = x.copy()
    changed[:, 3] = values
    return changed


def with_outlier(value):
    changed = x.copy()
    changed[17, 3] = value
    return changed


@pytest.mark.parametrize("scale", [1e-150, 1e-40, 1e-10, 1e10, 1e40, 1e150])
def test_any_scale_gives_the_same_atoms(scale):
    assert orthodict.recovery_error(orthodict.fit(x * scale), d) <= EXACT
    whole = orthodict.fit(x, method="msp")
    scaled = orthodict.fit(x * scale, method="msp")
    assert scaled.summary.iterations == whole.summary.iterations
    np.testing.assert_allclose(scaled.model.dictionary, whole.model.dictionary, rtol=0, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-38, 1e-36, 1e-30, 1e30, 1e36])
def test_single_precision_holds_what_it_can(scale):
    """Subnormal numbers too: most of these are below 1.2e-38 for the first scale, with 1e-7 of it between them."""
    result = orthodict.fit((x * scale).astype(np.float32))
    assert orthodict.recovery_error(result, d) <= 1e-10


@pytest.mark.parametrize("method", ["auto", "msp"])
@pytest.mark.parametrize(("samples", "message"), [
    (x * 1e-154, "underflow"), (x * 1e-160, "underflow"), (x * 1e-300, "underflow"), (x * 1e-320, "underflow"),
    (x * 1e300, "overflow"), (x * 1e307, "overflow"),
    (0 * x, "nothing to learn"), (with_column(np.nan), "nan"), (with_outlier(np.inf), "inf"),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:overflow")
def test_what_squares_cannot_hold_is_refused(method, samples, message):
    with pytest.raises(ValueError, match="(?i)" + message):
        orthodict.fit(samples, method=method)


def test_zeros_have_no_sign():
    plus, minus = (orthodict.fit(np.where(x == 0, zero, x)) for zero in (0.0, -0.0))
    assert plus.model.dictionary.tobytes() == minus.model.dictionary.tobytes()


@pytest.mark.parametrize("column", [7, 0, x[:, 4]], ids=["constant", "zeros", "copy"])
def test_features_that_say_nothing_cost_rank(column):
    result = orthodict.fit(with_column(column))
    assert result.summary.rank == N - 1
    assert result.model.dictionary.shape == (N - 1, N)
    np.testing.assert_allclose(np.linalg.norm(result.model.dictionary, axis=1), 1, rtol=0, atol=1e-12)


def test_a_value_next_to_which_all_others_are_rounding():
    """Its sample is set aside, and all the others are learned from as if it weren't there."""
    result = orthodict.fit(with_outlier(1e12))
    assert result.summary.set_aside == 1
    assert result.summary.rank == N and result.summary.established == N


@pytest.mark.parametrize("count", [2, N - 1, N, N + 1])
def test_too_few_samples_have_not_established(count):
    result = orthodict.fit(x[:count])
    assert result.summary.termination == "not_established" and result.summary.established == 0
    assert np.isfinite(result.model.dictionary).all()
    learned = orthodict.fit(x[:count], method="msp").model.dictionary
    np.testing.assert_allclose(learned @ learned.T, np.eye(len(learned)), rtol=0, atol=1e-12)


def test_one_sample_or_one_feature():
    with pytest.raises(ValueError, match="all samples are equal"):
        orthodict.fit(x[:1])
    np.testing.assert_array_equal(orthodict.fit(x[:, :1]).model.dictionary, [[1]])
    np.testing.assert_array_equal(orthodict.fit(x[:1, :1], method="msp").model.dictionary, [[1]])


def test_features_in_any_units():
    """Method auto learns the same atoms whatever the unit of a feature: twenty-four orders of magnitude here."""
    units = 10.0 ** np.linspace(-12, 12, N)
    result = orthodict.fit(x * units)
    expected = d * units
    assert orthodict.recovery_error(result, expected / np.linalg.norm(expected, axis=1, keepdims=True)) <= 1e-9
