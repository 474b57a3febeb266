# SPDX-License-Identifier: Apache-2.0
"""The corpus of a fuzz target: tests/corpus/TARGET.zip.

    fuzz/corpus.py unpack TARGET FOLDER     extracts it, and adds a few typical files of each format
    fuzz/corpus.py pack FOLDER TARGET       replaces it by the files of a folder
"""

import gzip
import io
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

import h5py
import numpy as np
import scipy.io
import scipy.sparse
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[1]
CORPUS = ROOT / "tests" / "corpus"
BINARY = ROOT / "build" / "orthodict"


def written(write, *args, **more):
    buffer = io.BytesIO()
    write(buffer, *args, **more)
    return buffer.getvalue()


def idx(array):
    codes = {"uint8": 8, "int8": 9, "int16": 11, "int32": 12, "float32": 13, "float64": 14}
    big = array.astype(array.dtype.newbyteorder(">"))
    return bytes([0, 0, codes[array.dtype.name], array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + big.tobytes()


def h5(**datasets):
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        for name, (data, options) in datasets.items():
            file.create_dataset(name, data=data, **options)
    return buffer.getvalue()


def picture(kind, mode, size=(5, 4), **more):
    values = np.arange(size[0] * size[1] * 4, dtype=np.uint8)[:size[0] * size[1] * len(Image.new(mode, (1, 1)).getbands())]
    return written(Image.frombytes(mode, size, values.tobytes()).save, kind, **more)


def from_the_command(*args):
    """Files written by the command; {} in the arguments is the output path."""
    with tempfile.TemporaryDirectory() as folder:
        samples, result = f"{folder}/y.npy", f"{folder}/result.npz"
        subprocess.run([BINARY, "synth", "--dimension", "3", "--samples", "60", "--seed", "1", "--output", samples],
                       check=True, capture_output=True)
        subprocess.run([BINARY, "fit", samples, "--threads", "1", *(arg.format(result) for arg in args)],
                       capture_output=True, check=False)
        return pathlib.Path(result).read_bytes()


def seeds(target):
    x = np.arange(12).reshape(4, 3)
    types = [np.uint8, np.int16, np.float32, np.float64]
    if target in ("npy", "stream"):
        files = [written(np.save, x.astype(t)) for t in [*types, ">f4", np.float16, "<i8"]] + [
            written(np.save, np.asfortranarray(x * 0.5)), written(np.save, x.reshape(2, 2, 3))]
        return files if target == "npy" else [*files, x.astype(np.float32).tobytes(), files[0][:-1]]
    if target == "npz":
        return [written(np.savez, a=x * 0.5), written(np.savez_compressed, a=x.astype(np.float32)),
                written(np.savez, a=x, b=x), written(scipy.sparse.save_npz, scipy.sparse.csr_matrix(x * 0.5)),
                written(scipy.sparse.save_npz, scipy.sparse.csr_matrix(x * 0.5), compressed=False)]
    if target == "csv":
        return [b"1,2\n3,4\n", b"a,b\n1.5,-2e3\n,nan\n", b"1;2\n3;4\n", b"\xef\xbb\xbf1,2\r\n3,inf\r\n", b'"1","2"\n"3","4"\n']
    if target in ("idx", "idx_gz"):
        files = [idx(x.astype(t)) for t in types] + [idx(np.zeros((2, 3, 3), np.uint8))]
        return files if target == "idx" else [gzip.compress(file) for file in files]
    if target == "mat":
        return [written(scipy.io.savemat, {"a": x.astype(t)}, do_compression=c) for t in types for c in (False, True)] + [
            written(scipy.io.savemat, {"a": x, "b": x * 1.0}), h5(a=(x * 1.0, {}))]
    if target == "h5":
        return [h5(a=(x.astype(t), {})) for t in types] + [
            h5(a=(x * 1.0, {"chunks": (2, 3), "compression": "gzip"})), h5(a=(x * 1.0, {}), b=(x, {}))]
    if target == "png":
        return [picture("PNG", mode) for mode in ("L", "RGB", "RGBA", "LA", "1", "P")] + [
            written(Image.fromarray(np.arange(20, dtype=np.uint16).reshape(4, 5) * 3000).save, "PNG")]
    if target == "jpeg":
        exif = Image.Exif()
        exif[0x0112] = 6
        return [picture("JPEG", "L", (9, 8)), picture("JPEG", "RGB", (9, 8)), picture("JPEG", "RGB", (9, 8), exif=exif),
                picture("JPEG", "RGB", (9, 8), progressive=True)]
    if target == "tiff":
        return [picture("TIFF", mode) for mode in ("L", "RGB", "RGBA", "LA", "P", "1")] + [
            written(Image.fromarray(np.arange(20).reshape(4, 5).astype(t)).save, "TIFF") for t in (np.uint16, np.float32)] + [
            picture("TIFF", "RGB", compression=name) for name in ("tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg")] + [
            picture("TIFF", "L", tiffinfo={274: 6})]
    if target == "pnm":
        return [b"P5 3 2 255\nabcdef", b"P6 1 2 255\nabcdef", b"P2 2 2 9\n1 2\n3 4\n", b"P3 1 1 255\n1 2 3\n",
                b"P5 # c\n2 1 65535\nabcd"]
    if target == "model":
        return [from_the_command("--output", "{}"), from_the_command("--stretch", "l4", "--output", "{}")]
    if target == "checkpoint":
        return [from_the_command("--checkpoint", "{}", "--max-iterations", "3"),
                from_the_command("--stretch", "l4", "--checkpoint", "{}", "--max-iterations", "3")]
    return [text.encode() for text in ("l4", "power:2.5", "soft:0.5", "hard:1", "mixture:0.1,0.05,1", "8x8", "512x512", "f32",
                                       "u16", "complete")]


def unpack(target, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for i, data in enumerate(seeds(target)):
        if len(data) > 20000:
            sys.exit(f"{target}: a seed of {len(data)} bytes is longer than what scripts/fuzz feeds")
        (folder / f"seed-{i}").write_bytes(data)
    archive = CORPUS / f"{target}.zip"
    if archive.exists():
        with zipfile.ZipFile(archive) as members:
            members.extractall(folder)


def pack(folder, target):
    """Packs files reproducibly: neither times nor the order of the folder matter."""
    CORPUS.mkdir(exist_ok=True)
    with zipfile.ZipFile(CORPUS / f"{target}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(pathlib.Path(folder).iterdir()):
            archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    {"unpack": unpack, "pack": pack}[sys.argv[1]](*sys.argv[2:])
