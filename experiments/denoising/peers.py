# SPDX-License-Identifier: Apache-2.0
"""Denoises photographs with orthodict and with other programs: the same noise, one thread, PSNR and CPU seconds.

    experiments/denoising/peers.py [--output FILE] [IMAGE ...]

Prints the means, and writes all results to FILE as JSON, which plot.py draws. The noise has deviation 15, 25 and 50, is
neither rounded nor clipped, and is known to all programs. Needs the package orthodict. Install the others by
pip install bm3d scikit-image; missing ones are skipped.
"""

import argparse
import importlib
import json
import os
import pathlib
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIGMAS = (15, 25, 50)
IMAGES = ("astronaut", "barbara", "brick", "camera", "grass", "gravel", "kodim23", "monarch", "moon", "sail", "tulips")


def ours(**options):
    return lambda module, noisy, sigma: module.denoise(noisy, sigma=sigma, threads=1, **options).image


def nonlocal_means(module, noisy, sigma):
    return 255 * module.denoise_nl_means(noisy / 255, h=0.8 * sigma / 255, sigma=sigma / 255, fast_mode=True,
                                         patch_size=5, patch_distance=6)


PROGRAMS = {
    "learned, best": ("orthodict", ours()),
    "cosines, best": ("orthodict", ours(transform="dct")),
    "learned, fast": ("orthodict", ours(quality="fast")),
    "BM3D": ("bm3d", lambda module, noisy, sigma: module.bm3d(noisy, sigma)),
    "non-local means": ("skimage.restoration", nonlocal_means),
}


def clean_image(data, name):
    """The luma of the central 512×512 pixels."""
    image = np.asarray(Image.open(data / "images" / f"{name}.png")).astype(float)
    if image.ndim == 3:
        image = image[..., :3] @ [0.299, 0.587, 0.114]
    top, left = (image.shape[0] - 512) // 2, (image.shape[1] - 512) // 2
    return image[top : top + 512, left : left + 512].astype(np.float32)


def psnr(image, reference):
    return 10 * np.log10(255**2 / np.mean((np.clip(image, 0, 255) - reference) ** 2))


def available():
    for name, (package, function) in PROGRAMS.items():
        try:
            yield name, importlib.import_module(package), function
        except ImportError as error:
            print(f"{name} is skipped: {error}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images", nargs="*", default=IMAGES, metavar="IMAGE", help="names of photographs (default: all)")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "data", help="folder of scripts/get-data images")
    parser.add_argument("--output", type=pathlib.Path, help="write all results to this JSON file")
    arguments = parser.parse_args()
    programs = list(available())
    results = []
    for sigma in SIGMAS:
        for name in arguments.images:
            clean = clean_image(arguments.data, name)
            noise = np.random.default_rng(sigma).standard_normal(clean.shape) * sigma
            noisy = (clean + noise).astype(np.float32).astype(float)
            for program, module, function in programs:
                start = time.process_time()
                found = function(module, noisy, sigma)
                seconds = time.process_time() - start
                results.append({"sigma": sigma, "image": name, "program": program, "psnr": psnr(found, clean),
                                "seconds": seconds})
                print(f"  σ = {sigma} {name}, {program}: {results[-1]['psnr']:.2f} dB, {seconds:.1f} s", file=sys.stderr)
        for program, _, _ in programs:
            mine = [r for r in results if r["sigma"] == sigma and r["program"] == program]
            print(f"σ = {sigma}, {program}: {np.mean([r['psnr'] for r in mine]):.2f} dB, "
                  f"{np.mean([r['seconds'] for r in mine]):.1f} CPU s")
    if arguments.output:
        arguments.output.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
