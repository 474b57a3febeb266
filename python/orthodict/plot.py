# SPDX-License-Identifier: Apache-2.0
"""Plots of results: atoms, convergence, coefficients, and phase diagrams.

Each function draws on the axes ``ax``, or on those of a new figure, and returns the axes. No function shows the figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Sequence

import numpy as np

from ._arrays import as_integer, as_real
from ._fit import Summary
from ._model import as_model
from ._mosaic import count_columns, image_shape, mosaic_of
from ._names import names_of_features

try:
    import matplotlib
    import matplotlib.pyplot as plt
    from matplotlib.colors import LogNorm, to_rgb
    from matplotlib.ticker import MaxNLocator, NullLocator
except ImportError as error:
    raise ImportError('orthodict.plot needs matplotlib: pip install "orthodict[plot]"') from error

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

__all__ = ["atoms", "coefficients", "convergence", "phase"]

# Okabe and Ito's palette, for colour-blind readers; markers distinguish stages in print.
_BLUE, _VERMILION, _GREEN, _PURPLE, _SKY, _GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#666666"
_STAGES = {
    "explore": (_BLUE, "o"),
    "refine": (_VERMILION, "s"),
    "finish": (_GREEN, "D"),
    "msp": (_BLUE, "o"),
    "baseline": (_PURPLE, "o"),
}
_BETWEEN_ATOMS = "#b9cbe4"  # not grey, so that it can't be mistaken for a part of an atom

_ZERO = 1e-6  # relative to the coefficients: above the rounding of single precision
_SPIKE = 1e-3  # a share of zeros that no density below 500 can have
_MOST_NAMES = 60
_LOG_SPAN = 20  # ratio of the largest to the smallest value from which an axis is logarithmic


def atoms(model: Any, shape: tuple[int, ...] | None = None, *, columns: int | None = None, count: int | None = None,
          contrast: Literal["each", "fixed"] = "each", features: Sequence[str] | None = None,
          ax: Axes | None = None) -> Axes:
    """Draw atoms as images, row by row in the order of the model.

    Zero is mid-grey. Atoms without a shape are drawn as the rows of one image, where zero is white, red is positive and
    blue is negative.

    Parameters
    ----------
    model : Model, Result, DictionaryLearner, or array-like with atoms in rows
    shape : (height, width) or (height, width, 3), optional
        Shape of an atom, whose entries are in C order. By default atoms are square if the number of features is a
        square, and have no shape otherwise.
    columns : int, optional
        Number of images per row. By default the whole is about square.
    count : int, optional
        Number of atoms to draw, those with the most energy first. By default all.
    contrast : {"each", "fixed"}
        Scale each atom to its own largest absolute entry, or use one scale for all.
    features : sequence of str, optional
        Names of the features, for atoms without a shape; up to 60 are shown. By default those of the table that the model
        learned from.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        ``ax.images[0]`` is the image, for example for a colour bar.

    Examples
    --------
    >>> import orthodict
    >>> X, D = orthodict.synthetic(dimension=16, samples=2000, theta=0.2, seed=1)
    >>> ax = orthodict.plot.atoms(orthodict.fit(X), shape=(4, 4))
    """
    dictionary = as_model(model).dictionary
    count = len(dictionary) if count is None else as_integer("count", count, 1, len(dictionary))
    entries, limit = _scaled(dictionary[:count], contrast)
    shape = image_shape(shape, dictionary.shape[1])
    columns = count_columns(columns, count, shape)
    ax = _axes(ax)
    ax.grid(False)
    if shape is None:
        ax.imshow(entries, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
        names = names_of_features(features, model)
        ax.set(xlabel="feature", ylabel="atom")
        if names and len(names) <= _MOST_NAMES:
            ax.set_xticks(range(len(names)), names, rotation=90)
            ax.set_xlabel("")
    else:
        _draw_mosaic(ax, *mosaic_of(entries.reshape(count, *shape), columns), limit)
    return ax


def convergence(result: Any, *, quantity: Literal["step", "objective"] = "step", ax: Axes | None = None) -> Axes:
    """Draw how a fit went, iteration by iteration, in the colours of its stages.

    Parameters
    ----------
    result : Result, Summary or fitted DictionaryLearner
    quantity : {"step", "objective"}
        "step" is the root mean square change of the atoms, with the tolerance as a dashed line. A gap is a new start,
        and a triangle at the bottom is a step of exactly zero. "objective" is what msp and the baselines optimise. It
        isn't available for method auto, whose stretch and samples change between iterations, so that its objectives
        can't be compared.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import orthodict
    >>> X, D = orthodict.synthetic(dimension=20, samples=5000, theta=0.2, seed=1)
    >>> ax = orthodict.plot.convergence(orthodict.fit(X))
    """
    _require_choice("quantity", quantity, ("step", "objective"))
    summary = _summary(result)
    history = summary.history
    if not len(history):
        raise ValueError(f"result has no iterations to draw: method {summary.method}")
    if quantity == "objective" and summary.method == "auto":
        raise ValueError("quantity = 'objective': must be 'step' for method auto, which has more than one objective")
    ax = _axes(ax)
    if quantity == "step":
        _draw_stages(ax, history, np.where(history["step"] > 0, history["step"], np.nan))
        _draw_step_axis(ax, history, summary.tolerance)
    else:
        _draw_stages(ax, history, history["objective"])
        ax.set_ylabel("objective")
    ax.set_xlabel("iteration")
    ax.set_xlim(history["iteration"][0] - 0.5, history["iteration"][-1] + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    ax.legend()
    return ax


def coefficients(model: Any, X: ArrayLike, *, bins: int | ArrayLike = 200, atom: int | None = None,
                 ax: Axes | None = None) -> Axes:
    """Draw the density of coefficients on a logarithmic axis, with the fitted density.

    The fitted density is the mixture of method auto: a share theta of the coefficients carries signal, the others are
    noise, and both are Gaussian. If the model has no mixture, it is a Gaussian with the variance of the coefficients,
    which coefficients that aren't sparse would follow. Coefficients that are exactly zero are drawn as a line with
    their share; the density is that of the others, with the remaining share as its area.

    Parameters
    ----------
    model : Model, Result, DictionaryLearner, or array-like with atoms in rows
    X : array-like of shape (n_samples, n_features)
        Samples. All codes are held in memory; a part of the samples is enough for a plot.
    bins : int or array-like
        Number of bins, up to the largest coefficient on both sides of zero; or the edges of bins.
    atom : int, optional
        Draw the coefficients of this atom only.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        The unit of the horizontal axis is the root mean square of all coefficients; for a model fitted to whitened
        samples (``dictionary`` is "complete"), that of each atom.

    Examples
    --------
    >>> import orthodict
    >>> X, D = orthodict.synthetic(dimension=20, samples=5000, theta=0.2, noise=0.05, seed=1)
    >>> ax = orthodict.plot.coefficients(orthodict.fit(X), X)
    """
    model = as_model(model)
    if atom is not None:
        atom = as_integer("atom", atom, 0, len(model.dictionary) - 1)
    codes = np.asarray(model.encode(X), dtype=np.float64)
    chosen = slice(None) if atom is None else [atom]
    if not codes[:, chosen].any():
        raise ValueError(f"X has {len(codes)} samples, and no coefficient to draw that isn't zero")
    found = model.details.get("summary") or {}
    unit = _rms(codes)
    units = _rms(codes, axis=0)[chosen] if found.get("dictionary") == "complete" else unit
    drawn = (codes[:, chosen] / np.where(units > 0, units, 1)).ravel()
    edges = _bin_edges(bins, np.abs(drawn).max())
    ax = _axes(ax)
    least, largest = _draw_density(ax, drawn, edges)
    curve = _mixture(found.get("theta"), found.get("noise"), unit) or _gaussian(drawn)
    largest = max(largest, _draw_curve(ax, edges, *curve))
    ax.set(xlabel="coefficient / root mean square", ylabel="density", xlim=edges[[0, -1]], yscale="log")
    ax.set_ylim(least, 20 * largest)  # room for the legend
    ax.legend(loc="upper right")
    return ax


def phase(errors: ArrayLike, x: ArrayLike, y: ArrayLike, *, threshold: float | None = 1e-10,
          limits: tuple[float, float] = (1e-16, 1), xlabel: str | None = None, ylabel: str | None = None,
          ax: Axes | None = None) -> Axes:
    """Draw recovery errors over a grid of two parameters, and the border between success and failure.

    Parameters
    ----------
    errors : array-like of shape (len(y), len(x))
        Errors, such as those of :func:`orthodict.recovery_error`, drawn on a logarithmic scale. NaN cells are hatched.
    x, y : array-like
        Increasing values of the parameters. An axis is logarithmic if its values are positive and span more than a
        factor of 20.
    threshold : float or None
        A line separates cells with at most this error from the others, and marks the same value in the colour bar. None
        draws no line.
    limits : (float, float)
        Range of the colour bar. Errors outside have the colour of the nearest end.
    xlabel, ylabel : str, optional
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import orthodict
    >>> def error(samples, theta):
    ...     X, D = orthodict.synthetic(dimension=10, samples=samples, theta=theta, seed=1)
    ...     return orthodict.recovery_error(orthodict.fit(X), D)
    >>> samples, theta = [50, 200, 2000], [0.2, 0.4, 0.6]
    >>> errors = [[error(p, t) for p in samples] for t in theta]
    >>> ax = orthodict.plot.phase(errors, samples, theta, xlabel="samples", ylabel="theta")
    """
    x, y = _increasing("x", x), _increasing("y", y)
    errors = _errors(errors, (len(y), len(x)))
    if threshold is not None:
        _require_positive("threshold", threshold)
    least, largest = _require_limits(limits)
    x_edges, y_edges = _cell_edges(x), _cell_edges(y)
    ax = _axes(ax)
    ax.grid(False)
    ax.set(xscale=_scale(x), yscale=_scale(y))
    cells = ax.pcolormesh(x_edges, y_edges, np.clip(errors, least, largest), norm=LogNorm(least, largest),
                          cmap="viridis")
    if np.isnan(errors).any():
        ax.patch.set(facecolor="0.9", edgecolor="0.6", hatch="////")
    bar = ax.figure.colorbar(cells, ax=ax, label="error")
    if threshold is not None:
        borders = _borders(errors, threshold, x_edges, y_edges)
        for style in ({"color": "black"}, {"color": "white", "linestyle": (0, (2, 2))}):  # visible on every colour
            ax.plot(*borders, **style, linewidth=2, solid_capstyle="projecting")
            bar.ax.axhline(threshold, **style, linewidth=2)
    ax.set(xlabel=xlabel, ylabel=ylabel, xlim=x_edges[[0, -1]], ylim=y_edges[[0, -1]])
    extent = ax.get_window_extent()
    _label_values(ax.xaxis, x, 0.5 * ax.figure.dpi / extent.width)  # half an inch fits five digits
    _label_values(ax.yaxis, y, 0.25 * ax.figure.dpi / extent.height)
    return ax


def _axes(ax):
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def _require_choice(name, value, legal):
    if not isinstance(value, str) or value not in legal:
        raise ValueError(f"{name} = {value!r}: must be {' or '.join(map(repr, legal))}")


def _require_positive(name, value):
    if not 0 < as_real(name, value) < np.inf:
        raise ValueError(f"{name} = {value}: must be a positive finite number")


# Atoms.


def _scaled(dictionary, contrast):
    """Returns the entries to draw and the largest absolute value of their scale."""
    _require_choice("contrast", contrast, ("each", "fixed"))
    largest = np.abs(dictionary).max(axis=1, keepdims=True)
    if contrast == "fixed":
        return dictionary, float(largest.max()) or 1.0
    return dictionary / np.where(largest > 0, largest, 1), 1.0


def _draw_mosaic(ax, mosaic, opacity, limit):
    if mosaic.ndim == 3:
        colours = np.where(np.isnan(mosaic), to_rgb(_BETWEEN_ATOMS), 0.5 + mosaic / (2 * limit))
        ax.imshow(np.dstack([colours, opacity]))
    else:
        grey = matplotlib.colormaps["gray"].with_extremes(bad=_BETWEEN_ATOMS)
        ax.imshow(mosaic, alpha=opacity, cmap=grey, vmin=-limit, vmax=limit)
    ax.set_axis_off()


# Convergence.


def _summary(result):
    if isinstance(result, Summary):
        return result
    for name in ("summary", "summary_"):
        if isinstance(getattr(result, name, None), Summary):
            return getattr(result, name)
    if hasattr(result, "get_params"):
        raise ValueError(f"this {type(result).__name__} has no history yet: call fit first")
    raise ValueError(f"result is a {type(result).__name__}: must be a Result, a Summary or a fitted DictionaryLearner")


def _runs(stages):
    """Slices of consecutive iterations of the same stage."""
    bounds = [0, *(np.flatnonzero(stages[1:] != stages[:-1]) + 1), len(stages)]
    return [slice(first, last) for first, last in zip(bounds[:-1], bounds[1:])]


def _draw_stages(ax, history, values):
    """Draws a line through all values and each stage in its colour, on a band of that colour if there are several
    stages."""
    iterations = history["iteration"]
    size = float(np.clip(300 / len(history), 1, 4.5))
    ax.plot(iterations, values, color="0.7", linewidth=1, label="_all")
    named = set()
    runs = _runs(history["stage"])
    for run in runs:
        stage = str(history["stage"][run][0])
        color, marker = _STAGES[stage]
        if len(runs) > 1:
            ax.axvspan(iterations[run][0] - 0.5, iterations[run][-1] + 0.5, color=color, alpha=0.1, linewidth=0)
        ax.plot(iterations[run], values[run], color=color, marker=marker, markersize=size, linewidth=1.4,
                label="_more" if stage in named else stage)
        named.add(stage)


def _draw_step_axis(ax, history, tolerance):
    zero = history["iteration"][history["step"] == 0]
    if len(zero):
        ax.plot(zero, np.full(len(zero), 0.02), linestyle="none", marker="v", markersize=5, color=_GREY,
                transform=ax.get_xaxis_transform(), label="zero")
    if tolerance > 0:
        ax.axhline(tolerance, color=_GREY, linestyle="--", linewidth=1, label="tolerance")
    ax.set_yscale("log")
    ax.set_ylabel("step (root mean square change of an atom)")


# Coefficients.


def _rms(values, axis=None):
    return np.sqrt(np.mean(np.square(values), axis=axis))


def _bin_edges(bins, largest):
    if np.ndim(bins) == 0:
        return np.linspace(-largest, largest, as_integer("bins", bins, 1, 10**6) + 1)
    edges = np.asarray(bins, dtype=np.float64)
    if edges.ndim != 1 or len(edges) < 2 or not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
        raise ValueError(f"bins = {bins!r}: must be how many, or at least two increasing edges")
    return edges


def _draw_density(ax, values, edges):
    """Draws the histogram of nonzero values, and a line at zero for the others.

    Returns the density of half a count, and the largest density.
    """
    zero = np.abs(values) <= _ZERO
    share = float(zero.mean())
    rest = values[~zero] if share > _SPIKE else values
    per_count = 1 / (len(values) * np.diff(edges))
    density = np.histogram(rest, edges)[0] * per_count
    ax.stairs(density, edges, fill=True, color=_SKY, alpha=0.6, label="coefficients")
    if share > _SPIKE:
        ax.axvline(0, color=_BLUE, linewidth=2, label=f"zero: {100 * share:.1f} %")
    return per_count.min() / 2, max(density.max(), per_count.min())


def _gaussian(values):
    """Label and parts, (weight, standard deviation), of a Gaussian with the variance of the values."""
    return "Gaussian of this variance", [(1.0, _rms(values))]


def _mixture(theta, noise, unit):
    """Label and parts of the fitted mixture, in units of the coefficients' root mean square; None if there is none.

    The signal has the remaining variance. None also if the coefficients have less variance than the noise.
    """
    if theta is None or noise is None:
        return None
    noise /= unit
    left = 1 - (1 - theta) * noise**2
    if theta <= 0 or left <= 0:
        return None
    signal = (theta, float(np.sqrt(left / theta)))
    if noise == 0:
        return rf"mixture: $\theta$ = {theta:.3g}, no noise", [signal]
    return rf"mixture: $\theta$ = {theta:.3g}, noise {noise:.2g}", [(1 - theta, noise), signal]


def _draw_curve(ax, edges, label, parts):
    """Draws the density of a mixture of Gaussians, on a grid that is dense where a part is narrow. Returns its
    maximum."""
    around = [deviation * np.linspace(-5, 5, 201) for _, deviation in parts]
    at = np.unique(np.concatenate([np.linspace(edges[0], edges[-1], 801), *around]))
    at = at[(at >= edges[0]) & (at <= edges[-1])]
    density = sum(weight * np.exp(-0.5 * (at / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))
                  for weight, deviation in parts)
    ax.plot(at, density, color=_VERMILION, linewidth=1.6, label=label)
    return density.max()


# Phase diagrams.


def _increasing(name, values):
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all() or not (np.diff(values) > 0).all():
        raise ValueError(f"{name} = {values}: must be increasing finite numbers, at least one")
    return values


def _errors(errors, shape):
    errors = np.asarray(errors, dtype=np.float64)
    if errors.shape != shape:
        raise ValueError(f"errors has the shape {errors.shape}: must be (len(y), len(x)) = {shape}")
    if (errors < 0).any():
        raise ValueError(f"errors has the value {np.nanmin(errors):g}: must be 0 or more, or NaN")
    return errors


def _require_limits(limits):
    if np.shape(limits) != (2,) or not 0 < limits[0] < limits[1] < np.inf:
        raise ValueError(f"limits = {limits!r}: must be two positive numbers, the lower one first")
    return limits


def _scale(values):
    return "log" if values[0] > 0 and values[-1] > _LOG_SPAN * values[0] else "linear"


def _cell_edges(values):
    """Edges of cells: midway between values on the axis' own scale, and equally far beyond the first and the last
    value."""
    log = _scale(values) == "log"
    at = np.log(values) if log else values
    if len(at) == 1:
        return at + [-0.5, 0.5]
    between = (at[1:] + at[:-1]) / 2
    edges = np.concatenate([[2 * at[0] - between[0]], between, [2 * at[-1] - between[-1]]])
    return np.exp(edges) if log else edges


def _borders(errors, threshold, x_edges, y_edges):
    """Lines between neighbouring cells on different sides of the threshold: x and y, with NaN after each line."""
    known = ~np.isnan(errors)
    passed = errors <= threshold
    beside = np.argwhere((passed[:, 1:] != passed[:, :-1]) & known[:, 1:] & known[:, :-1])
    above = np.argwhere((passed[1:] != passed[:-1]) & known[1:] & known[:-1])
    lines = [((r, c + 1), (r + 1, c + 1), (-1, -1)) for r, c in beside]
    lines += [((r + 1, c), (r + 1, c + 1), (-1, -1)) for r, c in above]
    corners = np.array(lines, dtype=int).reshape(-1, 2)
    return np.append(x_edges, np.nan)[corners[:, 1]], np.append(y_edges, np.nan)[corners[:, 0]]


def _label_values(axis, values, apart):
    """Sets ticks at values, except those closer to the previous tick than this share of the axis."""
    scale = axis.get_transform().transform
    low, high = scale(np.array(axis.get_view_interval()))
    ticks, last = [], -np.inf
    for value, place in zip(values, scale(values)):
        if place - last >= apart * (high - low):
            ticks.append(value)
            last = place
    axis.set_ticks(ticks, [f"{value:g}" for value in ticks])
    axis.set_minor_locator(NullLocator())
