# SPDX-License-Identifier: Apache-2.0
"""--help and --version."""

import pathlib
import re
import shlex
import shutil

import harness
import numpy as np
import pytest
from PIL import Image

DOCS = pathlib.Path(__file__).parents[2] / "docs" / "options.md"


def options_in_docs(command):
    """The options in the first column of that command's table."""
    section = re.search(rf"^## `orthodict {command} .*?^## ", DOCS.read_text(), flags=re.M | re.S)[0]
    first_columns = re.findall(r"^\| (.*?) \|", section, flags=re.M)
    return [option for column in first_columns for option in re.findall(r"`--([a-z-]+)`", column)]


OPTIONS = {
    "synth": "dimension samples theta atoms nonzeros frequencies signs complex condition noise outliers corruption seed dictionary-from precision output truth"
    " json",
    "fit": " ".join(options_in_docs("fit")),
    "scan": " ".join(options_in_docs("scan")),
    "compare": "methods truth dictionary atoms max-iterations time-limit sparsity penalty seed threads columns json",
    "encode": "output coder top threshold dense refit error unit-variance sparse threads columns patch stride color json",
    "decode": "output size depth patch stride color json",
    "eval": "truth samples theta columns json",
    "info": "json",
    "atoms": "output shape columns contrast scale json",
    "denoise": "output sigma noise-model quality patch transform threshold reference model seed threads json",
    "report": "data output scan shape items title columns patch stride color json",
}
POSITIONALS = {
    "fit": ["samples"],
    "scan": ["samples"],
    "compare": ["samples"],
    "encode": ["model", "samples"],
    "decode": ["model", "codes"],
    "eval": ["model"],
    "info": ["model"],
    "atoms": ["model"],
    "denoise": ["images"],
    "report": ["model"],
}


@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("command", OPTIONS)
def test_help_of_a_command_lists_its_options(run, command, flag):
    text = run(command, flag).text
    # Each with a description: names at the start of a line, and words behind them or on the next line.
    listed = set()
    for names in re.findall(r"^  (-\S+(?:, -\S+)*)(?: [A-Za-z:]+)?(?:  +|\n {20,})\w", text, flags=re.M):
        listed |= {name.removeprefix("--") for name in names.split(", ")}
    assert listed - {"-h", "-o", "help"} == set(OPTIONS[command].split())
    for name in POSITIONALS.get(command, []):
        assert re.search(rf"^  {name}  +\w", text, flags=re.M)
        assert re.search(rf"^Usage: orthodict {command} .*\b{name}\b", text, flags=re.M)


@pytest.mark.parametrize("command", OPTIONS)
def test_help_fits_on_the_screen(run, command):
    assert max(map(len, run(command, "--help").text.splitlines())) <= 100


def test_options_are_listed_under_headings(run):
    headings = re.findall(r"^(\w[\w ]*):$", run("fit", "--help").text, flags=re.M)
    assert headings == ["Samples", "Images", "What to learn", "Several runs", "Method msp", "Baselines", "When to stop",
                        "Computation", "Checkpoints", "Output", "Help", "Examples"]  # fmt: skip


def test_manual_pages_have_the_headings_and_examples_of_the_help(run, tmp_path):
    run("document", "pages")
    text = (tmp_path / "pages" / "orthodict-fit.1").read_text()
    sections = re.findall(r"^\.SH (.*)", text, flags=re.M)
    assert ["SAMPLES", "IMAGES", "WHAT TO LEARN", "SEVERAL RUNS", "METHOD MSP"] == sections[3:8]
    assert "EXAMPLES" in sections
    assert "orthodict fit y.npy \\-\\-output model.npz" in text


def examples_in(text):
    return re.findall(r"^  (orthodict .*)", text.partition("\nExamples:\n")[2], flags=re.M)


@pytest.fixture(scope="module")
def example_folder(tmp_path_factory):
    """A folder with the files that examples read."""
    folder = tmp_path_factory.mktemp("examples")
    camera = harness.REPOSITORY / "scripts" / "data" / "camera.png"
    photo = np.asarray(Image.open(camera))
    noise = 20 * np.random.default_rng(0).standard_normal(photo.shape)
    synth = ("synth", "--dimension", 50, "--samples", 2000, "--output", "y.npy", "--truth", "d.npy")
    harness.run_command(*synth, cwd=folder)
    harness.run_command("fit", "y.npy", "--output", "model.npz", cwd=folder)
    harness.run_command("encode", "model.npz", "y.npy", "--top", 5, "--output", "codes.npy", cwd=folder)
    scan = harness.run_command("scan", "y.npy", "--atoms", "5,10", "--runs", 2, "--json", cwd=folder)
    (folder / "scan.json").write_bytes(scan.stdout)
    shutil.copy(camera, folder / "photo.png")
    Image.fromarray(np.clip(photo + noise, 0, 255).astype(np.uint8)).save(folder / "noisy.png")
    fit = ("fit", "photo.png", "--patch", "8x8", "--stride", 4)
    harness.run_command(*fit, "--output", "patches.npz", cwd=folder)
    encode = ("encode", "patches.npz", "photo.png", "--stride", 8, "--sparse", "--output", "codes.npz")
    harness.run_command(*encode, cwd=folder)
    return folder


@pytest.mark.parametrize("command", ["", *OPTIONS])
def test_examples_of_the_help_work(run, command, example_folder, tmp_path):
    examples = examples_in(run(*command.split(), "--help").text)
    assert examples
    shutil.copytree(example_folder, tmp_path, dirs_exist_ok=True)
    for example in examples:
        run(*shlex.split(example)[1:])


def test_options_that_are_not_in_the_help_are_refused(run):
    for command in OPTIONS:
        run(command, "--not-an-option", expect=2)


def test_help_lists_the_commands_and_exit_codes(run):
    text = run("--help").text
    for command in OPTIONS:
        assert re.search(rf"^  {command} +\w", text, flags=re.M)
    for code in (0, 2, 3, 4, 130):
        assert re.search(rf"\b{code} \w", text)


def test_help_needs_nothing_else(run):
    """Also where required options are missing, and in the middle of others."""
    assert run("fit", "--stretch", "l4", "--help").text == run("fit", "--help").text


def test_help_of_a_command_can_be_asked_for_by_name(run):
    assert run("help", "fit").text == run("fit", "--help").text
    assert run("help").text == run("--help").text
    assert "unknown command fitt" in run("help", "fitt", expect=2).stderr


def test_without_arguments_it_shows_what_people_do(run, example_folder, tmp_path):
    """Each line is a command line that works."""
    text = run().text
    examples = re.findall(r"  (orthodict \w+ .*)", text)
    assert len(examples) == 5
    shutil.copytree(example_folder, tmp_path, dirs_exist_ok=True)
    shutil.copy(tmp_path / "y.npy", tmp_path / "samples.npy")
    for example in examples:
        if example.split()[1] != "scan":  # these samples have 50 features
            run(*shlex.split(example)[1:])


def test_every_named_value_is_explained(run):
    text = run("fit", "--help").text
    for value in ("auto", "msp", "complete", "orthogonal", "none", "zca", "pca", "f32", "f64", "mixed"):
        assert re.search(rf"^ +{value}: \w", text, flags=re.M)
    for stretch in ("l4", "l3", "power:Q", "soft[:MU]", "hard[:TAU]", "logcosh", "mixture:THETA,S0,S1"):
        assert stretch in text


def test_version(run):
    assert re.fullmatch(r"orthodict \d+\.\d+\.\d+\n", run("--version").text)
    assert run("-V").text == run("--version").text


def test_version_is_in_the_model(run, small_model):
    version = run("info", small_model, "--json").json["metadata"]["version"]
    assert run("--version").text == f"orthodict {version}\n"
