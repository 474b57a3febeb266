# SPDX-License-Identifier: Apache-2.0
"""Runs the examples and writes each as a page with its code, output and pictures, and an index of all.

    python python/examples/render.py            renews docs/examples
    python python/examples/render.py --check    runs all and writes nothing; fails if one raises or warns

An example is a script. Its docstring is the head of the page; lines `# %%` cut the rest into cells, and the comment
that follows such a line is the cell's text. All text is Markdown. Pictures are the PNG files that a cell saves in the
current folder.
"""

import argparse
import ast
import contextlib
import io
import os
import pathlib
import shutil
import sys
import tempfile
import traceback
import warnings
from typing import NamedTuple

import matplotlib
import matplotlib.pyplot as plt

HERE = pathlib.Path(__file__).resolve().parent
PAGES = HERE.parents[1] / "docs" / "examples"
EXAMPLES = ("recover", "separation", "digits", "pipeline")


class Cell(NamedTuple):
    line: int  # of the script, where the code begins
    text: str
    code: str


class Example(NamedTuple):
    path: pathlib.Path
    head: str
    cells: list

    @property
    def name(self):
        return self.path.stem

    @property
    def title(self):
        return self.head.splitlines()[0].lstrip("# ")


class Outcome(NamedTuple):
    printed: str
    pictures: list  # names of files


def read_example(path):
    source = path.read_text(encoding="utf-8")
    docstring = ast.parse(source).body[0]
    lines = source.splitlines()
    first = docstring.end_lineno
    starts = [first] + [number for number in range(first, len(lines)) if lines[number] == "# %%"]
    cells = [read_cell(lines, start, end) for start, end in zip(starts, starts[1:] + [len(lines)])]
    return Example(path, ast.literal_eval(docstring.value).strip(), cells)


def read_cell(lines, start, end):
    """The cell of lines[start:end]; only one that begins with `# %%` has text."""
    code = start
    if lines[start] == "# %%":
        code += 1
        while code < end and lines[code].startswith("#"):
            code += 1
    text = "\n".join(line[2:] for line in lines[start + 1:code])
    return Cell(code + 1, text, "\n".join(lines[code:end]).strip("\n"))


@contextlib.contextmanager
def working_in(folder):
    before = pathlib.Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def run(example, folder):
    """Runs the cells one after the other in the folder, where their pictures stay. Warnings are errors."""
    variables = {"__name__": "__main__", "__file__": str(example.path)}
    outcomes = []
    with working_in(folder), warnings.catch_warnings():
        warnings.simplefilter("error")
        for cell in example.cells:
            before = set(folder.glob("*.png"))
            code = compile("\n" * (cell.line - 1) + cell.code, str(example.path), "exec")
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(code, variables)
            pictures = sorted(picture.name for picture in set(folder.glob("*.png")) - before)
            outcomes.append(Outcome(printed.getvalue(), pictures))
    plt.close("all")
    return outcomes


def page(example, outcomes):
    parts = [example.head]
    for cell, outcome in zip(example.cells, outcomes):
        if cell.text:
            parts.append(cell.text)
        if cell.code:
            parts.append(f"```python\n{cell.code}\n```")
        if outcome.printed:
            parts.append(f"```text\n{outcome.printed.rstrip()}\n```")
        parts.extend(f"![{example.title}]({picture})" for picture in outcome.pictures)
    parts.append(f"The script is [python/examples/{example.path.name}](../../python/examples/{example.path.name}).")
    return "\n\n".join(parts) + "\n"


def story(example):
    """The first paragraph after the title."""
    return example.head.split("\n\n")[1]


def index(examples):
    parts = ["# Examples", "Scripts that run in seconds, with their output and pictures. "
             "`python python/examples/render.py` generates these pages."]
    for example in examples:
        parts.append(f"## [{example.title}]({example.name}.md)")
        parts.append(f'<img src="{example.name}-1.png" alt="{example.title}" width="400">')
        parts.append(story(example))
    return "\n\n".join(parts) + "\n"


def attempt(example, output):
    """Runs an example, and writes its page and pictures if there is a folder for them. False if it fails."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        try:
            outcomes = run(example, folder)
        except Exception:
            traceback.print_exc()
            return False
        if output is not None:
            for old in output.glob(f"{example.name}-*.png"):
                old.unlink()
            for picture in folder.glob("*.png"):
                shutil.copy(picture, output)
            (output / f"{example.name}.md").write_text(page(example, outcomes), encoding="utf-8")
    return True


def main(arguments):
    parser = argparse.ArgumentParser(description="Run the examples and write them as pages.")
    parser.add_argument("scripts", nargs="*", type=pathlib.Path, help="all examples when left out")
    parser.add_argument("--output", type=pathlib.Path, default=PAGES, help="the folder of the pages")
    parser.add_argument("--check", action="store_true", help="run only, write nothing")
    options = parser.parse_args(arguments)
    matplotlib.use("Agg")

    scripts = options.scripts or [HERE / f"{name}.py" for name in EXAMPLES]
    examples = [read_example(script.resolve()) for script in scripts]
    output = None if options.check else options.output.resolve()
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
    failed = [example.name for example in examples if not attempt(example, output)]
    if output is not None and not options.scripts:
        (output / "README.md").write_text(index(examples), encoding="utf-8")
    if failed:
        print("failed:", *failed, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
