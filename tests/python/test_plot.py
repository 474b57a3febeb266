# SPDX-License-Identifier: Apache-2.0
"""orthodict.plot: the drawn data are the given ones, on the given axes."""

import dataclasses

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgba
from support import child, sparse_data

import orthodict
from orthodict import plot

matplotlib.use("Agg")

no_warnings = pytest.mark.filterwarnings("error::UserWarning", "error::RuntimeWarning")


@pytest.fixture(autouse=True)
def own_figures():
    plt.close("all")
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def sparse():
    """Samples with exact zeros, and the fit to them."""
    X, _ = orthodict.synthetic(dimension=9, samples=4000, theta=0.3, seed=1)
    return X, orthodict.fit(X, seed=1)


@pytest.fixture(scope="module")
def noisy():
    X, _ = orthodict.synthetic(dimension=9, samples=4000, theta=0.3, noise=0.1, seed=1)
    return X, orthodict.fit(X, seed=1)


@pytest.fixture(scope="module")
def msp(sparse):
    X, _ = sparse
    return orthodict.fit(X, method="msp", seed=1)


GRID = [[1e-3, 1e-12, 0.0], [0.5, 1e-3, 1e-12]]
DRAW = {
    "atoms": lambda data, **given: plot.atoms(data[1], **given),
    "convergence": lambda data, **given: plot.convergence(data[1], **given),
    "coefficients": lambda data, **given: plot.coefficients(data[1], data[0], **given),
    "phase": lambda data, **given: plot.phase(GRID, [10, 100, 1000], [0.1, 0.2], **given),
}


@pytest.mark.parametrize("name", DRAW)
def test_draws_on_the_axes_that_are_given(name, sparse):
    _, (ax, other) = plt.subplots(1, 2)
    assert DRAW[name](sparse, ax=ax) is ax
    assert ax.has_data() and not other.has_data()
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize("name", DRAW)
def test_makes_a_figure_of_its_own(name, sparse):
    before, _ = plt.subplots()
    ax = DRAW[name](sparse)
    assert ax.figure is not before and not before.axes[0].has_data()
    assert ax.has_data()


@no_warnings
@pytest.mark.parametrize("name", DRAW)
def test_renders_without_warnings(name, sparse):
    with plt.rc_context({"axes.grid": True}):
        DRAW[name](sparse).figure.canvas.draw()


@pytest.mark.parametrize("draw", [lambda: plot.atoms(np.eye(5)), lambda: plot.phase(GRID, [1, 2, 3], [1, 2])])
def test_images_have_no_grid(draw):
    with plt.rc_context({"axes.grid": True}):
        assert not any(line.get_visible() for line in draw().get_xgridlines())


def test_says_how_to_install_matplotlib():
    message = child("""
        import json, sys
        sys.modules["matplotlib"] = None
        import orthodict
        try:
            orthodict.plot
        except ImportError as error:
            print(json.dumps(str(error)))
        """)
    assert message == 'orthodict.plot needs matplotlib: pip install "orthodict[plot]"'


# Atoms.


def places(count, height, width, columns):
    """Where the pixels of each atom are: images have one pixel around them."""
    for atom in range(count):
        top, left = 1 + atom // columns * (height + 1), 1 + atom % columns * (width + 1)
        yield slice(top, top + height), slice(left, left + width)


def scaled(atom):
    return atom / np.abs(atom).max()


def test_atoms_are_images_in_the_order_of_the_model(sparse):
    model = sparse[1].model
    image = plot.atoms(sparse[1]).images[0]
    pixels = image.get_array()
    assert pixels.shape == (3 * 4 + 1, 3 * 4 + 1)
    for atom, place in zip(model.dictionary, places(9, 3, 3, 3)):
        np.testing.assert_array_equal(pixels[place], scaled(atom).reshape(3, 3))
    assert image.get_clim() == (-1, 1)
    assert np.ma.count(pixels) == 81


def test_atoms_of_all_sources_are_the_same(sparse):
    X, result = sparse
    learner = orthodict.DictionaryLearner(random_state=1).fit(X)
    for source in (result.model, learner, result.model.dictionary):
        pixels = plot.atoms(source).images[0].get_array()
        np.testing.assert_array_equal(pixels, plot.atoms(result).images[0].get_array())


def test_fixed_contrast_has_the_entries_themselves():
    dictionary = np.diag([1.0, 0.5, 0.25, 0.125])
    image = plot.atoms(dictionary, contrast="fixed").images[0]
    assert [image.get_array()[place].max() for place in places(4, 2, 2, 2)] == [1, 0.5, 0.25, 0.125]
    assert image.get_clim() == (-1, 1)


def test_places_without_an_atom_are_transparent():
    image = plot.atoms(np.eye(4), count=3, columns=2).images[0]
    drawn = image.get_alpha() == 1
    spots = list(places(4, 2, 2, 2))
    assert all(drawn[spot].all() for spot in spots[:3])
    assert not drawn[spots[3]].any()
    assert drawn[:4].all() and drawn[:, :4].all()  # the lines around the atoms too


@pytest.mark.parametrize(("shape", "columns"), [((2, 6), 2), ((6, 2), 6), ((3, 4), 3), ((12, 1), 12)])
def test_the_whole_is_about_square(shape, columns):
    image = plot.atoms(np.eye(12), shape).images[0].get_array()
    assert image.shape[1] == columns * (shape[1] + 1) + 1


def test_atoms_of_three_colours():
    image = plot.atoms(np.eye(12)[:2] - np.eye(12)[2:4], shape=(2, 2, 3), columns=2).images[0].get_array()
    first, second = places(2, 2, 2, 2)
    np.testing.assert_array_equal(image[first][0, 0], [1, 0.5, 0, 1])
    np.testing.assert_array_equal(image[second][0, :, :3], [[0.5, 1, 0.5], [0, 0.5, 0.5]])
    np.testing.assert_array_equal(image[0, 0], to_rgba("#b9cbe4"))


def test_atoms_without_a_shape_are_rows():
    dictionary = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0]
    ax = plot.atoms(dictionary, count=4)
    np.testing.assert_array_equal(ax.images[0].get_array(), [scaled(atom) for atom in dictionary[:4]])
    assert ax.images[0].get_clim() == (-1, 1)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("feature", "atom")


@pytest.mark.parametrize(("given", "message"), [
    ({"shape": (2, 3)}, r"shape = \(2, 3\): must be .* with 4 entries"),
    ({"shape": 4}, "shape = 4: must be"),
    ({"shape": (1, 1, 4)}, r"shape = \(1, 1, 4\): must be"),
    ({"shape": (-2, -2)}, r"shape = \(-2, -2\): must be"),
    ({"shape": (2.0, 2.0)}, r"shape = \(2.0, 2.0\): must be"),
    ({"columns": 5}, "columns = 5: must be an integer from 1 to 4"),
    ({"count": 0}, "count = 0: must be an integer from 1 to 4"),
    ({"contrast": "both"}, "contrast = 'both': must be 'each' or 'fixed'"),
])
def test_atoms_refuses(given, message):
    with pytest.raises(ValueError, match=message):
        plot.atoms(np.eye(4), **given)
    assert not plt.get_fignums()


def test_names_of_features():
    pandas = pytest.importorskip("pandas")
    x, _ = sparse_data()
    names = [f"f{i}" for i in range(10)]
    learner = orthodict.DictionaryLearner(random_state=0).fit(pandas.DataFrame(x, columns=names))
    assert [label.get_text() for label in orthodict.plot.atoms(learner).get_xticklabels()] == names
    given = orthodict.plot.atoms(learner.model_, features=names[::-1])
    assert [label.get_text() for label in given.get_xticklabels()] == names[::-1]
    with pytest.raises(ValueError, match="features has 3 names"):
        orthodict.plot.atoms(learner, features=["a", "b", "c"])


def test_atoms_without_a_shape_have_no_columns():
    with pytest.raises(ValueError, match="columns = 2: must be left out"):
        plot.atoms(np.eye(5), columns=2)


# Convergence.


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def with_history(result, records, tolerance=1e-6):
    """The result as if its iterations had been those given as (iteration, step, stage)."""
    history = np.zeros(len(records), dtype=result.summary.history.dtype)
    for name, values in zip(("iteration", "step", "stage"), zip(*records)):
        history[name] = values
    return dataclasses.replace(result.summary, history=history, tolerance=tolerance)


def test_steps_are_drawn_stage_by_stage(noisy):
    history = noisy[1].summary.history
    ax = plot.convergence(noisy[1])
    stages = list(dict.fromkeys(history["stage"]))
    assert len(stages) > 1
    assert legend_of(ax) == [*stages, "tolerance"]
    drawn = {line.get_label(): line for line in ax.lines}
    for stage in stages:
        x, y = drawn[stage].get_data()
        assert x[0] == history["iteration"][history["stage"] == stage][0]
        np.testing.assert_array_equal(y, history["step"][np.isin(history["iteration"], x)])
    assert drawn["tolerance"].get_ydata()[0] == noisy[1].summary.tolerance
    assert ax.get_yscale() == "log"


def test_a_stage_that_comes_back_has_one_entry_and_two_bands(sparse):
    summary = with_history(sparse[1], [
        (0, np.nan, "explore"), (1, 1.0, "explore"), (2, 0.1, "refine"), (3, 0.1, "finish"), (4, 1e-3, "refine")])
    ax = plot.convergence(summary)
    assert legend_of(ax) == ["explore", "refine", "finish", "tolerance"]
    bands = [patch.get_window_extent().transformed(ax.transData.inverted()).intervalx for patch in ax.patches]
    np.testing.assert_allclose(bands, [[-0.5, 1.5], [1.5, 2.5], [2.5, 3.5], [3.5, 4.5]], rtol=1e-12)
    colors = [patch.get_facecolor() for patch in ax.patches]
    assert colors[1] == colors[3] and len(set(colors)) == 3


@no_warnings
def test_steps_of_zero_and_starts(sparse):
    summary = with_history(sparse[1], [
        (0, np.nan, "explore"), (1, 1.0, "explore"), (2, np.nan, "explore"), (3, 0.1, "explore"), (4, 0.0, "explore")])
    ax = plot.convergence(summary)
    ax.figure.canvas.draw()
    drawn = {line.get_label(): line for line in ax.lines}
    np.testing.assert_array_equal(drawn["explore"].get_ydata(), [np.nan, 1, np.nan, 0.1, np.nan])
    np.testing.assert_array_equal(drawn["zero"].get_xdata(), [4])
    assert not ax.patches  # one stage needs no bands
    assert ax.get_ylim()[0] > 0


@no_warnings
@pytest.mark.parametrize("step", [np.nan, 0.0])
def test_no_step_at_all(sparse, step):
    ax = plot.convergence(with_history(sparse[1], [(0, step, "msp")], tolerance=0.0))
    ax.figure.canvas.draw()
    assert "tolerance" not in legend_of(ax)


def test_the_objective_where_there_is_one(msp):
    ax = plot.convergence(msp, quantity="objective")
    line, = (line for line in ax.lines if line.get_label() == "msp")
    np.testing.assert_array_equal(line.get_ydata(), msp.summary.history["objective"])
    assert (ax.get_yscale(), ax.get_ylabel(), legend_of(ax)) == ("linear", "objective", ["msp"])


def test_convergence_of_all_sources(sparse):
    X, result = sparse
    learner = orthodict.DictionaryLearner(random_state=1).fit(X)
    for source in (result, result.summary, learner):
        assert plot.convergence(source).lines[0].get_xydata().shape == (len(result.summary.history), 2)


def test_convergence_refuses(sparse):
    X, result = sparse
    for source, quantity, message in [
        (result, "error", "quantity = 'error': must be 'step' or 'objective'"),
        (result, "objective", "quantity = 'objective': must be 'step' for method auto"),
        (result.model, "step", "result is a Model: must be a Result, a Summary or a fitted DictionaryLearner"),
        (orthodict.DictionaryLearner(), "step", "this DictionaryLearner has no history yet: call fit first"),
        (orthodict.fit(X, method="pca"), "step", "result has no iterations to draw: method pca"),
    ]:
        with pytest.raises(ValueError, match=message):
            plot.convergence(source, quantity=quantity)
    assert not plt.get_fignums()


# Coefficients.


def histogram_of(ax):
    """Density and edges."""
    values, edges, _ = ax.patches[0].get_data()
    return values, edges


def mass_between(line, edges):
    """The integral of a curve between edges, by the trapezoidal rule."""
    x, y = line.get_data()
    mass = np.append(0, np.cumsum((y[1:] + y[:-1]) / 2 * np.diff(x)))
    return np.diff(np.interp(edges, x, mass))


def area_under(line):
    return mass_between(line, line.get_xdata()[[0, -1]])[0]


def rms(values):
    return np.sqrt(np.mean(np.square(values)))


# The trapezoidal rule on points h apart, a twentieth of a standard deviation or less, is off by at most h²/12 times the
# integral of |f''|, which is 0.97 of the area; what is beyond the largest of 36000 coefficients is less.
AREA = 0.05**2 / 12


def test_the_histogram_is_a_density(noisy):
    X, result = noisy
    ax = plot.coefficients(result, X, bins=50)
    density, edges = histogram_of(ax)
    codes = result.model.encode(X)
    assert len(density) == 50
    assert edges[-1] == -edges[0] == pytest.approx(np.abs(codes).max() / rms(codes), rel=1e-12)
    expected, _ = np.histogram(codes / rms(codes), edges, density=True)
    np.testing.assert_allclose(density, expected, rtol=1e-12)
    assert ax.get_yscale() == "log"


def test_the_mixture_is_that_of_the_fit(noisy):
    X, result = noisy
    ax = plot.coefficients(result, X)
    curve = ax.lines[-1]
    assert area_under(curve) == pytest.approx(1, abs=AREA)
    unit = rms(result.model.encode(X))
    theta, noise = result.summary.theta, result.summary.noise / unit
    signal = np.sqrt((1 - (1 - theta) * noise**2) / theta)
    x, y = curve.get_data()
    at_zero = ((1 - theta) / noise + theta / signal) / np.sqrt(2 * np.pi)
    assert y[np.searchsorted(x, 0)] == pytest.approx(at_zero, rel=1e-12)
    assert rf"mixture: $\theta$ = {theta:.3g}, noise {noise:.2g}" in legend_of(ax)


def test_the_mixture_follows_the_histogram(noisy):
    X, result = noisy
    ax = plot.coefficients(result, X, bins=np.linspace(-3, 3, 31))
    density, edges = histogram_of(ax)
    counts = density * np.diff(edges) * X.size
    expected = mass_between(ax.lines[-1], edges) * X.size
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()  # five standard deviations


def test_exact_zeros_are_a_line_of_their_own(sparse):
    X, result = sparse
    ax = plot.coefficients(result, X)
    codes = result.model.encode(X)
    zeros = np.mean(np.abs(codes) < 1e-9)
    density, edges = histogram_of(ax)
    assert np.sum(density * np.diff(edges)) == pytest.approx(1 - zeros, rel=1e-9)
    assert f"zero: {100 * zeros:.1f} %" in legend_of(ax)
    assert list(ax.lines[0].get_xdata()) == [0, 0]
    assert area_under(ax.lines[-1]) == pytest.approx(result.summary.theta, abs=AREA)


def test_single_precision_has_the_same_zeros(sparse):
    X, result = sparse
    expected = legend_of(plot.coefficients(result, X))
    assert legend_of(plot.coefficients(result, X.astype(np.float32))) == expected


def test_coefficients_of_one_atom(noisy):
    X, result = noisy
    codes = result.model.encode(X)
    density, edges = histogram_of(plot.coefficients(result, X, atom=8))
    expected, _ = np.histogram(codes[:, 8] / rms(codes), edges, density=True)
    np.testing.assert_allclose(density, expected, rtol=1e-12)


def test_each_atom_has_its_unit_where_samples_were_whitened():
    X, _ = orthodict.synthetic(dimension=5, samples=4000, theta=0.3, noise=0.05, condition=10, seed=1)
    result = orthodict.fit(X, dictionary="complete", seed=1)
    codes = result.model.encode(X)
    each = np.sqrt(np.mean(codes**2, axis=0))
    assert each.max() > 1.1 * each.min()
    density, edges = histogram_of(plot.coefficients(result, X))
    expected, _ = np.histogram(codes / each, edges, density=True)
    np.testing.assert_allclose(density, expected, rtol=1e-12)


def test_a_gaussian_where_there_is_no_mixture(noisy, msp):
    X, _ = noisy
    for source in (msp, msp.model.dictionary):
        ax = plot.coefficients(source, X)
        x, y = ax.lines[-1].get_data()
        np.testing.assert_allclose(y, np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi), rtol=1e-9)
        assert legend_of(ax) == ["coefficients", "Gaussian of this variance"]


def test_no_mixture_for_coefficients_below_its_noise(noisy):
    X, result = noisy
    assert "Gaussian of this variance" in legend_of(plot.coefficients(result, 0.01 * X))


@no_warnings
def test_an_atom_without_energy(noisy):
    X = noisy[0].copy()
    X[:, 0] = 0
    ax = plot.coefficients(np.eye(9), X)
    assert legend_of(ax)[1] == "zero: 11.1 %"
    with pytest.raises(ValueError, match="X has 4000 samples, and no coefficient to draw that isn't zero"):
        plot.coefficients(np.eye(9), X, atom=0)


@pytest.mark.parametrize(("given", "error", "message"), [
    ({"atom": 9}, ValueError, "atom = 9: must be an integer from 0 to 8"),
    ({"bins": 0}, ValueError, "bins = 0: must be an integer from 1"),
    ({"bins": "auto"}, TypeError, "bins must be an integer, not 'auto'"),
    ({"bins": [0, 1, 1]}, ValueError, r"bins = \[0, 1, 1\]: must be how many, or at least two increasing edges"),
    ({"bins": [0]}, ValueError, r"bins = \[0\]: must be how many"),
    ({"X": np.zeros((0, 9))}, ValueError, "X has 0 samples"),
    ({"X": np.ones((3, 8))}, ValueError, "X has 8 columns, but the model has 9 features"),
])
def test_coefficients_refuses(sparse, given, error, message):
    X, result = sparse
    with pytest.raises(error, match=message):
        plot.coefficients(result, **{"X": X, **given})
    assert not plt.get_fignums()


# Phase diagrams.


def segments_of(ax):
    """The ends of each line of the border."""
    points = ax.lines[0].get_xydata().reshape(-1, 3, 2)
    assert np.isnan(points[:, 2]).all()
    return {tuple(sorted(map(tuple, np.round(line[:2], 9)))) for line in points}


def test_errors_have_their_places_and_colours():
    ax = plot.phase(GRID, [1, 2, 3], [10, 20], xlabel="samples", ylabel="dimension")
    mesh = ax.collections[0]
    np.testing.assert_array_equal(mesh.get_array().reshape(2, 3), np.maximum(GRID, 1e-16))
    assert (mesh.norm.vmin, mesh.norm.vmax) == (1e-16, 1)
    corners = mesh.get_coordinates()
    np.testing.assert_array_equal(corners[0, :, 0], [0.5, 1.5, 2.5, 3.5])
    np.testing.assert_array_equal(corners[:, 0, 1], [5, 15, 25])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "3"]
    assert list(ax.get_yticks()) == [10, 20]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("samples", "dimension")
    assert mesh.colorbar.ax.get_ylabel() == "error"


def test_the_border_is_where_the_error_passes_the_threshold():
    ax = plot.phase(GRID, [1, 2, 3], [10, 20])
    assert segments_of(ax) == {((1.5, 5), (1.5, 15)), ((1.5, 15), (2.5, 15)), ((2.5, 15), (2.5, 25))}
    ax = plot.phase(GRID, [1, 2, 3], [10, 20], threshold=0.1)
    assert segments_of(ax) == {((0.5, 15), (1.5, 15)), ((1.5, 15), (1.5, 25))}
    assert ax.collections[0].colorbar.ax.lines[0].get_ydata()[0] == 0.1


def test_no_border():
    assert not plot.phase(GRID, [1, 2, 3], [10, 20], threshold=None).lines
    assert not segments_of(plot.phase(GRID, [1, 2, 3], [10, 20], threshold=1))


def test_the_colour_bar_keeps_its_limits():
    bar = plot.phase(GRID, [1, 2, 3], [10, 20], threshold=1e-10, limits=(1e-4, 0.1)).collections[0].colorbar
    np.testing.assert_allclose(bar.ax.get_ylim(), (1e-4, 0.1), rtol=1e-12)


def test_cells_that_are_not_known():
    errors = np.array(GRID)
    errors[0, 1] = np.nan
    ax = plot.phase(errors, [1, 2, 3], [10, 20])
    assert ax.collections[0].get_array().mask.ravel().tolist() == [False, True, False, False, False, False]
    assert ax.patch.get_hatch()
    assert segments_of(ax) == {((2.5, 15), (2.5, 25))}
    assert not plot.phase(GRID, [1, 2, 3], [10, 20]).patch.get_hatch()


def test_a_wide_axis_is_logarithmic():
    ax = plot.phase(GRID, [10, 100, 1000], [1, 20])
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "linear")
    edges = ax.collections[0].get_coordinates()[0, :, 0]
    np.testing.assert_allclose(edges, 10 ** np.array([0.5, 1.5, 2.5, 3.5]), rtol=1e-12)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["10", "100", "1000"]
    assert plot.phase(GRID, [0, 100, 1000], [1, 2]).get_xscale() == "linear"


def test_labels_do_not_overlap():
    values = np.arange(1, 101) / 100
    ax = plot.phase(np.ones((100, 100)), values, values)
    ax.figure.canvas.draw()
    for labels, side in ((ax.get_xticklabels(), "x"), (ax.get_yticklabels(), "y")):
        ends = [(getattr(box, f"{side}0"), getattr(box, f"{side}1")) for box in (t.get_window_extent() for t in labels)]
        assert len(ends) > 5
        assert all(end < start for (_, end), (start, _) in zip(ends, ends[1:]))


def test_one_cell():
    ax = plot.phase([[0.5]], [3], [0.2])
    assert ax.get_xlim() == (2.5, 3.5)
    np.testing.assert_allclose(ax.get_ylim(), (-0.3, 0.7), rtol=1e-12)


@pytest.mark.parametrize(("given", "message"), [
    ({"errors": [[1, 2], [3, 4]]}, r"errors has the shape \(2, 2\): must be \(len\(y\), len\(x\)\) = \(2, 3\)"),
    ({"errors": [[1, 2, 3], [4, -5, 6]]}, "errors has the value -5: must be 0 or more"),
    ({"x": [1, 3, 2]}, r"x = \[1. 3. 2.\]: must be increasing"),
    ({"y": [1, np.nan]}, "y = .*: must be increasing finite numbers"),
    ({"y": []}, r"y = \[\]: must be increasing"),
    ({"threshold": 0}, "threshold = 0: must be a positive finite number"),
    ({"threshold": np.nan}, "threshold = nan: must be"),
    ({"limits": (1, 1e-3)}, r"limits = \(1, 0.001\): must be two positive numbers"),
    ({"limits": 1}, "limits = 1: must be"),
])
def test_phase_refuses(given, message):
    with pytest.raises(ValueError, match=message):
        plot.phase(**{"errors": GRID, "x": [1, 2, 3], "y": [1, 2], **given})
    assert not plt.get_fignums()
