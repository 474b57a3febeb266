# SPDX-License-Identifier: Apache-2.0
import matplotlib.pyplot as plt
import numpy as np

from figures import legend_outside
from finding import Finding, number
from pictures import show_bases, show_rows

SETS = {"mnist": "digits", "fashion-mnist": "clothes"}
METHODS = {
    "pca": "PCA",
    "l4": "ℓ4",
    "l3": "ℓ3",
    "power-2.5": "power:2.5",
    "soft-1": "soft:1",
    "auto-orthogonal": "auto, orthogonal",
    "auto": "auto",
}
STYLES = {name: {"color": f"C{i}", "marker": "osD^vP*"[i]} for i, name in enumerate(METHODS)}
LEARNED = [name for name in METHODS if name != "pca"]
LEADING, LARGEST = "PCA, the leading", "PCA, the largest of each picture"
REBUILT_FROM = 10  # number of atoms in the reconstructions shown
STATED = (1, 3, 10, 25, 100)  # numbers of atoms in the findings; the table has more


def errors_of(table, method, choice="largest"):
    """The mean squared errors, one per number of atoms."""
    return table.where(method=method, choice=choice)["mean_squared_error"]


def show_errors(ax, table, title):
    """Plots errors relative to those of PCA with the largest coefficients of each picture."""
    counts, pca = table.values("k"), errors_of(table, "pca")
    color = STYLES["pca"]["color"]
    ax.axhline(1, color=color, label=LARGEST)
    ax.plot(counts, errors_of(table, "pca", "leading") / pca, ":", color=color, label=LEADING)
    for method in LEARNED:
        ax.plot(counts, errors_of(table, method) / pca, label=METHODS[method], **STYLES[method])
    ax.set(xscale="log", yscale="log", ylim=(0.5, 8), xlabel="atoms used", ylabel="error over PCA's", title=title)
    for axis, ticks in ((ax.xaxis, (1, 2, 5, 10, 20, 50, 100, 200)), (ax.yaxis, (0.5, 1, 2, 4, 8))):
        axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    legend_outside(ax)


def show_rebuilt(ax, folder, name):
    """Shows unseen pictures, and their reconstruction by each method."""
    def rebuilt(method, choice):
        return np.load(folder / f"{name}-{method}-{choice}.npy")

    rows = {"original": np.load(folder / f"{name}.npy"), LEADING: rebuilt("pca", "leading")}
    rows |= {METHODS[method]: rebuilt(method, "largest") for method in METHODS}
    show_rows(ax, list(rows.values()), list(rows), f"rebuilt from {REBUILT_FROM} atoms")


def draw(tables):
    figure = plt.figure(figsize=(10.5, 11))
    for part, (name, called) in zip(figure.subfigures(len(SETS), 1), SETS.items()):
        table = tables["reconstruction"].where(set=name)
        top, bottom = part.subfigures(2, 1, height_ratios=(1, 2.5))
        for ax, method in zip(top.subplots(1, len(METHODS)), METHODS):
            show_bases(ax, np.load(tables.folder / f"{name}-{method}-atoms.npy"), METHODS[method], columns=4)
        left, right = bottom.subplots(1, 2)
        show_rebuilt(left, tables.folder, name)
        show_errors(right, table, f"{called}: mean squared error of unseen pictures")
    return figure


def where_pca_wins(table, methods):
    """The numbers of atoms for which PCA, with the largest coefficients of each picture, is better than all methods, in
    words."""
    best = np.min([errors_of(table, method) for method in methods], axis=0)
    wins = np.array(table.values("k"))[errors_of(table, "pca") < best]
    return ", ".join(map(str, wins)) or "none"


def findings(tables):
    found = []
    for name, called in SETS.items():
        table = tables["reconstruction"].where(set=name)
        stated = np.isin(table.values("k"), STATED)
        errors = {LEADING: errors_of(table, "pca", "leading"), LARGEST: errors_of(table, "pca")}
        errors |= {METHODS[method]: errors_of(table, method) for method in LEARNED}
        what = f"mean squared error from {', '.join(map(str, STATED))} atoms"
        for label, values in errors.items():
            found.append(Finding(f"unseen {called}, {label}: {what}", "", ", ".join(map(number, values[stated]))))
        for method in LEARNED:
            found.append(Finding(f"{called}: numbers of atoms with which PCA's largest beat {METHODS[method]}", "",
                                 where_pca_wins(table, [method])))
        found.append(Finding(f"{called}: numbers of atoms with which PCA's largest beat all of these", "",
                             where_pca_wins(table, LEARNED)))
        for method, rows in table.groups("method"):
            fit = rows.rows[0]
            found.append(Finding(f"{called}, {METHODS[method]}: iterations, time, end", "",
                                 f"{fit['iterations']}, {number(fit['seconds'])} s, {fit['termination']}"))
    return found
