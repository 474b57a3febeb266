#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# from_sources.sh PYTHON ENVIRONMENT EXTENSION: a virtual environment, made with PYTHON, with the package as it is here,
# its EXTENSION and what its tests need: for an extension that isn't fit for a wheel. Quick when the packages are there.
set -euo pipefail
python=$1
environment=$2
extension=$3
cd "$(dirname "$0")/../.."
unset PYTHONPATH

if ! cmp -s pyproject.toml "$environment/pyproject.toml"; then
  [ -x "$environment/bin/pip" ] || "$python" -m venv "$environment"
  "$python" -c 'import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
print(*project["dependencies"], *project["optional-dependencies"]["test"], sep="\n")' |
    xargs -d '\n' "$environment/bin/pip" install --quiet --disable-pip-version-check
  cp pyproject.toml "$environment"
fi
package=$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/orthodict
rm -rf "$package"
mkdir "$package"
cp python/orthodict/{*.py,py.typed} "$package"
ln -s "$extension" "$package"
