# SPDX-License-Identifier: Apache-2.0
"""Gene expression of E. coli as arrays, from the package pymodulon.

    scripts/data/genes.py PACKAGE FOLDER

The package has tables: X (genes × conditions, logarithms of expression less those of the reference condition), M (genes
× modules, the published weights of genes) and the genes that each regulator is known to act on. FOLDER gets x.npy and
m.npy (f64), genes.txt and modules.txt (their rows and the columns of M, one name per line), trn.csv (a regulator and a
gene per line) and the terms.
"""

import csv
import pathlib
import shutil
import sys

import numpy as np


def read_matrix(path):
    """Names of rows and of columns, and the numbers between."""
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
