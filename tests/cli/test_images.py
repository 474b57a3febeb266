# SPDX-License-Identifier: Apache-2.0
"""Images as samples and as results, with Pillow and NumPy as witnesses."""

import io
import os
import struct
import subprocess

import numpy as np
import PIL.Image
import pytest
from harness import BINARY, EPSILON, Model, listing, peak_memory, unsanitized
from image_files import luma, patches, picture, png_bytes, png_chunk, save_identity

MSP = ("--method", "msp", "--dictionary", "orthogonal")


@pytest.fixture
def pixels_of(run, tmp_path):
    """pixels_of(name, color=False): what the command reads, pixel by pixel, one row each."""

    def read(name, color=False):
        save_identity(tmp_path / "eye.npz", 3 if color else 1)
        run("encode", "eye.npz", name, "--patch", "1x1", *(["--color"] if color else []), "--output", "pixels.npy")
        return np.load(tmp_path / "pixels.npy")

    return read


def saved(image, kind, **options):
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def grey_files():
    grey = PIL.Image.fromarray(picture(21, 34))
    yield "L.png", saved(grey, "PNG")
    yield "1.png", saved(grey.convert("1"), "PNG")
    yield "L.jpg", saved(grey, "JPEG", quality=80)
    yield "progressive.jpg", saved(grey, "JPEG", quality=80, progressive=True)
    yield "L.pgm", saved(grey, "PPM")
    yield "interlaced.png", png_bytes(picture(21, 34), interlaced=True)
    for side in (1, 2, 3, 5):
        yield f"interlaced-{side}.png", png_bytes(picture(side, side), interlaced=True)
    yield "text.pgm", b"P2 # plain\n3 2\n15\n" + b"0 1 2\n3 14 15\n"


@pytest.mark.parametrize("name", [name for name, _ in grey_files()])
def test_grey_is_read_as_pillow_reads_it(pixels_of, tmp_path, name):
    (tmp_path / name).write_bytes(dict(grey_files())[name])
    expected = np.asarray(PIL.Image.open(tmp_path / name).convert("L"), float)
    assert np.array_equal(pixels_of(name)[:, 0], expected.ravel())
    assert np.array_equal(pixels_of(name, color=True), np.repeat(expected.reshape(-1, 1), 3, axis=1))


def color_files():
    color = PIL.Image.fromarray(picture(21, 34, 3))
    yield "RGB.png", saved(color, "PNG")
    yield "RGB.ppm", saved(color, "PPM")
    yield "444.jpg", saved(color, "JPEG", quality=90, subsampling=0)
    yield "420.jpg", saved(color, "JPEG", quality=60, subsampling=2)
    yield "progressive.jpg", saved(color, "JPEG", quality=60, progressive=True)
    for colors, bits in ((2, 1), (4, 2), (16, 4), (200, 8)):
        yield f"P{bits}.png", saved(color.quantize(colors), "PNG", bits=bits)
    yield "interlaced.png", png_bytes(picture(21, 34, 3), interlaced=True)


@pytest.mark.parametrize("name", [name for name, _ in color_files()])
def test_color_is_read_as_pillow_reads_it(pixels_of, tmp_path, name):
    (tmp_path / name).write_bytes(dict(color_files())[name])
    expected = np.asarray(PIL.Image.open(tmp_path / name).convert("RGB"), float).reshape(-1, 3)
    assert np.array_equal(pixels_of(name, color=True), expected)
    assert np.array_equal(pixels_of(name)[:, 0], luma(expected))


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("largest", [255, 65535])
def test_every_depth_and_transparency(pixels_of, tmp_path, channels, largest):
    """Values of 16 bits are divided by 257, and pixels are what they are under the transparency."""
    pixels = picture(19, 23, channels, largest=largest)
    (tmp_path / "a.png").write_bytes(png_bytes(pixels))
    visible = pixels.reshape(19 * 23, channels)[:, : 1 if channels < 3 else 3]
    expected = (visible * 255.0 / largest).astype(np.float32)
    assert np.array_equal(pixels_of("a.png", color=True), np.broadcast_to(expected, (19 * 23, 3)))
    grey = luma(expected) if channels > 2 else expected[:, 0]
    assert np.array_equal(pixels_of("a.png")[:, 0], grey)


def tiff_files():
    color, grey = PIL.Image.fromarray(picture(21, 34, 3)), PIL.Image.fromarray(picture(21, 34))
    for compression in (None, "tiff_lzw", "tiff_adobe_deflate", "packbits"):
        yield f"RGB-{compression}.tif", saved(color, "TIFF", compression=compression)
        yield f"L-{compression}.tif", saved(grey, "TIFF", compression=compression)
    yield "rgba.tif", saved(PIL.Image.fromarray(picture(21, 34, 4)), "TIFF")


@pytest.mark.parametrize("name", [name for name, _ in tiff_files()])
def test_tiff_is_read_as_pillow_reads_it(pixels_of, tmp_path, name):
    (tmp_path / name).write_bytes(dict(tiff_files())[name])
    expected = np.asarray(PIL.Image.open(tmp_path / name).convert("RGB"), float)
    assert np.array_equal(pixels_of(name, color=True), expected.reshape(-1, 3))


def test_tiff_is_turned_upright(pixels_of, tmp_path):
    PIL.Image.fromarray(picture(21, 34)).save(tmp_path / "turned.tif", tiffinfo={274: 6})  # the tag of orientation
    assert np.array_equal(pixels_of("turned.tif")[:, 0], np.rot90(picture(21, 34), -1).ravel())


def test_tiff_of_sixteen_bits_and_of_floating_point(pixels_of, tmp_path):
    deep = picture(21, 34, largest=65535)
    PIL.Image.fromarray(deep).save(tmp_path / "deep.tif")
    assert np.array_equal(pixels_of("deep.tif")[:, 0], (deep / 257).astype(np.float32).ravel())
    PIL.Image.fromarray((deep / 65535).astype(np.float32)).save(tmp_path / "float.tif")
    np.testing.assert_allclose(pixels_of("float.tif")[:, 0], deep.ravel() / 257, rtol=3e-7)


def test_a_colour_that_is_marked_transparent_stays(pixels_of, tmp_path):
    grey = picture(5, 6)
    (tmp_path / "a.png").write_bytes(png_bytes(grey, more=png_chunk(b"tRNS", struct.pack(">H", grey[0, 0]))))
    assert np.array_equal(pixels_of("a.png")[:, 0], grey.ravel())


def test_gamma_and_animations_change_nothing(pixels_of, tmp_path):
    grey = picture(5, 6)
    more = png_chunk(b"gAMA", struct.pack(">I", 100000)) + png_chunk(b"acTL", struct.pack(">II", 2, 0))
    (tmp_path / "a.png").write_bytes(png_bytes(grey, more=more))
    assert np.array_equal(pixels_of("a.png")[:, 0], grey.ravel())


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("largest", [1, 7, 255, 256, 1000, 65535])
@pytest.mark.parametrize("binary", [False, True])
def test_netpbm_of_every_maxval(pixels_of, tmp_path, channels, largest, binary):
    pixels = picture(4, 5, channels, largest=largest)
    kind = {1: 2, 3: 3}[channels] + 3 * binary
    header = f"P{kind}\n# a comment\n5 4 # another\n{largest}\n".encode()
    text = " ".join(map(str, pixels.ravel())).encode()
    raster = pixels.astype(pixels.dtype.newbyteorder(">")).tobytes()
    (tmp_path / "a.pnm").write_bytes(header + (raster if binary else text))
    expected = (pixels * 255.0 / largest).astype(np.float32).reshape(20, channels)
    assert np.array_equal(pixels_of("a.pnm", color=True), np.broadcast_to(expected, (20, 3)))


def decode_to(run, tmp_path, name, pixels, *more):
    """The pixels (height, width[, 3]) written by decode."""
    height, width = pixels.shape[:2]
    shape = (1, 1) if pixels.ndim == 2 else (1, 1, 3)
    save_identity(tmp_path / "eye.npz", int(np.prod(shape)), sample_shape=shape)
    np.save(tmp_path / "codes.npy", pixels.reshape(height * width, -1))
    return run("decode", "eye.npz", "codes.npy", "--output", name, "--size", f"{height}x{width}", *more)


@pytest.mark.parametrize("channels", [1, 3])
def test_pillow_reads_what_is_written(run, tmp_path, channels):
    pixels = picture(21, 34, channels)
    for name in ("a.png", "a.ppm", "a.pgm") if channels == 1 else ("a.png", "a.ppm"):
        decode_to(run, tmp_path, name, pixels.astype(float))
        read = PIL.Image.open(tmp_path / name)
        assert read.mode == ("L" if channels == 1 and name != "a.ppm" else "RGB")
        assert np.array_equal(np.asarray(read.convert("L" if channels == 1 else "RGB")), pixels)
    for name in ("a.jpg", "a.jpeg"):
        decode_to(run, tmp_path, name, pixels.astype(float))
        read = PIL.Image.open(tmp_path / name)
        assert (read.format, read.mode, read.size) == ("JPEG", "L" if channels == 1 else "RGB", (34, 21))
        # Pillow's own file of the same quality, without subsampling: the same transform and tables.
        expected = saved(PIL.Image.fromarray(pixels), "JPEG", quality=95, subsampling=0)
        assert np.array_equal(np.asarray(read), np.asarray(PIL.Image.open(io.BytesIO(expected))))


def test_sixteen_bits_are_written(run, tmp_path):
    pixels = picture(21, 34, largest=65535)
    for name in ("a.png", "a.pgm"):
        decode_to(run, tmp_path, name, pixels / 257, "--depth", 16)
        assert np.array_equal(np.asarray(PIL.Image.open(tmp_path / name)), pixels)


def test_values_are_rounded_and_clipped(run, tmp_path):
    decode_to(run, tmp_path, "a.png", np.array([[-3, 0.4, 0.6], [254.6, 300, 7]]))
    assert np.asarray(PIL.Image.open(tmp_path / "a.png")).tolist() == [[0, 0, 1], [255, 255, 7]]


@pytest.mark.parametrize("stride", [1, 2, 3, 7])
@pytest.mark.parametrize("shape", ["1x1", "4x6", "8x8", "21x34", "21x1"])
@pytest.mark.parametrize("channels", [1, 3])
def test_patches_are_windows(run, tmp_path, stride, shape, channels):
    pixels = picture(21, 34, channels)
    PIL.Image.fromarray(pixels).save(tmp_path / "a.png")
    height, width = map(int, shape.split("x"))
    save_identity(tmp_path / "eye.npz", height * width * channels)
    color = ["--color"] if channels == 3 else []
    answer = run("encode", "eye.npz", "a.png", "--patch", shape, "--stride", stride, *color, "--output", "p.npy")
    expected = patches(pixels, height, width, stride)
    assert answer.text.startswith(f"p.npy: {len(expected)} codes")
    assert np.array_equal(np.load(tmp_path / "p.npy"), expected)


@pytest.fixture(scope="module")
def photo(tmp_path_factory):
    """A folder with a picture in grey and colour, and models of their patches."""
    folder = tmp_path_factory.mktemp("photo")
    PIL.Image.fromarray(picture(60, 83)).save(folder / "grey.png")
    PIL.Image.fromarray(picture(60, 83, 3)).save(folder / "color.png")
    for name, more in (("grey", ["--patch", "6x5"]), ("color", ["--patch", "4x3", "--color"])):
        subprocess.run(
            [BINARY, "fit", f"{name}.png", *more, *MSP, "--max-iterations", "3", "--output", f"{name}.npz"],
            cwd=folder, check=False, capture_output=True,
        )  # fmt: skip
    return folder


@pytest.mark.parametrize(("name", "shape"), [("grey", [6, 5]), ("color", [4, 3, 3])])
def test_a_model_knows_the_shape_of_its_atoms(photo, name, shape):
    model = Model(photo / f"{name}.npz")
    assert model.metadata["sample_shape"] == shape
    assert model.dictionary.shape == (np.prod(shape), np.prod(shape))


@pytest.mark.parametrize("name", ["grey", "color"])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_encode_and_decode_give_the_image_back(run, photo, tmp_path, name, stride):
    """The dictionary is orthogonal: a pixel comes back up to rounding, which is far below half a grey value."""
    run("encode", photo / f"{name}.npz", photo / f"{name}.png", "--stride", stride, "--output", "c.npy")
    report = run("decode", photo / f"{name}.npz", "c.npy", "--stride", stride, "--size", "60x83", "--output", "b.png",
                 "--json").json  # fmt: skip
    count = len(np.load(tmp_path / "c.npy"))
    assert report == {"height": 60, "width": 83, "patches": count, "output": "b.png"}
    pixels = np.asarray(PIL.Image.open(photo / f"{name}.png"))
    assert np.array_equal(np.asarray(PIL.Image.open(tmp_path / "b.png")), pixels)


def test_decode_averages_what_overlaps(run, photo, tmp_path):
    """With few coefficients patches differ where they overlap: a pixel is their mean."""
    run("encode", photo / "grey.npz", photo / "grey.png", "--top", 3, "--stride", 2, "--output", "c.npy")
    run("decode", photo / "grey.npz", "c.npy", "--stride", 2, "--size", "60x83", "--depth", 16, "--output", "b.png")
    model = Model(photo / "grey.npz")
    parts = np.load(tmp_path / "c.npy") @ model.dictionary + model.mean
    where = patches(np.arange(60 * 83).reshape(60, 83), 6, 5, 2)
    total, count = np.zeros(60 * 83), np.zeros(60 * 83)
    np.add.at(total, where, parts)
    np.add.at(count, where, 1)
    expected = np.clip(total / count, 0, 255).reshape(60, 83) * 257
    # Rounding to an integer of 16 bits loses a half, and single precision 257 * 255 * 2**-24.
    assert np.max(np.abs(np.asarray(PIL.Image.open(tmp_path / "b.png"), float) - expected)) < 0.51


def test_encode_takes_patches_as_the_model_was_learned(run, photo, tmp_path):
    for name, patch in (("grey", ["--patch", "6x5"]), ("color", ["--patch", "4x3", "--color"])):
        run("encode", photo / f"{name}.npz", photo / "color.png", "--output", "a.npy")
        run("encode", photo / f"{name}.npz", photo / "color.png", *patch, "--output", "b.npy")
        assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


def test_a_fit_of_an_image_is_the_fit_of_its_patches(run, tmp_path):
    """To the bit, for any number of threads."""
    pixels = picture(70, 90)
    PIL.Image.fromarray(pixels).save(tmp_path / "a.png")
    np.save(tmp_path / "a.npy", patches(pixels, 5, 6, 2).astype(np.float32).reshape(-1, 5, 6))
    for more in (MSP, ["--dictionary", "complete"]):
        options = [*more, "--center", "--tolerance", 1e-6, "--max-iterations", 5, "--output"]
        run("fit", "a.npy", *options, "patches.npz", expect=4)
        for threads in (1, 2):
            run("fit", "a.png", "--patch", "5x6", "--stride", 2, "--threads", threads, *options, "image.npz", expect=4)
            assert (tmp_path / "image.npz").read_bytes() == (tmp_path / "patches.npz").read_bytes()


@unsanitized("it measures memory")
def test_memory_holds_the_image_and_not_its_patches(run, tmp_path):
    """Two million patches of 64 values would be 570 megabytes in single precision; the image is 9."""
    PIL.Image.fromarray(picture(1500, 1500)).save(tmp_path / "large.png")
    PIL.Image.fromarray(picture(64, 64)).save(tmp_path / "small.png")

    def peak(name):
        return peak_memory("fit", name, "--patch", "8x8", *MSP, "--max-iterations", "1", "--threads", "1", cwd=tmp_path,
                           expect=(0, 4))  # fmt: skip

    pixels = 1500 * 1500
    # In single precision, and while the file is read its bytes beside them; as much again for the allocator.
    assert peak("large.png") - peak("small.png") < 2 * (4 + 1) * pixels


def test_a_folder_is_its_images_in_order(run, tmp_path):
    """Sizes, depths, colours and formats may differ; what isn't an image is passed over, and so are folders in it."""
    folder = tmp_path / "images"
    folder.mkdir()
    images = {
        "B.pgm": picture(9, 30, seed=1),
        "a.png": picture(20, 11, 3, seed=2),
        "c": picture(8, 8, largest=65535, seed=3),
        "d.png": picture(15, 15, 4, seed=4),
    }
    PIL.Image.fromarray(images["B.pgm"]).save(folder / "B.pgm")
    for name in ("a.png", "c", "d.png"):
        (folder / name).write_bytes(png_bytes(images[name]))
    (folder / "0.txt").write_text("no image")
    (folder / "empty.png").write_bytes(b"")
    (folder / "deeper").mkdir()
    PIL.Image.fromarray(images["B.pgm"]).save(folder / "deeper" / "a.png")
    os.symlink("nowhere", folder / "dangling.png")
    save_identity(tmp_path / "eye.npz", 40)
    run("encode", "eye.npz", "images", "--patch", "8x5", "--stride", 3, "--output", "p.npy")
    grey = [luma(pixels) if pixels.ndim == 3 else pixels for pixels in images.values()]
    grey[2] = (grey[2] / 257.0).astype(np.float32)
    assert np.array_equal(np.load(tmp_path / "p.npy"), np.vstack([patches(pixels, 8, 5, 3) for pixels in grey]))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["fit", "a.png"], 2, "--patch = unset: must be given, such as --patch 8x8, to cut samples out of a.png"),
        (["fit", "text"], 3, "text: is a directory; to learn from patches of its images, give --patch"),
        (["fit", "a.png", "--stride", 2], 2, "--patch = unset"),
        (["fit", "a.png", "--patch", "8"], 2, "--patch = 8: must be HEIGHTxWIDTH"),
        (["fit", "a.png", "--patch", "8x8x3"], 2, "--patch = 8x8x3"),
        (["fit", "a.png", "--patch", "0x8"], 2, "--patch = 0x8"),
        (["fit", "a.png", "--patch", "8x8", "--stride", 0], 2, "stride = 0"),
        (["fit", "a.png", "--patch", "8x8", "--stride", -1], 2, "stride = -1"),
        (["fit", "a.png", "--patch", "8x8", "--columns"], 2, "--columns = given"),
        (["fit", "a.png", "--patch", "12x8"], 3, "a.png: 11×40 pixels, smaller than a patch of 12×8"),
        (["fit", "x.npy", "--patch", "8x8"], 2, "--patch = given: must be left out: x.npy is neither an image nor"),
        (["fit", "x.npy", "--stride", 2], 2, "--stride = given"),
        (["fit", "x.npy", "--color"], 2, "--color = given"),
        (["fit", "none.png", "--patch", "8x8"], 3, "none.png: cannot be opened"),
        (["fit", "-", "--patch", "8x8"], 2, "- is neither an image nor"),
        (["fit", "empty", "--patch", "8x8"], 3, "empty: has no images"),
        (["fit", "text", "--patch", "8x8"], 3, "text: has no images"),
        (["fit", "damaged", "--patch", "8x8"], 3, "damaged/b.png: damaged PNG"),
        (["fit", "cmyk.jpg", "--patch", "8x8"], 3, "cmyk.jpg: 4 channels, such as CMYK;"),
        (["encode", "grey.npz", "a.png", "--patch", "8x8", "--output", "c.npy"], 2, "must be 6x5, like the model's"),
        (["encode", "grey.npz", "a.png", "--color", "--output", "c.npy"], 2, "the model's atoms are grey"),
        (["encode", "eye.npz", "a.png", "--output", "c.npy"], 2, "--patch = unset"),
        (["encode", "eye.npz", "a.png", "--patch", "2x2", "--output", "c.npy"], 3, "a.png: 4 columns, but"),
        (["decode", "grey.npz", "c.npy", "--output", "b.png"], 2, "--size = unset: must be given, such as --size 512x512"),
        (["decode", "grey.npz", "c.npy", "--output", "b.npy", "--size", "11x40"], 2, "--output = b.npy: must be an im"),
        (["decode", "grey.npz", "c.npy", "--output", "-", "--size", "11x40"], 2, "--output = -: must be an image"),
        (["decode", "grey.npz", "c.npy", "--output", "b.npy", "--stride", 2], 2, "--stride = given"),
        (["decode", "grey.npz", "c.npy", "--output", "b.npy", "--depth", 16], 2, "--depth = given"),
        (["decode", "grey.npz", "c.npy", "--output", "b.png", "--size", "11x40", "--depth", 9], 2, "--depth = 9"),
        (["decode", "grey.npz", "c.npy", "--output", "b.png", "--size", "11"], 2, "--size = 11: must be HEIGHTxWIDTH"),
        (["decode", "grey.npz", "c.npy", "--output", "b.png", "--size", "11x40"], 3, "c.npy: 7 codes, but an image of "
         "11x40 has 216 patches of 6x5 at a stride of 1"),
        (["decode", "grey.npz", "c.npy", "--output", "b.png", "--size", "5x40"], 3, "smaller than a patch of 6×5"),
        (["decode", "grey.npz", "c.npy", "--output", "b.png", "--size", "11x40", "--stride", 6], 2, "stride = 6"),
        (["decode", "grey.npz", "c.npy", "--output", "b.png", "--size", "1000000x1000000"], 3, "memory"),
        (["decode", "eye.npz", "c.npy", "--output", "b.png", "--size", "11x40"], 2, "--patch = unset"),
        (["decode", "eye.npz", "c.npy", "--output", "b.png", "--size", "11x40", "--patch", "2x2"], 2, "of 3 entries"),
        (["decode", "color.npz", "d.npy", "--output", "b.pgm", "--size", "4x3"], 2, "the image is in colour"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)  # fmt: skip
def test_what_is_not_legal(run, photo, tmp_path, arguments, code, message):
    for name in ("grey.npz", "color.npz"):
        (tmp_path / name).write_bytes((photo / name).read_bytes())
    PIL.Image.fromarray(picture(11, 40)).save(tmp_path / "a.png")
    PIL.Image.fromarray(picture(11, 40, 4), "CMYK").save(tmp_path / "cmyk.jpg")
    np.save(tmp_path / "x.npy", np.ones((100, 64)))
    np.save(tmp_path / "c.npy", np.ones((7, 30)))
    np.save(tmp_path / "d.npy", np.ones((1, 36)))
    save_identity(tmp_path / "eye.npz", 3)
    for folder in ("empty", "text", "damaged"):
        (tmp_path / folder).mkdir()
    (tmp_path / "text" / "a.txt").write_text("1 2 3\n")
    PIL.Image.fromarray(picture(11, 40)).save(tmp_path / "damaged" / "a.png")
    (tmp_path / "damaged" / "b.png").write_bytes((tmp_path / "a.png").read_bytes()[:-20])
    before = listing(tmp_path)
    answer = run(*arguments, expect=code)
    assert message in answer.stderr
    assert answer.stderr.count("\n") == 1, "the codecs have nothing to say of their own"
    assert listing(tmp_path) == before


def test_cut_and_damaged_files_end_in_errors_that_name_them(run, photo, tmp_path):
    """Few, for each is a process: the unit tests have them all."""
    color = PIL.Image.fromarray(picture(20, 24, 3))
    for kind in ("PNG", "JPEG", "PPM"):
        contents = saved(color, kind)
        for share in (0.01, 0.1, 0.5, 0.9, 0.999):
            (tmp_path / "cut").write_bytes(contents[: max(8, int(share * len(contents)))])
            assert "orthodict: cut: " in run("fit", "cut", "--patch", "4x4", expect=3).stderr


def mosaic(atoms, shape, columns, scale, common=False):
    """As docs/options.md describes it."""
    height, width = shape[:2]
    rows = -(-len(atoms) // columns)
    image = np.zeros((rows * (height + 1) + 1, columns * (width + 1) + 1, *shape[2:]))
    largest = np.max(np.abs(atoms)) if common else np.max(np.abs(atoms), axis=1, keepdims=True)
    for k, tile in enumerate((127.5 + 127.5 * atoms / largest).reshape(-1, *shape)):
        top, left = k // columns * (height + 1) + 1, k % columns * (width + 1) + 1
        image[top : top + height, left : left + width] = tile
    return np.repeat(np.repeat(image, scale, axis=0), scale, axis=1)


@pytest.mark.parametrize(
    ("name", "options", "shape", "columns", "scale"),
    [
        ("grey", [], (6, 5), 16, 11),
        ("color", [], (4, 3, 3), 16, 16),
        ("grey", ["--contrast", "common", "--columns", 7, "--scale", 1], (6, 5), 7, 1),
        ("grey", ["--columns", 100, "--shape", "3x10", "--scale", 2], (3, 10), 30, 2),
        ("grey", ["--shape", "2x5x3"], (2, 5, 3), 16, 13),
        ("color", ["--shape", "9x4", "--contrast", "each"], (9, 4), 16, 8),
    ],
)
def test_atoms_are_drawn(run, photo, tmp_path, name, options, shape, columns, scale):
    report = run("atoms", photo / f"{name}.npz", "--output", "a.png", *options, "--json").json
    atoms = Model(photo / f"{name}.npz").dictionary
    expected = mosaic(atoms, shape, columns, scale, common="common" in options)
    assert report == {"atoms": len(atoms), "height": expected.shape[0], "width": expected.shape[1], "output": "a.png"}
    # Rounding to integers loses a half, and single precision a few of its ulps more.
    assert np.max(np.abs(np.asarray(PIL.Image.open(tmp_path / "a.png"), float) - expected)) < 0.5 + 1000 * 2.0**-24
    assert run("atoms", photo / f"{name}.npz", "--output", "b.ppm", *options).text == (
        f"b.ppm: {len(atoms)} atoms on {expected.shape[0]}x{expected.shape[1]} pixels\n"
    )


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--output", "a.txt"], 2, "--output = a.txt: must be an image"),
        (["--output", "-"], 2, "--output = -: must be an image"),
        (["--output", "none/a.png"], 3, "none/a.png: cannot be written"),
        (["--output", "a.png", "--columns", 0], 2, "columns = 0"),
        (["--output", "a.png", "--scale", 0], 2, "scale = 0"),
        (["--output", "a.png", "--contrast", "none"], 2, "--contrast = none: must be each or common"),
        (["--output", "a.png", "--shape", "6x6"], 2, "shape = 6x6"),
        (["--output", "a.png", "--shape", "30"], 2, "--shape = 30"),
        ([], 2, "--output is required"),
    ],
)
def test_atoms_that_cannot_be_drawn(run, photo, tmp_path, options, code, message):
    assert message in run("atoms", photo / "grey.npz", *options, expect=code).stderr
    assert listing(tmp_path) == []


def test_atoms_of_vectors_need_a_shape(run, small_model, tmp_path):
    assert "shape = unset: must be HEIGHTxWIDTH, such as 8x8" in run("atoms", small_model, "--output", "a.png", expect=2).stderr
    run("atoms", small_model, "--output", "a.png", "--shape", "2x5")
    assert listing(tmp_path) == ["a.png"]


def test_codes_of_an_image_are_those_of_its_patches(run, photo, tmp_path):
    run("encode", photo / "grey.npz", photo / "grey.png", "--output", "c.npy")
    x = patches(np.asarray(PIL.Image.open(photo / "grey.png"), float), 6, 5)
    model = Model(photo / "grey.npz")
    expected = model.codes(x)
    rounding = 2 * 30 * EPSILON * (np.abs(x - model.mean) @ np.abs(model.analysis.T))
    assert np.all(np.abs(np.load(tmp_path / "c.npy") - expected) <= rounding)
