# SPDX-License-Identifier: Apache-2.0
import numpy as np

from figures import legend_outside, subplots
from finding import Finding

TRANSFORMS = {
    "dct": ("DCT", "C0", "o"),
    "pca": ("PCA", "C2", "^"),
    "l4": ("ℓ4-MSP", "C3", "v"),
    "l3": ("ℓ3-MSP", "C4", "D"),
    "power:2.5": ("MSP, power 2.5", "C1", "s"),
}
SOURCES = {"itself": "learned from the image itself", "others": "learned from the other images"}


def mean_over_images(table, transform, by, column):
    """The mean over images of a column at each value of `by`."""
    runs = table.where(transform=transform)
    return np.array([np.mean(runs.where(**{by: value})[column]) for value in runs.values(by)])


def kept(table):
    return table.where(step=None)


def quantised(table):
    return table.where(kept=None)


def psnr_at(table, transform, bits):
    """The mean PSNR over images at a number of bits per pixel, interpolated between the measured points."""
    values = []
    for _, runs in quantised(table).where(transform=transform).groups("image"):
        order = np.argsort(runs["bits_per_pixel"])
        values.append(np.interp(bits, runs["bits_per_pixel"][order], runs["psnr"][order]))
    return np.mean(values)


def draw(tables):
    figure, axes = subplots(2, width=4.8, rows=2, sharex="col")
    for row, (source, title) in zip(axes, SOURCES.items()):
        table = tables["points"].where(learned_from=source)
        counts = kept(table).values("kept")
        base = mean_over_images(kept(table), "dct", "kept", "psnr")
        rates = np.linspace(0.25, 2, 8)
        for transform, (label, color, marker) in TRANSFORMS.items():
            style = {"label": label, "color": color, "marker": marker}
            row[0].plot(counts, mean_over_images(kept(table), transform, "kept", "psnr") - base, **style)
            row[1].plot(rates, [psnr_at(table, transform, rate) - psnr_at(table, "dct", rate) for rate in rates],
                        **style)
        row[0].set(ylabel=f"{title}:\nPSNR over DCT in dB", xscale="log")
        row[0].set_xticks(counts, [f"{count:g}" for count in counts])
        row[0].minorticks_off()
    axes[1][0].set_xlabel("coefficients kept of 64")
    axes[1][1].set_xlabel("entropy in bits per pixel")
    legend_outside(axes[0][1])
    return figure


def findings(tables):
    found = []
    for source, title in SOURCES.items():
        table = tables["points"].where(learned_from=source)
        for count in (1, 2, 4, 8, 16, 32):
            runs = kept(table).where(kept=count)
            means = [np.mean(runs.where(transform=name)["psnr"]) for name in TRANSFORMS]
            learned, dct, pca = (runs.where(transform=name)["psnr"] for name in ("l3", "dct", "pca"))
            wins = np.count_nonzero((learned > dct) & (learned > pca))
            found.append(Finding(f"{title}, {count} kept: mean PSNR of {'; '.join(v[0] for v in TRANSFORMS.values())}",
                                 "", "; ".join(f"{mean:.2f}" for mean in means) +
                                 f" dB; ℓ3 is ahead of DCT and PCA on {wins} of {len(dct)} images"))
        for bits in (0.25, 0.5, 1, 2):
            means = [psnr_at(table, name, bits) for name in TRANSFORMS]
            found.append(Finding(f"{title}, {bits:g} bits per pixel: mean PSNR of the same", "",
                                 "; ".join(f"{mean:.2f}" for mean in means) + " dB"))
    return found
