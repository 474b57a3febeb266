#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install.sh PYTHON ENVIRONMENT: installs the wheel of these sources, with what its tests need, in a virtual environment
# that is made with PYTHON. Does nothing, quickly, when that wheel is there already.
set -euo pipefail
python=$1
environment=$2
cd "$(dirname "$0")/../.."
unset PYTHONPATH

scripts/wheel
wheel=$(echo dist/orthodict-*.whl)
if [ "$environment/installed" -nt "$wheel" ]; then exit; fi
[ -x "$environment/bin/pip" ] || "$python" -m venv "$environment"
pip=("$environment/bin/pip" install --quiet --disable-pip-version-check)
"${pip[@]}" --force-reinstall --no-deps "$wheel"
"${pip[@]}" "$wheel[test]"
touch "$environment/installed"
