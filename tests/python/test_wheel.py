# SPDX-License-Identifier: Apache-2.0
"""The wheel has what it needs, and nothing of the system beyond what every Python has."""

import importlib.metadata
import pathlib
import re
import subprocess
import sys
import sysconfig

import pytest

import orthodict

FOLDER = pathlib.Path(orthodict.__file__).parent
# glibc's and the compiler's: those that a wheel must not bring.
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s))\.so\..*")


def installed():
    """The distribution that orthodict was imported from, if any."""
    for found in importlib.metadata.distributions(name="orthodict"):
        if pathlib.Path(found.locate_file("orthodict")).resolve() == FOLDER.resolve():
            return found
    return None


pytestmark = pytest.mark.skipif(installed() is None, reason="orthodict runs from its sources, not from a wheel")


def test_has_types_and_licence_but_no_sources():
    files = [pathlib.PurePosixPath(file) for file in installed().files]
    assert {"orthodict/py.typed", "orthodict/_core.pyi"} <= {str(file) for file in files}
    assert any(file.match("*.dist-info/licenses/LICENSE") for file in files)
    assert not {file.suffix for file in files} & {".cc", ".h", ".a"}


def test_brings_the_command(tmp_path):
    command = pathlib.Path(sysconfig.get_path("scripts")) / "orthodict"
    done = subprocess.run([str(command), "--version"], cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.split() == ["orthodict", orthodict.__version__]


def test_brings_the_terms_of_its_libraries():
    if "manylinux" not in installed().read_text("WHEEL"):
        pytest.skip("orthodict was built for this system, not with scripts/wheel")
    texts = " ".join(path.name for path in (FOLDER / "licenses").iterdir() if path.stat().st_size > 100)
    for library in ("openblas", "eigen", "hdf5", "libzip", "libssl", "gfortran", "libfmt", "libhwy", "libaec", "bz2", "libpng", "libjpeg"):
        assert library in texts


def test_brings_no_network():
    """Nothing that speaks TLS or to a directory: see python/wheel/no_curl.c."""
    files = [file.name for file in installed().files if file.parts[0] == "orthodict.libs"]
    assert not [name for name in files if re.match("lib(ssl|gnutls|krb5|ldap|ssh2|rtmp|nghttp2)", name)]


def test_needs_no_library_of_the_system():
    if "manylinux" not in installed().read_text("WHEEL"):
        pytest.skip("orthodict was built for this system, not with scripts/wheel")
    # zlib is Python's: every system that has one has the other.
    code = """
import numpy, zlib
def libraries():
    with open("/proc/self/maps") as maps:
        return {line.split()[-1] for line in maps if ".so" in line}
before = libraries()
import orthodict
orthodict.fit(orthodict.synthetic(10, 1000, theta=0.3, seed=1)[0], seed=1)
print(*(libraries() - before), sep="\\n")
"""
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    loaded = [pathlib.Path(name) for name in done.stdout.splitlines()]
    ours = [path for path in loaded if FOLDER.parent in path.parents]
    python = [path for path in loaded if pathlib.Path(sysconfig.get_path("stdlib")).resolve() in path.parents]
    assert {path.parent.name for path in ours} == {"orthodict", "orthodict.libs"}
    assert [path for path in loaded if path not in ours + python and not SYSTEM.fullmatch(path.name)] == []
