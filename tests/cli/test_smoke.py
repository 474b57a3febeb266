# SPDX-License-Identifier: Apache-2.0
"""One call of each command that does what it is for: make check runs these after a change, make test all others too."""

import re
import shutil

import harness
import numpy as np
import PIL.Image
import pytest
from image_files import picture


@pytest.fixture(scope="module")
def folder(tmp_path_factory, small, small_model):
    """What the commands read: samples and their dictionary, a model, an image."""
    made = tmp_path_factory.mktemp("smoke")
    for file in (small.samples, small.truth, small_model):
        shutil.copy(file, made)
    PIL.Image.fromarray(picture(32, 32)).save(made / "image.png")
    return made


def width_and_height(path):
    with PIL.Image.open(path) as image:
        return image.size


# Arguments of each command, and a check of its JSON and its files.
COMMANDS = {
    "synth": ("--dimension 4 --samples 50 --output s.npy", lambda _, f: np.load(f / "s.npy").shape == (50, 4)),
    "fit": ("y.npy --truth d.npy --output m.npz", lambda r, f: r["error"] < 1e-10 and harness.Model(f / "m.npz").atoms == 10),
    "scan": ("y.npy --atoms 8,10 --runs 3", lambda r, _: [n["atoms"] for n in r["numbers"]][-1] == 10 and r["recommended"] == 10),
    "compare": ("y.npy --truth d.npy --methods pca,msp", lambda r, _: [m["error"] < 0.01 for m in r["methods"]] == [False, True]),
    "encode": ("model.npz y.npy --top 3 --output z.npy", lambda _, f: np.max(np.sum(np.load(f / "z.npy") != 0, axis=1)) == 3),
    "decode": ("model.npz y.npy --output b.npy", lambda _, f: np.load(f / "b.npy").shape == (4000, 10)),
    "eval": ("model.npz --truth d.npy", lambda r, _: r["error"] < 1e-10),
    "info": ("model.npz", lambda r, _: r["metadata"]["summary"]["established"] == 10),
    "atoms": ("model.npz --shape 2x5 --scale 1 --output a.png", lambda _, f: min(width_and_height(f / "a.png")) >= 2),
    "denoise": ("image.png --output c.png", lambda _, f: width_and_height(f / "c.png") == (32, 32)),
    "report": ("model.npz --data y.npy --output r.html", lambda _, f: "</html>" in (f / "r.html").read_text()),
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_command(folder, command):
    arguments, holds = COMMANDS[command]
    report = harness.run_command(command, *arguments.split(), "--json", cwd=folder).json
    assert holds(report, folder), report


def test_every_command_has_a_smoke_test(run):
    commands = run("--help").text.partition("\nCommands:\n")[2].partition("\n\n")[0]
    assert re.findall(r"^  (\w+)", commands, flags=re.M) == list(COMMANDS)
