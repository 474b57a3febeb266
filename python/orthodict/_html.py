# SPDX-License-Identifier: Apache-2.0
"""Tables for notebooks."""

from __future__ import annotations

import html
from typing import Any, Iterable, Sequence


def table(title: str, rows: Iterable[tuple[str, Any]]) -> str:
    """Names and values, one pair per row; those that are None or empty are left out."""
    shown = [(name, _text(value)) for name, value in rows if value is not None and value != ""]
    body = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
                   f"<td style='text-align:left'>{html.escape(text)}</td></tr>" for name, text in shown)
    return f"<table><caption style='text-align:left'><b>{html.escape(title)}</b></caption>{body}</table>"


def grid(title: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A row of values below each other for each of the names."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(_text(value))}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table><caption style='text-align:left'><b>{html.escape(title)}</b></caption><tr>{head}</tr>{body}</table>"


def _text(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)
