# SPDX-License-Identifier: Apache-2.0
"""Arrays of any layout are read in place, and the results don't depend on the layout."""

import numpy as np
import pytest
from support import SANITIZED, child, same_bits, same_model, sparse_data

import orthodict
from orthodict._arrays import as_samples

TYPES = ["f8", "f4", "f2", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8"]


def whole_numbers(dtype="f8"):
    """Samples that every type holds exactly."""
    return np.clip(np.rint(sparse_data().samples * 30 + 60), 0, 127).astype(dtype)


def unaligned(x):
    buffer = np.zeros(x.nbytes + 1, dtype=np.uint8)
    view = buffer[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    assert not view.flags.aligned or x.itemsize == 1
    return view


def field(x):
    """A field of records with an odd length in bytes."""
    records = np.zeros(x.shape, dtype=[("flag", "u1"), ("value", x.dtype)])
    records["value"] = x
    return records["value"]


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def tail_of_rows(x):
    """Rows with other numbers behind them."""
    wide = np.hstack([x, np.full_like(x, 7)])
    return wide[:, :x.shape[1]]


# Layouts, and whether they are read in place.
LAYOUTS = {
    "C": (lambda x: x, True),
    "read-only": (read_only, True),
    "Fortran": (np.asfortranarray, True),
    "tail of rows": (tail_of_rows, True),
    "some rows": (lambda x: x[5::3], True),
    "some columns": (lambda x: x[:, 1::2], True),
    "rows backwards": (lambda x: x[::-1], True),
    "columns backwards": (lambda x: x[:, ::-1], True),
    "all backwards": (lambda x: x[::-2, ::-1], True),
    "Fortran, some rows": (lambda x: np.asfortranarray(x)[::3], True),
    "Fortran, backwards": (lambda x: np.asfortranarray(x)[::-1, ::-2], True),
    "slice of three dimensions": (lambda x: np.stack([x, 2 * x, 3 * x], axis=2)[:, :, 1], True),
    "one of three interleaved": (lambda x: np.repeat(x, 3, axis=1)[:, 1::3], True),
    "overlapping windows": (lambda x: np.lib.stride_tricks.sliding_window_view(x[:400].ravel(), 10), True),
    "rows repeated": (lambda x: np.broadcast_to(x[:300, None, :], (300, 4, 10)).transpose(1, 0, 2)[2], True),
    "unaligned": (unaligned, True),
    "field of records": (field, False),
    "byte-swapped": (lambda x: x.astype(x.dtype.newbyteorder()), False),
    "byte-swapped, Fortran": (lambda x: np.asfortranarray(x.astype(x.dtype.newbyteorder())), False),
}
OPTIONS = {
    "auto": {},
    "msp": {"method": "msp", "max_iterations": 5, "center": True, "whiten": "zca"},
    "f32": {"method": "msp", "max_iterations": 5, "precision": "f32"},
    "fastica": {"method": "fastica", "max_iterations": 5},
    "ksvd": {"method": "ksvd", "max_iterations": 2},
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_fits_of_every_layout(layout, options):
    x = LAYOUTS[layout][0](sparse_data().samples.copy())
    copy = np.array(x, dtype=np.float64, order="C")
    assert orthodict.fit(x, **OPTIONS[options]).model == orthodict.fit(copy, **OPTIONS[options]).model


@pytest.mark.parametrize("dtype", ["f8", "f4", "i2"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_codes_of_every_layout(layout, dtype, tmp_path):
    x = LAYOUTS[layout][0](whole_numbers(dtype))
    copy = np.array(x, dtype=dtype, order="C")
    model = orthodict.fit(sparse_data().samples[:, :x.shape[1]], method="msp", max_iterations=5).model
    assert same_bits(model.encode(x), model.encode(copy))
    assert same_bits(model.encode(x, top=2, threshold=1.0), model.encode(copy, top=2, threshold=1.0))
    assert same_bits(model.decode(x), model.decode(copy))
    orthodict.write(tmp_path / "x.npy", x)
    assert np.array_equal(np.load(tmp_path / "x.npy"), copy)


@pytest.mark.parametrize("dtype", ["f8", "f4", "u1", "i8"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_copied(layout, dtype):
    """Only what can't be read in place. A byte has no order and no alignment, so all bytes are."""
    make, in_place = LAYOUTS[layout]
    x = make(whole_numbers(dtype))
    assert np.shares_memory(as_samples(x), x) == (in_place or dtype == "u1")


@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_is_read_in_place(dtype):
    x = whole_numbers(dtype)
    assert as_samples(x) is x


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [*TYPES, *(f">{name}" for name in TYPES), "longdouble", "object", "?"])
def test_every_type_gives_the_same(dtype, order):
    """The numbers are the same in each, and so are the bits of what is made of them."""
    x = whole_numbers()
    if dtype == "?":
        x = (x > 60).astype("f8")
    typed = np.array(x, dtype=dtype, order=order)
    options = {"method": "msp", "max_iterations": 5, "precision": "f64"}
    expected = orthodict.fit(x, **options).model
    assert orthodict.fit(typed, **options).model == expected
    codes = expected.encode(typed)
    assert same_bits(codes, expected.encode(x).astype(codes.dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_types_by_way_of_the_learner(dtype):
    x = whole_numbers(dtype)
    options = {"method": "msp", "max_iter": 5, "precision": "f64", "random_state": 0}
    learner = orthodict.DictionaryLearner(**options)
    with pytest.warns(match="maximum number of iterations"):
        expected = orthodict.DictionaryLearner(**options).fit(x.astype("f8"))
        for same in (x, np.asfortranarray(x), read_only(x), np.repeat(x, 2, axis=1)[:, ::2]):
            assert learner.fit(same).model_ == expected.model_


def test_numbers_that_only_large_integers_hold():
    """2**53 + 1 isn't a double: it is rounded as NumPy rounds it."""
    x = (whole_numbers("i8") << 46) + 1
    options = {"method": "msp", "max_iterations": 3}
    for integers in (x, x.astype("u8")):
        assert same_model(orthodict.fit(integers, **options), orthodict.fit(integers.astype("f8"), **options))


def test_zero_strides_in_both_directions():
    """Rows repeated without end have rank one; columns repeated, too."""
    row = np.broadcast_to(np.arange(1.0, 6.0), (1000, 5))
    column = np.broadcast_to(sparse_data().samples[:, :1], (4000, 5))
    for x in (row, column):
        assert 0 in x.strides
        options = {"method": "msp", "max_iterations": 3}
        assert same_model(orthodict.fit(x, **options), orthodict.fit(x.copy(), **options))


def test_memory_maps(tmp_path):
    x = sparse_data().samples
    expected = orthodict.fit(x).model
    np.save(tmp_path / "x.npy", x)
    for mode in ("r", "r+", "c"):
        mapped = np.load(tmp_path / "x.npy", mmap_mode=mode)
        assert np.shares_memory(as_samples(mapped), mapped)
        assert orthodict.fit(mapped).model == expected
        assert same_bits(expected.encode(mapped), expected.encode(x))
    x.tofile(tmp_path / "x.bin")
    assert orthodict.fit(np.memmap(tmp_path / "x.bin", dtype="f8", shape=x.shape)).model == expected


def test_subclasses_and_foreign_arrays():
    """Whatever NumPy makes an array of."""
    x = sparse_data().samples

    class Wrapped:
        def __array__(self, dtype=None, copy=None):
            return np.asarray(x, dtype=dtype)

    expected = orthodict.fit(x).model
    for same in (memoryview(x), Wrapped(), x.view(type("Mine", (np.ndarray,), {}))):
        assert orthodict.fit(same).model == expected


# Memory. All in one interpreter, in which 400 MB of samples are first mapped, and then held in either order. The fit of
# a learner is fit() and what goes before it.
MEASURE = """
import json, sys, threading
import numpy as np, orthodict

def megabytes(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(what))

def growth(work):
    # Peak of anonymous memory, sampled by a thread every few milliseconds.
    before, done = megabytes("RssAnon"), threading.Event()
    peak = [before]
    def look():
        while not done.wait(0.005):
            peak[0] = max(peak[0], megabytes("RssAnon"))
    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        work()
    finally:
        done.set()
        watcher.join()
    return peak[0] - before

def held(order):
    # In blocks, so that nothing larger than the array itself is allocated.
    x = np.empty(mapped.shape, mapped.dtype, order=order)
    for first in range(0, len(x), 2**18):
        x[first:first + 2**18] = mapped[first:first + 2**18]
    return x

mapped = np.load(sys.argv[1], mmap_mode="r")
learner = orthodict.DictionaryLearner(random_state=0)
before = megabytes("VmHWM")
answer = {"data": mapped.nbytes / 2**20, "fit": {"mapped": growth(lambda: orthodict.fit(mapped))}, "transform": {}}
answer["resident"] = megabytes("VmHWM") - before
for name in ("C", "F"):
    x = held(name)
    answer["fit"][name] = growth(lambda: learner.fit(x))
    answer["transform"][name] = growth(lambda: learner.transform(x))
    del x
answer["transform"]["mapped"] = growth(lambda: learner.transform(mapped))
answer["score"] = growth(lambda: learner.score(mapped[:1_000_000]))
answer["stream"] = growth(lambda: [learner.partial_fit(mapped[i:i + 500_000]) for i in range(0, 2_000_000, 500_000)])
print(json.dumps(answer))
"""


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    """Growth of memory in MB, by work and layout."""
    if SANITIZED:
        pytest.skip("under a sanitizer: it measures memory")
    path = tmp_path_factory.mktemp("large") / "x.npy"
    block = orthodict.synthetic(25, 125_000, theta=0.2, seed=1).samples
    large = np.lib.format.open_memmap(path, mode="w+", dtype="f4", shape=(4_000_000, 25))
    for i, first in enumerate(range(0, len(large), len(block))):
        large[first:first + len(block)] = (1 + i / 16) * block  # other samples of the same atoms
    del large
    answer = child(MEASURE, path)
    path.unlink()
    return answer


# Beside the samples a fit holds the part that it explores, 20 per feature and more where atoms are harder to find, sums
# for each thread and what it hands out: some dozens of MB. This is far from both that and the data, 381 MB.
SMALL = 150
ONE_WORKER = pytest.mark.xdist_group("memory")  # so that only one worker measures


@ONE_WORKER
def test_a_mapped_file_is_not_held_twice(memory):
    assert 350 < memory["data"] < 400
    assert memory["resident"] <= memory["data"] + SMALL
    assert memory["resident"] >= memory["data"] / 2, "pages of the file count, so there was something to see"


@ONE_WORKER
@pytest.mark.parametrize("layout", ["mapped", "C", "F"])
def test_a_fit_holds_nothing_of_the_size_of_the_data(memory, layout):
    assert memory["fit"][layout] <= SMALL


@ONE_WORKER
@pytest.mark.parametrize("layout", ["mapped", "C", "F"])
def test_a_transform_holds_its_result_alone(memory, layout):
    assert memory["data"] - SMALL <= memory["transform"][layout] <= memory["data"] + SMALL


@ONE_WORKER
def test_a_score_goes_block_by_block(memory):
    assert memory["score"] <= SMALL / 3


@ONE_WORKER
def test_a_stream_holds_a_part(memory):
    """10000 samples of 25 features, twice while the part grows, and what 500000 random places take: 18 MB."""
    assert memory["stream"] <= SMALL / 3
