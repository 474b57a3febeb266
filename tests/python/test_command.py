# SPDX-License-Identifier: Apache-2.0
"""The command and the report that the package brings."""

import json
import re
import subprocess
import sys

from support import TIMEOUT_SECONDS, listing, same_model, sparse_data

import numpy as np
import pytest

import orthodict


def command(*args, cwd, **more):
    return subprocess.run([sys.executable, "-m", "orthodict", *map(str, args)], cwd=cwd, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIMEOUT_SECONDS, check=False, **more)  # fmt: skip


def test_the_command_is_the_library(tmp_path):
    """The same model as fit(), to the bit, and it loads nothing that the command doesn't need."""
    x, _ = sparse_data()
    np.save(tmp_path / "café.npy", x)
    code = """
import sys
from orthodict._command import main
try:
    main()
finally:
    print([name for name in ("numpy", "sklearn") if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code, "fit", "café.npy", "-o", "model.npz", "--seed", "3"], cwd=tmp_path,
                          capture_output=True, timeout=TIMEOUT_SECONDS, check=True)  # fmt: skip
    assert done.stderr.decode().splitlines()[-1] == "[]"
    assert same_model(orthodict.load(tmp_path / "model.npz"), orthodict.fit(x, seed=3))


def test_exit_codes_and_pipes(tmp_path):
    assert command("--version", cwd=tmp_path).stdout.decode().split() == ["orthodict", orthodict.__version__]
    missing = command("info", "nothing.npz", cwd=tmp_path)
    assert missing.returncode == 3 and b"nothing.npz" in missing.stderr
    assert command("fot", cwd=tmp_path).returncode == 2
    shown = subprocess.run(f"{sys.executable} -m orthodict fit --help | head -1", shell=True, cwd=tmp_path,
                           capture_output=True, timeout=TIMEOUT_SECONDS, check=True)  # fmt: skip
    assert shown.stderr == b"" and shown.stdout


def contents(page):
    return json.loads(re.search(r"<script[^>]*application/json[^>]*>(.*?)</script>", page, re.S)[1])


@pytest.fixture
def has_page(tmp_path):
    try:
        orthodict.report(np.eye(2), path=tmp_path / "probe.html")
    except ValueError as error:
        pytest.skip(str(error))
    (tmp_path / "probe.html").unlink()


def test_report(tmp_path, has_page):
    pandas = pytest.importorskip("pandas")
    x, _ = sparse_data()
    names = [f"<feature {i}>" for i in range(10)]
    frame = pandas.DataFrame(x, columns=names)
    learner = orthodict.DictionaryLearner(random_state=0).fit(frame)
    orthodict.report(learner, frame, tmp_path / "one.html", title="Made up", items=3)
    page = (tmp_path / "one.html").read_text()
    assert "<title>Made up" in page and "<feature" not in page
    data = contents(page)
    assert data["model"]["features"] == names and data["model"]["name"] == "DictionaryLearner"
    assert data["data"]["samples"] == 4000
    result = orthodict.fit(x)
    orthodict.report(result, path=tmp_path / "alone.html")
    data = contents((tmp_path / "alone.html").read_text())
    assert data["data"] is None and data["model"]["features"] is None and data["title"] == repr(result.model)
    assert listing(tmp_path) == ["alone.html", "one.html"]


def test_report_of_a_scan(tmp_path, has_page):
    x, _ = sparse_data()
    scan = orthodict.scan(x, [3, 5], runs=2, resample=False, refinements=0)
    orthodict.report(orthodict.fit(x), path=tmp_path / "report.html", scan=scan)
    shown = contents((tmp_path / "report.html").read_text())["scan"]
    assert shown["recommended"] == scan.recommended and shown["numbers"]["atoms"] == [3, 5]


@pytest.mark.parametrize("options, words", [
    ({"path": "report.pdf"}, "must be an .html file"), ({"items": 65}, "items"), ({"shape": (3, 4)}, "shape"),
    ({"features": ["a"]}, "features has 1 names"), ({"data": np.zeros((5, 3))}, "3"),
])  # fmt: skip
def test_reports_that_are_refused(tmp_path, monkeypatch, has_page, options, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=words):
        orthodict.report(orthodict.fit(sparse_data().samples), **options)
    assert listing(tmp_path) == []
