# SPDX-License-Identifier: Apache-2.0
"""Pages of the commands, from what `orthodict help COMMAND` prints."""

import re
import subprocess

ITEM = re.compile(r"^  (-\S.*?|[a-z]\S*)(?:  +(.*))?$")  # an option or argument, and the first line of its text


def help_of(binary, *command):
    return subprocess.run([binary, "help", *command], check=True, capture_output=True, text=True).stdout


def names(binary):
    """The commands, in the order of the general help."""
    commands = re.search(r"^Commands:\n(.*?)^$", help_of(binary), re.DOTALL | re.MULTILINE)[1]
    return re.findall(r"^  (\w+)", commands, re.MULTILINE)


def page(binary, name):
    summary, usage, *sections = re.split(r"\n\n", help_of(binary, name).rstrip("\n"))
    parts = [f"# orthodict {name}", f"{summary}.", f"    {usage.removeprefix('Usage: ')}"]
    for section in sections:
        head, _, rest = section.partition("\n")
        if head == "Examples:":
            parts.append("## Examples\n\n```sh\n" + re.sub(r"^  ", "", rest, flags=re.MULTILINE) + "\n```")
        elif head.endswith(":") and rest:
            parts.append(f"## {head[:-1]}\n\n{items(rest.splitlines())}")
        elif head.startswith("  "):
            parts.append(items(section.splitlines()))
        else:
            parts.append(escaped(section))
    return "\n\n".join(parts) + "\n"


def items(lines):
    """A definition list of options; a value's own text becomes an item of a list in it."""
    text = ""
    for line in lines:
        item = ITEM.match(line)
        if item:
            text += f"\n\n`{item[1]}`\n:   {escaped(item[2] or '')}"
        elif re.match(r" {28}\S", line):
            value = re.match(r" {28}([^\s:]+): (.*)", line)
            text += f"\n\n    - `{value[1]}`: {escaped(value[2])}" if value else f"\n      {escaped(line.strip())}"
        else:
            text += f"\n    {escaped(line.strip())}"
    return text.strip("\n")


def escaped(text):
    return re.sub(r"([*_<|])", r"\\\1", text)
