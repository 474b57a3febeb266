# SPDX-License-Identifier: Apache-2.0
"""Pages of the C++ API: each public header as its comments in prose, with the declarations that they describe."""

import re

NOT_SHOWN = {"export", "orthodict"}  # a macro, and the header that includes all others
DECLARED = re.compile(r"\b(?:class|struct|enum class|concept|using)\s+(?:ORTHODICT_EXPORT\s+)?(\w+)")
FUNCTION = re.compile(r"([\w:]+|operator\S+)\(")


def page(name, text):
    """The page of a header, include/orthodict/NAME.h, as Markdown."""
    lead, body = re.fullmatch(r"(.*?)^namespace orthodict \{\n(.*)^\}  // namespace orthodict\n", text,
                              re.DOTALL | re.MULTILINE).groups()
    body = re.sub(r"^namespace detail \{\n.*?^\}  // namespace detail\n", "", body, flags=re.DOTALL | re.MULTILINE)
    remarks = [line for line in lead.splitlines() if line.startswith("//") and "SPDX" not in line]
    parts = ["---\nhide: [toc]\n---", f"# `orthodict/{name}.h`", prose(remarks)]  # declarations are wide
    headings = set()
    for block in blocks(body):
        comment, code = divided(block)
        heading = name_of(code)
        if heading and heading not in headings:
            parts.append(f"## `{heading}`")
            headings.add(heading)
        parts += [prose(comment), f"```cpp\n{code}\n```" if code else ""]
    return "\n\n".join(part for part in parts if part) + "\n"


def blocks(body):
    """What blank lines divide outside of braces, without the private parts of classes."""
    body = re.sub(r"^ private:\n.*?^\};", "};", body, flags=re.DOTALL | re.MULTILINE)
    block, depth = [], 0
    for line in body.splitlines():
        if not line.strip() and depth == 0:
            if block:
                yield block
            block = []
            continue
        block.append(line)
        code = line.split("//")[0]
        depth += code.count("{") - code.count("}")
    if block:
        yield block


def divided(block):
    count = next((i for i, line in enumerate(block) if not line.startswith("//")), len(block))
    code = "\n".join(block[count:])
    return block[:count], re.sub(r"\n\n(\};)", r"\n\1", code).replace("ORTHODICT_EXPORT ", "")


def prose(comment):
    """Comment lines as Markdown; indented ones are kept as they are."""
    lines = [line[2:].removeprefix(" ") for line in comment]
    text, before = "", False
    for line in lines:
        indented = line.startswith("  ")
        text += "\n" if indented == before else "\n\n"
        text += f"    {line}" if indented else line.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")
        before = indented
    return text.strip("\n")


def name_of(code):
    first = code.split("\n{", 1)[0]
    declared = DECLARED.search(re.sub(r"template <.*?>\n", "", first))
    if declared:
        return declared[1]
    function = FUNCTION.search(re.sub(r"requires \w+<\w+>", "", first))
    return function[1] if function else None
