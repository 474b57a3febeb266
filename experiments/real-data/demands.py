# SPDX-License-Identifier: Apache-2.0
"""A requirement on the results: a value and its limit."""

from dataclasses import dataclass


@dataclass
class Demand:
    what: str
    value: float
    relation: str  # "≥" or "≤"
    limit: float

    @property
    def passed(self):
        return bool(self.value >= self.limit if self.relation == "≥" else self.value <= self.limit)

    def to_json(self):
        return {"what": self.what, "value": self.value, "relation": self.relation, "limit": self.limit,
                "passed": self.passed}


def at_least(limit, what, value):
    return Demand(what, value, "≥", limit)


def at_most(limit, what, value):
    return Demand(what, value, "≤", limit)
