# SPDX-License-Identifier: Apache-2.0
import matplotlib.pyplot as plt
import numpy as np

from figures import legend_outside
from finding import Finding
from pictures import Bases, show_bases, show_rows

SHOWN = 20  # number of bases of each kind
LESSER = 300  # index of the less significant ones shown; the last ones are of pixels that no digit uses
DIGITS = 10  # number of digits reconstructed
MSP, PCA, PCA_LARGEST = "msp, largest of each image", "pca, leading", "pca, largest of each image"
CURVES = {
    MSP: ("MSP, the largest of each image", "C1", "s"),
    PCA: ("PCA, the leading", "C0", "o"),
    PCA_LARGEST: ("PCA, the largest of each image", "C2", "^"),
}


def show_reconstructions(ax, bases, images, counts, largest, title):
    """Shows the originals in the first row, then one row per number of bases."""
    rows = [images] + [bases.reconstruct(images, count, largest) for count in counts]
    show_rows(ax, rows, ["original", *map(str, counts)], title)


def show_errors(ax, table):
    for bases, (label, color, marker) in CURVES.items():
        unseen, seen = (table.where(bases=bases, set=images) for images in ("test", "train"))
        ax.plot(unseen["k"], unseen["mean_squared_error"], color=color, marker=marker, label=label)
        ax.plot(seen["k"], seen["mean_squared_error"], ":", color=color)
    ax.plot([], [], ":", color="0.5", label="dotted: digits of the training set")
    ax.set(xlabel="bases used", ylabel="mean squared error\nper pixel (0 to 255)", ylim=(0, None))
    legend_outside(ax)


def draw(tables):
    table = tables["reconstruction"]
    msp, pca = Bases(tables.folder / "msp.npz"), Bases(tables.folder / "pca.npz")
    digits = np.load(tables.folder / "digits.npy")[:DIGITS]
    counts = table.values("k")
    figure = plt.figure(figsize=(10, 10.5))
    top, middle, bottom = figure.subfigures(3, 1, height_ratios=(2.2, 5, 3))
    axes = top.subplots(1, 4)
    show_bases(axes[0], msp.dictionary[:SHOWN], "MSP: most energy")
    show_bases(axes[1], msp.dictionary[LESSER:LESSER + SHOWN], f"MSP: from number {LESSER + 1} on")
    show_bases(axes[2], pca.dictionary[:SHOWN], "PCA: first")
    show_bases(axes[3], pca.dictionary[-SHOWN:], "PCA: last")
    left, right = middle.subplots(1, 2)
    show_reconstructions(left, msp, digits, counts, True, "MSP: the largest bases of each image")
    show_reconstructions(right, pca, digits, counts, False, "PCA: the leading bases")
    show_errors(bottom.subplots(), table)
    return figure


def findings(tables):
    table = tables["reconstruction"]
    test = table.where(set="test")
    found = []
    for k in table.values("k"):
        errors = [test.where(bases=bases, k=k)["mean_squared_error"][0] for bases in CURVES]
        claim = "MSP clearer, by eye" if 1 < k < 10 else "both good, by eye" if k >= 10 else ""
        what = f"unseen digits from the top {k}: mean squared error of MSP; PCA's leading; PCA's largest"
        found.append(Finding(what, claim, "; ".join(f"{error:.0f}" for error in errors)))
    found.append(Finding("iterations and time of MSP", "",
                         f"{table['iterations'][0]:g}, {table['seconds'][0]:.0f} s"))
    return found
