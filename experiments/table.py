# SPDX-License-Identifier: Apache-2.0
"""Tables of results: rows as written by orthodict-experiment, columns as arrays."""

import numpy as np


class Table:
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, column):
        """A column. In a numeric column, missing and null entries are NaN."""
        values = [row.get(column) for row in self.rows]
        if any(isinstance(value, str) for value in values):
            return np.array(values, dtype=object)
        return np.array([np.nan if value is None else value for value in values], dtype=float)

    def where(self, **conditions):
        """The rows in which columns have the given values."""
        return Table([row for row in self.rows if all(row.get(name) == value for name, value in conditions.items())])

    def values(self, column):
        """The distinct values of a column, in order of first appearance."""
        return list(dict.fromkeys(row.get(column) for row in self.rows))

    def groups(self, column):
        """(value, rows with that value) for each value of a column."""
        return [(value, self.where(**{column: value})) for value in self.values(column)]

    def ended_by(self, *reasons):
        """For each row, whether its `termination` is one of the reasons."""
        return np.array([row.get("termination") in reasons for row in self.rows], dtype=bool)

    def pivot(self, row, column, value, reduce=np.mean):
        """A matrix of `value`, reduced over trials, and the values of `row` and `column` that index it."""
        rows, columns = sorted(self.values(row)), sorted(self.values(column))
        cells = {}
        for r, c, v in zip(self[row], self[column], self[value]):
            cells.setdefault((r, c), []).append(v)
        return np.array([[reduce(cells[r, c]) for c in columns] for r in rows]), rows, columns
