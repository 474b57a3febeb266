# SPDX-License-Identifier: Apache-2.0
"""Gene expression of E. coli as arrays, from the package pymodulon.

    scripts/data/genes.py PACKAGE FOLDER

The package has tables: X (genes × conditions, log expression relative to the reference condition), M (genes × modules,
the published weights of genes) and the known target genes of each regulator. FOLDER gets x.npy and m.npy (f64),
genes.txt and modules.txt (names of their rows and of the columns of M, one per line), trn.csv (one regulator and gene
per line) and the licence.
"""

import csv
import pathlib
import shutil
import sys

import numpy as np


def read_matrix(path):
    """Returns the names of rows and columns, and the numbers."""
    with open(path, encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    return [row[0] for row in rows], head[1:], np.array([row[1:] for row in rows], dtype=np.float64)


def write_lines(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


package, folder = map(pathlib.Path, sys.argv[1:])
tables = package / "pymodulon" / "data" / "ecoli"
genes, _, x = read_matrix(tables / "X.csv")
weighed, modules, m = read_matrix(tables / "M.csv")
if weighed != genes:
    raise SystemExit("X.csv and M.csv aren't of the same genes")
with open(tables / "trn.csv", encoding="utf-8", newline="") as file:
    edges = [f"{row['regulator']},{row['gene_id']}" for row in csv.DictReader(file)]
folder.mkdir()
np.save(folder / "x.npy", x)
np.save(folder / "m.npy", m)
write_lines(folder / "genes.txt", genes)
write_lines(folder / "modules.txt", modules)
write_lines(folder / "trn.csv", ["regulator,gene", *edges])
shutil.copy(package / "pymodulon-0.2.1.dist-info" / "LICENSE", folder)
