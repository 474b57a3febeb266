# SPDX-License-Identifier: Apache-2.0
"""Runs third-party denoisers on the noisy images of the denoising experiment (grey, σ = 25).

    experiments/denoising/peers.py OUTPUT

Writes the mean PSNR of each to OUTPUT/denoising/others.json. Install the packages by pip install bm3d scikit-image;
missing ones are skipped. All get the true noise level.
"""

import argparse
import importlib
import json
import pathlib
import sys

import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIGMA = 25


def bm3d(module, noisy):
    return module.bm3d(noisy, SIGMA)


def nonlocal_means(module, noisy):
    return 255 * module.denoise_nl_means(noisy / 255, h=0.8 * SIGMA / 255, sigma=SIGMA / 255, fast_mode=True,
                                         patch_size=5, patch_distance=6)


def total_variation(module, noisy):
    return 255 * module.denoise_tv_chambolle(noisy / 255, weight=0.1)


PEERS = {
    "BM3D": ("bm3d", bm3d),
    "non-local means": ("skimage.restoration", nonlocal_means),
    "total variation": ("skimage.restoration", total_variation),
}


def clean_image(data, name):
    """The luma of the central 512×512 pixels, as in the experiment."""
    image = np.asarray(Image.open(data / "images" / f"{name}.png")).astype(float)
    if image.ndim == 3:
        image = image @ [0.299, 0.587, 0.114]
    top, left = (image.shape[0] - 512) // 2, (image.shape[1] - 512) // 2
    return image[top : top + 512, left : left + 512]


def psnr(image, reference):
    return 10 * np.log10(255**2 / np.mean((np.clip(image, 0, 255) - reference) ** 2))


def run(function, module, folder, data):
    """The mean PSNR over all noisy images in the folder."""
    values = []
    for path in sorted(folder.glob("*.npy")):
        values.append(psnr(function(module, np.load(path)), clean_image(data, path.stem)))
        print(f"  {path.stem}: {values[-1]:.2f} dB", file=sys.stderr)
    return float(np.mean(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, help="output folder of orthodict-experiment")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "data", help="folder of scripts/get-data images")
    arguments = parser.parse_args()
    folder = arguments.output / "denoising"
    if not list(folder.glob("*.npy")):
        parser.error(f"{folder} has no noisy images: run orthodict-experiment run denoising first")
    means = {}
    for name, (package, function) in PEERS.items():
        try:
            module = importlib.import_module(package)
        except ImportError as error:
            print(f"{name} is skipped: {error}", file=sys.stderr)
            continue
        print(name, file=sys.stderr)
        means[name] = run(function, module, folder, arguments.data)
        (folder / "others.json").write_text(json.dumps(means, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
