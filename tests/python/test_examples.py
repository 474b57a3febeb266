# SPDX-License-Identifier: Apache-2.0
"""Each example runs without a warning and prints what its page claims; the pages are those of the scripts."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest
from support import SANITIZED

import orthodict

pytest.importorskip("matplotlib")

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "python" / "examples"
PAGES = REPOSITORY / "docs" / "examples"
RENDER = EXAMPLES / "render.py"

# An example takes less than 20 seconds on two cores; a busy machine may cost a factor of ten, and sanitizers another.
TIMEOUT_SECONDS = 2000 if SANITIZED else 200
LARGEST_PICTURE = 120_000
NUMBER = r"\d+(?:\.\d+)?(?:e[+-]\d+)?"


def run(script, *arguments, cwd):
    """Runs a script in the folder `cwd`, with warnings as errors and with the package that this process has."""
    package = str(pathlib.Path(orthodict.__file__).resolve().parents[1])
    return subprocess.run(
        [sys.executable, "-W", "error", str(script), *map(str, arguments)], cwd=cwd, stdin=subprocess.DEVNULL,
        env={**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": package}, capture_output=True, text=True,
        timeout=TIMEOUT_SECONDS, check=False)


def numbers(line):
    return [float(number) for number in re.findall(NUMBER, line)]


def rows(printed, *names):
    """For each name the numbers of the last line that begins with it."""
    lines = {name: line[len(name):] for line in printed.splitlines() for name in names if line.startswith(name)}
    return [numbers(lines[name]) for name in names]


def check_recover(printed):
    """Exact from 150 samples on, where FastICA's error falls like 1/samples; and exact fits are told from others."""
    assert numbers(re.search(r"^error (\S+),", printed, re.M)[1])[0] <= 1e-10
    sizes = [numbers(line) for line in re.findall(r"^ *\d+ samples: .*", printed, re.M)]
    assert [size for size, ours, _ in sizes if ours <= 1e-10] == [size for size, *_ in sizes if size >= 150]
    for size, _, theirs in sizes:
        assert 5 < size * theirs < 100
    exact, fits = numbers(re.search(r".* fits are exact", printed)[0])
    assert 0 < exact < fits
    # A fit just short of exact may be established too: its atoms are close.
    atoms, right, close = numbers(re.search(r"all 20 atoms .*", printed)[0])
    assert atoms == 20 and right == exact and close <= 0.05 * fits


def check_separation(printed):
    """A hundredth of FastICA's error where there is little noise, and closer sources; behind it where there is much."""
    first = [re.search(rf"^{name} +error (\S+), .* correlations (.*)", printed, re.M)
             for name in ("orthodict", "FastICA")]
    ours, theirs = (float(match[1]) for match in first)
    assert ours < theirs / 100
    assert all(a >= b for a, b in zip(*(numbers(match[2]) for match in first)))
    ours, theirs = rows(printed, "orthodict ", "FastICA ")
    assert [a < b for a, b in zip(ours, theirs)] == [True, True, True, True, False]


def check_digits(printed):
    """Sparser than principal components at small k, denser at large k for l4 and l3; and all of it with a fair PCA."""
    assert printed.startswith("converged\n")
    assert len(re.findall(r"iterations, converged$", printed, re.M)) == 3
    kept, leading, largest = rows(printed, "k  ", "PCA, leading k", "PCA, k largest")
    l4, l3, power = (numbers(re.search(rf"^{name}  +(0.*)", printed, re.M)[1]) for name in ("l4", "l3", "power:2.5"))
    assert kept == [1, 2, 4, 8, 16, 32]
    assert [a < b for a, b in zip(l4, largest)] == [True, True, True, False, False, False]
    assert [a < b for a, b in zip(l3, largest)] == [True, True, True, True, True, False]
    assert all(a < b < c for a, b, c in zip(power, largest, leading))


def check_pipeline(printed):
    """Better than principal components when few are kept, however these are used; never better than pixels."""
    learned, largest, leading = (row[1::2] for row in rows(printed, "learned, k largest", "PCA, k largest",
                                                           "PCA, leading k"))
    assert all(a > b > c for a, b, c in zip(learned[:3], largest, leading))
    pixels = numbers(re.search(r"^pixels .* accuracy (.*)", printed, re.M)[1])[0]
    assert pixels >= max(learned + largest + leading)


CLAIMS = {
    "digits": check_digits,
    "pipeline": check_pipeline,
    "recover": check_recover,
    "separation": check_separation,
}


@pytest.fixture(scope="module")
def render():
    spec = importlib.util.spec_from_file_location("render", RENDER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_script_is_tested_and_rendered(render):
    scripts = sorted(script.stem for script in EXAMPLES.glob("*.py") if script != RENDER)
    assert scripts == sorted(CLAIMS) == sorted(render.EXAMPLES)


@pytest.mark.parametrize("name", CLAIMS)
def test_example_holds_what_it_says(name, tmp_path):
    done = run(EXAMPLES / f"{name}.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr  # from a worker process
    CLAIMS[name](done.stdout)
    pictures = sorted(picture.name for picture in tmp_path.iterdir())
    assert pictures == sorted(picture.name for picture in PAGES.glob(f"{name}-*.png"))


@pytest.mark.parametrize("name", CLAIMS)
def test_page_has_the_script(name, render):
    example = render.read_example(EXAMPLES / f"{name}.py")
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    for part in (example.head, *(part for cell in example.cells for part in (cell.text, cell.code))):
        assert part in page
    pictures = re.findall(r"\]\((\S+\.png)\)", page)
    assert pictures == sorted(picture.name for picture in PAGES.glob(f"{name}-*.png"))
    assert all((PAGES / picture).stat().st_size <= LARGEST_PICTURE for picture in pictures)
    index = (PAGES / "README.md").read_text(encoding="utf-8")
    assert f"[{example.title}]({name}.md)" in index
    assert f'"{name}-1.png"' in index


SMALL = '''# SPDX-License-Identifier: Apache-2.0
"""# A title

A story.
"""

import matplotlib.pyplot as plt

# %%
# ## A heading
#
# A text.
print("one\\ntwo")
# A comment of the code.
plt.figure().savefig("small-1.png")

# %%
value = {value}
'''
PAGE = '''# A title

A story.

```python
import matplotlib.pyplot as plt
```

## A heading

A text.

```python
print("one\\ntwo")
# A comment of the code.
plt.figure().savefig("small-1.png")
```

```text
one
two
```

![A title](small-1.png)

```python
value = 1
```

The script is [python/examples/small.py](../../python/examples/small.py).
'''


def test_rendering_puts_text_code_output_and_pictures_in_order(tmp_path):
    script = tmp_path / "small.py"
    script.write_text(SMALL.format(value=1))
    output = tmp_path / "pages"
    done = run(RENDER, script, "--output", output, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in output.iterdir()) == ["small-1.png", "small.md"]
    assert (output / "small.md").read_text() == PAGE


@pytest.mark.parametrize(("value", "error"), [("1 / 0", "ZeroDivisionError"),
                                              ("__import__('warnings').warn('oh')", "UserWarning: oh")])
@pytest.mark.parametrize("option", [["--check"], []])
def test_rendering_fails_and_writes_nothing_if_an_example_fails(value, error, option, tmp_path):
    script = tmp_path / "small.py"
    script.write_text(SMALL.format(value=value))
    done = run(RENDER, script, "--output", tmp_path / "pages", *option, cwd=tmp_path)
    assert done.returncode == 1
    line = script.read_text().splitlines().index(f"value = {value}") + 1
    assert f'small.py", line {line}, in <module>' in done.stderr
    assert error in done.stderr
    assert done.stderr.endswith("failed: small\n")
    assert list(tmp_path.glob("pages/*")) == []


def test_check_writes_nothing(tmp_path):
    script = tmp_path / "small.py"
    script.write_text(SMALL.format(value=1))
    done = run(RENDER, "--check", script, "--output", tmp_path / "pages", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == [script]
