#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD_DIR FLAGS: installs BUILD_DIR to a scratch prefix, then builds and runs the consumer against it, through
# CMake and through pkg-config. FLAGS are what the library itself was compiled with beyond the usual (sanitizers).
set -euo pipefail
build=$1
flags=$2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
cmake -S "$here" -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_CXX_FLAGS="$flags" >/dev/null
cmake --build "$scratch/consumer" >/dev/null
"$scratch/consumer/consumer"
if [ -x "$scratch/consumer/consumer_of_mpi" ]; then
  # Whole stacks tell the leaks of Open MPI, parts of which are unloaded by then.
  export ASAN_OPTIONS=${ASAN_OPTIONS:-}:fast_unwind_on_malloc=0
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 "$scratch/consumer/consumer_of_mpi"
fi

PKG_CONFIG_PATH=$(dirname "$(find "$scratch/prefix" -name orthodict.pc)")
export PKG_CONFIG_PATH
libdir=$(pkg-config --variable=libdir orthodict)
# shellcheck disable=SC2046,SC2086
c++ -std=c++20 -march=native $flags "$here/consumer.cc" $(pkg-config --cflags --libs orthodict) -Wl,-rpath,"$libdir" -o "$scratch/by-pkg-config"
"$scratch/by-pkg-config"

"$scratch/prefix/bin/orthodict" --version

share=$scratch/prefix/share
for file in doc/orthodict/LICENSE doc/orthodict/README.md doc/orthodict/docs/building.md \
  man/man1/orthodict.1 man/man1/orthodict-fit.1 bash-completion/completions/orthodict \
  zsh/site-functions/_orthodict fish/vendor_completions.d/orthodict.fish; do
  [ -s "$share/$file" ] || { echo "not installed: $file" >&2; exit 1; }
done
if [ -f /usr/share/doc/libeigen3-dev/copyright ]; then [ -s "$share/doc/orthodict/licenses/libeigen3-dev.txt" ]; fi
grep -q '^\\fB\\-\\-method' "$share/man/man1/orthodict-fit.1"

# What bash would offer for the last of the words.
offered() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _orthodict
  echo "${COMPREPLY[*]}"
}
# shellcheck source=/dev/null
. "$share/bash-completion/completions/orthodict"
[ "$(offered orthodict den)" = denoise ]
[ "$(offered orthodict fit x.npy --meth)" = --method ]
[ "$(offered orthodict fit x.npy --whiten z)" = zca ]
