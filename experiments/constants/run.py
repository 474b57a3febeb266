# SPDX-License-Identifier: Apache-2.0
"""Measures how confidence and accuracy depend on the main constants of method auto.

    experiments/constants/run.py OUTPUT    constants.csv and constants.md in OUTPUT, with the changed builds

For each change of a constant in a copy of src/solver/auto/constants.h, the Python package is built from that copy, and
experiments/calibration runs with it. Needs the packages of `scripts/setup`, scikit-learn, pandas and matplotlib.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

import pandas

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "calibration")]  # both have a draw.py
import judge  # noqa: E402
from classes import CLEAN, NULL  # noqa: E402
from draw import renew  # noqa: E402

TABLE = pathlib.Path("src/solver/auto/constants.h")
SOURCES = ("CMakeLists.txt", "LICENSE", "README.md", "baselines", "cli", "cmake", "include", "python", "report", "src")
# A smaller and a larger value of each constant.
VARIANTS = {
    "kExploredPerDimension": ("10", "40"),
    "kSettledStep": ("0.005", "0.08"),
    "kMaybeClean": ("0.03", "0.3"),
    "kSegmentPerDependence": ("5", "45"),
    "kBatchPerDependence": ("1", "9"),
    "kDeviationsOfCurvature": ("0.75", "3"),
    "kDeviationsBelowCurvature": ("0", "2"),
    "kDeviationsOfResidual": ("1", "3"),
    "kUndetermined": ("0.75", "3"),
    "kSomeStructure": ("1.5", "6"),
    "kShaken": ("0.1", "0.7"),
    "kFoldSteps": ("20", "180"),
    "kLeastGainOfError": ("0", "0.02"),
    "kFastestPace": ("1", "8"),
    "kDrift": ("1", "9"),
    "kFewestPlaces": ("2", "20"),
}
# Classes of every kind, each of which depends on some of the constants.
CLASSES = (
    "gaussian", "gaussian-ar-0.99", "gaussian-repeated-shuffled", "elliptical-student", "gaussian-few",
    "sparse-0.5-orthogonal", "sparse-condition-1000", "sparse-noise-0.1", "sparse-noise-few",
    "condition-100-noise-0.1", "laplace", "laplace-scales-100", "student", "uniform", "two-gaussian",
    "shared-support-groups", "laplace-repeated-shuffled", "laplace-upsampled", "laplace-sorted", "recording",
    "laplace-few", "half-gaussian-few", "gaussian-walk-windows",
)  # fmt: skip
COLUMNS = {  # titles of the table's columns, by their names in constants.csv
    "null": "null atoms above 0.5", "wrong": "confident and wrong", "missed": "right and missed",
    "sure": "right and confident", "exact": "exact, of clean", "cos2": "mean cos²",
}  # fmt: skip


def declaration(name):
    return re.compile(rf"(inline constexpr \w+ {name} = )([^;]+)(;)")


def value_of(name):
    found = declaration(name).search((ROOT / TABLE).read_text(encoding="utf-8"))
    if not found:
        sys.exit(f"constants: {TABLE} has no {name}")
    return found[2]


def write_if_changed(path, contents):
    """Doesn't touch a file that stays the same, to avoid recompilation."""
    if not path.exists() or path.read_bytes() != contents:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)


def copy_sources(tree):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z", *SOURCES], cwd=ROOT,
                            capture_output=True, check=True).stdout.decode()  # fmt: skip
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            write_if_changed(tree / name, (ROOT / name).read_bytes())


def build(tree, changes):
    """Builds the package with these constants in tree/package."""
    text = (ROOT / TABLE).read_text(encoding="utf-8")
    for name, value in changes.items():
        text = declaration(name).sub(rf"\g<1>{value}\g<3>", text)
    write_if_changed(tree / TABLE, text.encode())
    folder = tree / "build"
    if not (folder / "build.ninja").exists():
        subprocess.run(["cmake", "-S", tree, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DORTHODICT_BUILD_PYTHON=ON", "-DORTHODICT_BUILD_EXPERIMENTS=OFF", "-DORTHODICT_BUILD_TESTS=OFF",
                        "-DORTHODICT_WITH_MPI=OFF", "-DORTHODICT_INSTALL=OFF",
                        f"-DPython_EXECUTABLE={ROOT / '.venv/bin/python'}"],
                       check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    subprocess.run(["ninja", "-C", folder, "orthodict_python"], check=True, stdout=subprocess.DEVNULL)
    for path in [*(tree / "python/orthodict").glob("*.py"), *(folder / "python").glob("_core.*.so")]:
        write_if_changed(tree / "package/orthodict" / path.name, path.read_bytes())
    return tree / "package"


def measure(package, folder, seeds):
    """Returns one row of constants.csv."""
    done = subprocess.run([sys.executable, ROOT / "experiments/calibration/run.py", folder, "--no-peers", "--seeds",
                           str(seeds), "--classes", *CLASSES], stdout=subprocess.DEVNULL,
                          env=os.environ | {"PYTHONPATH": str(package)})  # fmt: skip
    if done.returncode not in (0, 1):  # 1: a value is beyond its limit
        sys.exit(f"constants: experiments/calibration failed, see above ({folder})")
    atoms, fits = (pandas.read_csv(folder / f"{name}.csv", keep_default_na=False, na_values=[""])
                   for name in ("atoms", "fits"))  # fmt: skip
    null, known = atoms[atoms["kind"] == NULL], atoms[atoms["kind"] != NULL]
    classes = judge.class_table(known, fits[fits["kind"] != NULL], [])
    return {"null": (null["confidence"] > judge.DOUBTED).mean(), "wrong": classes["confident_wrong"].mean(),
            "missed": classes["missed"].mean(), "sure": classes["sure"].mean(),
            "exact": (known["confidence"][known["kind"] == CLEAN] == 1).mean(), "cos2": classes["ours"].mean()}  # fmt: skip


def markdown(rows):
    head = ["constant", "value", *COLUMNS.values()]
    lines = [[row["constant"], str(row["value"]),
              *(f"{row[name]:.3f}" for name in COLUMNS)] for row in rows]  # fmt: skip
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *lines])


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, help="folder of results and builds")
    parser.add_argument("names", nargs="*", metavar="NAME", help="constants (default: all): " + ", ".join(VARIANTS))
    parser.add_argument("--seeds", type=int, default=4, help="problems per class (default: 4)")
    parser.add_argument("--docs", action="store_true", help="also update the table in the README")
    arguments = parser.parse_intermixed_args()
    for name in arguments.names:
        if name not in VARIANTS:
            parser.error(f"no constant {name}: must be one of {', '.join(VARIANTS)}")
    return arguments


def main():
    arguments = parsed()
    names = arguments.names or list(VARIANTS)
    tree = (arguments.output / "tree").absolute()
    copy_sources(tree)
    rows = []
    for name, value, changes in [("as they are", "", {}), *((name, value, {name: value}) for name in names
                                                            for value in VARIANTS[name])]:  # fmt: skip
        label = f"{name} ({value_of(name)})" if changes else name
        row = measure(build(tree, changes), arguments.output / f"{name}-{value}".strip("-").replace(" ", "-"),
                      arguments.seeds)  # fmt: skip
        rows.append({"constant": label, "value": value} | row)
        print(markdown(rows[-1:]).splitlines()[-1], flush=True)
        pandas.DataFrame(rows).to_csv(arguments.output / "constants.csv", index=False, float_format="%.6g")
    (arguments.output / "constants.md").write_text(markdown(rows) + "\n", encoding="utf-8")
    if arguments.docs:
        renew(HERE / "README.md", "constants", markdown(rows))


if __name__ == "__main__":
    main()
