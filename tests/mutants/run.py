# SPDX-License-Identifier: Apache-2.0
"""Breaks the library on purpose, one small way at a time, and tells whether the unit tests notice."""

import argparse
import collections
import fnmatch
import pathlib
import re
import subprocess
import sys
import time
import tomllib

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
LISTS = pathlib.Path(__file__).resolve().parent
SCRATCH = REPOSITORY / "build-mutants" / "tree"  # a copy of the sources, which alone is changed
BUILD = SCRATCH / "build"
HANG_SECONDS = 300  # a mutant that takes so long hangs; the tests named take seconds

Mutant = collections.namedtuple("Mutant", "name file text by tests")


def read_lists():
    """All mutants."""
    mutants = []
    for path in sorted(LISTS.glob("*.toml")):
        for file, entries in tomllib.loads(path.read_text())["mutants"].items():
            for entry in entries:
                name = entry.get("name", entry["function"])
                mutants.append(Mutant(name, file, entry["text"], entry["by"], entry["tests"]))
    # Headers last: what includes them is built anew for each, while the others take seconds.
    return sorted(mutants, key=lambda mutant: (mutant.file.endswith(".h"), mutant.file))


def applies(mutant):
    file = REPOSITORY / mutant.file
    return file.exists() and file.read_text().count(mutant.text) == 1


def complaints(mutants):
    """What is wrong with the lists: names that aren't unique, and texts that don't apply."""
    for name, times in collections.Counter(mutant.name for mutant in mutants).items():
        if times > 1:
            yield f"{name}: {times} mutants have this name"
    for mutant in mutants:
        if not applies(mutant):
            yield f"{mutant.name}: its text isn't in {mutant.file} exactly once"


def write_if_changed(path, contents):
    """Keeps the time of a file that stays the same, so that nothing is compiled for it."""
    if not path.exists() or path.read_bytes() != contents:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)


def is_named(test_file, filters):
    """Whether a filter names a suite of this file. Suites with types have a number with them, with parameters a word."""
    for suite in re.findall(r"TEST(?:_[FP])?\((\w+),", test_file.read_text()):
        spellings = (suite, f"{suite}/0", f"{suite}/1", f"A/{suite}")
        if any(fnmatch.fnmatchcase(spelling, name) for spelling in spellings for name in filters):
            return True
    return False


def copy_sources(mutants):
    """Of the tests only the files that have one that is named: a header that is broken is compiled into all of them."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z", "CMakeLists.txt", "cmake", "include",
                             "src", "baselines", "fuzz", "tests"], cwd=REPOSITORY, capture_output=True, check=True)
    names = {name for name in listed.stdout.decode().split("\0") if name and (REPOSITORY / name).is_file()}
    filters = {part.split(".")[0] for mutant in mutants for part in mutant.tests.split(":")}
    names -= {name for name in names if name.endswith("_test.cc") and not is_named(REPOSITORY / name, filters)}
    for name in names:
        write_if_changed(SCRATCH / name, (REPOSITORY / name).read_bytes())
    for folder in ("src", "tests/unit"):
        for path in (SCRATCH / folder).rglob("*.*"):
            if path.is_file() and str(path.relative_to(SCRATCH)) not in names:
                path.unlink()


def configure():
    subprocess.run(["cmake", "-S", SCRATCH, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Mutants",
                    "-DCMAKE_CXX_FLAGS_MUTANTS=-O1 -DNDEBUG", "-DORTHODICT_BUILD_CLI=OFF", "-DORTHODICT_WITH_MPI=OFF",
                    "-DORTHODICT_INSTALL=OFF", "-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST"],
                   check=True, stdout=subprocess.DEVNULL)


def build(jobs):
    done = subprocess.run(["ninja", "-C", BUILD, "-j", str(jobs), "unit_tests"], capture_output=True, text=True)
    return done.returncode == 0, done.stdout


def run_tests(tests):
    """How the tests named ended: "passed", "failed", or "hung"."""
    command = [BUILD / "tests" / "unit_tests", f"--gtest_filter={tests}", "--gtest_brief=1", "--gtest_fail_fast"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=HANG_SECONDS)
    except subprocess.TimeoutExpired:
        return "hung", ""
    ran_some = "0 tests from 0 test suites ran" not in done.stdout
    return ("passed" if done.returncode == 0 and ran_some else "failed" if ran_some else "none"), done.stdout


def outcome_of(mutant, jobs):
    original = (SCRATCH / mutant.file).read_text()
    (SCRATCH / mutant.file).write_text(original.replace(mutant.text, mutant.by))
    try:
        compiles, _ = build(jobs)
        if not compiles:
            return "did not compile"
        for tests in (mutant.tests, "*"):
            ended, _ = run_tests(tests)
            if ended != "passed":
                named = "" if tests == mutant.tests else ", but not by the tests named"
                return ("killed" if not named else "killed elsewhere") + (" (hangs)" if ended == "hung" else "") + named
        return "survived"
    finally:
        (SCRATCH / mutant.file).write_text(original)


def check_original(mutants, jobs):
    """Without a break the tests pass: otherwise one that fails would say nothing."""
    compiles, output = build(jobs)
    if not compiles:
        sys.exit(f"mutate: the sources as they are don't compile\n{output[-3000:]}")
    for tests in dict.fromkeys(mutant.tests for mutant in mutants):
        ended, output = run_tests(tests)
        if ended != "passed":
            sys.exit(f"mutate: without a break, --gtest_filter={tests} {ended}\n{output[-3000:]}")


def main():
    parser = argparse.ArgumentParser(prog="scripts/mutate", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="mutants or files to try; all when left out")
    parser.add_argument("--list", action="store_true", help="list the mutants, check the lists, and end")
    parser.add_argument("--jobs", type=int, default=2, help="files to compile at a time (2)")
    asked = parser.parse_args()
    mutants = read_lists()
    wrong = list(complaints(mutants))
    if asked.list:
        for mutant in mutants:
            print(f"{mutant.name:40} {mutant.file:30} {mutant.tests}")
        print(f"{len(mutants)} mutants")
    for complaint in wrong:
        print(f"mutate: {complaint}", file=sys.stderr)
    if asked.list:
        sys.exit(1 if wrong else 0)
    mutants = [mutant for mutant in mutants if applies(mutant)]
    if asked.names:
        mutants = [mutant for mutant in mutants if mutant.name in asked.names or mutant.file in asked.names]
        if not mutants:
            sys.exit("mutate: no such mutant; see --list")

    copy_sources(mutants)
    configure()
    check_original(mutants, asked.jobs)
    outcomes = collections.Counter()
    for number, mutant in enumerate(mutants, 1):
        start = time.monotonic()
        outcome = outcome_of(mutant, asked.jobs)
        outcomes[outcome.split(" (")[0]] += 1
        print(f"[{number}/{len(mutants)}] {mutant.name} ({mutant.file}): {outcome}, {time.monotonic() - start:.0f} s",
              flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()), f"of {len(mutants)}")
    sys.exit(0 if outcomes["killed"] == len(mutants) else 1)


if __name__ == "__main__":
    main()
