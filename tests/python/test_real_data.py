# SPDX-License-Identifier: Apache-2.0
"""experiments/real-data: its measures on known cases, and a complete run on synthetic genes."""

import importlib
import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from support import REPOSITORY, TIMEOUT_SECONDS

import orthodict

FOLDER = REPOSITORY / "experiments" / "real-data"
SCRIPT = FOLDER / "run.py"
MODULES = ("measures", "demands", "genes", "tables", "patches")
GENES, CONDITIONS, COMPONENTS = 3000, 24, 12


@pytest.fixture(scope="module")
def parts():
    """The experiment's modules. Other experiments have some of the same names, so they are forgotten afterwards."""
    sys.path.insert(0, str(FOLDER))
    before = {name: sys.modules.pop(name, None) for name in MODULES}
    yield SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})
    sys.path.remove(str(FOLDER))
    for name, module in before.items():
        del sys.modules[name]
        if module:
            sys.modules[name] = module


def sparse_sources(samples=GENES, count=COMPONENTS):
    random = np.random.default_rng(3)
    return random.standard_normal((samples, count)) * (random.random((samples, count)) < 0.1)


def regulated(sources):
    """A regulator for each source but the last: the genes far out, two of them in three."""
    far = np.abs(sources) > 3 * sources.std(axis=0)
    return far[:, :-1] & (np.arange(len(sources)) % 3 > 0)[:, np.newaxis]


def write_genes(folder):
    """Expression that is a sparse mixture of sources, which are also what is published."""
    folder.mkdir(parents=True)
    sources = sparse_sources()
    random = np.random.default_rng(0)
    noise = 1e-3 * random.standard_normal((GENES, CONDITIONS))
    np.save(folder / "x.npy", sources @ random.standard_normal((COMPONENTS, CONDITIONS)) + noise)
    np.save(folder / "m.npy", sources)
    (folder / "genes.txt").write_text("".join(f"b{gene}\n" for gene in range(GENES)))
    (folder / "modules.txt").write_text("".join(f"module {place}\n" for place in range(COMPONENTS)))
    edges = [f"r{regulator},b{gene}\n" for gene, regulator in zip(*np.nonzero(regulated(sources)))]
    (folder / "trn.csv").write_text("regulator,gene\n" + "".join(edges))


@pytest.fixture(scope="module")
def left(tmp_path_factory):
    """The exit code of the script on made-up genes, and its folder."""
    base = tmp_path_factory.mktemp("real-data")
    write_genes(base / "data" / "genes")
    options = [base, "--data", base / "data", "--seeds", 2, "--components", COMPONENTS, "--no-peers", "genes"]
    done = subprocess.run([sys.executable, str(SCRIPT), *map(str, options)], capture_output=True, text=True,
                          check=False, timeout=TIMEOUT_SECONDS)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, base / "real-data"


def test_partners_are_matched_one_for_one_whatever_their_order_sign_and_scale(parts):
    sources = np.random.default_rng(1).standard_normal((500, 4))
    found = np.column_stack([-3 * sources[:, 2], sources[:, 0] + 7, np.arange(500), sources[:, 1]])
    agreement = parts.measures.matched(sources[:, :3], found)
    np.testing.assert_allclose(agreement, 1, atol=1e-12)
    twice = parts.measures.matched(np.column_stack([sources[:, 0]] * 2), sources[:, :2])
    assert twice.max() > 1 - 1e-12 and twice.min() < 0.3, "a component is the partner of one"


def test_components_are_enriched_where_a_set_is_theirs(parts):
    sources = sparse_sources()
    known = parts.measures.enriched(sources, regulated(sources))
    assert known[:-1].all() and not known[-1]
    shuffled = np.random.default_rng(2).permutation(regulated(sources))
    assert not parts.measures.enriched(sources, shuffled).any()


def test_chances_are_those_of_drawing_without_replacement(parts):
    chosen = np.array([[True], [True], [False], [False]])
    sets = np.array([[True, False], [True, True], [False, False], [False, False]])
    # Both of two among the two of four that are chosen: 1 of 6 ways; the one of one: 2 of 4.
    np.testing.assert_allclose(parts.measures.chances(chosen, sets), [[1 / 6, 1 / 2]])


def test_the_area_under_the_curve_counts_ties_half(parts):
    auc = parts.measures.rank_auc
    labels = np.array([True, True, False, False])
    assert auc(np.array([4, 3, 2, 1]), labels) == 1
    assert auc(np.array([1, 2, 3, 4]), labels) == 0
    assert auc(np.zeros(4), labels) == 0.5
    assert auc(np.array([2, 1, 1, 0]), labels) == 0.875
    assert auc(np.arange(4), np.ones(4, dtype=bool)) == 0.5


def test_random_directions_keep_norms_and_covariance(parts):
    x = sparse_sources() @ np.random.default_rng(0).standard_normal((COMPONENTS, COMPONENTS))
    null = parts.genes.without_structure(x, COMPONENTS, seed=5)

    def norms(samples):
        inverse = np.linalg.inv(np.cov(x.T))
        centred = samples - x.mean(axis=0)
        return np.sqrt(np.einsum("ij,jk,ik->i", centred, inverse, centred))

    np.testing.assert_allclose(norms(null), norms(x), rtol=1e-9)
    # Entries of a sample covariance in white coordinates deviate by about √(E norm⁴ / n² / p).
    white = np.linalg.solve(np.linalg.cholesky(np.cov(x.T)), (null - null.mean(axis=0)).T)
    deviation = np.sqrt(np.mean(norms(x) ** 4) / COMPONENTS**2 / GENES)
    assert np.abs(np.cov(white) - np.eye(COMPONENTS)).max() < 6 * deviation


def test_made_up_genes_are_found(left):
    code, folder = left
    results = json.loads((folder / "results.json").read_text())
    assert {path.name for path in folder.iterdir()} == {"results.json", "tables.md", "genes.png"}
    runs = results["genes"]["runs"]
    assert [(run["method"], run["seed"]) for run in runs] == [("auto", 0), ("auto", 1)]
    for run in runs:
        assert run["close"] == COMPONENTS
        assert run["enriched"] == COMPONENTS - 1
    demands = {demand["what"]: demand for demand in results["demands"]}
    assert len(demands) == 3 and code == (0 if all(demand["passed"] for demand in demands.values()) else 1)
    found, _, null = results["demands"]
    assert found["passed"] and null["passed"] and null["value"] == 0
    assert "| auto | 12 | 12 | 11 |" in (folder / "tables.md").read_text()


def test_demands_are_judged_by_the_worst_run(parts):
    genes = parts.genes
    runs = [{"method": "auto", "close": close, "auc_confidence": auc} for close, auc in ((90, 0.8), (84, 0.9))]
    runs.append({"method": "FastICA", "close": 3})
    null = [{"established": count} for count in (0, 1)]
    found = genes.demands({"of": 92, "runs": runs, "null": null})
    assert [(demand.value, demand.limit, demand.passed) for demand in found] == [
        (84, 84, True), (0.8, 0.85, False), (1, 0, False)]


def test_a_classifier_sees_components_of_each_method(parts):
    random = np.random.default_rng(0)
    labels = np.arange(120) % 2
    x = random.standard_normal((120, 12)) + 6 * labels[:, np.newaxis]
    results = parts.tables.measure(2, 1, classified={"two": (x, labels, True)}, toys=("iris",),
                                       wide=random.standard_normal((20, 30)) * np.linspace(1, 3, 30))
    assert [(row["count"], row["method"]) for row in results["accuracy"]] == [
        (count, method) for count in (5, 10) for method in ("auto", "FastICA", "PCA")]
    assert all(row["accuracy"] == 1 for row in results["accuracy"] if row["method"] == "PCA")
    for row in results["order"]:
        assert row["components"] == 4 and row["reconstruction"] < 1e-12
        assert row["condition"] <= row["condition_limit"]
    assert all(0 < row["pca"] < 1 and row["ours_all"] > 1 - 1e-12 for row in results["wide"])
    assert len(parts.tables.demands(results)) == 7


def test_patches_that_are_held_out_share_no_pixel(parts):
    image = np.arange(256 * 40).reshape(256, 40)
    training, held_out = parts.patches.split_photograph(image)
    assert len(held_out) == 2 * (64 // 8) * (40 // 8)
    assert not set(training.ravel()) & set(held_out.ravel())
    np.testing.assert_array_equal(training[0].reshape(8, 8), image[:8, :8])


def test_energy_is_of_each_samples_largest_coefficients(parts):
    samples = np.zeros((2, 16))
    samples[0, [3, 5, 7]] = 3, -2, 1
    samples[1, [0, 1]] = 1, 1
    model = orthodict.Model(np.eye(16), np.eye(16), np.zeros(16))
    assert parts.patches.energy_kept(model, samples, np.zeros(16)) == pytest.approx(100 * (13 + 2) / (14 + 2))


def test_sparse_samples_keep_their_energy_in_every_basis_that_is_learned(parts):
    patches = parts.patches
    x, _ = orthodict.synthetic(16, 4000, theta=0.1, seed=1)
    results = patches.measure({"sparse": (x[:2000], x[2000:])}, 2, 1)
    kept = patches.medians(results)["sparse"]
    assert set(kept) == {"auto", "ℓ3", "ℓ4", "soft"} and kept["auto"] >= max(kept.values()) - 0.2
    assert patches.demands(results)[0].passed


@pytest.mark.parametrize("arguments, message", [
    (["nonsense"], "no part nonsense"),
    (["genes"], "scripts/get-data genes"),
    (["--seeds", "1", "tables"], "--seeds is 1"),
])
def test_what_is_refused(tmp_path, arguments, message):
    done = subprocess.run([sys.executable, str(SCRIPT), str(tmp_path), "--data", str(tmp_path), *arguments],
                          capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS)
    assert done.returncode == 2 and message in done.stderr


def test_conversion_of_the_package(tmp_path):
    package, folder = tmp_path / "package", tmp_path / "files"
    tables = package / "pymodulon" / "data" / "ecoli"
    tables.mkdir(parents=True)
    (tables / "X.csv").write_text(",one,two\nb1,0.5,-1\nb2,2,3e-2\n")
    (tables / "M.csv").write_text(",\"A,B\"\nb1,1\nb2,0\n")
    (tables / "trn.csv").write_text("regulator,gene_id,effect\narcA,b2,-\n")
    (package / "pymodulon-0.2.1.dist-info").mkdir()
    (package / "pymodulon-0.2.1.dist-info" / "LICENSE").write_text("terms")
    script = REPOSITORY / "scripts" / "data" / "genes.py"
    subprocess.run([sys.executable, str(script), str(package), str(folder)], check=True, timeout=TIMEOUT_SECONDS)
    assert np.load(folder / "x.npy").tolist() == [[0.5, -1], [2, 0.03]]
    assert np.load(folder / "m.npy").tolist() == [[1], [0]]
    assert (folder / "modules.txt").read_text() == "A,B\n" and (folder / "genes.txt").read_text() == "b1\nb2\n"
    assert (folder / "trn.csv").read_text() == "regulator,gene\narcA,b2\n"
    assert (folder / "LICENSE").read_text() == "terms"
