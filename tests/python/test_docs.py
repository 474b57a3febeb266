# SPDX-License-Identifier: Apache-2.0
"""The Python in the documentation runs, and gives what its comments say."""

import ast
import pathlib
import re
import warnings

import pytest

PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def blocks(page):
    """Each block of Python, below as many empty lines as bring its lines to those of the page."""
    text = (PAGES / page).read_text(encoding="utf-8")
    for found in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S):
        yield "\n" * text[:found.start(1)].count("\n") + found[1]


def expected(line):
    """What a comment such as `# (50, 50), an atom is a row` promises: the value before a comma or a colon."""
    found = re.search(r"\s#\s(\([\d,… .()]*\)|array\(.*?\)|\d[\d.e+-]*)(?=$|[,:;.]| )", line)
    return found and found[1]


@pytest.mark.parametrize("page", ["python.md", "coming-from.md"])
def test_snippets(page, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    names, checked = {}, 0
    for source in blocks(page):
        lines = source.splitlines()
        for statement in ast.parse(source).body:
            one = ast.Module([statement], [])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # sparse counts have no atoms to confirm
                if not isinstance(statement, ast.Expr):
                    exec(compile(one, str(PAGES / page), "exec"), names)
                    continue
                value = eval(compile(ast.Expression(statement.value), str(PAGES / page), "eval"), names)
            promised = expected(lines[statement.end_lineno - 1])
            if promised is None:
                continue
            checked += 1
            digits = [(float(said), float(got)) for said, got in zip(NUMBER.findall(promised), NUMBER.findall(repr(value)))]
            assert digits, lines[statement.end_lineno - 1]
            for said, got in digits:
                # As many digits as are shown; what ends with an ellipsis is cut, not rounded.
                assert got == pytest.approx(said, rel=1e-3, abs=1e-9), lines[statement.end_lineno - 1]
    assert checked >= (6 if page == "python.md" else 0)
