# SPDX-License-Identifier: Apache-2.0
"""experiments/draw.py: tables, findings with a known answer, the documentation's markers, and that each experiment has
all that belongs to one."""

import importlib.util
import json
import subprocess
import sys

import numpy as np
import pytest
from harness import BINARY, REPOSITORY, TIMEOUT_SECONDS

EXPERIMENTS = REPOSITORY / "experiments"
DRAW = EXPERIMENTS / "draw.py"
NAMES = sorted(path.parent.name for path in EXPERIMENTS.glob("*/experiment.cc"))


def load_draw():
    spec = importlib.util.spec_from_file_location("draw", DRAW)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


draw = load_draw()
Table = draw.Table


def findings(name, **tables):
    """(what, ours) of each finding of an experiment whose tables have the rows given."""
    found = draw.load_plot(name).findings({table: Table(rows) for table, rows in tables.items()})
    return {finding.what: finding.ours for finding in found}


def run_draw(*args, expect):
    done = subprocess.run([sys.executable, str(DRAW), *map(str, args)], capture_output=True, text=True, check=False,
                          timeout=TIMEOUT_SECONDS)
    assert done.returncode == expect, done.stderr
    assert "Traceback" not in done.stderr
    return done


def write_results(folder, name, **tables):
    """Results as orthodict-experiment leaves them."""
    (folder / name).mkdir(parents=True)
    results = {"experiment": name, "size": "plain", "seed": 0, "title": "a title", "source": "a place",
               "number": 1, "tables": tables}
    (folder / name / "results.json").write_text(json.dumps(results))


RUN = [{"n": n, "iteration": i, "value": min(1, 0.25 * i)} for n in (50, 100) for i in range(6)]


# Tables.

ROWS = [
    {"n": 2, "p": 10, "error": 1.0, "method": "msp"},
    {"n": 2, "p": 20, "error": 2.0, "method": "msp"},
    {"n": 1, "p": 10, "error": 3.0, "method": "auto"},
    {"n": 1, "p": 20, "error": None, "method": "auto"},
    {"n": 2, "p": 10, "error": 5.0, "method": "msp"},
]


def test_where_keeps_rows_that_meet_all_conditions():
    assert Table(ROWS).where(n=2, p=10)["error"].tolist() == [1, 5]
    assert len(Table(ROWS).where(n=3)) == 0
    assert Table(ROWS).where(method="auto").values("p") == [10, 20]


def test_columns_are_numbers_with_nan_for_null_or_texts():
    assert np.isnan(Table(ROWS)["error"][3])
    assert Table(ROWS)["method"].dtype == object
    assert np.isnan(Table(ROWS)["no such column"]).all()


def test_ends_of_runs():
    runs = Table([{"termination": "converged"}, {"termination": "time_limit"}, {}])
    assert runs.ended_by("time_limit", "stopped").tolist() == [False, True, False]
    assert Table([]).ended_by("converged").tolist() == []


def test_groups_come_in_the_order_of_the_rows():
    assert [(value, len(rows)) for value, rows in Table(ROWS).groups("n")] == [(2, 3), (1, 2)]


def test_pivot_sorts_and_reduces_trials():
    cells, rows, columns = Table(ROWS).pivot("n", "p", "error")
    assert (rows, columns) == ([1, 2], [10, 20])
    assert cells[0, 0] == 3 and np.isnan(cells[0, 1])
    assert cells[1].tolist() == [3, 2]
    assert Table(ROWS).where(n=2).pivot("n", "p", "error", np.max)[0].tolist() == [[5, 2]]


# Findings.


def test_iterations_to_the_maximum():
    assert set(findings("orthogonal-one-run", runs=RUN).values()) == {"4"}
    short = [row for row in RUN if row["iteration"] < 3]
    assert set(findings("orthogonal-one-run", runs=short).values()) == {"not within 2"}


def test_slope_of_concentration():
    rows = [{"n": 10, "p": p, "theta": 0.3, "supremum": 7 * p**-0.5, "at_truth": 0.1} for p in (100, 1000, 30000)]
    assert findings("concentration", deviations=rows)["exponent of p in the largest deviation over A"] == "-0.500"


def test_boundary_of_the_working_range_is_quadratic():
    def rows(n):
        """The mean error is 1/2 at p = 4n², between two points of the grid."""
        errors = {1 / 4: 0.9, 1 / 2: 0.8, 2: 0.2, 4: 0.05}
        return [{"n": n, "p": 4 * n * n * factor, "error": error, "iterations": 200,
                 "termination": "max_iterations" if error > 0.5 else "converged"} for factor, error in errors.items()]

    found = findings("phase-dimension-samples", small=rows(10), large=rows(20))
    assert found["p at which the mean error falls through 50 %, n = 10"] == "400 = 4.00 n²"
    assert found["p at which the mean error falls through 50 %, n = 20"] == "1600 = 4.00 n²"
    assert found["e of p ∝ n^e where the mean error falls through 50 %, 2 points"] == "2.00"
    assert found["runs that were cut off while still moving"] == "4 of 8, after 200 iterations"


def test_samples_that_an_order_needs():
    runs = [{"order": 4, "iteration": i, "value": i / 2} for i in range(3)]
    errors = {100: 0.2, 200: 0.001, 500: 0.3, 1000: 0.001}
    trials = [{"order": 4, "p": p, "error": error} for p, error in errors.items()]
    found = findings("orders", convergence=runs, samples=trials)
    assert found["ℓ4: samples for a mean error below 1 %"] == "1000"
    found = findings("orders", convergence=runs, samples=trials[:3])
    assert found["ℓ4: samples for a mean error below 1 %"] == "more than 500"


def test_fixed_points_attract_or_repel():
    angles = np.pi * np.linspace(-1, 1, 17)
    images = np.arctan2(np.sin(angles) ** 3, np.cos(angles) ** 3)
    rows = [{"angle": a, "measured": m, "expected": m, "deviation": 0.0, "fixed": bool(abs(a - m) < 1e-12)}
            for a, m in zip(angles, images)]
    found = findings("tan-cube", map=rows)
    assert found["stable fixed points kπ/4"] == "k = −4, −2, 0, 2, 4"
    assert found["unstable fixed points kπ/4"] == "k = −3, −1, 1, 3"


def test_comparison_says_who_was_stopped_and_never_calls_them_fastest():
    def row(method, error, seconds, termination="converged"):
        return {"n": 25, "p": 10000, "theta": 0.3, "method": method, "trial": 0, "error": error, "iterations": 20,
                "seconds": seconds, "termination": termination}

    peers = [{"n": 25, "p": 10000, "theta": 0.3, "method": "SPAMS trainDL", "trial": 0, "error": 2e-4, "seconds": 5}]
    methods = [row("msp", 0.0035, 0.25), row("online", 0.001, 0.1, "time_limit"), row("ksvd", 0.08, 0.01)]
    found = findings("comparison", methods=methods, peers=peers)
    assert found["n = 25, ℓ4-MSP: error, time"] == "0.35 %, 0.25 s (20 iterations)"
    assert found["n = 25, online learning: error, time"] == "0.1 %, 0.1 s, 1 of 1 stopped at the time limit"
    assert found["n = 25, SPAMS trainDL: error, time"] == "0.02 %, 5 s"
    assert found["n = 25: fastest with an error of at most 2 %"] == "ℓ4-MSP before SPAMS trainDL"


def test_where_pca_wins():
    methods = {"pca": (10, 5), "l4": (9, 6), "l3": (8, 5), "power-2.5": (9, 4), "soft-1": (11, 3),
               "auto-orthogonal": (20, 20), "auto": (99, 99)}
    rows = [{"set": name, "method": method, "choice": choice, "k": k, "mean_squared_error": error + worse,
             "iterations": 40, "seconds": 1.5, "termination": "max_iterations"}
            for name in ("mnist", "fashion-mnist") for method, errors in methods.items()
            for choice, worse in (("largest", 0), ("leading", 10)) for k, error in zip((1, 3), errors)]
    found = findings("digits", reconstruction=rows)
    wins = "clothes: numbers of atoms with which PCA's largest beat "
    assert {what[len(wins):]: ours for what, ours in found.items() if what.startswith(wins)} == {
        "ℓ4": "3", "ℓ3": "none", "power:2.5": "none", "soft:1": "1", "auto, orthogonal": "1, 3", "auto": "1, 3",
        "all of these": "none"}
    assert found["digits, soft:1: iterations, time, end"] == "40, 1.5 s, max_iterations"
    assert [ours for what, ours in found.items() if what.startswith("unseen digits, PCA, the leading")] == ["20, 15"]


def test_shares_of_the_grid():
    errors = {"auto": [1e-16, 1e-16, 0.01, 0.9], "msp": [0.01, 0.03, 0.04, 0.9]}
    ends = {"auto": "converged", "msp": "max_iterations"}
    rows = [{"n": 50, "theta": 0.5, "p": p, "method": method, "error": error, "termination": ends[method]}
            for method, values in errors.items() for p, error in enumerate(values)]
    found = list(findings("phase-auto", theta_samples=rows, dimension_samples=rows).values())
    assert found == ["50 %; 75 %; 0 %", "0 %; 25 %; 100 %"] * 2


@pytest.mark.parametrize("value, text", [(0.356, "36 %"), (1.0, "100 %"), (0.0034, "0.34 %"), (3e-7, "3e-07"),
                                         (1e-16, "0 to rounding")])
def test_percent(value, text):
    assert sys.modules["finding"].percent(value) == text


# The documentation.


def test_renew_replaces_what_is_between_its_own_markers(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- findings x -->\n<!-- end -->\nb\n<!-- findings y -->\nold\n<!-- end -->\n")
    draw.renew(page, "y", "new \\1")
    draw.renew(page, "y", "new \\1")
    assert page.read_text() == ("a\n<!-- findings x -->\n<!-- end -->\nb\n<!-- findings y -->\nnew \\1\n"
                                "<!-- end -->\n")


def test_renew_refuses_a_page_without_the_marker(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("nothing")
    with pytest.raises(SystemExit, match="has no <!-- findings x -->"):
        draw.renew(page, "x", "text")
    assert page.read_text() == "nothing"


@pytest.mark.parametrize("name", NAMES)
def test_an_experiment_has_a_plot_and_a_place_in_the_documentation(name):
    plot = draw.load_plot(name)
    assert callable(plot.draw) and callable(plot.findings)
    for page in (EXPERIMENTS / name / "README.md", REPOSITORY / "docs" / "reproduce.md"):
        lines = page.read_text().splitlines()
        begin = lines.index(f"<!-- findings {name} -->")
        assert lines.index("<!-- end -->", begin) > begin + 3, f"{page}: draw.py --docs puts what was found here"
    assert f"(reproduce/{name}.png)" in (REPOSITORY / "docs" / "reproduce.md").read_text()
    assert (REPOSITORY / "docs" / "reproduce" / f"{name}.png").is_file()
    assert f"| [{name}]({name}) |" in (EXPERIMENTS / "README.md").read_text()


def test_orthodict_experiment_lists_the_folders():
    binary = BINARY.parent / "orthodict-experiment"
    done = subprocess.run([str(binary), "list", "--json"], capture_output=True, check=True, timeout=TIMEOUT_SECONDS)
    assert sorted(row["name"] for row in json.loads(done.stdout)) == NAMES


# The command.


def test_drawing_leaves_pictures_findings_and_a_report(tmp_path):
    write_results(tmp_path, "orthogonal-one-run", runs=RUN)
    write_results(tmp_path, "orthogonal-trials",
                  trials=[{"n": n, "trial": 0, "first": 0.1, "last": 1, "iterations": 9} for n in (50, 100)])
    run_draw(tmp_path, expect=0)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()}
    run_draw(tmp_path, "orthogonal-one-run", expect=0)
    after = {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()}
    assert before == after, "equal results give equal files, and the report keeps what was drawn before"
    folder = tmp_path / "orthogonal-one-run"
    assert {path.name for path in folder.iterdir()} == {"results.json", "findings.json", "orthogonal-one-run.png",
                                                        "orthogonal-one-run.svg"}
    assert json.loads((folder / "findings.json").read_text())[0] == {
        "what": "iterations to the maximum, n = 50", "paper": "fewer than 10", "ours": "4"}
    report = (tmp_path / "report.md").read_text()
    assert "| iterations to the maximum, n = 100 | fewer than 10 | 4 |" in report
    assert "(orthogonal-trials/orthogonal-trials.png)" in report


def test_a_name_that_is_none_is_refused_with_those_there_are(tmp_path):
    done = run_draw(tmp_path, "no-such-experiment", expect=2)
    assert "no experiment no-such-experiment" in done.stderr and "orders" in done.stderr


def test_a_folder_without_results_is_refused(tmp_path):
    assert "has no results" in run_draw(tmp_path, expect=2).stderr
    assert "has no results" in run_draw(tmp_path / "missing", expect=2).stderr
    done = run_draw(tmp_path, "orders", expect=2)
    assert "orthodict-experiment run orders" in done.stderr
