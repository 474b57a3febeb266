# SPDX-License-Identifier: Apache-2.0
"""Learning a dictionary, with the options of the command."""

from __future__ import annotations

import dataclasses
import os
import warnings
from typing import TYPE_CHECKING, Any, Callable, Literal

import numpy as np

from . import _core
from ._arrays import (
    MOST,
    as_atoms,
    as_boolean,
    as_integer,
    as_interleaved,
    as_real,
    as_samples,
    count_threads,
    feature_names,
    native,
)
from ._caller import caller
from ._files import existing, writing
from ._html import table
from ._model import Model
from ._progress import LOGGER, watched
from ._ranks import agreed, joined

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._files import Path
    from ._types import DictionaryKind, Normalize, Precision, Resample, Samples, Whitening

_HISTORY = np.dtype([("iteration", "i8"), ("objective", "f8"), ("step", "f8"), ("seconds", "f8"), ("stage", "U8"),
                     ("samples", "i8")])


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """Summary of a fit.

    Attributes
    ----------
    termination : str
        ``converged``, ``max_iterations``, ``time_limit``, ``stopped`` or ``not_established``.
    message : str
        The termination as a sentence.
    warnings : tuple of str
        Warnings about the result; each is also issued as a ``UserWarning``.
    dimension, samples, rank : int
        Features, samples and the numerical rank of the data.
    sample_shape : tuple of int
        Height and width, and channels if there are any, of samples that are patches; else empty.
    rms : float
        Root mean square of the entries of the samples (of whitened samples, if they were whitened): the unit of
        thresholds.
    method, dictionary, normalize, stretch, precision : str
        What was used; ``stretch`` is None for method auto.
    center, remove_bias : bool
    atoms, threads : int
    ranks : int
        Number of processes.
    bytes_sent : int
        Bytes that this process sent to others.
    tolerance : float
    theta, noise : float or None
        The mixture that method auto fitted to the coefficients: a share theta carries signal, and the others have the
        standard deviation noise, 0 if the samples are exactly sparse.
    dependence : float
        Number of neighbouring samples that count as one, if they depend on each other (method auto).
    distinct : int
        Number of samples, each counted once if many are copies of others.
    set_aside : int
        Number of outliers, far larger than all other samples, that method auto excluded.
    established : int
        Number of atoms with a confidence of at least 1/2.
    usage : tuple of float
        Of each atom the share of samples whose codes use it; empty unless the dictionary is overcomplete.
    runs, resampled_runs : int
        Number of runs whose atoms were matched with each other, on all samples and on parts of them.
    stable : int
        Number of atoms that are stable by these runs; 0 after a single run.
    iterations, passes : int
        Passes are over all samples; an iteration may use a part of them.
    objective : float
        Objective of the result.
    checkpoint_error : str
        Error of the last attempt to write a checkpoint; empty if it succeeded.
    history : structured ndarray
        One record per iteration: iteration, objective, step (NaN at a start), seconds, stage, samples.
    parameters : dict
        Parameters of a baseline, beyond the options.
    moments_seconds, pass_seconds, projection_seconds, total_seconds : float
    report : str
        The summary as text.
    """

    termination: str
    message: str
    warnings: tuple[str, ...]
    dimension: int
    samples: int
    sample_shape: tuple[int, ...]
    rank: int
    rms: float
    method: str
    dictionary: str
    center: bool
    normalize: str
    atoms: int
    stretch: str | None
    remove_bias: bool
    precision: str
    tolerance: float
    threads: int
    ranks: int
    bytes_sent: int
    theta: float | None
    noise: float | None
    dependence: float
    distinct: int
    set_aside: int
    established: int
    usage: tuple[float, ...]
    runs: int
    resampled_runs: int
    stable: int
    iterations: int
    passes: int
    objective: float
    checkpoint_error: str
    history: np.ndarray
    parameters: dict
    moments_seconds: float
    pass_seconds: float
    projection_seconds: float
    total_seconds: float
    report: str

    @classmethod
    def _of(cls, core):
        records = [tuple(np.nan if value is None else value for value in record) for record in core["history"]]
        history = np.array(records, dtype=_HISTORY)
        history.flags.writeable = False
        tuples = {name: tuple(core[name]) for name in ("warnings", "sample_shape", "usage")}
        return cls(**{**core, **tuples, "history": history})

    def __repr__(self):
        return f"Summary of {self._what()}: {self.message}"

    def _what(self):
        stretch = f" ({self.stretch})" if self.stretch else ""
        return (f"{self.method}{stretch}, {self.atoms} atoms from {self.samples} samples of {self.dimension} features in "
                f"{self.total_seconds:.3g} s")

    def _repr_html_(self):
        is_auto = self.method == "auto"
        return table(f"Summary of {self._what()}", [
            ("outcome", self.message), ("iterations", self.iterations), ("rank", self.rank),
            ("dictionary", self.dictionary),
            ("established atoms", f"{self.established} of {self.atoms}" if is_auto else None),
            ("stable atoms", f"{self.stable} of {self.atoms}, {self.runs} runs" if self.runs > 1 else None),
            ("nonzero share (theta)", self.theta), ("noise", self.noise),
            ("dependent neighbours", self.dependence if self.dependence > 1 else None),
            ("outliers set aside", self.set_aside or None), ("precision", self.precision), ("threads", self.threads),
            ("warnings", "; ".join(self.warnings))])


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The result of a fit: a model and a summary."""

    model: Model
    summary: Summary

    def __repr__(self):
        s = self.summary
        return (f"{s.atoms} atoms from {s.samples} samples of {s.dimension} features in {s.total_seconds:.3g} s; "
                f"{s.message}")

    def _repr_html_(self):
        return self.summary._repr_html_()


class Iterate:
    """The argument of a callback, after an iteration.

    Attributes
    ----------
    iteration : int
    objective : float
        Objective over the samples of this iteration, with the stretch of its stage.
    step : float or None
        Root mean square move of the atoms; None at a start.
    seconds : float
        Seconds since the fit began.
    stage : str
        ``explore``, ``refine`` or ``finish`` for method auto, ``msp``, or ``baseline``.
    samples : int
        Number of samples used in the iteration.
    """

    iteration: int
    objective: float
    step: float | None
    seconds: float
    stage: str
    samples: int

    def __init__(self, core):
        self._core = core
        for name in ("iteration", "objective", "step", "seconds", "stage", "samples"):
            setattr(self, name, getattr(core, name))

    def model(self) -> Model:
        """The model as it would be if the fit ended here. Must be called while the callback runs."""
        return Model._of(self._core.model())

    def __repr__(self):
        return f"Iterate {self.iteration}, {self.stage}, objective {self.objective:.6g}"


def fit(X: Samples | Path, *, method: str = "auto", stretch: str | None = None, dictionary: DictionaryKind = "auto",
        whiten: Whitening | None = None, center: bool | None = None, normalize: Normalize = "none",
        atoms: int | float | None = None, precision: Precision | None = None, max_iterations: int | None = None,
        tolerance: float | None = None, time_limit: float | None = None,
        init: Literal["random", "identity"] | ArrayLike = "random", seed: int = 0, threads: int | None = None,
        columns: bool = False, remove_bias: bool | None = None, theta: float | None = None, bias_fraction: float = 1.0,
        step: float = np.inf, sparsity: int | None = None, penalty: float | None = None, truth: ArrayLike | None = None,
        runs: int = 1, resample: Resample | bool | None = None, stable_only: bool | None = None,
        checkpoint: Path | None = None, checkpoint_every: float = 60.0, resume: Path | None = None,
        orient: bool | None = None, accelerate: bool | None = None,
        callback: Callable[[Iterate], Any] | None = None, verbose: int = 0, comm: Any = None) -> Result:
    """Learn a dictionary, with the same engine, options and bits as ``orthodict fit``.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features), or a path
        Samples in rows. Arrays of integers, real or complex numbers are read in place, including ``numpy.memmap`` and
        read-only arrays. Sparse matrices of SciPy's are made dense block by block. A path is read as by the command.
    method : str
        ``auto``, ``msp`` (the paper's match, stretch, project), ``msp:STRETCH``, or a baseline: ``ksvd``, ``online``,
        ``subgradient``, ``subgradient_oracle``, ``fastica``, ``fastica_deflation``, ``pca``.
    stretch : str, optional
        ``l4``, ``power:2.5``, ``soft:0.5`` ...; docs/options.md lists them. Naming one makes the method msp.
    dictionary : {"auto", "complete", "orthogonal", "overcomplete"}
        Kind of dictionary: "complete" for the sources of any mixture, "orthogonal" for an orthonormal basis in which
        the samples are sparse. "auto" decides from the samples. "overcomplete": more atoms than features, as many as
        the samples show, or at most ``atoms``; more ``atoms`` than features imply it.
    whiten : {"none", "zca", "pca"}, optional
        Whitening of the samples. The default follows from the dictionary.
    center : bool, optional
        Subtract the mean. By default method auto does so if it matters, and msp doesn't.
    normalize : {"none", "samples", "auto"}
        "samples" scales (whitened) samples to equal length before learning, for samples that differ in contrast.
        "auto", for method auto only, learns from both and keeps the result whose atoms have more confidence. Codes
        aren't affected.
    atoms : int or float, optional
        Number of atoms, at most the rank of the data; or, between 0 and 1, the share of the variance to keep. By
        default all. Whitened samples are reduced to that many leading principal components.
    precision : {"f32", "f64", "mixed"}, optional
        Precision of the passes over the data. The default depends on the data.
    max_iterations : int, optional
        Default 500 for msp; method auto has limits per stage.
    tolerance : float, optional
        The fit has converged when the root mean square change of an atom is at most this. Default 1e-4 for auto and
        1e-6 for the others.
    time_limit : float, optional
        Time limit in seconds.
    init : "random", "identity" or array-like of shape (n_atoms, n_features)
        The starting point.
    seed : int
        Seed of the random numbers, 0 to 2**64 - 1.
    threads : int, optional
        Number of threads; by default OMP_NUM_THREADS if it is set, otherwise all cores. The result doesn't depend on
        it.
    columns : bool
        Whether samples are the columns of X, as in the paper's Y, instead of its rows.
    remove_bias, theta, bias_fraction, step
        For msp: see docs/options.md.
    sparsity : int, optional
        For ksvd: number of nonzeros per code.
    penalty : float, optional
        For online: the last weight of the l1 norm.
    truth : array-like, optional
        For subgradient_oracle: the true atoms, by which it recognises that it has found one. To compare a result with
        the truth, use :func:`orthodict.recovery`.
    runs : int
        For methods auto and msp: learn from this many starts, and match the atoms of all runs with each other. The
        model has their centres, and ``model.stability``, ``found``, ``resampled_stability``, ``resampled_found``
        and ``stable`` say for each atom how well it comes again.
    resample : {"halves", "bootstrap", "none"} or bool, optional
        With several runs: learn as often from choices of the samples too. By default from random halves; True means
        "halves", and False "none".
    stable_only : bool, optional
        With several runs: drop the atoms that aren't stable, unless none is.
    orient : bool, optional
        Give atoms the sign that makes the skewness of their codes positive. By default their largest entry is positive.
    accelerate : bool, optional
        For msp: climb by second order instead of match, stretch, project, which takes far fewer steps where those
        creep, as on most real data. The tolerance is then that of the gradient. For logcosh the samples must be
        whitened (``dictionary="complete"``).
    checkpoint : path, optional
        For methods auto and msp: write checkpoints to this file, every ``checkpoint_every`` seconds and when the fit
        ends early, so that a killed fit can be resumed.
    resume : path, optional
        A checkpoint to resume from, with the same samples and options. The result is that of an uninterrupted fit, to
        the bit. The file is kept up to date unless ``checkpoint`` names another one.
    callback : callable, optional
        Called with an :class:`Iterate` after each iteration; the fit stops when it returns True.
    verbose : int
        1 shows progress, with tqdm if it is installed. Whatever it is, the logger ``orthodict`` of :mod:`logging` gets
        the outcome as INFO, and each iteration as DEBUG.
    comm : mpi4py communicator, optional
        For methods auto and msp: processes that learn together. All call this function with the same options. If X is
        an array, it has the samples of its own rank; learning uses those of all ranks, in the order of ranks. If X is a
        path, the file must be visible to all ranks. All ranks get the same result, that of a single process.

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        For illegal options and data. The message has the name, the value and what is legal.
    OSError
        If a file can't be opened or the first checkpoint can't be written. If a later checkpoint can't be written, that
        is a warning and is in ``summary.checkpoint_error``.
    """
    with joined(comm) as communicator:
        with agreed(comm):
            columns = as_boolean("columns", columns)
            if callback is not None and not callable(callback):
                raise TypeError(f"callback must be callable, not {callback!r}")
            options = _core.Options()
            given = {
                "method": _text("method", method),
                "stretch": _text("stretch", stretch),
                "dictionary": _text("dictionary", dictionary),
                "whiten": _text("whiten", whiten),
                "center": center if center is None else as_boolean("center", center),
                "normalize": _text("normalize", normalize),
                "atoms": atoms if atoms is None else as_atoms("atoms", atoms),
                "precision": _text("precision", precision),
                "max_iterations": max_iterations if max_iterations is None else as_integer(
                    "max_iterations", max_iterations, 0, 2**31 - 1),
                "tolerance": tolerance if tolerance is None else as_real("tolerance", tolerance),
                "time_limit": time_limit if time_limit is None else as_real("time_limit", time_limit),
                "seed": as_integer("seed", seed, 0, 2**64 - 1),
                "remove_bias": remove_bias if remove_bias is None else as_boolean("remove_bias", remove_bias),
                "theta": theta if theta is None else as_real("theta", theta),
                "bias_fraction": as_real("bias_fraction", bias_fraction),
                "step": as_real("step", step),
                "sparsity": sparsity if sparsity is None else as_integer("sparsity", sparsity, 1, MOST),
                "penalty": penalty if penalty is None else as_real("penalty", penalty),
                "runs": as_integer("runs", runs, 1, 2**31 - 1),
                "resample": as_resampling(resample),
                "stable_only": stable_only if stable_only is None else as_boolean("stable_only", stable_only),
                "accelerate": accelerate if accelerate is None else as_boolean("accelerate", accelerate),
                "orient": orient if orient is None else as_boolean("orient", orient),
                "checkpoint": checkpoint if checkpoint is None else os.fspath(checkpoint),
                "checkpoint_every": as_real("checkpoint_every", checkpoint_every),
                "resume": resume if resume is None else existing(resume),
            }
            is_path = isinstance(X, (str, os.PathLike))
            source = existing(X) if is_path else as_samples(as_samples(X).T if columns else X)
            names = _core.feature_names_at(source, columns) if is_path else feature_names(X, columns)
            is_complex = None if is_path else source.dtype.kind == "c"
            given |= {"truth": _truth(truth, method, is_complex), **_start(init, is_complex)}
            for name, value in given.items():
                if value is not None:
                    setattr(options, name, value)
            options.threads = count_threads(threads) if communicator is None else communicator.threads(threads)
            is_first = communicator is None or communicator.rank == 0
            if checkpoint is not None and is_first:
                with writing(checkpoint):
                    pass
        show, close = watched(callback, verbose if is_first else 0, max_iterations)
        observe = None if show is None else lambda iterate: show(Iterate(iterate))
        try:
            if is_path:
                model, summary = _core.fit_file(source, columns, options, observe, communicator)
            else:
                model, summary = _core.fit(native(source), "X", options, observe, communicator)
        finally:
            close()
    if summary["checkpoint_error"]:
        warnings.warn(f"the checkpoint isn't up to date: {summary['checkpoint_error']}", RuntimeWarning, stacklevel=caller())
    for warning in summary["warnings"]:
        warnings.warn(warning, UserWarning, stacklevel=caller())
    _core.name_features(model, names)
    result = Result(Model._of(model), Summary._of(summary))
    if is_first:
        LOGGER.info("%r", result)
    return result


def as_resampling(value):
    """The name of a way to resample; True and False are shorthands."""
    return {True: "halves", False: "none"}[bool(value)] if isinstance(value, (bool, np.bool_)) else _text("resample", value)


def _text(name, value):
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{name} must be a string, not {value!r}")


def _truth(truth, method, is_complex):
    if truth is not None and method != "subgradient_oracle":
        raise ValueError("truth must be left out unless the method is subgradient_oracle; recovery() compares with it")
    return truth if truth is None else as_interleaved(truth, "truth", is_complex)


def _start(init, is_complex):
    if isinstance(init, str):
        if init not in ("random", "identity"):
            raise ValueError(f"init = {init}: must be random, identity or a matrix with atoms in rows")
        return {"init": init}
    return {"init": "given", "initial_dictionary": as_interleaved(init, "init", is_complex)}
