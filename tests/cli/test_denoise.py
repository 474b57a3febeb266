# SPDX-License-Identifier: Apache-2.0
"""orthodict denoise, with Pillow and NumPy as witnesses."""

import json
import subprocess

import numpy as np
import pytest
from PIL import Image

from harness import BINARY, REPOSITORY

USAGE, DATA = 2, 3
SIGMA = 20


@pytest.fixture(scope="module")
def photograph(tmp_path_factory):
    """A folder with a clean part, not too dark for its noise to be clipped, of a photograph and noisy ones, grey and in colour."""
    folder = tmp_path_factory.mktemp("photograph")
    clean = np.asarray(Image.open(REPOSITORY / "scripts" / "data" / "camera.png"))[20:148, 250:378]
    random = np.random.default_rng(0)

    def save(name, values):
        Image.fromarray(np.clip(np.rint(values), 0, 255).astype("u1")).save(folder / name)

    color = np.stack([clean, 0.8 * clean, 255 - 0.6 * clean], axis=2)
    save("clean.png", clean)
    save("noisy.png", clean + SIGMA * random.standard_normal(clean.shape))
    save("color.png", color)
    save("noisy-color.png", color + SIGMA * random.standard_normal(color.shape))
    return folder


def pixels(path):
    return np.asarray(Image.open(path)).astype(float)


def psnr(a, b):
    return 10 * np.log10(255**2 / np.mean((a - b) ** 2))


@pytest.mark.parametrize("kind", ["", "-color"])
def test_the_picture_is_cleaner_and_the_figures_are_its_own(run, photograph, tmp_path, kind):
    noisy, clean = photograph / f"noisy{kind}.png", photograph / ("color.png" if kind else "clean.png")
    report = run("denoise", noisy, "--output", "out.png", "--sigma", SIGMA, "--reference", clean, "--json").json
    before, after = psnr(pixels(noisy), pixels(clean)), psnr(pixels(tmp_path / "out.png"), pixels(clean))
    assert after > before + 5
    assert report["noisy"]["psnr"] == pytest.approx(before, abs=1e-6)
    assert report["denoised"]["psnr"] == pytest.approx(after, abs=1e-6)
    assert 0 < report["noisy"]["ssim"] < report["denoised"]["ssim"] < 1
    assert report["channels"] == (3 if kind else 1) and report["sigma"] == SIGMA and not report["sigma_estimated"]


def test_the_noise_is_estimated(run, photograph):
    report = run("denoise", photograph / "noisy.png", "--output", "out.png", "--json").json
    assert report["sigma_estimated"] and report["sigma"] == pytest.approx(SIGMA, rel=0.1)
    text = run("denoise", photograph / "noisy.png", "--output", "out.png").text
    assert "(estimated)" in text and "PSNR" not in text


def test_a_picture_without_noise_stays_as_it_is(run, tmp_path):
    Image.fromarray(np.full((40, 50), 77, "u1")).save(tmp_path / "flat.png")
    assert "no noise was found" in run("denoise", "flat.png", "--output", "out.png").text
    np.testing.assert_array_equal(pixels(tmp_path / "out.png"), 77)


def test_the_learned_transform_is_ahead_of_cosines(run, photograph):
    def quality(*options):
        return run("denoise", photograph / "noisy.png", "--output", "out.png", "--sigma", SIGMA, "--reference",
                   photograph / "clean.png", "--json", *options).json["denoised"]["psnr"]

    assert quality() > quality("--transform", "dct")


def test_the_transform_can_be_kept_and_drawn(run, photograph, tmp_path):
    run("denoise", photograph / "noisy-color.png", "--output", "out.png", "--patch", "4x6", "--model", "model.npz")
    with np.load(tmp_path / "model.npz") as model:
        atoms = model["dictionary"]
        assert json.loads(str(model["metadata"]))["sample_shape"] == [4, 6, 3]
    np.testing.assert_allclose(atoms @ atoms.T, np.eye(72), atol=1e-12)
    run("atoms", "model.npz", "--output", "atoms.png")
    assert Image.open(tmp_path / "atoms.png").mode == "RGB"


def test_a_transform_is_used_again(run, photograph, tmp_path):
    noisy = photograph / "noisy.png"
    run("denoise", noisy, "--output", "a.png", "--sigma", SIGMA, "--model", "model.npz")
    report = run("denoise", noisy, "--output", "b.png", "--sigma", SIGMA, "--transform", "model.npz", "--json").json
    assert report["iterations"] == 0
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    np.savez(tmp_path / "other.npz", dictionary=np.eye(3), analysis=np.eye(3), mean=np.zeros(3), metadata="{}")
    assert "patches" in run("denoise", noisy, "--output", "c.png", "--transform", "other.npz", expect=USAGE).stderr


def test_several_images_go_to_a_folder(run, photograph, tmp_path):
    names = ["noisy.png", "clean.png"]
    answer = run("denoise", *(photograph / name for name in names), "--output", "new/folder", "--quality", "fast", "--json")
    assert [report["output"] for report in answer.json["images"]] == [f"new/folder/{name}" for name in names]
    run("denoise", photograph / "noisy.png", "--output", "one.png", "--quality", "fast")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "new/folder/noisy.png").read_bytes()
    run("denoise", photograph, "--output", "all", "--quality", "fast")
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == [
        "clean.png", "color.png", "noisy-color.png", "noisy.png"]
    answer = run("denoise", photograph, "--output", "all", "--model", "m.npz", expect=USAGE)
    assert "several images" in answer.stderr


def test_standard_input_and_output(run, photograph, tmp_path):
    run("denoise", photograph / "noisy.png", "--output", "a.png", "--quality", "fast")
    with open(photograph / "noisy.png", "rb") as noisy:
        done = subprocess.run([BINARY, "denoise", "-", "--output", "-", "--quality", "fast"], stdin=noisy,
                              capture_output=True, check=True)
    assert done.stdout == (tmp_path / "a.png").read_bytes()
    assert b"-: 128x128 pixels" in done.stderr


def test_a_large_basis_for_a_small_picture_is_warned_of(run, photograph):
    warning = "the transform may fit the noise"
    for patch, is_large in (("8x8", False), ("16x16", True)):
        text = run("denoise", photograph / "noisy.png", "--output", "a.png", "--patch", patch, "--quality", "fast").text
        assert (warning in text) == is_large


def test_transparency_is_kept(run, photograph, tmp_path):
    noisy = Image.open(photograph / "noisy-color.png")
    alpha = Image.fromarray(np.arange(128 * 128).reshape(128, 128).astype("u1"))
    noisy.putalpha(alpha)
    noisy.save(tmp_path / "a.png")
    run("denoise", photograph / "noisy-color.png", "--output", "plain.png", "--quality", "fast")
    for name in ("b.png", "b.tif"):
        run("denoise", "a.png", "--output", name, "--quality", "fast")
        found = Image.open(tmp_path / name)
        assert found.mode == "RGBA"
        np.testing.assert_array_equal(np.asarray(found)[..., 3], np.asarray(alpha))
        np.testing.assert_array_equal(np.asarray(found)[..., :3], np.asarray(Image.open(tmp_path / "plain.png")))


def test_floating_point_stays_so(run, photograph, tmp_path):
    noisy = pixels(photograph / "noisy.png").astype(np.float32) / 255 * 40  # off the usual scale
    Image.fromarray(noisy).save(tmp_path / "noisy.tif")
    run("denoise", "noisy.tif", "--output", "out.tif", "--quality", "fast")
    found = np.asarray(Image.open(tmp_path / "out.tif"))
    clean = pixels(photograph / "clean.png") / 255 * 40
    assert found.dtype == np.float32
    assert np.mean((found - clean) ** 2) < 0.3 * np.mean((noisy - clean) ** 2)


def test_equal_runs_give_equal_files(run, photograph, tmp_path):
    for name, threads in (("a.png", 1), ("b.png", 2)):
        run("denoise", photograph / "noisy.png", "--output", name, "--threads", threads)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_sixteen_bits_stay_sixteen(run, tmp_path):
    values = np.random.default_rng(1).normal(30000, 500, (32, 40)).astype("u2")
    Image.fromarray(values).save(tmp_path / "deep.png")
    run("denoise", "deep.png", "--output", "out.png")
    assert Image.open(tmp_path / "out.png").mode.startswith("I")


@pytest.mark.parametrize("options, code, words", [
    (["--sigma", "0"], USAGE, "sigma = 0"),
    (["--sigma", "nan"], USAGE, "sigma"),
    (["--threshold", "-1"], USAGE, "threshold = -1"),
    (["--transform", "wavelet"], USAGE, "learned, l4 or dct"),
    (["--transform", "missing.npz"], DATA, "missing.npz"),
    (["--quality", "good"], USAGE, "best or fast"),
    (["--noise-model", "poisson", "--sigma", "3"], USAGE, "noise_model"),
    (["--patch", "8"], USAGE, "HEIGHTxWIDTH"),
    (["--patch", "130x4"], DATA, "130×4"),
    (["--patch", "64x64"], USAGE, "32x32"),
    (["--model", "model.txt"], USAGE, ".npz"),
    (["--threads", "0"], USAGE, "threads = 0"),
    (["--reference", "missing.png"], DATA, "missing.png"),
])
def test_what_is_refused(run, photograph, tmp_path, options, code, words):
    answer = run("denoise", photograph / "noisy.png", "--output", "out.png", *options, expect=code)
    assert words in answer.stderr and not (tmp_path / "out.png").exists()


def test_files_that_are_refused(run, photograph, tmp_path):
    (tmp_path / "junk.png").write_text("this is no image")
    assert "junk.png" in run("denoise", "junk.png", "--output", "out.png", expect=DATA).stderr
    assert "out.npy" in run("denoise", photograph / "noisy.png", "--output", "out.npy", expect=USAGE).stderr
    answer = run("denoise", photograph / "noisy.png", "--output", "out.png", "--reference", photograph / "color.png",
                 expect=DATA)
    assert "color.png" in answer.stderr and "channels" in answer.stderr
    Image.fromarray(np.zeros((5, 5), "u1")).save(tmp_path / "small.png")
    run("denoise", "small.png", "--output", "out.png", expect=DATA)
    assert not (tmp_path / "out.png").exists()
