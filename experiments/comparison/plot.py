# SPDX-License-Identifier: Apache-2.0
from itertools import cycle

from matplotlib.lines import Line2D
import numpy as np

from figures import AXES, METHODS, STYLES, drawable, subplots
from finding import Finding, how_many, number, percent
from table import Table

# Table 2 by dimension and by the corresponding method here: the printed error and time.
PAPER = {
    25: {"ksvd_fixed": "12.16 %, 64.5 s", "online": "SPAMS: 0.02 %, 5.53 s", "subgradient_oracle": "0.25 %, 9.2 s",
         "msp": "0.35 %, 0.2 s (15 iterations)"},
    50: {"ksvd_fixed": "7.79 %, 165.4 s", "online": "SPAMS: 0.02 %, 23.4 s", "subgradient_oracle": "0.27 %, 107.0 s",
         "msp": "0.34 %, 1.3 s (20 iterations)"},
    100: {"ksvd_fixed": "8.34 %, 569.4 s", "online": "SPAMS: 0.02 %, 365.9 s", "subgradient_oracle": "0.27 %, 2807.9 s",
          "msp": "0.35 %, 7.2 s (25 iterations)"},
    200: {"ksvd_fixed": "8.46 %, 1064.0 s", "online": "SPAMS: 0.02 %, 5420.8 s", "subgradient_oracle": "over 12 h",
          "msp": "0.35 %, 56.0 s (40 iterations)"},
    400: {"ksvd_fixed": "11.94 %, 4646.3 s", "online": "SPAMS: over 12 h", "subgradient_oracle": "over 12 h",
          "msp": "0.35 %, 494.4 s (60 iterations)"},
}
# A method with at most this error has found the dictionary.
FOUND = 0.02
# Styles of third-party packages, different from those of the methods here.
PEER_LOOKS = [{"marker": marker, "color": f"C{color}"} for marker, color in zip("phd*phd*", (3, 0, 4, 1, 6, 5, 2, 8))]


def all_rows(tables):
    """The methods' rows, and those of third-party packages if they were measured."""
    peers = tables["peers"].rows if "peers" in tables else []
    return Table(tables["methods"].rows + peers)


def styles(table):
    """Colour and marker of each method, in the order of the legend."""
    peers = [method for method in table.values("method") if method not in METHODS]
    own = {method: STYLES[method] for method in METHODS if method in table.values("method")}
    return own | dict(zip(peers, cycle(PEER_LOOKS)))


def draw(tables):
    table = all_rows(tables)
    groups = table.groups("n")
    columns = 2 if len(groups) == 4 else min(3, len(groups))
    rows = -(-len(groups) // columns)
    figure, axes = subplots(columns, rows=rows, width=3.7, height=3.8, sharex=True, sharey=True, squeeze=False)
    looks = styles(table)
    for ax, (n, at_size) in zip(axes.flat, groups):
        for method, runs in at_size.groups("method"):
            face = "white" if np.any(runs.ended_by("time_limit")) else looks[method]["color"]
            ax.plot(np.mean(runs["seconds"]), drawable(np.mean(runs["error"])), linestyle="none", markersize=8,
                    markerfacecolor=face, **looks[method])
        ax.set(title=f"n = {n}, p = {at_size['p'][0]:g}", xscale="log", yscale="log")
    for ax in axes.flat[len(groups):]:
        ax.set_axis_off()
    for number, ax in enumerate(axes.flat[: len(groups)]):
        below_is_empty = number + columns >= len(groups)
        ax.tick_params(labelbottom=below_is_empty)
        ax.set_xlabel("time in seconds" if below_is_empty else "")
    for ax in axes[:, 0]:
        ax.set_ylabel("mean " + AXES["error"])
    handles = [Line2D([], [], linestyle="none", markersize=8, label=METHODS.get(method, method), **look)
               for method, look in looks.items()]
    handles.append(Line2D([], [], linestyle="none", marker="o", markersize=8, color="0.5", markerfacecolor="white",
                          label="open: stopped at the time limit"))
    figure.legend(handles=handles, loc="outside right center")
    return figure


def in_words(method, runs):
    """Mean error and time over trials, as in the paper's table."""
    text = f"{percent(np.mean(runs['error']))}, {number(np.mean(runs['seconds']))} s"
    if method == "msp":
        text += f" ({np.mean(runs['iterations']):.0f} iterations)"
    for reason, end in (("time_limit", "at the time limit"), ("max_iterations", "at the last iteration allowed")):
        if np.any(runs.ended_by(reason)):
            text += f", {how_many(runs.ended_by(reason))} stopped {end}"
    return text


def paper_says(n, method):
    return PAPER.get(n, {}).get("online" if method.startswith("SPAMS") else method, "")


def fastest(at_size):
    """The fastest method that finds the dictionary within the time limit, in words."""
    times = {
        METHODS.get(method, method): np.mean(runs["seconds"])
        for method, runs in at_size.groups("method")
        if np.mean(runs["error"]) <= FOUND and not np.any(runs.ended_by("time_limit"))
    }
    return " before ".join(sorted(times, key=times.get)[:3]) or "none"


def findings(tables):
    table = all_rows(tables)
    found = []
    for n, at_size in table.groups("n"):
        for method in styles(at_size):
            found.append(Finding(f"n = {n}, {METHODS.get(method, method)}: error, time", paper_says(n, method),
                                 in_words(method, at_size.where(method=method))))
        found.append(Finding(f"n = {n}: fastest with an error of at most {percent(FOUND)}", "MSP", fastest(at_size)))
    return found
