# SPDX-License-Identifier: Apache-2.0
"""The C++ programs on pages of documentation.

pages.py program PAGE               prints the first program, a ```cpp block with main()
pages.py fragments PAGE             prints a source file of all blocks without main(), each in a function
pages.py check PAGE OUTPUTS SOURCES [--write]
    compares every program, and the indented output below it, with SOURCES/NAME.cc and with what the program printed,
    OUTPUTS/NAME.txt. The output's first line is "$ NAME"; without one the program is called by the page's name. Times
    and numbers of iterations may differ. With --write the page is rewritten instead.
"""
import difflib
import pathlib
import re
import sys

BLOCK = re.compile(r"^```cpp\n(.*?)^```\n((?:\n(?:    [^\n]*\n)+)?)", re.DOTALL | re.MULTILINE)
VARIABLE = [(re.compile(r"\bin [\d.e-]+ s\b"), "in TIME s"), (re.compile(r"\b\d+ iterations\b"), "N iterations")]


def is_program(code):
    return "int main(" in code


def without_variable_parts(text):
    for pattern, name in VARIABLE:
        text = pattern.sub(name, text)
    return text


def fragments(text):
    bodies = [code for code, _ in BLOCK.findall(text) if not is_program(code)]
    assert bodies, "no fragments"
    head = "#include <orthodict/orthodict.h>\n\n#include <Eigen/Core>\n#include <iostream>\n"
    return head + "".join(f"\nvoid fragment_{i}() {{\n{code}}}\n" for i, code in enumerate(bodies))


def renewed(page, outputs, sources):
    """The page with the programs and outputs that there are; an output that is equal but for its variable parts stays."""
    seen = set()

    def renew(match):
        code, shown = match.groups()
        if not is_program(code):
            return match[0]
        command = re.match(r"\n    (\$ (\w+).*\n)", shown)
        name = command[2] if command else page.stem
        seen.add(name)
        printed = (command[1] if command else "") + (outputs / f"{name}.txt").read_text()
        block = "\n" + "".join(f"    {line}\n" for line in printed.splitlines())
        if without_variable_parts(block) == without_variable_parts(shown):
            block = shown
        return f"```cpp\n{(sources / f'{name}.cc').read_text()}```\n{block}"

    text = BLOCK.sub(renew, page.read_text())
    missing = {path.stem for path in sources.glob("*.cc")} - seen
    assert not missing, f"{page} doesn't show {missing}"
    return text


def check(page, outputs, sources, write):
    old, new = page.read_text(), renewed(page, outputs, sources)
    if write:
        page.write_text(new)
    elif old != new:
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), str(page), "run"))
        sys.exit(f"{page} isn't what the programs are and print: tests/install/run.sh BUILD_DIR '' --write renews it")


def main():
    what, page, *rest = sys.argv[1:]
    page = pathlib.Path(page)
    if what == "program":
        print(next(code for code, _ in BLOCK.findall(page.read_text()) if is_program(code)), end="")
    elif what == "fragments":
        print(fragments(page.read_text()), end="")
    else:
        check(page, pathlib.Path(rest[0]), pathlib.Path(rest[1]), "--write" in rest)


main()
