# SPDX-License-Identifier: Apache-2.0
"""Tests the defaults on real data: gene expression, small tables and patches, compared with peers and with
requirements.

    experiments/real-data/run.py OUTPUT [genes] [tables] [patches]   all three if none is named

Writes results.json, tables.md and, with genes, genes.png to OUTPUT/real-data. Exits with 1 if a requirement fails.

Needs the packages orthodict, scikit-learn, matplotlib, pillow, scikit-image (faces) and python-picard (a peer), and the
data of `scripts/get-data genes` and `scripts/get-data images`.
"""

import argparse
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
import genes  # noqa: E402
import patches  # noqa: E402
import tables  # noqa: E402
from show import show  # noqa: E402

PARTS = {"genes": genes, "tables": tables, "patches": patches}


def measure(part, arguments):
    settings = {"seeds": arguments.seeds, "threads": arguments.threads}
    if part == "genes":
        return genes.measure(genes.load(arguments.data / "genes"), peers=arguments.peers,
                             components=arguments.components, **settings)
    if part == "patches":
        return patches.measure(patches.load(arguments.data / "images"), **settings)
    return tables.measure(**settings)


def write(path, results):
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(temporary, path)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "data", help="folder of genes and images")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each method, at least 2 (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="threads of every method (default: %(default)s)")
    parser.add_argument("--components", type=int, default=genes.COMPONENTS, help="for genes (default: %(default)s)")
    parser.add_argument("--no-peers", dest="peers", action="store_false", help="run genes without FastICA and Picard")
    parser.add_argument("--docs", action="store_true", help="also update the tables in the README")
    arguments = parser.parse_intermixed_args()
    arguments.parts = arguments.parts or list(PARTS)
    for part in arguments.parts:
        if part not in PARTS:
            parser.error(f"no part {part}: must be one of {', '.join(PARTS)}")
    for part, folder, file in (("genes", "genes", "x.npy"), ("patches", "images", "camera.png")):
        if part in arguments.parts and not (arguments.data / folder / file).exists():
            parser.error(f"{arguments.data / folder} has no {file}: run scripts/get-data {folder}")
    for name, least in (("seeds", 2), ("threads", 1), ("components", 2)):
        if getattr(arguments, name) < least:
            parser.error(f"--{name} is {getattr(arguments, name)}: must be at least {least}")
    return arguments


def main():
    arguments = parse()
    folder = arguments.output / "real-data"
    folder.mkdir(parents=True, exist_ok=True)
    results = {part: measure(part, arguments) for part in PARTS if part in arguments.parts}
    demands = [demand for part, result in results.items() for demand in PARTS[part].demands(result)]
    settings = {"seeds": arguments.seeds, "threads": arguments.threads}
    write(folder / "results.json", {**settings, "demands": [demand.to_json() for demand in demands], **results})
    show(folder, arguments.docs)
    return 0 if all(demand.passed for demand in demands) else 1


if __name__ == "__main__":
    sys.exit(main())
