# SPDX-License-Identifier: Apache-2.0
"""Draws the results of orthodict-experiment, and compares them with the paper.

    experiments/draw.py OUTPUT [NAME ...]     pictures (PNG and SVG) and findings.json beside the tables, and
                                              OUTPUT/report.md with everything that is there
    experiments/draw.py OUTPUT --docs         also renews the pictures and tables of docs/reproduce.md and of each
                                              experiment's README

Each experiment's folder has a plot.py with draw(tables) -> figure and findings(tables) -> [Finding].
"""

import argparse
import importlib.util
import json
import pathlib
import re
import shutil
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from finding import Finding, to_json, to_markdown  # noqa: E402
from table import Table  # noqa: E402

SIZES = {"tiny": "tiny sizes, to see that it runs", "plain": "reduced sizes", "full": "the paper's sizes"}


def load_plot(name):
    """The module experiments/NAME/plot.py."""
    spec = importlib.util.spec_from_file_location("plot_" + name.replace("-", "_"), HERE / name / "plot.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Tables(dict):
    """An experiment's tables by name, and its folder, for other files."""

    def __init__(self, folder):
        self.folder = folder
        with open(folder / "results.json") as file:
            results = json.load(file)
        super().__init__({name: Table(rows) for name, rows in results["tables"].items()})
        peers = folder / "peers.json"  # results of third-party packages, on these data or those of another seed
        if peers.exists():
            with open(peers) as file:
                self["peers"] = Table(json.load(file)).where(seed=results["seed"])


def draw(name, output):
    """Draws one experiment, and writes and returns its findings."""
    tables = Tables(output / name)
    plot = load_plot(name)
    figure = plot.draw(tables)
    for suffix in ("png", "svg"):
        # No date in the file, so that equal results give equal pictures.
        figure.savefig(output / name / f"{name}.{suffix}", metadata={"Date": None} if suffix == "svg" else None)
    plt.close(figure)
    found = plot.findings(tables)
    assert len({finding.what for finding in found}) == len(found), f"{name}: two findings of the same name"
    with open(output / name / "findings.json", "w") as file:
        json.dump(to_json(found), file, indent=1, ensure_ascii=False)
        file.write("\n")
    return found


def write_report(output):
    """Writes OUTPUT/report.md from everything drawn so far."""
    parts = ["# The paper's experiments, and ours\n"]
    drawn = [json.loads((path.parent / "results.json").read_text()) for path in output.glob("*/findings.json")
             if (path.parent / "results.json").exists()]
    for results in sorted(drawn, key=lambda results: results["number"]):
        name, title = results["experiment"], results["title"]
        with open(output / name / "findings.json") as file:
            found = [Finding(**fields) for fields in json.load(file)]
        parts.append(f"## {name}: {title} ({results['source']})\n\n{SIZES[results['size']]}, seed {results['seed']}\n\n"
                     f"{to_markdown(found)}\n\n![{title}]({name}/{name}.png)\n")
    (output / "report.md").write_text("\n".join(parts))


def renew(path, name, text):
    """Replaces the text between the markers `<!-- findings NAME -->` and `<!-- end -->`."""
    page = path.read_text()
    begin, end = f"<!-- findings {name} -->", "<!-- end -->"
    renewed, count = re.subn(re.escape(begin) + ".*?" + re.escape(end), lambda _: f"{begin}\n{text}\n{end}", page,
                             count=1, flags=re.DOTALL)
    if count == 0:
        raise SystemExit(f"draw.py: {path} has no {begin}")
    path.write_text(renewed)


def renew_docs(output, drawn):
    """Copies figures and findings to docs/reproduce.md and each experiment's README."""
    docs = HERE.parent / "docs"
    (docs / "reproduce").mkdir(exist_ok=True)
    for name, found in drawn.items():
        shutil.copy(output / name / f"{name}.png", docs / "reproduce")
        renew(docs / "reproduce.md", name, to_markdown(found))
        renew(HERE / name / "README.md", name, to_markdown(found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, help="output folder of orthodict-experiment")
    parser.add_argument("names", nargs="*", metavar="NAME", help="experiments to draw (default: all with results)")
    parser.add_argument("--docs", action="store_true", help="also update the documentation")
    arguments = parser.parse_args()
    plt.style.use(HERE / "orthodict.mplstyle")
    known = [folder.parent.name for folder in HERE.glob("*/plot.py")]
    for name in arguments.names:
        if name not in known:
            parser.error(f"no experiment {name}: must be one of {', '.join(sorted(known))}")
    done = sorted(path.parent.name for path in arguments.output.glob("*/results.json"))
    names = arguments.names or [name for name in done if name in known]
    if not names:
        parser.error(f"{arguments.output} has no results of orthodict-experiment")
    for name in names:
        if not (arguments.output / name / "results.json").exists():
            parser.error(f"{arguments.output / name} has no results: run orthodict-experiment run {name} first")
    drawn = {name: draw(name, arguments.output) for name in names}
    write_report(arguments.output)
    if arguments.docs:
        renew_docs(arguments.output, drawn)
    for name, found in drawn.items():
        print(f"{name}: {arguments.output / name / name}.png")
        for finding in found:
            print(f"  {finding.what}: {finding.ours}" + (f" (paper: {finding.paper})" if finding.paper else ""))


if __name__ == "__main__":
    main()
