# SPDX-License-Identifier: Apache-2.0
"""``mne.preprocessing.ICA`` that learns with :class:`orthodict.ICA`.

Everything else is MNE's: selection of channels, rejection, whitening, sources, plots, files.

    from orthodict.mne import ICA
    ica = ICA(n_components=20, random_state=97).fit(raw)
    ica.exclude = [0]
    ica.apply(raw)
"""

from __future__ import annotations

import threading
from typing import Any
from unittest import mock

try:
    from mne.preprocessing import ICA as MneICA
except ImportError as error:
    raise ImportError("orthodict.mne needs MNE-Python: pip install mne") from error

from ._ica import ICA as OrthodictICA

__all__ = ["ICA"]

_ONE_AT_A_TIME = threading.Lock()


class ICA(MneICA):  # type: ignore[misc, unused-ignore]
    """``mne.preprocessing.ICA``, learned by :class:`orthodict.ICA`.

    Parameters
    ----------
    n_components, noise_cov, random_state, max_iter, allow_ref_meg, verbose
        As for ``mne.preprocessing.ICA``.
    fit_params : dict, optional
        Parameters of :class:`orthodict.ICA`, such as ``tol``, ``n_runs`` and ``time_limit``.
    """

    def __init__(self, n_components: int | float | None = None, *, noise_cov: Any = None, random_state: Any = None,
                 fit_params: dict[str, Any] | None = None, max_iter: int | str = "auto", allow_ref_meg: bool = False,
                 verbose: Any = None) -> None:
        super().__init__(n_components, noise_cov=noise_cov, random_state=random_state, method="fastica",
                         fit_params=fit_params, max_iter=max_iter, allow_ref_meg=allow_ref_meg, verbose=verbose)

    def fit(self, *args: Any, **kwargs: Any) -> ICA:
        """Learn from a Raw or Epochs object, as ``mne.preprocessing.ICA.fit`` does, with the same arguments."""
        # MNE's method "fastica" calls scikit-learn's FastICA, which it imports when it fits. ICA has its interface.
        with _ONE_AT_A_TIME, mock.patch("sklearn.decomposition.FastICA", OrthodictICA):
            super().fit(*args, **kwargs)
        return self
