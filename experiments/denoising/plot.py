# SPDX-License-Identifier: Apache-2.0
import json

import numpy as np

from figures import subplots
from finding import Finding

PROGRAMS = {("dct", "fast"): "cosines, fast", ("l4", "fast"): "ℓ4-MSP, fast", ("learned", "fast"): "learned, fast",
            ("dct", "best"): "cosines, best", ("learned", "best"): "learned, best"}


def settings(tables):
    """All combinations of image type and noise level that were run: label, and rows."""
    return [(f"{kind}, σ = {sigma:g}", tables[name].where(sigma=sigma))
            for name, kind in (("grey", "grey"), ("color", "colour")) for sigma in tables[name].values("sigma")]


def results(tables):
    """PSNR at σ = 25 by program and photograph: of peers.py, or else of the experiment, which has no other programs."""
    path = tables.folder / "others.json"
    found = {}
    if path.exists():
        for run in json.loads(path.read_text()):
            if run["sigma"] == 25:
                found.setdefault(run["program"], {})[run["image"]] = run["psnr"]
        return found
    for (transform, quality), program in PROGRAMS.items():
        for image, runs in tables["grey"].where(sigma=25, transform=transform, quality=quality).groups("image"):
            found.setdefault(program, {})[image] = float(runs["psnr"][0])
    return found


def draw(tables):
    found = results(tables)
    best = found["learned, best"]
    images = sorted(best, key=best.get)
    figure, ax = subplots(1, width=7.5, height=4.6)
    for number, (program, psnr) in enumerate(found.items()):
        ax.plot([psnr[image] for image in images], np.arange(len(images)), "o", color=f"C{number}", alpha=0.8)
        mean = np.mean(list(psnr.values()))
        ax.text(0.02, 0.97 - 0.06 * number, f"{program}: {mean:.2f} dB", transform=ax.transAxes, color=f"C{number}", va="top")
    ax.set_yticks(np.arange(len(images)), images)
    ax.set_xlabel("PSNR in dB at σ = 25; with each program's mean")
    ax.grid(axis="y", alpha=0.3)
    return figure


def findings(tables):
    found = []
    for what, table in settings(tables):
        for (transform, quality), program in PROGRAMS.items():
            runs = table.where(transform=transform, quality=quality)
            found.append(Finding(f"{what}: {program}, mean PSNR; median time of an image", "",
                                 f"{np.mean(runs['psnr']):.2f} dB; {np.median(runs['seconds']):.2f} s"))
    for sigma in tables["grey"].values("sigma"):
        estimates = tables["grey"].where(sigma=sigma, transform="dct", quality="fast")["estimate"]
        found.append(Finding(f"σ = {sigma:g}: estimates", "", f"{np.min(estimates):.1f} to {np.max(estimates):.1f}"))
    return found
