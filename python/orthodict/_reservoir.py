# SPDX-License-Identifier: Apache-2.0
"""A random part of a stream."""

import contextlib

import numpy as np

_STALE = 0.05  # share of the part that must have changed to be worth learning from again
_FEWEST = 10_000
_MOST_ENTRIES = 2**25


class Reservoir:
    """A uniform random part of all samples of a stream; which, doesn't depend on how the stream comes in batches."""

    def __init__(self, features, seed):
        wanted = min(400 * features, _MOST_ENTRIES // features)
        self.seed = seed
        self.seen = 0
        self._budget = max(wanted, 20 * features, _FEWEST)
        self._kept = np.empty((0, features), dtype=np.uint8)
        self._numbers = np.empty(0, dtype=np.int64)  # of the samples kept, in the stream
        self._size = 0
        self._changed = 0
        self._random = np.random.Generator(np.random.Philox(seed))

    def samples(self):
        """In the order of the stream: atoms are judged by samples that aren't neighbours of those learned from."""
        numbers = self._numbers[:self._size]
        if np.all(numbers[1:] > numbers[:-1]):
            return self._kept[:self._size]
        return self._kept[:self._size][np.argsort(numbers)]

    def is_stale(self):
        return self._changed > 0 and self._changed >= _STALE * self._size

    def refreshed(self):
        self._changed = 0

    @contextlib.contextmanager
    def adding(self, batch):
        """Adds the batch for good if what is done with it then doesn't raise."""
        before = (self._size, self._changed, self.seen, self._random.bit_generator.state)
        replaced = self._add(batch)
        try:
            yield
        except BaseException:
            places, rows, numbers = replaced
            self._kept[places] = rows
            self._numbers[places] = numbers
            self._size, self._changed, self.seen, self._random.bit_generator.state = before
            raise

    def _add(self, batch):
        dtype = np.result_type(self._kept, batch)  # that holds the values of all batches
        self._kept = self._kept.astype(dtype, copy=False)
        room = min(self._budget - self._size, len(batch))
        self._append(batch[:room])
        return self._replace(batch[room:])

    def _append(self, batch):
        needed = self._size + len(batch)
        if needed > len(self._kept):  # twice as much, so that appending costs a copy per sample and no more
            room = min(self._budget, max(needed, 2 * len(self._kept)))
            grown = np.empty((room, self._kept.shape[1]), dtype=self._kept.dtype)
            grown[:self._size] = self._kept[:self._size]
            self._kept = grown
            self._numbers = np.resize(self._numbers, room)
        self._kept[self._size:needed] = batch
        self._numbers[self._size:needed] = self.seen + np.arange(len(batch))
        self._size = needed
        self._changed += len(batch)
        self.seen += len(batch)

    def _replace(self, batch):
        """Sample number t takes a random place among t, if that is one of those kept (Vitter's algorithm R).

        Returns the places taken, and what was there with its numbers.
        """
        numbers = self.seen + 1 + np.arange(len(batch))
        places = (self._random.random(len(batch)) * numbers).astype(np.int64)
        taken = places < self._budget
        places = places[taken]
        replaced, before = self._kept[places], self._numbers[places]
        self._kept[places] = batch[taken]
        self._numbers[places] = numbers[taken] - 1
        self._changed += len(np.unique(places))
        self.seen += len(batch)
        return places, replaced, before
