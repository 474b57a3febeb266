# SPDX-License-Identifier: Apache-2.0
"""The import of the package, and its public names."""

import doctest
import importlib
import inspect
import pathlib
import pkgutil
import re
import types
import typing

import pytest
from support import BINARY, child, command

import orthodict
import orthodict._types


def test_importing_is_light():
    """NumPy is all that it needs; the rest comes when it is used."""
    heavy = ["sklearn", "scipy", "matplotlib", "pandas", "joblib", "tqdm", "h5py"]
    answer = child("""
        import json, sys
        import orthodict

        def loaded():
            return [name for name in json.loads(sys.argv[1]) if name in sys.modules]

        orthodict.fit(orthodict.synthetic(5, 500).samples)
        before = loaded()
        orthodict.DictionaryLearner
        print(json.dumps([before, loaded()]))
    """, str(heavy).replace("'", '"'))  # fmt: skip
    assert answer[0] == []
    assert "sklearn" in answer[1]
    assert "matplotlib" not in answer[1]


def test_importing_changes_nothing():
    """No thread, no signal handler, no random state, no environment."""
    answer = child("""
        import json, os, random, signal, threading, time, warnings
        import numpy as np

        def state():
            time.sleep(0.1)  # an ended thread is listed for a moment
            return [threading.active_count(), len(os.listdir("/proc/self/task")), str(signal.getsignal(signal.SIGINT)),
                    str(np.random.get_state()), str(random.getstate()), dict(os.environ), str(warnings.filters),
                    str(np.geterr())]

        first = threading.Thread(target=int)  # makes a sanitizer start its own thread now
        first.start()
        first.join()
        before = state()
        import orthodict
        orthodict.fit(orthodict.synthetic(5, 500).samples)
        print(json.dumps([one == other for one, other in zip(before, state())]))
    """)
    assert all(answer), answer


def test_public_names():
    assert sorted(orthodict.__all__) == orthodict.__all__
    assert dir(orthodict) == orthodict.__all__
    for name in orthodict.__all__:
        if name == "plot":
            pytest.importorskip("matplotlib")
        assert getattr(orthodict, name) is not None
    names = {}
    exec("from orthodict import *", names)
    assert set(orthodict.__all__) <= set(names)


def test_names_that_are_not_there():
    with pytest.raises(AttributeError, match="module 'orthodict' has no attribute 'learn'"):
        orthodict.learn
    with pytest.raises(ImportError):
        exec("from orthodict import learn")


def test_what_is_public_is_documented():
    for name in orthodict.__all__:
        thing = None if name in ("__version__", "plot") else getattr(orthodict, name)
        if isinstance(thing, type):
            members = [member for key, member in vars(thing).items() if not key.startswith("_")]
            assert all(inspect.getdoc(member) for member in members if isinstance(member, types.FunctionType)), name
        assert thing is None or inspect.getdoc(thing), name


@pytest.mark.parametrize("option, names", [
    ("whiten", "Whitening"), ("dictionary", "DictionaryKind"), ("normalize", "Normalize"), ("precision", "Precision"),
    ("resample", "Resample"),
])  # fmt: skip
def test_types_have_the_names_of_the_library(option, names):
    legal = typing.get_args(getattr(orthodict._types, names))
    for name in legal:
        setattr(orthodict._core.Options(), option, name)
    with pytest.raises(ValueError) as caught:
        setattr(orthodict._core.Options(), option, "?")
    assert set(re.findall(r"\w+", str(caught.value).partition("must be")[2])) - {"or"} == set(legal)


def test_types_are_there_for_checkers():
    assert (pathlib.Path(orthodict.__file__).parent / "py.typed").is_file()


@pytest.mark.skipif(not BINARY.is_file(), reason=f"{BINARY} isn't there; ORTHODICT says where it is")
def test_version(tmp_path):
    assert orthodict.__version__ == command("--version", cwd=tmp_path).split()[-1]


def modules():
    return ["orthodict", *(f"orthodict.{found.name}" for found in pkgutil.iter_modules(orthodict.__path__))]


@pytest.mark.parametrize("name", [name for name in modules() if not name.endswith(("_core", "__main__", ".mne"))])
def test_examples_in_docstrings(name, tmp_path, monkeypatch):
    """They run as they stand, wherever that is."""
    if name == "orthodict.plot":
        pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    for name in ("orthodict", "orthodict._learner"):
        assert doctest.testmod(importlib.import_module(name)).attempted >= 4


def test_a_package_that_lacks_scikit_learn():
    """Functions work without; the estimator says what is missing."""
    answer = child("""
        import json, sys
        sys.modules["sklearn"] = None
        import orthodict
        orthodict.fit(orthodict.synthetic(5, 500).samples)
        try:
            orthodict.DictionaryLearner
        except ImportError as error:
            print(json.dumps(str(error)))
    """)
    assert "sklearn" in answer
