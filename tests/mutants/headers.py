# SPDX-License-Identifier: Apache-2.0
"""The public functions that a C++ header declares, by name. Reads what this repository writes, not all of C++."""

import re

_COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', re.S)
_PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
_TOKEN = re.compile(r"[{};]|(?:public|private|protected)\s*:(?!:)|[^{};]", re.S)
_KIND = re.compile(r"\b(namespace|class|struct|union|enum)\b(?:\s+class)?\s+([\w:]+)?")
# Nothing in them to be broken: what isn't there, what others must write, and what is no function.
_NOTHING_TO_BREAK = re.compile(r"=\s*(default|delete|0)\s*$|^\s*(using|friend|typedef|static_assert|return)\b")


def _without_templates(statement):
    """Drops <…>, innermost first, so that a parenthesis that is left is that of a function."""
    while (shorter := re.sub(r"<[^<>]*>", " ", statement)) != statement:
        statement = shorter
    return statement


def _function_name(statement):
    statement = _without_templates(statement.replace("->", " ").replace("<=", " ").replace(">=", " "))
    statement = re.sub(r"\[\[.*?\]\]|\b(alignas|noexcept)\s*\([^()]*\)", " ", statement)
    if _NOTHING_TO_BREAK.search(statement.strip()):
        return None
    name = re.search(r"(~?\b\w+)\s*\(", statement)
    # A member that is given its value by "= f(…)" is no function.
    return name.group(1) if name and "=" not in statement[: name.start()] else None


class _Scope:
    def __init__(self, kind, name="", public=True):
        self.kind, self.name, self.public = kind, name, public


def _opened(statement, scopes):
    """The scope that a brace after `statement` opens."""
    plain = _without_templates(statement)
    kind = _KIND.search(plain)
    if 'extern ""' in plain:
        return _Scope("foreign")  # declarations of somebody else's functions
    if kind and "(" not in plain:
        if kind.group(1) == "namespace":
            return _Scope("namespace")
        if kind.group(1) != "enum":
            return _Scope("class", kind.group(2) or "", kind.group(1) == "struct")
    return _Scope("block")


def public_functions(text):
    """Names as in `Class::function`; overloads have one name. Constructors are `Class::Class`."""
    text = re.sub(r"\bORTHODICT_EXPORT\b", "", text)
    text = _PREPROCESSOR.sub("", _COMMENT_OR_TEXT.sub(lambda m: '""' if m.group(0)[0] == '"' else " ", text))
    scopes, statement, found = [_Scope("namespace")], "", []

    def note():
        if any(scope.kind not in ("namespace", "class") or not scope.public for scope in scopes):
            return
        if name := _function_name(statement):
            found.append("::".join([s.name for s in scopes if s.kind == "class"] + [name]))

    for token in _TOKEN.findall(text):
        if token == "{":
            scope = _opened(statement, scopes)
            if scope.kind == "block":
                note()
            scopes.append(scope)
            statement = ""
        elif token == "}":
            scopes.pop()
            statement = ""
        elif token == ";":
            note()
            statement = ""
        elif token.endswith(":") and len(token) > 1:
            scopes[-1].public = token.startswith("public")
            statement = ""
        else:
            statement += token
    return list(dict.fromkeys(found))
