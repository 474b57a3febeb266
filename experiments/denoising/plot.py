# SPDX-License-Identifier: Apache-2.0
import json

import numpy as np

from figures import legend_outside, subplots
from finding import Finding

TRANSFORMS = {"dct": "DCT", "l4": "ℓ4-MSP", "learned": "learned"}


def gains(table, over):
    """PSNR of the learned transform minus that of another one, per image."""
    return {image: float(runs.where(transform="learned")["psnr"][0] - runs.where(transform=over)["psnr"][0])
            for image, runs in table.groups("image")}


def settings(tables):
    """All combinations of image type, patch size and noise level that were run: label, and rows."""
    return [(f"{kind}, {patch:g}×{patch:g}, σ = {sigma:g}", tables[name].where(patch=patch, sigma=sigma))
            for name, kind in (("grey", "grey"), ("color", "colour"))
            for patch in tables[name].values("patch") for sigma in tables[name].where(patch=patch).values("sigma")]


def draw(tables):
    runs = tables["grey"].where(sigma=25)
    figure, axes = subplots(2, width=5.4, height=3.8, sharey=True)
    for ax, over in zip(axes, ("dct", "l4")):
        for number, patch in enumerate(runs.values("patch")):
            values = gains(runs.where(patch=patch), over)
            ax.bar(np.arange(len(values)) + 0.4 * number - 0.2, list(values.values()), 0.4, label=f"{patch:g}×{patch:g}")
            ax.axhline(np.mean(list(values.values())), color=f"C{number}", linestyle=":")
        ax.set_xticks(np.arange(len(values)), list(values), rotation=60, ha="right")
        ax.set_title(f"σ = 25: learned over {TRANSFORMS[over]}")
    axes[0].set_ylabel("gain of PSNR in dB; dotted: mean")
    legend_outside(axes[-1], title="patches")
    return figure


def read_peers(tables):
    """The results of peers.py on the same noisy images, if any: {method: mean PSNR at σ = 25}."""
    path = tables.folder / "others.json"
    return json.loads(path.read_text()) if path.exists() else {}


def findings(tables):
    found = []
    for what, table in settings(tables):
        means = {name: np.mean(table.where(transform=name)["psnr"]) for name in TRANSFORMS}
        found.append(Finding(f"{what}: mean PSNR of DCT; ℓ4-MSP; learned", "",
                             "; ".join(f"{mean:.2f}" for mean in means.values()) + " dB"))
        for over in ("dct", "l4"):
            values = list(gains(table, over).values())
            found.append(Finding(f"{what}: learned over {TRANSFORMS[over]}, mean (range)", "",
                                 f"{np.mean(values):+.2f} dB ({min(values):+.2f} to {max(values):+.2f})"))
        seconds = table.where(transform="learned")["seconds"]
        found.append(Finding(f"{what}: time of an image, learned, median (most)", "",
                             f"{np.median(seconds):.2f} s ({np.max(seconds):.2f} s)"))
    for sigma in tables["grey"].values("sigma"):
        estimates = tables["grey"].where(sigma=sigma, transform="dct")["estimate"]
        found.append(Finding(f"σ = {sigma:g}: estimates", "", f"{np.min(estimates):.1f} to {np.max(estimates):.1f}"))
    for method, psnr in read_peers(tables).items():
        found.append(Finding(f"σ = 25: mean PSNR of {method}, same noisy images", "", f"{psnr:.2f} dB"))
    return found
