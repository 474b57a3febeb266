# SPDX-License-Identifier: Apache-2.0
"""A random subset of a stream."""

import contextlib

import numpy as np

from ._arrays import dense

_STALE = 0.05  # share of the subset that must have changed before learning again
_FEWEST = 10_000
_MOST_ENTRIES = 2**25


class Reservoir:
    """A uniform random subset of all samples of a stream. It doesn't depend on how the stream is divided into
    batches."""

    def __init__(self, features, seed):
        wanted = min(400 * features, _MOST_ENTRIES // features)
        self.seed = seed
        self.seen = 0
        self._budget = max(wanted, 20 * features, _FEWEST)
        self._kept = np.empty((0, features), dtype=np.uint8)
        self._numbers = np.empty(0, dtype=np.int64)  # positions in the stream of the samples kept
        self._size = 0
        self._changed = 0
        self._random = np.random.Generator(np.random.Philox(seed))

    def samples(self):
        """The samples in the order of the stream, because atoms must be judged by samples that aren't neighbours of
        those learned from."""
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
        """Adds the batch; removes it again if the body raises."""
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
        dtype = np.result_type(self._kept, batch.dtype)  # a type that holds the values of all batches
        self._kept = self._kept.astype(dtype, copy=False)
        room = min(self._budget - self._size, batch.shape[0])
        self._append(dense(batch[:room]))
        return self._replace(batch[room:])

    def _append(self, batch):
        needed = self._size + len(batch)
        if needed > len(self._kept):  # doubles the size, so that appending costs about one copy per sample
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
        """Vitter's algorithm R: sample number t gets a random place among t, and is kept if that is a place in the
        reservoir.

        Returns the places taken, and the samples and positions that were there.
        """
        count = batch.shape[0]
        numbers = self.seen + 1 + np.arange(count)
        places = (self._random.random(count) * numbers).astype(np.int64)
        taken = places < self._budget
        places = places[taken]
        replaced, before = self._kept[places], self._numbers[places]
        self._kept[places] = dense(batch[np.flatnonzero(taken)])
        self._numbers[places] = numbers[taken] - 1
        self._changed += len(np.unique(places))
        self.seen += count
        return places, replaced, before
