# SPDX-License-Identifier: Apache-2.0
"""denoise() gives the results of the command, for all types of images in Python."""

import numpy as np
import pytest
from support import command

import orthodict

SIGMA = 20.0


def read_pgm(path):
    magic, size, largest, pixels = path.read_bytes().split(b"\n", 3)
    assert magic == b"P5"
    width, height = map(int, size.split())
    return np.frombuffer(pixels, {b"255": ">u1", b"65535": ">u2"}[largest]).reshape(height, width)


def write_pgm(path, pixels):
    largest = np.iinfo(pixels.dtype).max
    head = f"P5\n{pixels.shape[1]} {pixels.shape[0]}\n{largest}\n"
    path.write_bytes(head.encode() + pixels.astype(pixels.dtype.newbyteorder(">")).tobytes())


@pytest.fixture(scope="module")
def clean():
    """Stripes of several directions: sparse in a transform that is learned."""
    y, x = np.mgrid[:64, :96]
    return 127 + 60 * np.sign(np.sin(0.7 * x + 0.2 * y)) * (y < 32) + 60 * np.sign(np.sin(0.3 * x - 0.5 * y)) * (y >= 32)


@pytest.fixture(scope="module")
def noisy(clean):
    return clean + SIGMA * np.random.default_rng(0).standard_normal(clean.shape)


def deviation(image, clean):
    return np.sqrt(np.mean((np.asarray(image, dtype=np.float64) - clean) ** 2))


def test_noise_is_removed_and_measured(clean, noisy):
    result = orthodict.denoise(noisy, sigma=SIGMA)
    assert deviation(result.image, clean) < 0.6 * deviation(noisy, clean)
    assert result.image.dtype == np.float64 and result.sigma == SIGMA and result.iterations > 0
    assert result.model.dictionary.shape == (64, 64)
    np.testing.assert_allclose(result.model.dictionary @ result.model.dictionary.T, np.eye(64), atol=1e-5)
    assert result.model.details["denoise"] == {"transform": "learned", "sigma": SIGMA, "threshold": 2.7, "quality": "best",
                                               "seed": 0}
    assert orthodict.denoise(noisy, sigma=SIGMA, seed=7).model.details["denoise"]["seed"] == 7
    assert orthodict.denoise(noisy, transform="dct").iterations == 0


def test_a_transform_is_used_again(noisy):
    first = orthodict.denoise(noisy, sigma=SIGMA, quality="fast")
    again = orthodict.denoise(noisy, sigma=SIGMA, quality="fast", transform=first.model)
    np.testing.assert_array_equal(again.image, first.image)
    assert first.iterations > 0 and again.iterations == 0
    assert first.noise_model == "gaussian" and first.gain == 0


@pytest.mark.parametrize(("dtype", "largest"), [(np.uint8, 255), (np.uint16, 65535)])
def test_integers_give_what_the_command_gives(noisy, tmp_path, dtype, largest):
    pixels = np.rint(np.clip(noisy, 0, 255) * (largest / 255)).astype(dtype)
    write_pgm(tmp_path / "noisy.pgm", pixels)
    command("denoise", "noisy.pgm", "--output", "clean.pgm", "--patch", "4x6", "--seed", 3, cwd=tmp_path)
    found = orthodict.denoise(pixels, patch=(4, 6), seed=3).image
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, read_pgm(tmp_path / "clean.pgm"))


def test_colour_threads_and_noise_that_is_estimated(clean, noisy):
    colours = np.stack([noisy, noisy[::-1], 255 - noisy], axis=2).astype(np.float32)
    one, two = (orthodict.denoise(colours, threads=threads) for threads in (1, 2))
    assert one.image.shape == colours.shape and one.image.dtype == np.float32
    assert one.image.tobytes() == two.image.tobytes()
    assert abs(one.sigma - SIGMA) < 0.25 * SIGMA
    assert deviation(one.image[..., 0], clean) < 0.7 * SIGMA


@pytest.mark.parametrize(("arguments", "message"), [
    ({"image": np.zeros((8, 8, 2))}, r"shape \(8, 8, 2\)"),
    ({"image": np.zeros((8, 8), dtype=np.int32)}, "int32"),
    ({"image": np.linspace(0, 65535, 256).reshape(16, 16)}, "from 0 to 65535"),
    ({"image": np.linspace(-128, 127, 256).reshape(16, 16)}, "from -128 to 127"),
    ({"image": np.full((16, 16), np.nan)}, "finite"),
    ({"image": np.zeros((4, 4)), "sigma": 1}, "smaller than a patch"),
    ({"image": np.zeros((4, 4)), "patch": (2, 2)}, "8×8"),
    ({"image": np.zeros((16, 16)), "sigma": -1}, "sigma"),
    ({"image": np.zeros((16, 16)), "transform": "wavelet"}, "wavelet"),
    ({"image": np.zeros((64, 64)), "patch": (64, 64)}, "1024"),
    ({"image": np.zeros((16, 16)), "quality": "good"}, "fast"),
    ({"image": np.zeros((16, 16)), "sigma": 1, "noise_model": "poisson"}, "noise_model"),
])
def test_refusals(arguments, message):
    """What is off the scale too: a picture of another one would be clipped."""
    with pytest.raises(ValueError, match=message):
        orthodict.denoise(**arguments)


@pytest.mark.parametrize("patch", [16, "8x8", (8,), (8, 8, 3), (8.5, 8)])
def test_patches_are_pairs(patch):
    with pytest.raises(TypeError, match="patch must be"):
        orthodict.denoise(np.zeros((16, 16)), patch=patch)
