# SPDX-License-Identifier: Apache-2.0
"""What a page of `orthodict report` holds, read as a program reads it. No test lives here."""

import base64
import json
import re

import harness
import numpy as np

HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


def make_report(folder, *args, name="report.html"):
    """Runs `orthodict report ARGS --output NAME` in a folder; gives back the page's path."""
    harness.run_command("report", *args, "--output", name, cwd=folder)
    return folder / name


def contents(page):
    """The report in a page: all that it shows."""
    found = re.findall(r'<script type="application/json" id="report">(.*?)</script>', page.read_text("utf-8"), re.S)
    assert len(found) == 1

    def refuse(constant):
        raise AssertionError(f"{constant} isn't JSON")

    return json.loads(found[0], parse_constant=refuse)


def numbers(text, dtype):
    return np.frombuffer(base64.b64decode(text, validate=True), dtype=dtype)


def write_model(path, dictionary, analysis=None, mean=None, metadata="{}", confidence=None):
    """A model made by another program."""
    arrays = {
        "dictionary": dictionary,
        "analysis": dictionary if analysis is None else analysis,
        "mean": np.zeros(dictionary.shape[1]) if mean is None else mean,
        "metadata": np.array(metadata),
    }
    if confidence is not None:
        arrays["confidence"] = confidence
    np.savez(path, **arrays)


def random_orthogonal(n, seed):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))[0]
