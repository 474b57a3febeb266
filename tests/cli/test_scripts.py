# SPDX-License-Identifier: Apache-2.0
"""scripts/get-data, as far as it needs no network, and what compares with packages from elsewhere."""

import json
import shutil
import subprocess
import sys

import harness
import pytest

USAGE, DATA = 2, 3


@pytest.fixture
def get_data(tmp_path):
    """get_data(*args) runs the script in a repository of its own."""
    scripts = tmp_path / "repository" / "scripts"
    shutil.copytree(harness.REPOSITORY / "scripts" / "data", scripts / "data")
    shutil.copy(harness.REPOSITORY / "scripts" / "get-data", scripts)

    def call(*args):
        return subprocess.run([scripts / "get-data", *args], cwd=tmp_path, capture_output=True, text=True, timeout=60)

    return call


def test_names_that_are_none(get_data):
    for args in ([], ["nonsense"], ["mnist", "a", "b"]):
        done = get_data(*args)
        assert done.returncode == USAGE and "mnist" in done.stderr


def test_folders_without_the_data(get_data, tmp_path):
    done = get_data("mnist", "missing")
    assert done.returncode == DATA and "missing" in done.stderr
    (tmp_path / "here").mkdir()
    done = get_data("mnist", "here")
    assert done.returncode == DATA and "here/t10k-images-idx3-ubyte: no such file" in done.stderr


def test_files_that_are_not_the_ones_expected(get_data, tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "t10k-images-idx3-ubyte").write_text("junk")
    done = get_data("mnist", "here")
    assert done.returncode == DATA and "SHA-256" in done.stderr and "here/t10k-images-idx3-ubyte" in done.stderr
    assert list((tmp_path / "repository" / "data").rglob("*ubyte")) == []


def test_compare_with_packages_from_elsewhere(small):
    script = harness.REPOSITORY / "bench" / "compare.py"
    done = subprocess.run([sys.executable, script, small.samples, "--truth", small.truth, "--methods", "auto,pca",
                           "--orthodict", harness.BINARY, "--json"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    rows = {row["method"]: row for row in json.loads(done.stdout)["methods"]}
    assert rows["auto"]["error"] < 1e-10 < rows["NumPy ℓ4-MSP"]["error"] < 0.02
    # Packages that are not installed say so.
    assert all("error" in row or "No module" in row["failure"] for row in rows.values())
