# SPDX-License-Identifier: Apache-2.0
"""--help and --version: what can be asked for, and by which names."""

import pathlib
import re

import pytest

DOCS = pathlib.Path(__file__).parents[2] / "docs" / "options.md"


def options_in_docs(command):
    """Those in the first column of the table of that command."""
    section = re.search(rf"^## `orthodict {command} .*?^## ", DOCS.read_text(), flags=re.M | re.S)[0]
    first_columns = re.findall(r"^\| (.*?) \|", section, flags=re.M)
    return [option for column in first_columns for option in re.findall(r"`--([a-z-]+)`", column)]


OPTIONS = {
    "synth": "dimension samples theta atoms nonzeros frequencies signs condition noise outliers corruption seed dictionary-from precision output truth"
    " json",
    "fit": " ".join(options_in_docs("fit")),
    "compare": "methods truth dictionary atoms max-iterations time-limit sparsity penalty seed threads columns json",
    "encode": "output coder top threshold dense refit error sparse threads columns patch stride color json",
    "decode": "output size depth patch stride color json",
    "eval": "truth samples theta columns json",
    "info": "json",
    "atoms": "output shape columns contrast scale json",
    "denoise": "output sigma patch transform threshold reference model seed threads json",
    "report": "data output shape items title columns patch stride color json",
}
POSITIONALS = {
    "fit": ["samples"],
    "compare": ["samples"],
    "encode": ["model", "samples"],
    "decode": ["model", "codes"],
    "eval": ["model"],
    "info": ["model"],
    "atoms": ["model"],
    "denoise": ["image"],
    "report": ["model"],
}


@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("command", OPTIONS)
def test_help_of_a_command_lists_its_options(run, command, flag):
    text = run(command, flag).text
    # Each with a description: a name at the start of a line, and words behind it or on the next line.
    listed = set()
    for names in re.findall(r"^  (-\S+)", text, flags=re.M):
        listed |= {name.partition("{")[0].removeprefix("--") for name in names.split(",")}
    assert listed - {"-h", "help"} == set(OPTIONS[command].split())
    for name in POSITIONALS.get(command, []):
        assert re.search(rf"^  {name} TEXT (\.\.\. )?REQUIRED +\w", text, flags=re.M)


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


def test_every_named_value_is_explained(run):
    text = run("fit", "--help").text
    for value in ("auto", "msp", "complete", "orthogonal", "none", "zca", "pca", "f32", "f64", "mixed"):
        assert re.search(rf"^ +{value}: \w", text, flags=re.M)
    for stretch in ("l4", "l3", "power:Q", "soft[:MU]", "hard[:TAU]", "logcosh", "mixture:THETA,S0,S1"):
        assert stretch in text


def test_version(run):
    assert re.fullmatch(r"orthodict \d+\.\d+\.\d+\n", run("--version").text)


def test_version_is_in_the_model(run, small_model):
    version = run("info", small_model, "--json").json["metadata"]["version"]
    assert run("--version").text == f"orthodict {version}\n"
