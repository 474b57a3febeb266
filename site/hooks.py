# SPDX-License-Identifier: Apache-2.0
"""Makes the site of the repository's pages: those of docs/ where they are, README.md as the first page, pages of folders
beside them, and the pages of commands, headers and the Python package, which are generated."""

import ast
import os
import pathlib
import posixpath
import re
import sys

from mkdocs.structure.files import File, InclusionLevel

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import commands
import headers

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCS = "docs/"
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "experiments/README.md"]
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s#]+)(#[^)\s]*)?(\))")
ORIGINS = {}  # of the pages that aren't in docs/


def place(source):
    """Where a file of the repository is on the site."""
    if source.startswith("examples/"):
        return "cpp/" + source  # docs/examples/ has those in Python
    return "index.md" if source == "README.md" else source.removeprefix(DOCS)


def origin(uri):
    """Which file of the repository is there on the site."""
    return ORIGINS.get(uri, DOCS + uri)


def on_files(files, config):
    def generate(uri, content, inclusion=InclusionLevel.INCLUDED):
        files.append(File.generated(config, uri, content=content, inclusion=inclusion))

    def copy(source):
        if files.get_file_from_path(place(source)) is None:
            path = ROOT / source
            ORIGINS[place(source)] = source
            in_navigation = source in PAGES
            generate(place(source), path.read_text() if path.suffix == ".md" else path.read_bytes(),
                     InclusionLevel.INCLUDED if in_navigation else InclusionLevel.NOT_IN_NAV)

    for source in PAGES + [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("experiments/*/README.md"))]:
        copy(source)
        for target in linked(source):
            copy(target)
    for file in list(files.documentation_pages()):
        for target in linked(origin(file.src_uri)):
            copy(target)
    generate_reference(generate)
    return files


def generate_reference(generate):
    binary = os.environ.get("ORTHODICT", str(ROOT / "build" / "orthodict"))
    for name in commands.names(binary):
        generate(f"commands/{name}.md", commands.page(binary, name))
    for path in sorted(ROOT.glob("include/orthodict/*.h")):
        if path.stem not in headers.NOT_SHOWN:
            generate(f"cpp/{path.stem}.md", headers.page(path.stem, path.read_text()))
    tree = ast.parse((ROOT / "python/orthodict/__init__.py").read_text())
    names = next(ast.literal_eval(node.value) for node in tree.body
                 if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    compiled = {alias.asname or alias.name for node in ast.walk(tree)
                if isinstance(node, ast.ImportFrom) and node.module == "_core" for alias in node.names}
    shown = [name for name in sorted(names, key=str.lower) if not name.startswith("_") and name not in compiled]
    generate("python-api.md", "# Python API\n\n" + "\n\n".join(f"::: orthodict.{name}" for name in shown) + "\n")


def linked(source):
    """The files of the repository outside of docs/ that a page of it links to."""
    path = ROOT / source
    if path.suffix != ".md" or not path.exists():
        return []
    targets = {target_of(source, match[2]) for match in LINK.finditer(path.read_text())}
    return sorted(target for target in targets if target and not target.startswith(DOCS))


def target_of(source, link):
    """The file of the repository that a link means; None for one to elsewhere."""
    if ":" in link or link.startswith("/"):
        return None
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
    if (ROOT / target).is_dir():
        target += "/README.md"
    return target if (ROOT / target).is_file() else None


def on_page_markdown(markdown, page, config, files):
    uri = page.file.src_uri
    source = origin(uri)

    def relinked(match):
        target = target_of(source, match[2])
        if target is None:
            return match[0]
        there = place(target)
        if target.startswith("include/orthodict/") and pathlib.Path(target).stem not in headers.NOT_SHOWN:
            there = f"cpp/{pathlib.Path(target).stem}.md"
        return match[1] + posixpath.relpath(there, posixpath.dirname(uri) or ".") + (match[3] or "") + match[4]

    return LINK.sub(relinked, markdown)
