#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD_DIR FLAGS [--write]: installs BUILD_DIR to a scratch prefix; builds and runs the examples, the program in
# README.md and the consumer of MPI against it, through CMake and through pkg-config; and compares README.md and
# docs/cpp.md with these programs and what they print (--write renews the pages). FLAGS are what the library itself was
# compiled with beyond the usual (sanitizers).
set -euo pipefail
build=$1
flags=$2
write=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
share=$scratch/prefix/share

# Configures and builds a project against the installed library.
build_project() {
  cmake -S "$1" -B "$2" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_CXX_FLAGS="$flags -Wall -Wextra -Werror" >/dev/null
  cmake --build "$2" --parallel 2 >/dev/null
}

build_project "$share/doc/orthodict/examples" "$scratch/examples"
mkdir "$scratch/outputs" "$scratch/files" "$scratch/elsewhere"
for source in "$share"/doc/orthodict/examples/*.cc; do
  name=$(basename "$source" .cc)
  folder=()
  if grep -q "$name FOLDER" "$source"; then folder=("$scratch/files"); fi
  (cd "$scratch/elsewhere" && "$scratch/examples/$name" "${folder[@]}") >"$scratch/outputs/$name.txt" ||
    { cat "$scratch/outputs/$name.txt"; echo "$name failed" >&2; exit 1; }
done
rmdir "$scratch/elsewhere" # fails if an example wrote a file outside its folder
python3 "$here/pages.py" check "$root/docs/cpp.md" "$scratch/outputs" "$root/examples" $write

PKG_CONFIG_PATH=$(dirname "$(find "$scratch/prefix" -name orthodict.pc)")
export PKG_CONFIG_PATH
compile=(c++ -std=c++20)
read -r -a cflags <<<"$(pkg-config --cflags orthodict)"
read -r -a libs <<<"$(pkg-config --libs orthodict) -Wl,-rpath,$(pkg-config --variable=libdir orthodict)"
python3 "$here/pages.py" fragments "$root/docs/cpp.md" >"$scratch/fragments.cc"
"${compile[@]}" -fsyntax-only "${cflags[@]}" "$scratch/fragments.cc"

# The README's program, compiled for this processor: Eigen then wants its own matrices aligned more strictly.
mkdir "$scratch/readme"
python3 "$here/pages.py" program "$root/README.md" >"$scratch/readme/README.cc"
# shellcheck disable=SC2086
"${compile[@]}" -march=native $flags "${cflags[@]}" "$scratch/readme/README.cc" "${libs[@]}" -o "$scratch/readme/program"
"$scratch/readme/program" >"$scratch/outputs/README.txt"
python3 "$here/pages.py" check "$root/README.md" "$scratch/outputs" "$scratch/readme" $write

build_project "$here" "$scratch/consumer"
if [ -x "$scratch/consumer/consumer_of_mpi" ]; then
  # Whole stacks tell the leaks of Open MPI, parts of which are unloaded by then.
  export ASAN_OPTIONS=${ASAN_OPTIONS:-}:fast_unwind_on_malloc=0
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 "$scratch/consumer/consumer_of_mpi"
fi

"$scratch/prefix/bin/orthodict" --version

for file in doc/orthodict/LICENSE doc/orthodict/README.md doc/orthodict/docs/building.md doc/orthodict/docs/cpp.md \
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
