# SPDX-License-Identifier: Apache-2.0
"""The report: an HTML page that shows what was learned."""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING, Any, Sequence

from . import _core
from ._arrays import as_integer, as_samples, native
from ._files import writing
from ._model import as_model
from ._names import names_of_features

if TYPE_CHECKING:
    from ._files import Path
    from ._scan import Scan
    from ._types import Samples


def report(model: Any, data: Samples | None = None, path: Path = "report.html", *, title: str | None = None,
           shape: Sequence[int] | None = None, items: int = 12, features: Sequence[str] | None = None,
           scan: Scan | None = None) -> None:
    """Write a page that shows what was learned, as ``orthodict report`` does: one HTML file without external resources.

    Parameters
    ----------
    model : Model, Result or fitted estimator
    data : array-like or sparse matrix of shape (n_samples, n_features), optional
        Samples, to show how the model represents them. Without them the page shows the model alone.
    path : path
        Where to write the page, which appears under its name when it is complete.
    title : str, optional
        By default the kind of model.
    shape : (height, width) or (height, width, 3), optional
        Shape of atoms and samples as pictures. By default that of the samples learned from, if they were pictures.
    items : int
        Number of samples to reconstruct, 0 to 64.
    features : sequence of str, optional
        Names of the features, shown with the atoms. By default those of the table that the model learned from.
    scan : Scan, optional
        The result of :func:`orthodict.scan`, to show beside the model.

    Raises
    ------
    ValueError
        For data that don't fit the model, and illegal options.
    OSError
        If the file can't be written.
    """
    learned = as_model(model)
    names = names_of_features(features, model)
    samples = None if data is None else native(as_samples(data, "data"))
    if not os.fspath(path).endswith((".html", ".htm")):
        raise ValueError(f"path = {os.fspath(path)!r}: must be an .html file")
    with writing(path):  # so that a long report isn't made for nothing
        pass
    page = _core.render_report(learned._native, samples, repr(learned) if title is None else str(title),
                               type(model).__name__, [] if shape is None else [int(extent) for extent in shape],
                               as_integer("items", items, 0, 2**31 - 1), names,
                               None if scan is None else _as_json(scan))
    with writing(path) as text:
        _core.write_page(text, page)


def _as_json(scan):
    """What ``orthodict scan --json`` prints."""
    rows = [dict(zip(scan.numbers.dtype.names, row)) for row in scan.numbers.tolist()]
    for row in rows:
        row["held_out"] = None if math.isnan(row["held_out"]) else row["held_out"]
    return json.dumps({"recommended": scan.recommended, "reason": scan.reason, "optica": scan.optica,
                       "optica_reason": scan.optica_reason, "numbers": rows})
